"""Quotients that queries return: what they divide, whether in whole numbers, and their words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import named
from specbridge_pipeline.choices.conventions.shapes import column_kind, nested_select, number_of
from specbridge_pipeline.exact_description.number_types import NumberType
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope
from specbridge_pipeline.sql.engines.rules import ColumnKind

_UNKNOWN = NumberType.UNKNOWN
_KINDS = {ColumnKind.INTEGER: NumberType.INTEGER, ColumnKind.REAL: NumberType.REAL}
_REAL_CASTS = (exp.DType.FLOAT, exp.DType.DOUBLE)


def branches(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the values that a CASE or IIF can give, the one for all other rows last."""
    ifs = node.args.get("ifs") or [node]
    for each in ifs:
        yield each.args["true"]
    last = node.args.get("default") or node.args.get("false")
    if last is not None:
        yield last


def is_product(node: exp.Expr) -> bool:
    """Say whether a value is a quotient, times or divided by other things."""
    inner = node.unnest()
    return isinstance(inner, exp.Div) or (
        isinstance(inner, exp.Mul) and (is_product(inner.this) or is_product(inner.expression))
    )


@dataclass(frozen=True, slots=True)
class Product:
    """The factors of a quotient, and its divisors."""

    factors: tuple[exp.Expr, ...]
    divisors: tuple[exp.Expr, ...]


def product_of(node: exp.Expr) -> Product:
    """Return the factors and divisors of a value: the value itself where it is no product."""
    inner = node.unnest()
    if isinstance(inner, exp.Mul | exp.Div):
        one, other = product_of(inner.this), product_of(inner.expression)
        if isinstance(inner, exp.Mul):
            return Product(one.factors + other.factors, one.divisors + other.divisors)
        return Product(one.factors + other.divisors, one.divisors + other.factors)
    return Product((node,), ())


def number_type_of(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> NumberType:
    """Return whether a number is whole or real, where a zero of either type passes for real."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Cast):
        if is_real_cast(node):
            return NumberType.REAL
        return NumberType.INTEGER if node.is_type(*exp.DataType.INTEGER_TYPES) else _UNKNOWN
    if isinstance(node, exp.Literal):
        return NumberType.INTEGER if node.is_int else NumberType.REAL
    if isinstance(node, exp.Avg | exp.Round):
        return NumberType.REAL
    if isinstance(node, exp.Anonymous):
        return NumberType.REAL if node.name.lower() == "total" else _UNKNOWN
    if isinstance(node, exp.Count | exp.Predicate):
        return NumberType.INTEGER
    if isinstance(node, exp.Sum | exp.Min | exp.Max | exp.Neg | exp.Distinct):
        inner = node.expressions[0] if isinstance(node, exp.Distinct) else node.this
        return number_type_of(query, scope, inner)
    if isinstance(node, exp.Case | exp.If):
        given = [each for each in branches(node) if not isinstance(each, exp.Null)]
        kinds = {number_type_of(query, scope, each) for each in given if number_of(each) != 0}
        return kinds.pop() if len(kinds) == 1 else _UNKNOWN
    if isinstance(node, exp.Mul | exp.Add | exp.Sub | exp.Div):
        kinds = {number_type_of(query, scope, each) for each in (node.this, node.expression)}
        if NumberType.REAL in kinds:
            return NumberType.REAL
        return NumberType.INTEGER if kinds == {NumberType.INTEGER} else _UNKNOWN
    select = nested_select(node) if isinstance(node, exp.Subquery) else None
    inner_scope = query.scope_of(select)
    if select is not None and inner_scope is not None and len(select.expressions) == 1:
        return number_type_of(query, inner_scope, select.expressions[0].unalias())
    origin = query.origin(scope, node)
    return _UNKNOWN if origin is None else _KINDS.get(column_kind(query, origin[1]), _UNKNOWN)


def is_real_cast(node: exp.Cast) -> bool:
    """Say whether a cast makes a number real: one to DECIMAL leaves a whole number whole."""
    return node.is_type(*_REAL_CASTS)


def without_casts(node: exp.Expr) -> exp.Expr:
    """Return what stands behind the casts and parentheses of a value."""
    while isinstance(node, exp.Cast | exp.Paren):
        node = node.this
    return node


def words_of(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> str:
    """Name a part of a quotient in words."""
    node = without_casts(node)
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
        return "the number of rows"
    if isinstance(node, exp.Count | exp.Sum | exp.Avg | exp.Min | exp.Max):
        inner = node.this
        different = "different " if isinstance(inner, exp.Distinct) else ""
        if isinstance(inner, exp.Distinct):
            inner = inner.expressions[0]
        words = f"{_AGGREGATES[type(node)]} {different}"
        if query.origin(scope, inner) is not None:
            return f"{words}{named(query, scope, inner)}"
        chosen = _chosen(inner, counted=isinstance(node, exp.Count))
        if chosen is not None:
            condition, value = chosen
            where = f"the rows that meet the condition on {_columns(query, scope, condition)}"
            if value is not None and query.origin(scope, value) is not None:
                return f"{words}{named(query, scope, value)} in {where}"
            if not different and isinstance(node, exp.Count | exp.Sum) and _counts(node, value):
                return f"the number of {where[4:]}"
    if query.origin(scope, node) is not None:
        return named(query, scope, node)
    if isinstance(node, exp.Subquery):
        return "the result of a nested query"
    columns = _columns(query, scope, node)
    return f"a value computed from {columns}" if columns else "a computed value"


_AGGREGATES = {
    exp.Count: "the number of",
    exp.Sum: "the sum of",
    exp.Avg: "the average of",
    exp.Min: "the least",
    exp.Max: "the greatest",
}


def _chosen(node: exp.Expr, *, counted: bool) -> tuple[exp.Expr, exp.Expr | None] | None:
    """Return a condition and the value that an aggregate takes where it is met.

    Args:
        node: What is aggregated.
        counted: Whether its values are counted, so that a zero elsewhere counts too.

    Returns:
        The condition with the value, None for the truth of the condition itself; None where it is
        of another form.
    """
    node = node.unnest()
    if isinstance(node, exp.Predicate | exp.And | exp.Or):
        return None if counted or not list(node.find_all(exp.Column)) else (node, None)
    if isinstance(node, exp.Case) and (node.this is not None or len(node.args["ifs"]) > 1):
        return None
    if not isinstance(node, exp.Case | exp.If):
        return None
    value, *others = branches(node)
    condition = node.args["ifs"][0].this if isinstance(node, exp.Case) else node.this
    nothing = all(
        isinstance(each, exp.Null) or (not counted and number_of(each.unnest()) == 0)
        for each in others
    )
    return (condition, value) if nothing and condition.find(exp.Column) else None


def _counts(node: exp.Expr, value: exp.Expr | None) -> bool:
    """Say whether an aggregate counts the rows that meet a condition: each gives it 1."""
    return value is None or isinstance(node, exp.Count) or number_of(value.unnest()) == 1


def _columns(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> str:
    found: list[str] = []
    for column in node.find_all(exp.Column, bfs=False):
        shown = named(query, scope, column)
        if shown not in found:
            found.append(shown)
    return " and ".join(found)
