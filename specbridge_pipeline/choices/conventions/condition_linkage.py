"""Condition linkage: must several conditions hold in one record, or each in some record?"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.edits.condition_linkage_edit import edit
from specbridge_pipeline.choices.conventions.edits.linked_conditions import (
    bound_columns,
    is_many_side,
    joined_twice,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, Source
from specbridge_pipeline.sql.places import first_member


def _read(reference: Reference) -> Iterator[Reading]:
    query = reference.query
    for node in query.tree.find_all(exp.Intersect):
        yield from _separate_members(query, node)
    for scope in query.scopes:
        bound = bound_columns(scope)
        if joined_twice(scope, bound) is not None:
            yield Reading(Side.OTHER, "the table joined twice", scope, scope.select)
            continue
        for position, columns in bound.items():
            source = scope.sources[position]
            if len(columns) > 1 and is_many_side(scope, source):
                yield Reading(Side.USUAL, "conditions on one row", scope, scope.select)
                break


def _separate_members(query: ResolvedQuery, node: exp.Expr) -> Iterator[Reading]:
    scopes = [query.scope_of(first_member(part)) for part in (node.this, node.expression)]
    left, right = scopes
    if left is None or right is None:
        return
    bounds = [_by_table(scope) for scope in (left, right)]
    for table, columns in bounds[0].items():
        others = bounds[1].get(table, set())
        many = next((each for each in left.sources if each.name and _name(each) == table), None)
        apart = bool(columns) and bool(others) and not columns & others
        if apart and many is not None and is_many_side(left, many):
            yield Reading(Side.OTHER, "INTERSECT", left, node)
            return


def _by_table(scope: Scope) -> dict[str, set[str]]:
    return {
        _name(scope.sources[position]): columns
        for position, columns in bound_columns(scope).items()
    }


def _name(source: Source) -> str:
    return "" if source.table is None else source.table.name.lower()


CONVENTION = Convention(
    choice_type=ChoiceType.CONDITION_LINKAGE,
    meaning="Must several conditions hold in one record, or each of them in some record?",
    usual="in one record",
    other="each in some record",
    read=_read,
    cues=read_cues(__file__),
    edit=edit,
)
