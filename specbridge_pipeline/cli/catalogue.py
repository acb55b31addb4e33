"""`specbridge catalogue`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from specbridge_pipeline.cli.terminal import print_json, print_table, project_of
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.orchestration.workspace import Workspace

if TYPE_CHECKING:
    from specbridge_pipeline.catalogue.model import (
        Catalogue,
        CatalogueColumn,
        CatalogueTable,
        Evidence,
        Relationship,
    )


@click.command("catalogue")
@click.argument("database")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(context: click.Context, database: str, as_json: bool) -> None:
    """Print what is known of a database's tables and columns, and where it comes from.

    The catalogue is built anew each time: measured by the database's own engine, judged by rules,
    corrected by documents beside the file and by the project's catalogue file.
    """
    from dataclasses import asdict

    from specbridge_pipeline.catalogue.building import build_catalogue

    with Workspace(project_of(context)) as workspace:
        if database not in workspace.databases:
            raise ConfigurationError(
                f"there is no database '{database}'",
                path=workspace.project.databases_file,
                advice=f"databases here: {', '.join(workspace.databases)}",
            )
        meanings = workspace.meanings(database)
        catalogue = build_catalogue(
            database, workspace.schema(database), workspace.measure_on(database), meanings=meanings
        )
    if as_json:
        print_json(asdict(catalogue))
        return
    _print_catalogue(catalogue)
    for note in meanings.notes:
        click.echo(f"note: {note}")


def _print_catalogue(catalogue: Catalogue) -> None:
    for table in catalogue.tables:
        click.echo(f"{table.name}: {_described(table)}")
        print_table(
            ["column", "role", "known from", "called", "each", "unit", "sums", "per", "missing",
             "distinct"],
            [_column_cells(column) for column in table.columns],
        )  # fmt: skip
    if catalogue.relationships:
        click.echo("relationships:")
    for each in catalogue.relationships:
        click.echo(f"  {_in_words(each, catalogue)}")


def _described(table: CatalogueTable) -> str:
    rows = f"{table.rows:,} {table.singular if table.rows == 1 else table.plural}"
    if table.key_evidence is None:
        return f"{rows}, no key"
    return f"{rows}, key {', '.join(table.key)} ({_source(table.key_evidence)})"


def _column_cells(column: CatalogueColumn) -> list[object]:
    return [
        column.name,
        column.role.replace("_", " "),
        _source(column.role_evidence),
        column.phrase,
        f"{column.singular}, {column.plural}",
        column.unit,
        "yes" if column.summable else "",
        "yes" if column.denominator else "",
        f"{column.profile.missing:,}" if column.profile.missing else "",
        f"{column.profile.distinct:,}",
    ]


def _source(evidence: Evidence) -> str:
    """Return where a judgement comes from, in a person's words."""
    return {"declared": "schema", "document": "document", "name": "name", "data": "data"}[evidence]


def _in_words(each: Relationship, catalogue: Catalogue) -> str:
    child, parent = catalogue.table(each.child), catalogue.table(each.parent)
    names = f"{each.child} ({', '.join(each.child_columns)}) → {each.parent}"
    if each.parent_columns != each.child_columns:
        names += f" ({', '.join(each.parent_columns)})"
    if each.most_children == 0:
        kind = f"no {child.singular} has its {parent.singular} here"
    elif each.most_children == 1:
        kind = f"one to one: at most one {child.singular} for each {parent.singular}"
    else:
        kind = f"many to one: up to {each.most_children:,} {child.plural} for one {parent.singular}"
    facts = [
        (each.unmatched_children, f"refer to a missing {parent.singular}"),
        (each.missing_children, "refer to none"),
    ]
    rest = [f"{count:,} {child.plural} {words}" for count, words in facts if count]
    if each.childless_parents:
        rest.append(f"{each.childless_parents:,} {parent.plural} without one")
    return f"{names} ({_source(each.evidence)}): {'; '.join([kind, *rest])}"
