"""Comparisons with the greatest or least value, and what an order key stands for."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.shapes import nested_select, number_of
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope

EXTREMES = (exp.Max, exp.Min)


def key_value(scope: Scope, term: exp.Expr) -> exp.Expr:
    """Return what an order key stands for, names and numbers of outputs written out."""
    key: exp.Expr = term.this if isinstance(term, exp.Ordered) else term
    if scope.own_column(key) is not None and scope.output(key) is None:
        return key
    return scope.output(key) or key


def text_of(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> str:
    """Return an expression so that two spellings of a column of a table are the same."""
    origin = query.origin(scope, node)
    if origin is not None:
        own = scope.own_column(node)
        place = own.source.position if own is not None else -1
        return f"{place}.{origin[0].name}.{origin[1].name}".lower()
    return node.sql("sqlite").lower().replace('"', "").replace(" ", "")


def compared(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Yield the pairs of a value and what it may be the greatest or least of, in a condition."""
    if isinstance(node, exp.EQ | exp.GTE | exp.LTE):
        yield node.this, node.expression
        if isinstance(node, exp.EQ):
            yield node.expression, node.this
    elif isinstance(node, exp.In) and node.args.get("query") is not None:
        subject, value = node.this, node.args["query"]
        if not isinstance(node.parent, exp.Not):
            yield subject, value


def is_extreme(
    query: ResolvedQuery, scope: Scope, node: exp.Expr, subject: exp.Expr, value: exp.Expr
) -> bool:
    """Say whether a condition holds a value equal to the greatest or least of its kind.

    Args:
        query: The query.
        scope: The SELECT in which the condition stands.
        node: The condition.
        subject: The value.
        value: What it is compared with.
    """
    if isinstance(value, exp.Column):
        return isinstance(node, exp.EQ) and _names_extreme(query, scope, value)
    select = nested_select(value)
    if select is None:
        return False
    if isinstance(value.unnest() if isinstance(value, exp.Paren) else value, exp.All):
        return isinstance(node, exp.GTE | exp.LTE)
    inner = query.scope_of(select)
    if inner is None or not isinstance(node, exp.EQ | exp.In) or len(select.expressions) != 1:
        return False
    item = select.expressions[0].unalias()
    if isinstance(item, EXTREMES):
        return _same_measure(query, scope, subject, inner, item)
    order, limit = select.args.get("order"), select.args.get("limit")
    if order is None or limit is None or number_of(limit.expression) != 1:
        return False
    key = key_value(inner, order.expressions[0])
    return text_of(query, inner, item).split(".")[-2:] == text_of(query, inner, key).split(".")[-2:]


def _same_measure(
    query: ResolvedQuery, scope: Scope, subject: exp.Expr, inner: Scope, extreme: exp.Expr
) -> bool:
    """Say whether the value compared is what the extreme is taken of, as far as names tell."""
    if not isinstance(subject, exp.Column):
        return True
    outside, inside = query.origin(scope, subject), query.origin(inner, extreme.this)
    if outside is None or inside is None:
        return True
    return outside[1].name.lower() == inside[1].name.lower()


def _names_extreme(query: ResolvedQuery, scope: Scope, node: exp.Column) -> bool:
    """Say whether a name stands for the MAX or MIN that a nested query computes."""
    column = scope.own_column(node)
    if column is None or not isinstance(column.source.query, exp.Select):
        return False
    items = column.source.query.expressions
    at = column.source.columns.index(column.name)
    return at < len(items) and isinstance(items[at].unalias(), EXTREMES)
