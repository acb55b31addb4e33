"""The ways between two tables that share a parent and have a link table between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specbridge_pipeline.databases.schema import Schema, Table
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import column_equalities


@dataclass(frozen=True, slots=True)
class RelatedTables:
    """Two sources of a SELECT that are joined in one of two ways.

    Attributes:
        one: The first.
        other: The second.
        links: Names of the tables that refer to both, in lower case.
        parents: Names of the tables that both refer to, in lower case.
        linked: Whether they are joined through a link table; else through a shared parent.
    """

    one: Source
    other: Source
    links: frozenset[str]
    parents: frozenset[str]
    linked: bool


def related_tables(schema: Schema, scope: Scope) -> Iterator[RelatedTables]:
    """Yield the pairs of a SELECT's sources that could be joined in both ways.

    Args:
        schema: The tables.
        scope: The SELECT.
    """
    for one in scope.sources:
        for other in scope.sources[one.position + 1 :]:
            if one.table is None or other.table is None or one.table == other.table:
                continue
            links = _links(schema, one.table, other.table)
            parents = parents_of(one.table) & parents_of(other.table)
            if not links or not parents:
                continue
            linked = _is_linked(scope, one, other, links, parents)
            if linked is not None:
                yield RelatedTables(one, other, links, parents, linked)


def parents_of(table: Table) -> frozenset[str]:
    """Return the names of the tables that a table refers to, itself left out."""
    referred = {key.referenced_table.lower() for key in table.foreign_keys}
    return frozenset(referred - {table.name.lower()})


def _links(schema: Schema, one: Table, other: Table) -> frozenset[str]:
    """Return the tables that refer to both of two tables."""
    wanted = {one.name.lower(), other.name.lower()}
    return frozenset(
        table.name.lower()
        for table in schema.tables
        if wanted <= parents_of(table) and table.name.lower() not in wanted
    )


def _is_linked(
    scope: Scope,
    one: Source,
    other: Source,
    links: frozenset[str],
    parents: frozenset[str],
) -> bool | None:
    pairs = [
        {left.source.position, right.source.position} for left, right in column_equalities(scope)
    ]

    def joins_both(names: frozenset[str]) -> bool:
        return any(
            table_name(source) in names
            and {source.position, one.position} in pairs
            and {source.position, other.position} in pairs
            for source in scope.sources
        )

    if joins_both(links):
        return True
    if {one.position, other.position} in pairs or joins_both(parents):
        return False
    return None


def table_name(source: Source) -> str:
    """Return the name of a source's table in lower case; empty for a nested query."""
    return "" if source.table is None else source.table.name.lower()
