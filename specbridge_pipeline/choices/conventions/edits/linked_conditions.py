"""Conditions on the several rows that a thing can have in another table."""

from __future__ import annotations

import re

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Draft, named
from specbridge_pipeline.choices.conventions.shapes import (
    is_identifier,
    literal_of,
    shown_sources,
)
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import column_equalities, repeats, row_conditions


def bound_columns(scope: Scope) -> dict[int, set[str]]:
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
                found.setdefault(column.source.position, set()).add(said_once(column.name))
    return found


def said_once(name: str) -> str:
    """Return one word for columns that say one thing together, such as two names."""
    if name.endswith("name"):
        return "name"
    return "moment" if re.search(r"date|time|year|month", name) else name


def is_many_side(scope: Scope, source: Source) -> bool:
    """Say whether a thing that a SELECT returns can have several rows of a source."""
    return any(shown != source and repeats(scope, shown) for shown in shown_sources(scope))


def joined_twice(scope: Scope, bound: dict[int, set[str]]) -> tuple[Source, Source] | None:
    """Return the two places of a table that is read twice, each time with other conditions."""
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
                return one, other
    return None


def linkage_sentences(draft: Draft, source: Source, conditions: list[exp.Expr]) -> tuple[str, str]:
    """Return what conditions ask for together, of one row, and each, of some row.

    Args:
        draft: The query.
        source: The table whose rows they are on.
        conditions: The conditions, before anything is changed.

    Returns:
        The sentence for one row, and that for several.
    """
    table = "" if source.table is None else source.table.name
    columns: list[list[str]] = []
    for condition in conditions:
        found: list[str] = []
        for node in condition.find_all(exp.Column, bfs=False):
            shown = named(draft.query, draft.scope, node)
            if shown.startswith(f"{table}.") and shown not in found:
                found.append(shown)
        if found not in columns:
            columns.append(found)
    words = [f"the condition on {' and '.join(each)}" for each in columns]
    together = f"Rows are kept where one row of {table} meets {_listed(words)} together."
    rows = [f"a row of {table} meets {each}" for each in words]
    return together, f"Rows are kept where {_listed(rows)}, the same row or different ones."


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
