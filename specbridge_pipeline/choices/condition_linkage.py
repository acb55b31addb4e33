"""Condition linkage: two categories in one record, or each in any record of the entity.

The paper, Appendix D. A record has one value of a column, so that the two are of two columns.
"""

from __future__ import annotations

import re

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceWording, Edit, Phrases
from specbridge_pipeline.choices.filter_steps import (
    first_step,
    has,
    in_order,
    own_conditions,
    tests_of,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.exact_description.structure import ColumnValue, Membership, Structure
from specbridge_pipeline.query_generation.filter_forms import FILTER_SIDES, FilterForm

choice_type: ChoiceType = ChoiceType.CONDITION_LINKAGE
sides: tuple[str, str] = FILTER_SIDES[FilterForm.TWO_CATEGORIES]
convention: str | None = None

ONE_RECORD, ANY_RECORDS = sides


def wording(
    edit: Edit,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
    phrases: Phrases,
) -> ChoiceWording:
    """Word whose records are read after the rows; see `ChoiceModule.wording`."""
    index, _ = first_step(structure)
    stated = own_conditions(structure, edited)
    member = stated[0]
    assert isinstance(member, Membership)
    assert isinstance(member.value, ColumnValue)
    many = catalogue.column(member.value.table, member.value.column).plural
    record, records = phrases.source(index)
    one, other = (has(test, phrases) for each in stated for test in tests_of(each))
    left_open = f"of {many} that have {one} and {other}"
    texts = {
        ONE_RECORD: (
            f"{left_open}, both in one and the same {record}",
            f"One {record} must have both.",
        ),
        ANY_RECORDS: (
            f"{left_open}, each in any of their {records}",
            f"One {record} may have the one, and another the other.",
        ),
    }
    a, meaning_a, b, meaning_b = in_order(edit, texts)
    return ChoiceWording(index, None, a, b, left_open, meaning_a, meaning_b, stated)


_CUES = {
    ONE_RECORD: re.compile(
        r"\bboth(?: of them)? (?:in|on) (?:one|the same|a single)\b|\bone and the same\b",
        re.IGNORECASE,
    ),
    ANY_RECORDS: re.compile(
        r"\b(?:in|on) any of (?:their|its|them)\b|\bnot necessarily in\b"
        r"|\beach of them in (?:any|some)\b",
        re.IGNORECASE,
    ),
}


def settled_by(text: str) -> frozenset[str]:
    """Return the sides that the words settle the choice for; see `ChoiceModule.settled_by`."""
    return frozenset(side for side, cue in _CUES.items() if cue.search(text))
