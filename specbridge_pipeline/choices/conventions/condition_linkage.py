"""Condition linkage: must several conditions hold in one record, or each in some record?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.shapes import (
    is_identifier,
    literal_of,
    shown_sources,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, Source
from specbridge_pipeline.sql.join_repeats import column_equalities, repeats, row_conditions
from specbridge_pipeline.sql.places import first_member


def _read(reference: Reference) -> Iterator[Reading]:
    query = reference.query
    for node in query.tree.find_all(exp.Intersect):
        yield from _separate_members(query, node)
    for scope in query.scopes:
        bound = _conditions(scope)
        twice = _joined_twice(scope, bound)
        if twice is not None:
            yield Reading(Side.OTHER, "the table joined twice", scope, twice)
            continue
        for position, columns in bound.items():
            source = scope.sources[position]
            if len(columns) > 1 and _is_many_side(scope, source):
                yield Reading(Side.USUAL, "conditions on one row", scope, scope.select)
                break


def _conditions(scope: Scope) -> dict[int, set[str]]:
    """Return the columns of each source that the rows' conditions compare with a value."""
    found: dict[int, set[str]] = {}
    for condition in row_conditions(scope):
        if not isinstance(condition, exp.Predicate | exp.In | exp.Not):
            continue
        if not any(literal_of(each) is not None for each in condition.find_all(exp.Literal)):
            continue
        for node in condition.find_all(exp.Column):
            column = scope.own_column(node)
            table = None if column is None else column.source.table
            if column is None or table is None or column.column is None:
                continue
            if not is_identifier(table, column.column):
                found.setdefault(column.source.position, set()).add(_said_once(column.name))
    return found


def _said_once(name: str) -> str:
    """Return one word for columns that say one thing together, such as two names."""
    if name.endswith("name"):
        return "name"
    return "moment" if re.search(r"date|time|year|month", name) else name


def _is_many_side(scope: Scope, source: Source) -> bool:
    return any(shown != source and repeats(scope, shown) for shown in shown_sources(scope))


def _joined_twice(scope: Scope, bound: dict[int, set[str]]) -> exp.Expr | None:
    """Return the select of a table that is read twice, each time with conditions of its own."""
    pairs = column_equalities(scope)
    for one in scope.sources:
        for other in scope.sources[one.position + 1 :]:
            if one.table is None or one.table != other.table:
                continue
            mine, theirs = bound.get(one.position, set()), bound.get(other.position, set())
            if not mine or not theirs or mine == theirs:
                continue
            keys = [
                {column.name for pair in pairs for column in pair if column.source == source}
                for source in (one, other)
            ]
            if keys[0] & keys[1]:
                return scope.select
    return None


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
        if apart and many is not None and _is_many_side(left, many):
            yield Reading(Side.OTHER, "INTERSECT", left, node)
            return


def _by_table(scope: Scope) -> dict[str, set[str]]:
    return {
        _name(scope.sources[position]): columns for position, columns in _conditions(scope).items()
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
)
