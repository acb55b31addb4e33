"""Conditions in words, and the conditions that hold where they fail."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import named, swapped
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope

_OPPOSITES: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.GT: exp.LTE,
    exp.LTE: exp.GT,
    exp.LT: exp.GTE,
    exp.GTE: exp.LT,
}
_MIRRORED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
}
_WORDS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "is",
    exp.NEQ: "is other than",
    exp.GT: "is greater than",
    exp.GTE: "is greater than or equal to",
    exp.LT: "is less than",
    exp.LTE: "is less than or equal to",
}


def opposite(condition: exp.Expr) -> exp.Expr | None:
    """Return the condition that holds where another one fails; neither does for a missing value.

    Args:
        condition: A comparison, or comparisons connected by AND and OR; it is not changed.

    Returns:
        The condition, with no place in a tree; None for anything else.
    """
    condition = condition.unnest()
    if isinstance(condition, exp.And | exp.Or):
        left, right = opposite(condition.this), opposite(condition.expression)
        if left is None or right is None:
            return None
        if isinstance(condition, exp.And):
            either: exp.Expr = exp.or_(left, right, copy=False)
            return either
        both: exp.Expr = exp.and_(left, right, copy=False)
        return both
    if condition.find(exp.Query) is not None:
        return None
    if condition.args.get("negate"):
        plain: exp.Expr = condition.copy()
        plain.set("negate", None)
        return plain
    if isinstance(condition, exp.Not):
        positive: exp.Expr = condition.this.unnest().copy()
        return positive
    if isinstance(condition, exp.Like | exp.In | exp.Between | exp.Is):
        return exp.Not(this=condition.copy())
    return swapped(_OPPOSITES, condition.copy())


def in_words(query: ResolvedQuery, scope: Scope, condition: exp.Expr) -> str | None:
    """Say a condition in words.

    Args:
        query: The query.
        scope: The SELECT in which the condition stands.
        condition: The condition.

    Returns:
        What follows "where"; None for a condition for which there are no words.
    """
    condition = condition.unnest()
    if isinstance(condition, exp.And | exp.Or):
        left = in_words(query, scope, condition.this)
        right = in_words(query, scope, condition.expression)
        word = "and" if isinstance(condition, exp.And) else "or"
        return None if left is None or right is None else f"{left} {word} {right}"
    if condition.find(exp.Query) is not None:
        return None
    not_ = " not" if condition.args.get("negate") else ""
    if isinstance(condition, exp.Not):
        if condition.this.unnest().args.get("negate"):
            return None
        condition, not_ = condition.this.unnest(), " not"
    if not isinstance(condition.this, exp.Expr):
        return None
    subject = named(query, scope, condition.this)
    match condition:
        case exp.Like():
            return f"{subject} is{not_} like {_value(query, scope, condition.expression)}"
        case exp.Between():
            low, high = (_value(query, scope, condition.args[end]) for end in ("low", "high"))
            return f"{subject} is{not_} between {low} and {high}"
        case exp.In():
            values = ", ".join(_value(query, scope, each) for each in condition.expressions)
            return f"{subject} is{not_} one of ({values})"
        case exp.Is() if isinstance(condition.expression, exp.Null):
            return f"{subject} has {'a' if not_ else 'no'} value"
    if not_:
        # NOT over a comparison is the opposite comparison.
        other = swapped(_OPPOSITES, condition)
        return None if other is None else in_words(query, scope, other)
    kind = type(condition)
    if kind not in _WORDS:
        return None
    value = condition.expression
    if isinstance(condition.this.unnest(), exp.Literal):
        kind, subject, value = _MIRRORED[kind], named(query, scope, value), condition.this
    return f"{subject} {_WORDS[kind]} {_value(query, scope, value)}"


def _value(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> str:
    return named(query, scope, node)
