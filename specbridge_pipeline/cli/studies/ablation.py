"""`specbridge study ablation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specbridge_pipeline.cli.studies.studied_databases import (
    database_options,
    output_options,
    problem_of,
    studied_databases,
)
from specbridge_pipeline.cli.terminal import print_json, print_table, progress
from specbridge_pipeline.errors import ConfigurationError, SpecBridgeError

if TYPE_CHECKING:
    from specbridge_pipeline.query_generation.attempt_classes import AttemptClass


@click.command("ablation")
@database_options
@click.option(
    "--attempts",
    type=click.IntRange(min=1),
    default=2350,
    show_default=True,
    help="Attempts of a configuration, over all databases and seeds together.",
)
@click.option("--seed", "seeds", type=int, multiple=True, help="A seed; repeat. Default: 1, 2, 3.")
@click.option(
    "--configuration",
    "configurations",
    multiple=True,
    metavar="NAME",
    help="Run this configuration alone: all, none, or without_ and a mechanism; repeat for "
    "several. Default: all of them.",
)
@output_options
@click.pass_context
def command(
    context: click.Context,
    folder: Path | None,
    sources: Sequence[str],
    only: Sequence[str],
    attempts: int,
    seeds: Sequence[int],
    configurations: Sequence[str],
    out: Path | None,
    as_json: bool,
) -> None:
    """Show what each mechanism of generation is worth, by switching it off.

    A configuration makes the same number of attempts with all mechanisms, without one of them
    (deduplication, step_data_checks, column_profile, look_ahead, must_vary, restatement_rules,
    type_rules), or with none. An attempt is one construction, at arithmetic depth 1 or 2 and step
    depth 3 to 6. It is valid, on target and sound; valid and on target, but breaks a rule; a
    duplicate; off its target depth; invalid on the data; or not built. Whether it is sound is asked
    of every rule, the one that was switched off included.

    \b
    specbridge study ablation --attempts 235
    specbridge study ablation --databases databases/bird --configuration all --configuration none
    """  # noqa: D301
    from specbridge_pipeline.query_generation.ablation import (
        CONFIGURATIONS,
        SEEDS,
        ablation_rows,
        counts_by_class,
        shares_of,
    )
    from specbridge_pipeline.query_generation.study_records import GENERATION_ABLATION
    from specbridge_pipeline.records.row_files import write_rows

    chosen = tuple(dict.fromkeys(configurations)) or tuple(CONFIGURATIONS)
    for name in chosen:
        if name not in CONFIGURATIONS:
            raise ConfigurationError(
                f"there is no configuration '{name}'",
                advice=f"configurations: {', '.join(CONFIGURATIONS)}",
            )
    used = tuple(dict.fromkeys(seeds)) or SEEDS
    rows: list[dict[str, Any]] = []
    problems: dict[str, str] = {}
    with studied_databases(context, folder, only, sources) as databases:
        shares = shares_of(attempts, len(databases) * len(used))
        for place, database in enumerate(databases):
            mine = shares[place * len(used) : (place + 1) * len(used)]
            try:
                opened = database.open()
            except SpecBridgeError as error:
                problems[database.label] = problem_of(error)
                continue
            found = ablation_rows(
                opened.catalogue,
                opened.run,
                attempts=dict(zip(used, mine, strict=True)),
                configurations=chosen,
                progress=progress(),
            )
            rows += [{"source": database.source, **row} for row in found]
        names = [database.label for database in databases]
    counts = counts_by_class(rows)
    if out is not None:
        write_rows(out, GENERATION_ABLATION, rows)
    if as_json:
        print_json(
            {
                "databases": names,
                "attempts": attempts,
                "seeds": list(used),
                "configurations": {
                    name: {each.name.lower(): number for each, number in found.items()}
                    for name, found in counts.items()
                },
                "not_studied": problems,
            }
        )
        return
    _print(counts, names)
    for name, problem in problems.items():
        click.echo(f"{name}: {problem}", err=True)


def _print(counts: Mapping[str, Mapping[AttemptClass, int]], databases: Sequence[str]) -> None:
    from specbridge_pipeline.query_generation.ablation import configuration_words
    from specbridge_pipeline.query_generation.attempt_classes import AttemptClass

    print_table(
        ("configuration", "attempts", *(each.value for each in AttemptClass)),
        [
            (
                configuration_words(name),
                f"{sum(found.values()):,}",
                *(f"{found[each]:,} ({found[each] / sum(found.values()):.1%})" for each in found),
            )
            for name, found in counts.items()
        ],
        f"attempts by class, on {len(databases)} databases",
    )
