"""`specbridge study coverage`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from specbridge_pipeline.cli.studies.studied_databases import (
    database_options,
    output_options,
    problem_of,
    studied_databases,
)
from specbridge_pipeline.cli.terminal import print_json, print_table, progress
from specbridge_pipeline.errors import SpecBridgeError


@click.command("coverage")
@database_options
@click.option(
    "--queries",
    type=click.IntRange(min=1),
    default=24,
    show_default=True,
    help="Queries asked for on a database, before a feature is asked for by itself.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed of what is left to chance."
)
@output_options
@click.pass_context
def command(
    context: click.Context,
    folder: Path | None,
    sources: Sequence[str],
    only: Sequence[str],
    queries: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Show on how many databases each feature of a query can be had, and why others give none.

    A schema allows a feature when the look-ahead reaches it by the catalogue and the rules. It is
    had when a query with it is delivered, and its exact description is accepted by two readers by
    rules. A database is usable when a query at step depth 3 to 6 and arithmetic depth 1 or 2 is
    delivered; for each other one the reason is given. Shares are of the usable databases.

    \b
    specbridge study coverage
    specbridge study coverage --databases databases --out data/derived/generation/coverage.csv
    """  # noqa: D301
    from specbridge_pipeline.records.row_files import write_rows
    from specbridge_pipeline.request_sets.tasks.coverage import coverage_rows, uncatalogued_row
    from specbridge_pipeline.request_sets.tasks.coverage_counts import coverage_counts
    from specbridge_pipeline.request_sets.tasks.records import FEATURE_COVERAGE

    rows: list[dict[str, Any]] = []
    bars = progress()
    with (
        studied_databases(context, folder, only, sources) as databases,
        bars.task("databases", len(databases)) as task,
    ):
        for database in databases:
            found: list[dict[str, Any]] = []
            try:
                opened = database.open()
                found += coverage_rows(
                    opened.catalogue, opened.schema, opened.run, seed=seed, queries=queries
                )
            except SpecBridgeError as error:
                found = [uncatalogued_row(database.name, problem_of(error))]
            rows += [{"source": database.source, **row} for row in found]
            task.advance()
    if out is not None:
        write_rows(out, FEATURE_COVERAGE, rows)
    counts = coverage_counts(rows)
    result = {"queries": queries, "seed": seed, **counts}
    if as_json:
        print_json(result)
    else:
        _print(result)


def _print(result: Mapping[str, Any]) -> None:
    usable = result["usable"]
    print_table(
        ("feature", "possible by the schema", "delivered", "accepted by both readers"),
        [
            (name, *(_share(found[each], usable) for each in ("allowed", "delivered", "accepted")))
            for name, found in result["features"].items()
        ],
        f"features on the {usable} usable databases",
    )
    click.echo(
        f"usable: {usable} of {result['databases']} databases, "
        f"and of the {result['with_rows']} that have rows {_percent(usable, result['with_rows'])}"
    )
    for name, reason in result["not_usable"].items():
        click.echo(f"  {name}: {reason}")


def _share(count: int, of: int) -> str:
    return f"{count} ({_percent(count, of)})"


def _percent(count: int, of: int) -> str:
    return f"{count / of:.0%}" if of else "n/a"
