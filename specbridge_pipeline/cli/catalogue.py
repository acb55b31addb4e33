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
    corrected by documents beside the file and by the project's catalogue file, and reviewed by a
    model where the profile names a cataloguer.
    """
    from dataclasses import asdict

    with Workspace(project_of(context)) as workspace:
        if database not in workspace.databases:
            raise ConfigurationError(
                f"there is no database '{database}'",
                path=workspace.project.databases_file,
                advice=f"databases here: {', '.join(workspace.databases)}",
            )
        catalogue, notes = workspace.build_catalogue(database)
    if as_json:
        print_json({**asdict(catalogue), "notes": notes})
        return
    _print_catalogue(catalogue)
    for note in notes:
        click.echo(f"note: {note}")


def _print_catalogue(catalogue: Catalogue) -> None:
    for table in catalogue.tables:
        click.echo(f"{table.name}: {_described(table)}")
        click.echo(f"  {table.entity}")
        print_table(
            ["column", "role", "called", "measured in", "adds up", "missing", "distinct", "why"],
            [_column_cells(column) for column in table.columns],
        )
    if catalogue.relationships:
        click.echo("relationships:")
    for each in catalogue.relationships:
        click.echo(f"  {_in_words(each, catalogue)}")


def _described(table: CatalogueTable) -> str:
    rows = f"{table.rows:,} {table.singular if table.rows == 1 else table.plural}"
    if table.key_evidence is None:
        return f"{rows}, no key"
    key = f"{rows}, key {', '.join(table.key)} ({_source(table.key_evidence)})"
    return key if table.key_evidence.value == "declared" else f"{key}: {table.key_reason}"


def _column_cells(column: CatalogueColumn) -> list[object]:
    name = f"{column.name} {column.declared_type.lower()}".rstrip()
    return [
        name,
        f"{column.role.replace('_', ' ')} ({_source(column.role_evidence)})",
        column.phrase
        if column.phrase == column.singular
        else f"{column.phrase}; {column.singular}",
        _measured_in(column),
        _adding(column),
        f"{column.profile.missing:,}" if column.profile.missing else "",
        f"{column.profile.distinct:,}",
        _why(column),
    ]


def _why(column: CatalogueColumn) -> str:
    reasons = [column.role_reason, column.unit_reason, column.summable_reason]
    if column.meaning and column.meaning.lower() not in (
        column.phrase.lower(),
        column.name.lower(),
    ):
        reasons.append(f"“{column.meaning}”")
    return "; ".join(filter(None, reasons))


def _measured_in(column: CatalogueColumn) -> str:
    if column.dimension is None:
        return ""
    known = "" if column.dimension.quantity.value == "unknown" else str(column.dimension)
    return f"{column.unit} ({known})" if column.unit and known else column.unit or known


def _adding(column: CatalogueColumn) -> str:
    if column.dimension is None:
        return ""
    return ("yes" if column.summable else "no") + (", and divides" if column.denominator else "")


def _source(evidence: Evidence) -> str:
    """Return where a judgement comes from, in a person's words."""
    return {
        "declared": "schema",
        "document": "document",
        "name": "name",
        "data": "data",
        "model": "model",
    }[evidence]


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
        kind = (
            f"many to one: {each.mean_children:,.1f} {child.plural} for one {parent.singular} "
            f"on average, {each.most_children:,} at most"
        )
    facts = [
        (each.unmatched_children, child, f"whose {parent.singular} is not there"),
        (each.missing_children, child, f"with no {parent.singular}"),
        (each.childless_parents, parent, f"with no {child.singular}"),
    ]
    rest = [f"{_counted(count, table)} {words}" for count, table, words in facts if count]
    if each.evidence.value != "declared":
        rest.append(f"known because {each.reason}")
    return f"{names}, {_source(each.evidence)}: {'; '.join([kind, *rest])}"


def _counted(count: int, table: CatalogueTable) -> str:
    noun = table.singular if count == 1 else table.plural
    return f"{count:,} {noun} ({count / table.rows:.1%})"
