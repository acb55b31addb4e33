"""Two conditions that no row can meet at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import conjunction
from specbridge_pipeline.choices.conventions.shapes import number_of
from specbridge_pipeline.choices.suspicions.looking import Look, conditions_of
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.column_origins import Scope, SourceColumn
from specbridge_pipeline.sql.join_repeats import conjuncts, is_outer, row_conditions

_TURNED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
}
_Value = float | str


@dataclass(frozen=True, slots=True)
class _Range:
    """The values that a condition leaves to a column.

    Attributes:
        column: The column.
        values: The values themselves, where the condition lists them.
        low: The least value allowed, with whether it is itself; None for no bound.
        high: The greatest one.
        missing: Whether it asks that the value is missing.
        node: The condition.
    """

    column: SourceColumn
    node: exp.Expr
    values: frozenset[_Value] | None = None
    low: tuple[_Value, bool] | None = None
    high: tuple[_Value, bool] | None = None
    missing: bool = False


def _find(look: Look) -> Iterator[Suspicion]:
    for scope in look.query.scopes:
        ranges = [each for each in map(partial(_range, scope), _all(scope)) if each is not None]
        for one in ranges:
            if one.low is not None and one.high is not None and _empty(one, one):
                yield _suspicion(look, scope, one, one)
        for one, other in combinations(ranges, 2):
            if one.column == other.column and _exclude(one, other):
                yield _suspicion(look, scope, one, other)
                break


def _all(scope: Scope) -> Iterator[exp.Expr]:
    # What an outer join asks of a row that it adds says nothing of the rows that it keeps.
    if not any(is_outer(join) for join in scope.select.args.get("joins") or ()):
        yield from row_conditions(scope)
    else:
        yield from conditions_of(scope)


def _range(scope: Scope, condition: exp.Expr) -> _Range | None:
    condition = condition.unnest()
    column = (
        scope.own_column(condition.this.unnest()) if isinstance(condition.this, exp.Expr) else None
    )
    if isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Null):
        return _Range(column, condition, missing=True) if column is not None else None
    if isinstance(condition, exp.Between) and column is not None:
        low, high = _value(condition.args["low"]), _value(condition.args["high"])
        if low is None or high is None or condition.args.get("symmetric"):
            return None
        return _Range(column, condition, low=(low, True), high=(high, True))
    if isinstance(condition, exp.In) and column is not None and condition.expressions:
        values = [_value(each) for each in condition.expressions]
        known = frozenset(value for value in values if value is not None)
        return _Range(column, condition, values=known) if None not in values else None
    if not isinstance(condition, exp.EQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        return None
    kind: type[exp.Expr] = type(condition)
    value = _value(condition.expression)
    if column is None:
        column = scope.own_column(condition.expression.unnest())
        kind, value = _TURNED.get(kind, kind), _value(condition.this)
    if column is None or value is None:
        return None
    if kind is exp.EQ:
        return _Range(column, condition, values=frozenset({value}))
    bound = (value, kind in (exp.GTE, exp.LTE))
    if kind in (exp.GT, exp.GTE):
        return _Range(column, condition, low=bound)
    return _Range(column, condition, high=bound)


def _value(node: exp.Expr) -> _Value | None:
    """Return a written value; a text that holds a number is that number, as columns may take it."""
    node = node.unnest()
    number = number_of(node)
    if number is not None:
        return number
    if not isinstance(node, exp.Literal):
        return None
    try:
        return float(node.name)
    except ValueError:
        # Letter case and blanks at the end may not count in a column's collation.
        return str(node.name).rstrip().lower()


def _exclude(one: _Range, other: _Range) -> bool:
    if one.missing or other.missing:
        return one.missing != other.missing
    for first, second in ((one, other), (other, one)):
        if first.values is not None:
            if second.values is not None:
                return not first.values & second.values
            return not any(_within(value, second) for value in first.values)
    return _empty(one, other) or _empty(other, one)


def _within(value: _Value, bounds: _Range) -> bool:
    return _above(bounds.low, (value, True)) and _above((value, True), bounds.high)


def _empty(lower: _Range, upper: _Range) -> bool:
    return not _above(lower.low, upper.high)


def _above(low: tuple[_Value, bool] | None, high: tuple[_Value, bool] | None) -> bool:
    """Say whether some value may lie between two bounds; that it may where nobody can tell."""
    if low is None or high is None:
        return True
    (least, with_least), (most, with_most) = low, high
    if isinstance(least, float) and isinstance(most, float):
        return least < most or (least == most and with_least and with_most)
    if isinstance(least, str) and isinstance(most, str) and _are_dates(least, most):
        return least < most or (least == most and with_least and with_most)
    return True


def _are_dates(*texts: str) -> bool:
    return all(
        len(text) >= len("2000-01-01") and text[:4].isdigit() and text[4] == text[7] == "-"
        for text in texts
    )


def _suspicion(look: Look, scope: Scope, one: _Range, other: _Range) -> Suspicion:
    column = next(
        node for node in one.node.find_all(exp.Column) if scope.own_column(node) == one.column
    )
    name = look.name(scope, column)
    written = look.text(one.node)
    if one is not other:
        written += f" AND {look.text(other.node)}"
    if one is other:
        meant, edited = "The bounds are meant the other way round.", _turned(look, one)
    elif len(scope.sources) > 1 and not (one.missing or other.missing):
        meant, edited = "Several joined rows meet the conditions together, one each.", None
    else:
        meant, edited = "One of the two conditions is enough.", _either(look, scope, one, other)
    return Suspicion(
        SuspicionKind.EXCLUDING_CONDITIONS,
        False,
        f"{written} asks for two values of {name} in one row, so that no row meets it.",
        meant,
        "",
        edited,
        other.node,
    )


def _turned(look: Look, one: _Range) -> str | None:
    tree, (copy,) = look.copied(one.node)
    low, high = copy.args["low"], copy.args["high"]
    copy.set("low", high.copy())
    copy.set("high", low.copy())
    return look.text(tree)


def _either(look: Look, scope: Scope, one: _Range, other: _Range) -> str | None:
    conditions = [each.unnest() for each in conditions_of(scope)]
    if not all(any(each.node is mine for mine in conditions) for each in (one, other)):
        return None
    tree, (select, first, second) = look.copied(scope.select, one.node, other.node)
    assert isinstance(select, exp.Select)
    parts: list[exp.Expr] = []
    for each in conjuncts(select.args["where"].this):
        if each is first:
            parts.append(exp.or_(first.copy(), second.copy()))
        elif each is not second:
            parts.append(each)
    select.set("where", exp.Where(this=conjunction(parts)))
    return look.text(tree)


DETECTOR = Detector(SuspicionKind.EXCLUDING_CONDITIONS, BOTH_ENGINES, _find)
