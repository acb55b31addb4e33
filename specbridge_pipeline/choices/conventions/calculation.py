"""Calculation: is a percentage written in hundredths, or as a fraction of one?"""

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
from specbridge_pipeline.choices.conventions.edits.calculation_edit import edit, is_in_hundredths
from specbridge_pipeline.choices.types import ChoiceType


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        for item in scope.select.expressions:
            quotient = item.find(exp.Div)
            if quotient is None:
                continue
            if is_in_hundredths(item):
                yield Reading(Side.USUAL, "times 100", scope, quotient)
            elif item.find(exp.AggFunc) is not None or item.find(exp.Column) is not None:
                yield Reading(Side.OTHER, "a fraction", scope, quotient)


CONVENTION = Convention(
    choice_type=ChoiceType.CALCULATION,
    meaning="Is a percentage given in hundredths, or as a fraction of one?",
    usual="times 100",
    other="as a fraction",
    read=_read,
    cues=read_cues(__file__),
    edit=edit,
)
