"""Quantifier: is "than any" than every one, or than at least one?"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.shapes import condition_nodes, nested_select
from specbridge_pipeline.choices.types import ChoiceType

_ABOVE = (exp.GT, exp.GTE)
_BELOW = (exp.LT, exp.LTE)


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        for node in condition_nodes(scope):
            if not isinstance(node, _ABOVE + _BELOW):
                continue
            for value, above in (
                (node.expression, isinstance(node, _ABOVE)),
                (node.this, isinstance(node, _BELOW)),
            ):
                side = _side(value, above=above)
                if side is not None:
                    form = "than every one" if side is Side.USUAL else "than at least one"
                    yield Reading(side, form, scope, node)


def _side(value: exp.Expr, *, above: bool) -> Side | None:
    if isinstance(value, exp.All):
        return Side.USUAL
    if isinstance(value, exp.Any):
        return Side.OTHER
    select = nested_select(value)
    if select is None or len(select.expressions) != 1:
        return None
    item = select.expressions[0].unalias()
    if isinstance(item, exp.Max):
        return Side.USUAL if above else Side.OTHER
    if isinstance(item, exp.Min):
        return Side.OTHER if above else Side.USUAL
    return None


CONVENTION = Convention(
    choice_type=ChoiceType.QUANTIFIER,
    meaning='Is "than any" than every one, or than at least one?',
    usual="than every one",
    other="than at least one",
    read=_read,
    cues=read_cues(__file__),
)
