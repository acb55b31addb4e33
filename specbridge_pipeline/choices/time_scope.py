"""Time scope: a range of dates with its two ends, or without them.

The paper, Appendix D: >= and <= against > and <.
"""

from __future__ import annotations

import re

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceWording, Edit, Phrases
from specbridge_pipeline.choices.english import capitalised
from specbridge_pipeline.choices.filter_steps import (
    column_and_value,
    first_step,
    in_order,
    own_conditions,
    tests_of,
    written,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.query_generation.filter_forms import FILTER_SIDES, FilterForm

choice_type: ChoiceType = ChoiceType.TIME_SCOPE
sides: tuple[str, str] = FILTER_SIDES[FilterForm.DATE_RANGE]
convention: str | None = None

ENDS_IN, ENDS_OUT = sides


def wording(
    edit: Edit,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
    phrases: Phrases,
) -> ChoiceWording:
    """Word the range after the rows; see `ChoiceModule.wording`."""
    index, _ = first_step(structure)
    stated = own_conditions(structure, edited)
    (column, lower), (_, upper) = (
        column_and_value(test) for each in stated for test in tests_of(each)
    )
    name = phrases.value(index, column)
    start, end = written(lower), written(upper)
    if name == "year":
        within, ends = f"between the years {start} and {end}", "both years"
    else:
        within, ends = f"whose {name} is between {start} and {end}", "both ends"
    plural = phrases.source(index)[1]
    texts = {
        ENDS_IN: (
            f"{within}, {ends} included",
            f"{capitalised(plural)} with exactly {start} or {end} count.",
        ),
        ENDS_OUT: (
            f"{within}, {ends} excluded",
            f"{capitalised(plural)} with exactly {start} or {end} do not count.",
        ),
    }
    a, meaning_a, b, meaning_b = in_order(edit, texts)
    return ChoiceWording(index, None, a, b, within, meaning_a, meaning_b, stated)


_ENDS = r"both(?: (?:ends|years|days|dates))?"
_CUES = {
    ENDS_IN: re.compile(
        rf"\b{_ENDS}(?: are| being)? included\b|\bincluding {_ENDS}\b|\binclusive(?:ly)?\b"
        r"|\bon or (?:after|before) '?\d",
        re.IGNORECASE,
    ),
    ENDS_OUT: re.compile(
        rf"\b{_ENDS}(?: are| being)? excluded\b|\bexcluding {_ENDS}\b|\bexclusive(?:ly)?\b"
        r"|\bstrictly (?:between|after|before|within)\b",
        re.IGNORECASE,
    ),
}


def settled_by(text: str) -> frozenset[str]:
    """Return the sides that the words settle the range for; see `ChoiceModule.settled_by`."""
    return frozenset(side for side, cue in _CUES.items() if cue.search(text))
