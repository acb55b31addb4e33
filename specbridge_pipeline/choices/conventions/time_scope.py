"""Time scope and ranges: does "between" include its two ends?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.editing import Draft, OtherSide, Unsound, named
from specbridge_pipeline.choices.conventions.edits.clauses import has_rows
from specbridge_pipeline.choices.conventions.shapes import (
    condition_nodes,
    is_negated,
    literal_of,
    number_of,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import Scope


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        nodes = list(condition_nodes(scope))
        for node in nodes:
            if (
                isinstance(node, exp.Between)
                and not is_negated(node)
                and literal_of(node.args["low"]) is not None
            ):
                yield Reading(Side.USUAL, "BETWEEN", scope, node)
        yield from _pairs(scope, nodes, reference.question)


def _pairs(scope: Scope, nodes: list[exp.Expr], question: str) -> Iterator[Reading]:
    """Read two comparisons of one value that bound it from below and from above."""
    for low in nodes:
        if not isinstance(low, exp.GT | exp.GTE) or literal_of(low.expression) is None:
            continue
        for high in nodes:
            if not isinstance(high, exp.LT | exp.LTE) or literal_of(high.expression) is None:
                continue
            if not _bound_one_value(low, high) or not _are_said(low, high, question):
                continue
            strict = isinstance(low, exp.GT) or isinstance(high, exp.LT)
            form = "strict bounds" if strict else "inclusive bounds"
            yield Reading(Side.OTHER if strict else Side.USUAL, form, scope, low)


def _bound_one_value(low: exp.Expr, high: exp.Expr) -> bool:
    # The start and the end of a thing are bounded by two columns: "served between".
    return low.this == high.this or is_start_and_end(low.this, high.this)


def is_start_and_end(low: exp.Expr, high: exp.Expr) -> bool:
    """Say whether two columns are by their names the start and the end of one thing."""
    names = (low.name.lower(), high.name.lower())
    return any(word in names[0] for word in ("from", "start", "begin")) and any(
        word in names[1] for word in ("to", "end", "until")
    )


def _are_said(low: exp.Expr, high: exp.Expr, question: str) -> bool:
    """Say whether the question gives both ends: bounds moved by one step include them."""
    if not question:
        return True
    said = question.replace(",", "")
    for node in (low, high):
        literal = literal_of(node.expression)
        digits = [] if literal is None else re.findall(r"\d+(?:\.\d+)?", literal.name)
        if not digits or re.search(rf"(?<![\d.]){re.escape(digits[0])}(?!\d)", said) is None:
            return False
    return True


_WORDS: Mapping[type[exp.Expr], str] = {
    exp.GT: "greater than",
    exp.GTE: "greater than or equal to",
    exp.LT: "less than",
    exp.LTE: "less than or equal to",
}


def _edit(draft: Draft) -> OtherSide | Unsound:
    node = draft.node
    if isinstance(node, exp.Between):
        low: exp.Expr = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
        high: exp.Expr = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
    else:
        found = _upper_bound(draft)
        if found is None:
            return Unsound("The two bounds are not asked of the same rows.")
        low, high = node, found
    reason = _unsound(draft, low, high)
    if reason is not None:
        return Unsound(reason)
    lower, upper = (exp.GT, exp.LT) if draft.is_usual else (exp.GTE, exp.LTE)
    other_low, other_high = lower(**dict(low.args)), upper(**dict(high.args))
    taken = _sentence(draft, low, high)
    otherwise = _sentence(draft, other_low, other_high)
    if isinstance(node, exp.Between):
        both: exp.Expr = exp.And(this=other_low, expression=other_high)
        bare = isinstance(node.parent, exp.And | exp.Where | exp.Having | exp.Paren | exp.Join)
        node.replace(both if bare else exp.Paren(this=both))
    else:
        low.replace(other_low)
        high.replace(other_high)
    return OtherSide(draft.query.tree, taken, otherwise)


def _upper_bound(draft: Draft) -> exp.Expr | None:
    """Return the comparison that bounds from above what the reading's bounds from below."""
    for node in condition_nodes(draft.scope):
        if (
            isinstance(node, exp.LT | exp.LTE)
            and literal_of(node.expression) is not None
            and _bound_one_value(draft.node, node)
            and _conjunction_of(node) is _conjunction_of(draft.node)
        ):
            return node
    return None


