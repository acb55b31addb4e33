"""A ratio of two whole numbers that loses its fraction."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.looking import MARK, Look, counted
from specbridge_pipeline.choices.suspicions.suspicion import (
    ONLY_SQLITE,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.aggregates import aggregates_rows, is_aggregate
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.places import is_inside, own_nodes

_WANTS_WHOLE = (exp.Floor, exp.Ceil, exp.Mod, exp.Group, exp.IntDiv)


def _find(look: Look) -> Iterator[Suspicion]:
    for scope in look.query.scopes:
        for node in own_nodes(scope.select):
            if not isinstance(node, exp.Div) or _is_meant_whole(scope, node):
                continue
            if _has_fraction(look, scope, node.this) or _has_fraction(look, scope, node.expression):
                continue
            found = _quotients(look, scope, node)
            if found is None or not found[0]:
                continue
            broken, rows = found
            tree, (copy,) = look.copied(node)
            copy.set("this", exp.Cast(this=copy.this.copy(), to=exp.DataType.build("REAL")))
            name = look.text(node)
            yield Suspicion(
                SuspicionKind.DROPPED_FRACTION,
                False,
                f"{name} divides whole numbers and drops the fraction.",
                f"{name} keeps its fraction.",
                f"{broken:,} of {counted(rows, 'quotient')} {'has' if broken == 1 else 'have'} a "
                "fraction.",
                look.text(tree),
                node,
            )


def _has_fraction(look: Look, scope: Scope, node: exp.Expr) -> bool:
    """Say whether a value is a floating-point number whatever the data: nothing is to measure."""
    if isinstance(node, exp.Paren | exp.Neg | exp.Sum | exp.Min | exp.Max):
        return _has_fraction(look, scope, node.this)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div):
        return any(_has_fraction(look, scope, each) for each in (node.this, node.expression))
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type(*exp.DataType.REAL_TYPES))
    if isinstance(node, exp.Literal):
        return not node.is_string and not node.name.isdecimal()
    return isinstance(node, exp.Avg | exp.Round)


def _is_meant_whole(scope: Scope, node: exp.Expr) -> bool:
    """Say whether a quotient is cut on purpose: made whole, a class of values, or grouped by."""
    if any(node == part for item in _grouped(scope) for part in item.walk()):
        return True
    child, around = node, node.parent
    while around is not None and around is not scope.select:
        if isinstance(around, _WANTS_WHOLE):
            return True
        if isinstance(around, exp.Cast) and around.to.is_type(*exp.DataType.INTEGER_TYPES):
            return True
        if isinstance(around, exp.Mul):
            other = around.expression if around.this is child else around.this
            if other == node.args["expression"]:
                return True
        child, around = around, around.parent
    return False


def _grouped(scope: Scope) -> list[exp.Expr]:
    group = scope.select.args.get("group")
    if group is None:
        return []
    written = [scope.output(key) for key in group.expressions]
    return [*group.expressions, *(each for each in written if each is not None)]


def _quotients(look: Look, scope: Scope, node: exp.Div) -> tuple[int, int] | None:
    """Count the quotients of whole numbers that have a fraction, and all quotients."""
    numerator, denominator = node.this.copy(), node.expression.copy()
    mark: exp.Expr = exp.maybe_parse(
        "CASE WHEN TYPEOF(a) = 'integer' AND TYPEOF(b) = 'integer' THEN a % b <> 0 END",
        dialect="sqlite",
    )
    for column in list(mark.find_all(exp.Column)):
        part = numerator if column.name == "a" else denominator
        column.replace(exp.Paren(this=part.copy()))
    item = exp.alias_(mark, MARK)
    if aggregates_rows(scope.select) and not _in_aggregate(scope, node):
        body = look.standalone(scope)
        if body is not None:
            body.append("expressions", item)
            for name in ("order", "limit", "offset", "distinct"):
                body.set(name, None)
    else:
        body = look.some_rows(scope, [item])
    if body is None:
        return None
    found = look.numbers(f"SELECT SUM({MARK}), COUNT({MARK}) FROM ({look.text(body)})")
    return None if found is None else (int(found[0]), int(found[1]))


def _in_aggregate(scope: Scope, node: exp.Expr) -> bool:
    where = scope.select.args.get("where")
    if where is not None and is_inside(node, where):
        return True
    around = node.parent
    while around is not None and around is not scope.select:
        if is_aggregate(around) or isinstance(around, exp.Join):
            return True
        around = around.parent
    return False


DETECTOR = Detector(SuspicionKind.DROPPED_FRACTION, ONLY_SQLITE, _find)
