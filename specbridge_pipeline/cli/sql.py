"""`specbridge sql`."""

from __future__ import annotations

import csv
import sys

import click

from specbridge_pipeline.cli.terminal import print_json, print_table, project_of
from specbridge_pipeline.records.cells import CellStore


@click.command("sql")
@click.argument("statement", required=False)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print a list of JSON objects.")
@click.pass_context
def command(context: click.Context, statement: str | None, as_csv: bool, as_json: bool) -> None:
    """Query the stored rows with DuckDB's SQL. Without a statement: the views and their columns.

    \b
    specbridge sql "select model, count(*) from scores group by 1"
    specbridge sql "select outcome, model, count(*) from outcomes group by all" --csv
    """  # noqa: D301
    from specbridge_pipeline.orchestration.stages import STAGES
    from specbridge_pipeline.records.views import query_warehouse

    store = CellStore(project_of(context).warehouse)
    if statement is None:
        columns = ("view", "rows", "columns")
        rows: list[tuple[object, ...]] = [
            (
                stage.name,
                sum(
                    manifest.rows
                    for partition in store.partitions(stage.name)
                    if (manifest := store.manifest(stage.name, partition))
                ),
                ", ".join(stage.schema.columns),
            )
            for stage in STAGES
        ]
    else:
        answer = query_warehouse(store, [stage.schema for stage in STAGES], statement)
        columns, rows = answer.columns, list(answer.rows)  # type: ignore[assignment]
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    else:
        print_table(columns, rows)
