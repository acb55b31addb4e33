"""Strict cutoff: a value that equals the cutoff is in, or out.

The paper, Appendix D: >= v against > v.
"""

from __future__ import annotations

import re

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceWording, Edit, Phrases
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

choice_type: ChoiceType = ChoiceType.STRICT_CUTOFF
sides: tuple[str, str] = FILTER_SIDES[FilterForm.CUTOFF]
convention: str | None = None

AT_LEAST, MORE_THAN = sides


def wording(
    edit: Edit,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
    phrases: Phrases,
) -> ChoiceWording:
    """Word the cutoff after the rows; see `ChoiceModule.wording`."""
    index, _ = first_step(structure)
    stated = own_conditions(structure, edited)
    column, value = column_and_value(tests_of(stated[0])[0])
    name, cutoff, plural = phrases.value(index, column), written(value), phrases.source(index)[1]
    many = phrases.is_plural(column)
    of = f"whose {name} {'are' if many else 'is'}"
    left_open = f"with {'many' if many else 'a high'} {name}, taking {cutoff} as the cutoff"
    equal = f"whose {name} {'are' if many else 'is'} exactly {cutoff}"
    texts = {
        AT_LEAST: (f"{of} at least {cutoff}", f"The {plural} {equal} count."),
        MORE_THAN: (f"{of} more than {cutoff}", f"The {plural} {equal} do not count."),
    }
    a, meaning_a, b, meaning_b = in_order(edit, texts)
    return ChoiceWording(index, None, a, b, left_open, meaning_a, meaning_b, stated)


_NUMBER = r"(?:[\w-]+ ){0,2}?'?\d"
_CUES = {
    AT_LEAST: re.compile(
        rf"\b(?:at least|no (?:less|fewer) than|not (?:less|fewer) than) {_NUMBER}"
        r"|\d(?: [\w-]+)? (?:or|and) (?:more|above|over|higher|greater|longer|later)\b|>=|≥",
        re.IGNORECASE,
    ),
    MORE_THAN: re.compile(
        rf"(?<!\bno )(?<!\bnot )\b(?:(?:more|greater|higher|longer|larger) than|exceed\w*|over"
        rf"|above|beyond) {_NUMBER}",
        re.IGNORECASE,
    ),
}


def settled_by(text: str) -> frozenset[str]:
    """Return the sides that the words settle the cutoff for; see `ChoiceModule.settled_by`."""
    return frozenset(side for side, cue in _CUES.items() if cue.search(text))
