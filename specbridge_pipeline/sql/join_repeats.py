"""Whether a join can repeat the rows of one of its tables, by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp

from specbridge_pipeline.databases.schema import Table
from specbridge_pipeline.sql.column_origins import Scope, Source, SourceColumn
from specbridge_pipeline.sql.places import first_member


def conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    """Yield the conditions that AND connects, parentheses taken off."""
    if condition is None:
        return
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        yield from conjuncts(condition.this)
        yield from conjuncts(condition.expression)
    else:
        yield condition


def row_conditions(scope: Scope) -> Iterator[exp.Expr]:
    """Yield the conditions that each row of a SELECT meets: those of WHERE and of inner joins."""
    where = scope.select.args.get("where")
    if where is not None:
        yield from conjuncts(where.this)
    for join in scope.select.args.get("joins") or ():
        if not is_outer(join):
            yield from conjuncts(join.args.get("on"))


def is_outer(join: exp.Expr) -> bool:
    """Say whether a join keeps rows that have no match."""
    return str(join.args.get("side") or "").upper() in ("LEFT", "RIGHT", "FULL")


@lru_cache(maxsize=64)
def column_equalities(scope: Scope) -> tuple[tuple[SourceColumn, SourceColumn], ...]:
    """Return the pairs of columns of different sources that a SELECT's joins hold equal."""
    found: list[tuple[SourceColumn, SourceColumn]] = []
    conditions = list(row_conditions(scope))
    for join in scope.select.args.get("joins") or ():
        if is_outer(join):
            conditions += conjuncts(join.args.get("on"))
    for condition in conditions:
        if isinstance(condition, exp.EQ):
            left = scope.own_column(condition.this.unnest())
            right = scope.own_column(condition.expression.unnest())
            if left is not None and right is not None and left.source != right.source:
                found.append((left, right))
    for at, join in enumerate(scope.select.args.get("joins") or ()):
        if at + 1 >= len(scope.sources):
            break
        joined = scope.sources[at + 1]
        for name in _shared_names(join, scope, joined):
            for source in scope.sources[: at + 1]:
                if name in source.columns:
                    found.append((_column(source, name), _column(joined, name)))
                    break
    return tuple(found)


def _shared_names(join: exp.Expr, scope: Scope, joined: Source) -> list[str]:
    if str(join.args.get("method") or "").upper() == "NATURAL":
        before = {name for each in scope.sources[: joined.position] for name in each.columns}
        return [name for name in joined.columns if name in before]
    return [str(name.name).lower() for name in join.args.get("using") or ()]


def _column(source: Source, name: str) -> SourceColumn:
    declared = None
    if source.table is not None:
        declared = next((c for c in source.table.columns if c.name.lower() == name), None)
    return SourceColumn(source, name, declared)


def unique_keys(scope: Scope, source: Source) -> list[frozenset[str]]:
    """Return sets of columns no two rows of a source agree in, as far as keys tell.

    A table without a key of its own, or whose one key column refers to another table, is taken for
    a link table: all its references together are its key. Schema files that list one key column a
    table leave the others out.
    """
    if source.table is not None:
        return table_keys(source.table)
    inner = first_member(source.query) if source.query is not None else None
    if inner is None or inner is not source.query:
        return []
    if inner.args.get("distinct") is not None:
        return [frozenset(source.columns)]
    group = inner.args.get("group")
    if group is None:
        return []
    names = set()
    for key in group.expressions:
        at = next(
            (
                at
                for at, item in enumerate(inner.expressions)
                if item.unalias() == key or item.alias_or_name.lower() == key.alias_or_name.lower()
            ),
            None,
        )
        if at is None or at >= len(source.columns):
            return []
        names.add(source.columns[at])
    return [frozenset(names)] if names else []


def table_keys(table: Table) -> list[frozenset[str]]:
    """Return the sets of columns that no two rows of a table agree in."""
    key = frozenset(name.lower() for name in table.primary_key)
    referring = frozenset(name.lower() for each in table.foreign_keys for name in each.columns)
    if key and not (len(key) == 1 and key <= referring and len(referring) > 1):
        return [key]
    return [referring] if len(referring) > 1 else []


def determined_by(scope: Scope, start: Source | None, fixed: frozenset[SourceColumn]) -> set[int]:
    """Return the positions of the sources that have one row only, when some things are given.

    Args:
        scope: The SELECT that joins them.
        start: The source whose row is given; None for none.
        fixed: Columns that have one value in all rows looked at. The name of a thing is taken to
            stand for one thing.
    """
    equal = column_equalities(scope)
    known = {column.source.position for column in fixed if _is_name(column)}
    if start is not None:
        known.add(start.position)
    grown = True
    while grown:
        grown = False
        for source in scope.sources:
            if source.position in known:
                continue
            bound = {column.name for column in fixed if column.source == source}
            for left, right in equal:
                for one, other in ((left, right), (right, left)):
                    if one.source == source and other.source.position in known:
                        bound.add(one.name)
            if any(key <= bound for key in unique_keys(scope, source)) or _has_one_row(source):
                known.add(source.position)
                grown = True
    return known


def _is_name(column: SourceColumn) -> bool:
    words = column.name.replace("_", " ").split()
    return column.source.table is not None and (
        any(word in ("title", "keyword", "email") for word in words[-1:])
        or column.name.endswith(("name", "title"))
    )


def _has_one_row(source: Source) -> bool:
    query = source.query
    if not isinstance(query, exp.Select) or query.args.get("group") is not None:
        return False
    return bool(query.expressions) and all(
        item.find(exp.AggFunc) is not None for item in query.expressions
    )


def fixed_columns(scope: Scope) -> frozenset[SourceColumn]:
    """Return the columns that the conditions of a SELECT hold equal to one value."""
    found = set()
    for condition in row_conditions(scope):
        if isinstance(condition, exp.EQ | exp.Like):
            for one, other in (
                (condition.this, condition.expression),
                (condition.expression, condition.this),
            ):
                column = scope.own_column(one.unnest())
                if column is not None and _is_one_value(other.unnest()):
                    found.add(column)
    return frozenset(found)


def _is_one_value(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not (node.is_string and "%" in node.name)


def repeats(scope: Scope, source: Source, *, fixed: frozenset[SourceColumn] | None = None) -> bool:
    """Say whether a SELECT's joins can give a row of one of its sources several times.

    Args:
        scope: The SELECT.
        source: The source.
        fixed: Columns with one value in all rows looked at; those that conditions fix by default.
    """
    if len(scope.sources) < 2:
        return False
    held = fixed_columns(scope) if fixed is None else fixed
    return len(determined_by(scope, source, held)) < len(scope.sources)