def _conjunction_of(node: exp.Expr) -> exp.Expr:
    """Return the largest conjunction that a condition belongs to; the condition itself for none."""
    while isinstance(node.parent, exp.And | exp.Paren):
        node = node.parent
    return node


def _unsound(draft: Draft, low: exp.Expr, high: exp.Expr) -> str | None:
    # For a BETWEEN the comparisons do not stand in the tree yet.
    if draft.node.find_ancestor(exp.Not, exp.Select) is not draft.select:
        return "The range is negated, so that an end which is in it is left out."
    if high.find(exp.Query) is not None:
        return "The upper end is the result of another query."
    if low.expression == high.expression:
        return "Both ends are the same value, so that nothing lies between them."
    if isinstance(low.this.unnest(), exp.Count) and _has_no_whole_number(low, high):
        return "No whole number lies between the two ends."
    for bound in (low, high):
        if _is_coarser(draft, bound):
            return (
                f"{named(draft.query, draft.scope, bound.this)} can have times within "
                f"{bound.expression.sql('sqlite')}, which is therefore neither in nor out as a "
                "whole."
            )
    return None


def _has_no_whole_number(low: exp.Expr, high: exp.Expr) -> bool:
    first, last = number_of(low.expression), number_of(high.expression)
    return first is not None and last is not None and last - first <= 1


_PERIOD = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")
"""A year, a month or a day, as text that sorts by time."""


def _is_coarser(draft: Draft, bound: exp.Expr) -> bool:
    """Say whether an end is a day or longer, and values may lie at times within it.

    As text '2020-05-31 14:00' is greater than '2020-05-31': such an end is neither in nor out as a
    whole, whatever the comparison.
    """
    literal = literal_of(bound.expression)
    origin = draft.query.origin(draft.scope, bound.this)
    if literal is None or origin is None or not literal.is_string:
        return False
    if _PERIOD.fullmatch(literal.name) is None:
        return False
    table, column = origin
    longer = exp.GT(
        this=exp.Length(this=exp.column(exp.to_identifier(column.name, quoted=True))),
        expression=exp.Literal.number(len(literal.name)),
    )
    known = has_rows(
        draft.data,
        exp.select("1")
        .from_(exp.Table(this=exp.to_identifier(table.name, quoted=True)))
        .where(longer),
    )
    if known is not None:
        return known
    declared = column.declared_type.upper()
    is_day = len(literal.name) == len("2020-05-31")
    return declared.startswith(("DATETIME", "TIMESTAMP")) or (declared == "DATE" and not is_day)


def _sentence(draft: Draft, low: exp.Expr, high: exp.Expr) -> str:
    kept = (
        "Groups" if draft.node.find_ancestor(exp.Having, exp.Select) is not draft.select else "Rows"
    )
    lower, upper = (
        f"{_WORDS[type(bound)]} {bound.expression.sql('sqlite')}" for bound in (low, high)
    )
    subject = named(draft.query, draft.scope, low.this)
    if low.this != high.this:
        upper = f"{named(draft.query, draft.scope, high.this)} is {upper}"
    return f"{kept} are kept where {subject} is {lower} and {upper}."


CONVENTION = Convention(
    choice_type=ChoiceType.TIME_SCOPE,
    meaning='Does "between" include its two ends?',
    usual="both ends are in",
    other="an end is out",
    read=_read,
    cues=read_cues(__file__),
    edit=_edit,
)
