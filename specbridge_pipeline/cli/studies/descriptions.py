"""`specbridge study descriptions`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from specbridge_pipeline.cli.terminal import print_json, print_table, progress

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("descriptions")
@click.option(
    "--questions",
    required=True,
    type=_FILE,
    help="Questions with their references, in Spider's or BIRD's form.",
)
@click.option(
    "--tables", required=True, type=_FILE, help="The databases' tables, in Spider's form."
)
@click.option(
    "--databases",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with ID/ID.sqlite for each database; without it nothing is mutated.",
)
@click.option("--limit", type=click.IntRange(1), help="Study so many references, drawn by seed.")
@click.option(
    "--seed", type=int, default=1, show_default=True, help="What the drawing begins with."
)
@click.option(
    "--no-mutants",
    is_flag=True,
    help="Describe and read back only, which takes a fraction of the time.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the counts as JSON to this file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(
    context: click.Context,
    questions: Path,
    tables: Path,
    folder: Path | None,
    limit: int | None,
    seed: int,
    no_mutants: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Count which references are described, and which changes of them a description does not show.

    A reference is changed in one thing at a time. Each changed query that returns something else
    on the database must have another description; one that has the same survives, and means that
    something was left out. Each description is also read back into a query, by a grammar that
    knows nothing of how it was written; what is read must give the result of the reference.
    The counts hold question ids, kinds and places, and no text.

    \b
    specbridge study descriptions --questions dev.json --tables tables.json --databases databases
    specbridge study descriptions --questions dev.json --tables tables.json --limit 100 --json
    """  # noqa: D301
    from specbridge_pipeline.benchmarks.references import read_references
    from specbridge_pipeline.benchmarks.table_schemas import read_schemas
    from specbridge_pipeline.databases.database_files import named_database_files
    from specbridge_pipeline.databases.many_queries import AT_ONCE
    from specbridge_pipeline.databases.runner import QueryRunner
    from specbridge_pipeline.exact_description.proofs.findings import (
        NO_DATABASES,
        NOT_ASKED_FOR,
        ReferenceFinding,
        counts,
    )
    from specbridge_pipeline.exact_description.proofs.study import (
        DescriptionStudy,
        distinct_queries,
        drawn,
    )

    every = read_references(questions)
    references = drawn(every, limit, seed)
    schemas = read_schemas(tables)
    databases = (
        {}
        if folder is None
        else named_database_files([folder], [each.database for each in references])
    )
    queries = distinct_queries(references)
    reason = NOT_ASKED_FOR if no_mutants else NO_DATABASES if folder is None else None
    found: list[ReferenceFinding] = []
    interrupted = False
    try:
        with QueryRunner(workers=AT_ONCE) as runner:
            study = DescriptionStudy(schemas, databases, runner)
            findings = study.study(
                queries, found=found.append, progress=progress(), mutate=reason is None
            )
    except KeyboardInterrupt:
        interrupted = True
        place = {ids: at for at, (_, ids) in enumerate(queries)}
        findings = sorted(found, key=lambda each: place[each.question_ids])
    result: dict[str, Any] = {
        "questions": questions.name,
        **({} if limit is None else {"limit": limit, "seed": seed}),
        **({"interrupted": True} if interrupted else {}),
        **counts(findings, not_mutated=reason),
    }
    if as_json:
        print_json(result)
    else:
        _print(result)
    if interrupted:
        click.echo(
            f"interrupted: the counts are those of {len(findings)} of {len(queries)} queries",
            err=True,
        )
        sys.exit(130)
    if out is not None:
        from specbridge_pipeline.records.files import write_text

        out.parent.mkdir(parents=True, exist_ok=True)
        write_text(out, json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def _print(result: dict[str, Any]) -> None:
    rows = [
        (name.replace("_", " "), "–" if result[name] is None else f"{result[name]:,}")
        for name in ("references", "parsed", "described", "mutants", "survivors", "round_trips")
    ]
    print_table(("", result["questions"]), rows)
    if result["mutants_by_kind"]:
        columns = ("kind", "killed", "refused", "survived")
        print_table(
            columns,
            [(kind, *numbers.values()) for kind, numbers in result["mutants_by_kind"].items()],
            "mutants that return something else",
        )
    if result["round_trips_by_text"]:
        click.echo(
            f"of the round trips, judged by their text alone: {result['round_trips_by_text']:,}"
        )
    for name, number in result["mutants_left_out"].items():
        click.echo(f"mutants left out, {name.replace('_', ' ')}: {number:,}")
    for title in ("not_parsed", "not_described", "not_mutated", "no_round_trip"):
        if result[title]:
            print_table(
                ("references", title.replace("_", " ")),
                [(len(ids), reason) for reason, ids in result[title].items()],
            )
    for each in result["surviving_mutants"]:
        ids = ", ".join(map(str, each["question_ids"]))
        click.echo(f"survivor: {each['kind']} at character {each['place']} of question {ids}")
