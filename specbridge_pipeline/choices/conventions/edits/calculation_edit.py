"""The edit of a percentage: hundredths become a fraction of one, or the reverse."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    replaced,
)
from specbridge_pipeline.choices.conventions.edits.quotients import (
    branches,
    is_product,
    is_real_cast,
    number_type_of,
    product_of,
    without_casts,
    words_of,
)
from specbridge_pipeline.choices.conventions.shapes import nested_select, number_of
from specbridge_pipeline.exact_description.number_types import NumberType
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.places import Place, output_uses, place_of, written_names

_HOMOGENEOUS = (exp.Avg, exp.Sum, exp.Min, exp.Max)
"""Aggregates that give a hundred times as much for values that are a hundred times as great."""

_MOST_DIGITS = 15


class _CannotEditError(Exception):
    """A part of the value stands in the way of the edit; the message says which."""


@dataclass(slots=True)
class _Change:
    """What the edit did to a value besides the factor.

    Attributes:
        before: What is to be said of the value before the edit, beyond its scale.
        after: The same of the edited one.
        quotients: How many quotients were changed.
        divided: What the first quotient divides, and by what.
    """

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    quotients: int = 0
    divided: str = ""


def edit(draft: Draft) -> OtherSide | Unsound:
    """Give a percentage in the other way; see `editing.Edit`."""
    items = draft.select.expressions
    said: list[tuple[str, str]] = []
    for at, item in enumerate(items):
        # All percentages that a SELECT returns are given in one way.
        also = draft.is_usual and is_in_hundredths(item)
        if not also and not any(each is draft.node for each in item.walk()):
            continue
        elsewhere = _use_elsewhere(draft, at)
        if elsewhere:
            return Unsound(elsewhere)
        change = _Change()
        try:
            _edit_value(draft, draft.scope, item.unalias(), change)
        except _CannotEditError as reason:
            return Unsound(str(reason))
        shown = "the value" if len(items) == 1 else f"output column {at + 1}"
        said.append(_said(shown, change, is_usual=draft.is_usual))
    taken, other = (
        f"{sentence[0].upper()}{sentence[1:]}."
        for sentence in ("; ".join(clauses) for clauses in zip(*said, strict=True))
    )
    return OtherSide(draft.query.tree, taken, other)


def is_in_hundredths(item: exp.Expr) -> bool:
    """Say whether an output is a quotient times 100, or divided by a hundredth of the total."""
    quotient = item.find(exp.Div)
    if quotient is None:
        return False
    times = any(
        number_of(each) == 100
        for product in item.find_all(exp.Mul)
        for each in (product.this, product.expression)
    )
    return times or any(number_of(each.unnest()) == 0.01 for each in product_of(quotient).divisors)


def _said(shown: str, change: _Change, *, is_usual: bool) -> tuple[str, str]:
    """Return what is said of one output before the edit, and after it."""
    computed = change.divided
    if change.quotients > 1:
        computed = f"computed from {change.quotients} quotients, the first being {computed}"
    hundredths, fraction = "given in hundredths (the whole is 100)", "given as a fraction of one"
    before, after = (hundredths, fraction) if is_usual else (fraction, hundredths)
    return (
        ", ".join((shown, computed, f"is {before}", *change.before)),
        ", ".join((shown, computed, f"is {after}", *change.after)),
    )


def _use_elsewhere(draft: Draft, at: int) -> str:
    """Return why another part of the query would change its meaning with the value."""
    select = draft.select
    place = place_of(select)
    if place is Place.MEMBER:
        return "The other members of the set operation would give the value in the old way."
    if place is Place.TOP:
        name = select.expressions[at].alias.lower()
        conditions = [select.args.get(part) for part in ("where", "having")]
        if name and any(
            isinstance(node, exp.Column) and not node.table and node.name.lower() == name
            for part in conditions
            if part is not None
            for node in part.walk()
        ):
            return "A condition of the query compares the value with something."
        return ""
    if place in (Place.TABLE, Place.COMMON_TABLE):
        names = written_names(select)
        uses = None if names is None else output_uses(select, names, at)
        if uses is not None and uses and all(_is_shown(use) for use in uses):
            return ""
    # A nested query that is an output is edited where that output is read.
    return "The value is used by another step of the query, and not only returned."


def _is_shown(use: exp.Expr) -> bool:
    """Say whether a name only returns a value, or orders by it, in the statement itself."""
    around = use.parent
    while isinstance(around, exp.Alias | exp.Paren | exp.Ordered | exp.Order):
        around = around.parent
    return isinstance(around, exp.Select) and place_of(around) is Place.TOP


def _edit_value(draft: Draft, scope: Scope, node: exp.Expr, change: _Change) -> None:
    """Edit each quotient that a value is a sum of, in the tree."""
    if isinstance(node, exp.Paren | exp.Neg) and not is_product(node):
        _edit_value(draft, scope, node.this, change)
    elif is_product(node):
        _edit_quotient(draft, scope, node, change)
    elif isinstance(node, exp.Mul) and _edit_scaled(draft, scope, node, change):
        pass
    elif isinstance(node, exp.Add | exp.Sub):
        _edit_value(draft, scope, node.this, change)
        _edit_value(draft, scope, node.expression, change)
    elif isinstance(node, exp.Round):
        _edit_rounded(draft, scope, node, change)
    elif isinstance(node, exp.Cast) and is_real_cast(node):
        _edit_value(draft, scope, node.this, change)
    elif isinstance(node, exp.Cast):
        raise _CannotEditError(
            "The value is cast to another type, which says how many of its digits are kept."
        )
    elif isinstance(node, _HOMOGENEOUS) and not node.args.get("expressions"):
        _edit_value(draft, scope, node.this, change)
    elif isinstance(node, exp.Coalesce):
        for each in (node.this, *node.expressions):
            if number_of(each) != 0:
                _edit_value(draft, scope, each, change)
    elif isinstance(node, exp.Case | exp.If):
        for each in branches(node):
            if not isinstance(each, exp.Null) and number_of(each) != 0:
                _edit_value(draft, scope, each, change)
    elif isinstance(node, exp.Subquery) and isinstance(nested_select(node), exp.Select):
        select = nested_select(node)
        inner = draft.query.scope_of(select)
        if select is None or inner is None or len(select.expressions) != 1:
            raise _CannotEditError("The quotient stands in a nested query of another form.")
        _edit_value(draft, inner, select.expressions[0].unalias(), change)
    else:
        raise _CannotEditError("The quotient is only a part of what the value is computed from.")


def _edit_rounded(draft: Draft, scope: Scope, node: exp.Round, change: _Change) -> None:
    written = node.args.get("decimals")
    digits = 0 if written is None else number_of(written)
    if digits is None or digits != int(digits) or not 0 <= digits <= _MOST_DIGITS:
        raise _CannotEditError("How many digits are kept in rounding is itself computed.")
    wanted = int(digits) + (2 if draft.is_usual else -2)
    if wanted < 0:
        # The engine rounds to no tens or hundreds: the rounded fraction is what is taken times 100.
        _check_scale(node.this, draft)
        _name_quotient(draft, scope, node.this, change)
        change.before.append(_rounding(int(digits)))
        change.after.append(f"the fraction being {_rounding(int(digits))} first")
        replaced(node, exp.Mul(this=node.copy(), expression=exp.Literal.number(100)))
        return
    _edit_value(draft, scope, node.this, change)
    node.set("decimals", exp.Literal.number(wanted))
    change.before.append(_rounding(int(digits)))
    change.after.append(_rounding(wanted))


def _check_scale(node: exp.Expr, draft: Draft) -> None:
    if is_in_hundredths(node) is not draft.is_usual or node.find(exp.Div) is None:
        raise _CannotEditError("Of several quotients in the value not all are times 100.")


def _name_quotient(draft: Draft, scope: Scope, node: exp.Expr, change: _Change) -> None:
    """Note what the first quotient inside a value divides."""
    quotient = node.find(exp.Div)
    if quotient is not None and not change.divided:
        parts = product_of(quotient)
        change.quotients = 1
        change.divided = (
            f"computed from {words_of(draft.query, scope, parts.factors[0])} divided by "
            f"{words_of(draft.query, scope, parts.divisors[0])}"
        )


def _edit_scaled(draft: Draft, scope: Scope, node: exp.Mul, change: _Change) -> bool:
    """Take away the hundred that a value is multiplied with which is more than a quotient.

    Returns:
        Whether it is such a value.
    """
    for hundred, rest in ((node.this, node.expression), (node.expression, node.this)):
        if draft.is_usual and number_of(hundred.unnest()) == 100 and rest.find(exp.Div):
            if is_in_hundredths(rest):
                raise _CannotEditError("Of several quotients in the value not all are times 100.")
            _name_quotient(draft, scope, rest, change)
            change.before += _inner_rounding(rest)
            change.after += _inner_rounding(rest, alone=True)
            replaced(node, rest.copy())
            return True
    return False


def _inner_rounding(node: exp.Expr, *, alone: bool = False) -> list[str]:
    rounded = node.unnest()
    if not isinstance(rounded, exp.Round):
        return []
    digits = number_of(rounded.args.get("decimals")) or 0
    said = _rounding(int(digits))
    return [said if alone else f"the fraction being {said} first"]


def _rounding(digits: int) -> str:
    if digits == 0:
        return "rounded to a whole number"
    return f"rounded to {digits} digit{'s' * (digits > 1)} after the point"


def _edit_quotient(draft: Draft, scope: Scope, node: exp.Expr, change: _Change) -> None:
    parts = product_of(node)
    hundreds = [each for each in parts.factors if number_of(each.unnest()) == 100]
    hundredths = [each for each in parts.divisors if number_of(each.unnest()) == 0.01]
    scales = hundreds + hundredths
    divisors = [each for each in parts.divisors if number_of(each.unnest()) is None]
    if not divisors:
        raise _CannotEditError(
            "What is divided by is a number that the query writes out, so that it is no share."
        )
    if len(scales) > 1 or bool(scales) is not draft.is_usual:
        raise _CannotEditError("Of several quotients in the value not all are times 100.")
    counted = [each for each in parts.factors if number_of(each.unnest()) is None]
    if not draft.is_usual and counted and _is_mean(counted[0], divisors[0]):
        raise _CannotEditError("The quotient is a mean of values, and no share of a whole.")
    change.quotients += 1
    if change.quotients == 1:
        change.divided = (
            f"{words_of(draft.query, scope, counted[0]) if counted else 'a number'} divided by "
            f"{words_of(draft.query, scope, divisors[0])}"
        )
    if draft.is_usual:
        _without_hundred(draft, scope, node, scales[0], change)
    else:
        _with_hundred(draft, scope, node, change)


def _is_mean(dividend: exp.Expr, divisor: exp.Expr) -> bool:
    """Say whether the sum of a column is divided by a number of rows."""
    total, count = (without_casts(each) for each in (dividend, divisor))
    return (
        isinstance(total, exp.Sum)
        and isinstance(total.this, exp.Column)
        and isinstance(count, exp.Count)
    )


def _with_hundred(draft: Draft, scope: Scope, node: exp.Expr, change: _Change) -> None:
    if number_type_of(draft.query, scope, node) is NumberType.INTEGER:
        raise _CannotEditError(
            "Both whole numbers of the quotient are divided without a remainder, so that it is no "
            "fraction of one."
        )
    if number_type_of(draft.query, scope, node) is NumberType.UNKNOWN:
        said = "without the digits after the point of the quotient where both are whole numbers"
        change.before.append(said)
        change.after.append(said)
    replaced(node, exp.Mul(this=node.copy(), expression=exp.Literal.number(100)))


def _without_hundred(
    draft: Draft, scope: Scope, node: exp.Expr, hundred: exp.Expr, change: _Change
) -> None:
    """Take the factor away, but not what it does to a division of whole numbers."""
    whole = number_type_of(draft.query, scope, node)
    product = hundred.parent
    written = hundred.unnest()
    one = exp.Literal.number("1.0")
    if isinstance(product, exp.Div) and product.expression is hundred:
        # X / 0.01 is the same as X * 100, and X may be a division of whole numbers.
        product.replace(product.this.copy())
    elif (
        isinstance(product, exp.Mul)
        and not isinstance(written, exp.Neg)
        and _may_go(draft, scope, product, hundred)
    ):
        rest = product.expression if product.this is hundred else product.this
        replaced(product, rest.copy())
    else:
        hundred.replace(one)
    if whole is NumberType.INTEGER:
        change.before.append("its digits after the point dropped")
    elif whole is NumberType.UNKNOWN:
        change.before.append("its digits after the point dropped where all numbers are whole")
    if whole is not NumberType.REAL:
        change.after.append("its digits after the point kept")


def _may_go(draft: Draft, scope: Scope, product: exp.Mul, hundred: exp.Expr) -> bool:
    """Say whether a product with a hundred can be its other factor without a loss of digits."""
    rest = product.expression if product.this is hundred else product.this
    if number_type_of(draft.query, scope, rest) is NumberType.REAL:
        return True
    around: exp.Expr = product
    while isinstance(around.parent, exp.Paren | exp.Mul | exp.Div):
        inner, around = around, around.parent
        if isinstance(around, exp.Div) and around.this is inner:
            return number_type_of(draft.query, scope, around.expression) is NumberType.REAL
        if isinstance(around, exp.Mul):
            factor = around.expression if around.this is inner else around.this
            if number_type_of(draft.query, scope, factor) is NumberType.REAL:
                return True
    # What is multiplied after the division has dropped its digits already.
    return False
