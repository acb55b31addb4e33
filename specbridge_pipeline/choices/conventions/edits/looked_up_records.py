"""The records that a condition looks at through a nested query, and what tells one from another."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from specbridge_pipeline.choices.conventions.shapes import is_negated, literal_of
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, SourceColumn
from specbridge_pipeline.sql.join_repeats import determined_by, unique_keys


def excludes_value(node: exp.Expr) -> bool:
    """Say whether a condition leaves out one value or some, and takes all others."""
    if isinstance(node, exp.NEQ):
        return literal_of(node.expression) is not None or literal_of(node.this) is not None
    if isinstance(node, exp.EQ | exp.Like):
        return is_negated(node) and literal_of(node.expression) is not None
    return isinstance(node, exp.In) and is_negated(node) and node.args.get("query") is None


def is_link(query: ResolvedQuery, scope: Scope, condition: exp.Expr) -> bool:
    """Say whether a condition holds two columns equal."""
    return isinstance(condition, exp.EQ) and all(
        query.origin(scope, side.unnest()) is not None
        for side in (condition.this, condition.expression)
    )


def correlated(inside: Scope, links: Iterable[exp.Expr]) -> list[exp.Expr]:
    """Return the conditions that tie records to a row of the SELECT around."""
    return [
        each
        for each in links
        if any(inside.own_column(side.unnest()) is None for side in (each.this, each.expression))
    ]


def given_columns(inside: Scope, links: Iterable[exp.Expr], by_outputs: bool) -> set[SourceColumn]:
    """Return the columns of records that have one value for the thing that is asked about.

    Args:
        inside: The SELECT that gives the records.
        links: Its conditions that hold two columns equal.
        by_outputs: Whether its outputs are looked up, or it is only asked for any row.
    """
    found = [inside.own_column(item.unalias()) for item in inside.select.expressions if by_outputs]
    for link in correlated(inside, links):
        found += [inside.own_column(side.unnest()) for side in (link.this, link.expression)]
    return {column for column in found if column is not None}


def of_one_row(scope: Scope, fixed: set[SourceColumn]) -> set[int]:
    """Return the positions of the sources that have one row for given values of some columns."""
    # A name stands for one row of its own table, but for many of a table that refers by it.
    referring = {
        (table, name.lower())
        for table in (source.table for source in scope.sources)
        if table is not None
        for key in table.foreign_keys
        for name in key.columns
    }
    own = frozenset(each for each in fixed if (each.source.table, each.name) not in referring)
    names = {
        source.position: {each.name for each in fixed if each.source == source}
        for source in scope.sources
    }
    return determined_by(scope, None, own) | {
        source.position
        for source in scope.sources
        if any(key <= names[source.position] for key in unique_keys(scope, source))
    }
