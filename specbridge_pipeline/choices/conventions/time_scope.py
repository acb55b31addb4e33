"""Time scope and ranges: does "between" include its two ends?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.shapes import (
    condition_nodes,
    is_negated,
    literal_of,
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
            # The start and the end of a thing are bounded by two columns: "served between".
            same = low.this == high.this or _is_start_and_end(low.this, high.this)
            if not same or not _are_said(low, high, question):
                continue
            strict = isinstance(low, exp.GT) or isinstance(high, exp.LT)
            form = "strict bounds" if strict else "inclusive bounds"
            yield Reading(Side.OTHER if strict else Side.USUAL, form, scope, low)


def _is_start_and_end(low: exp.Expr, high: exp.Expr) -> bool:
    names = (low.name.lower(), high.name.lower())
    return any(word in names[0] for word in ("from", "start", "begin")) and any(
        word in names[1] for word in ("to", "end", "until")
    )


def _are_said(low: exp.Expr, high: exp.Expr, question: str) -> bool:
    """Say whether the question gives both ends: bounds moved by one step include them."""
    said = question.replace(",", "")
    for node in (low, high):
        literal = literal_of(node.expression)
        digits = [] if literal is None else re.findall(r"\d+(?:\.\d+)?", literal.name)
        if not digits or re.search(rf"(?<![\d.]){re.escape(digits[0])}(?!\d)", said) is None:
            return False
    return True


CONVENTION = Convention(
    choice_type=ChoiceType.TIME_SCOPE,
    meaning='Does "between" include its two ends?',
    usual="both ends are in",
    other="an end is out",
    read=_read,
    cues=read_cues(__file__),
)
