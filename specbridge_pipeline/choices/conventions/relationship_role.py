"""Relationship role: are two tables joined through the parent that they share, or their link?"""

from __future__ import annotations

from collections.abc import Iterator

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.schema import Schema, Table
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import column_equalities


def _read(reference: Reference) -> Iterator[Reading]:
    schema = reference.query.schema
    for scope in reference.query.scopes:
        for one in scope.sources:
            for other in scope.sources[one.position + 1 :]:
                if one.table is None or other.table is None or one.table == other.table:
                    continue
                links = _links(schema, one.table, other.table)
                parents = _parents(one.table) & _parents(other.table)
                if not links or not parents:
                    continue
                reading = _way(scope, one, other, links, parents)
                if reading is not None:
                    yield reading


def _parents(table: Table) -> set[str]:
    return {key.referenced_table.lower() for key in table.foreign_keys} - {table.name.lower()}


def _links(schema: Schema, one: Table, other: Table) -> set[str]:
    """Return the tables that refer to both of two tables."""
    wanted = {one.name.lower(), other.name.lower()}
    return {
        table.name.lower()
        for table in schema.tables
        if wanted <= _parents(table) and table.name.lower() not in wanted
    }


def _way(
    scope: Scope, one: Source, other: Source, links: set[str], parents: set[str]
) -> Reading | None:
    pairs = [
        {left.source.position, right.source.position} for left, right in column_equalities(scope)
    ]
    if any(
        _name(source) in links
        and {source.position, one.position} in pairs
        and {source.position, other.position} in pairs
        for source in scope.sources
    ):
        return Reading(Side.OTHER, "through the link table", scope, scope.select)
    through_parent = {one.position, other.position} in pairs or any(
        _name(source) in parents
        and {source.position, one.position} in pairs
        and {source.position, other.position} in pairs
        for source in scope.sources
    )
    if through_parent:
        return Reading(Side.USUAL, "through the shared parent", scope, scope.select)
    return None


def _name(source: Source) -> str:
    return "" if source.table is None else source.table.name.lower()


CONVENTION = Convention(
    choice_type=ChoiceType.RELATIONSHIP_ROLE,
    meaning="Are two tables that share a parent joined through it, or through their link table?",
    usual="through the shared parent",
    other="through the link table",
    read=_read,
    cues=read_cues(__file__),
)
