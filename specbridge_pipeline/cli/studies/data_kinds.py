"""`specbridge study data-kinds`."""

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


@click.command("data-kinds")
@database_options
@output_options
@click.pass_context
def command(
    context: click.Context,
    folder: Path | None,
    sources: Sequence[str],
    only: Sequence[str],
    out: Path | None,
    as_json: bool,
) -> None:
    """Count on databases the kinds of data on which an unstated choice changes an answer.

    Joins that repeat rows, columns with missing values, extremes that several rows share: for each
    kind, how many of the columns or relationships that could be of it are, and the first of these.

    \b
    specbridge study data-kinds
    specbridge study data-kinds --databases databases --only spider/baseball_1
    """  # noqa: D301
    from specbridge_pipeline.choices.answer_changes.data_kinds import data_kinds
    from specbridge_pipeline.choices.answer_changes.records import DATA_KINDS
    from specbridge_pipeline.records.row_files import write_rows

    rows: list[dict[str, Any]] = []
    problems: dict[str, str] = {}
    bars = progress()
    with (
        studied_databases(context, folder, only, sources) as databases,
        bars.task("databases", len(databases)) as task,
    ):
        for database in databases:
            try:
                opened = database.open()
                rows += data_kinds(database.source, opened.catalogue, opened.run)
            except SpecBridgeError as error:
                problems[database.label] = problem_of(error)
            task.advance()
    if out is not None:
        write_rows(out, DATA_KINDS, rows)
    if as_json:
        print_json({"rows": rows, "not_counted": problems})
    else:
        _print(rows)
        for name, problem in problems.items():
            click.echo(f"{name}: {problem}")


def _print(rows: Sequence[Mapping[str, Any]]) -> None:
    databases = dict.fromkeys((row["source"], row["database"]) for row in rows)
    for source, name in databases:
        of_one = [row for row in rows if (row["source"], row["database"]) == (source, name)]
        present = sum(row["present"] for row in of_one)
        print_table(
            ("kind of data", "places", "of", "for example"),
            [(row["kind"], row["count"], row["of_count"], row["example"]) for row in of_one],
            f"{name} ({source}): {present} of {len(of_one)} kinds",
        )
