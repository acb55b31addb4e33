"""Whether a nested query reads the same rows, or forms the same groups, as the one around it."""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from specbridge_pipeline.choices.conventions.shapes import group_columns
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope
from specbridge_pipeline.sql.join_repeats import conjuncts, is_outer


def same_population(
    query: ResolvedQuery, one: Scope, other: Scope, *, without: exp.Expr | None = None
) -> bool:
    """Say whether two SELECTs have the same rows before they return columns of them.

    They have where they join the same tables, each once, under the same conditions, and group the
    rows by the same columns. Where this cannot be seen the answer is no.

    Args:
        query: The query that both stand in.
        one: A SELECT.
        other: Another one.
        without: A condition of the first that does not count.
    """
    first, second = _population(query, one, without), _population(query, other, None)
    return first is not None and first == second


def written_alike(one: Scope, value: exp.Expr, other: Scope, same: exp.Expr) -> bool:
    """Say whether two values of two SELECTs are written alike, by tables and columns."""
    return _written(one, value) == _written(other, same)


def _population(
    query: ResolvedQuery, scope: Scope, without: exp.Expr | None
) -> tuple[frozenset[str], Counter[str], Counter[str], frozenset[str]] | None:
    select = scope.select
    tables = [source.table.name.lower() for source in scope.sources if source.table is not None]
    if len(tables) < len(scope.sources) or len(set(tables)) < len(tables):
        return None
    if any(select.args.get(part) is not None for part in ("distinct", "limit", "windows")):
        return None
    conditions: Counter[str] = Counter()
    for join in select.args.get("joins") or ():
        if is_outer(join) or join.args.get("using") or join.args.get("method"):
            return None
        conditions.update(_written(scope, each) for each in conjuncts(join.args.get("on")))
    where, having = select.args.get("where"), select.args.get("having")
    if where is not None:
        conditions.update(
            _written(scope, each) for each in conjuncts(where.this) if each is not without
        )
    chosen: Counter[str] = Counter()
    if having is not None:
        chosen.update(
            _written(scope, each) for each in conjuncts(having.this) if each is not without
        )
    groups = frozenset(_written(scope, key) for key in group_columns(scope))
    return frozenset(tables), conditions, chosen, groups


def _written(scope: Scope, node: exp.Expr) -> str:
    """Return an expression with each column written by its table, equalities in one order."""
    names = {}
    for at, each in enumerate(node.walk()):
        column = scope.own_column(each)
        if column is not None and column.source.table is not None:
            names[at] = f"{column.source.table.name}.{column.name}".lower()
    copy = node.copy()
    for at, each in enumerate(list(copy.walk())):
        if at in names:
            each.set("table", None)
            each.set("this", exp.Identifier(this=names[at], quoted=True))
    if isinstance(copy, exp.EQ):
        sides = sorted((copy.this.sql("sqlite"), copy.expression.sql("sqlite")))
        return " = ".join(sides)
    return copy.sql("sqlite")
