"""Negation: what has a category is left out as a whole, or only its records of that category are.

The paper, Appendix D: NOT IN against <>. There the other side keeps every record of whatever has
some other record; here it keeps the other records, since "without" is said of records too.
"""

from __future__ import annotations

import re

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceWording, Edit, Phrases
from specbridge_pipeline.choices.english import capitalised
from specbridge_pipeline.choices.filter_steps import (
    by_side,
    first_step,
    has,
    in_order,
    own_conditions,
    tests_of,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.exact_description.structure import ColumnValue, Membership, Structure
from specbridge_pipeline.query_generation.filter_forms import FILTER_SIDES, FilterForm

choice_type: ChoiceType = ChoiceType.NEGATION
sides: tuple[str, str] = FILTER_SIDES[FilterForm.WITHOUT]
convention: str | None = None

NO_RECORD, OTHER_RECORDS = sides


def wording(
    edit: Edit,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
    phrases: Phrases,
) -> ChoiceWording:
    """Word what is left out after the rows; see `ChoiceModule.wording`."""
    index, _ = first_step(structure)
    queries = by_side(edit, structure, edited)
    (member,) = own_conditions(queries[NO_RECORD], queries[OTHER_RECORDS])
    assert isinstance(member, Membership)
    assert isinstance(member.value, ColumnValue)
    column = catalogue.column(member.value.table, member.value.column)
    many = column.plural
    record, records = phrases.source(index)
    category = has(tests_of(member)[0], phrases)
    texts = {
        NO_RECORD: (
            f"of {many}, leaving out all {many} that have any {record} with {category}",
            f"{capitalised(many)} with one such {record} are left out with all their {records}.",
        ),
        OTHER_RECORDS: (
            f"of {many}, leaving out only the {records} with {category} themselves",
            f"Of {many} with such {records}, the other {records} still count.",
        ),
    }
    a, meaning_a, b, meaning_b = in_order(edit, texts)
    left_open = f"of {many}, leaving out those with {category}"
    stated = own_conditions(structure, edited)
    return ChoiceWording(index, None, a, b, left_open, meaning_a, meaning_b, stated)


_CUES = {
    NO_RECORD: re.compile(
        r"\bleaving out (?:all|every) [\w' -]+? (?:that|who|which) (?:have|has) any\b"
        r"|\b(?:that|who|which) (?:have|has) (?:no|never)\b|\bnone of (?:whose|its|their)\b",
        re.IGNORECASE,
    ),
    OTHER_RECORDS: re.compile(
        r"\bleaving out (?:only|just)\b|\bother than '|\b(?:is|are) not '|\bstill counts?\b",
        re.IGNORECASE,
    ),
}


def settled_by(text: str) -> frozenset[str]:
    """Return the sides that the words settle the choice for; see `ChoiceModule.settled_by`."""
    return frozenset(side for side, cue in _CUES.items() if cue.search(text))
