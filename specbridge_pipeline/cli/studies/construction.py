"""`specbridge study construction`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
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


@click.command("construction")
@database_options
@click.option(
    "--queries",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Queries asked for on each database.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed of what is left to chance."
)
@click.option(
    "--check/--no-check", default=True, help="Look at every delivered query a second time."
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
    check: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Ask for queries on each database, and count what is delivered, tried, and holds.

    The queries have arithmetic depth 1 or 2 and step depth 3 to 6, in turn. Each that is delivered
    is looked at a second time, by code that the generator does not use: the finished SQL is run
    whole and must give the rows that were found, at least one, no missing quantity, none that is
    the same in all rows, and the depths that were asked for. Seconds are those of the catalogue and
    the queries on this machine, without the second look; they are not stored.

    \b
    specbridge study construction --queries 20
    specbridge study construction --databases databases --only spider/chinook_1 --json
    """  # noqa: D301
    from specbridge_pipeline.query_generation.delivery import checked_row, deliver
    from specbridge_pipeline.query_generation.study_records import CONSTRUCTION_COUNTS
    from specbridge_pipeline.records.row_files import write_rows

    rows: list[dict[str, Any]] = []
    seconds: list[float] = []
    problems: dict[str, str] = {}
    bars = progress()
    with studied_databases(context, folder, only, sources) as databases:
        for database in databases:
            start = perf_counter()
            try:
                opened = database.open()
            except SpecBridgeError as error:
                problems[database.label] = problem_of(error)
                continue
            delivery = deliver(
                opened.catalogue, opened.run, queries=queries, seed=seed, progress=bars
            )
            seconds.append(perf_counter() - start)
            row = checked_row(delivery, opened.run if check else None)
            rows.append({"source": database.source, **row})
    if out is not None:
        write_rows(out, CONSTRUCTION_COUNTS, rows)
    timed = [{**row, "seconds": round(each, 2)} for row, each in zip(rows, seconds, strict=True)]
    if as_json:
        print_json(
            {
                "queries": queries,
                "seed": seed,
                "databases": timed,
                "total": _total(timed),
                "not_studied": problems,
            }
        )
        return
    _print(timed)
    for name, problem in problems.items():
        click.echo(f"{name}: {problem}", err=True)


_COUNTED = ("queries", "delivered", "constructions", "taken_back", "distinct", "sound")


def _total(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {
        name: None if any(row[name] is None for row in rows) else sum(row[name] for row in rows)
        for name in _COUNTED
    }
    return {**total, "seconds": round(sum(row["seconds"] for row in rows), 2)}


def _print(rows: Sequence[Mapping[str, Any]]) -> None:
    columns = ("source", "database", *_COUNTED, "seconds")
    listed = [*rows, {"source": "total", "database": f"{len(rows)}", **_total(rows)}]
    print_table(
        tuple(name.replace("_", " ") for name in columns),
        [
            tuple(
                f"{row[name]:.1f}" if name == "seconds" else "–" if row[name] is None else row[name]
                for name in columns
            )
            for row in listed
        ],
    )
    for row in rows:
        for shortfall in row["shortfalls"]:
            click.echo(f"{row['database']}: not delivered: {shortfall}", err=True)
        for fault in row["faults"]:
            click.echo(f"{row['database']}: second look: {fault}", err=True)
