"""Population scope: a count for each entity that has such records, or for every entity.

The paper, Appendix D: an inner join against an outer one that keeps counts of zero.
"""

from __future__ import annotations

import re
from dataclasses import replace

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceWording, Edit, Phrases
from specbridge_pipeline.choices.english import capitalised
from specbridge_pipeline.choices.filter_steps import first_step, in_order
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    ColumnValue,
    Comparison,
    Literal,
    Structure,
    TableSource,
)
from specbridge_pipeline.query_generation.filter_forms import FILTER_SIDES, FilterForm

choice_type: ChoiceType = ChoiceType.POPULATION_SCOPE
sides: tuple[str, str] = FILTER_SIDES[FilterForm.PER_ENTITY]
convention: str | None = None

MATCHED, ALL_ENTITIES = sides


def wording(
    edit: Edit,
    structure: Structure,
    edited: Structure,
    catalogue: Catalogue,
    phrases: Phrases,
) -> ChoiceWording:
    """Word what is counted; see `ChoiceModule.wording`."""
    index, step = first_step(structure)
    output = next(at for at, each in enumerate(step.outputs) if isinstance(each.value, Aggregate))
    source = step.sources[1]
    assert isinstance(source, TableSource)
    counted = catalogue.table(source.table)
    test = next(
        each
        for each in step.joins[0].on
        if isinstance(each, Comparison) and isinstance(each.right, Literal)
    )
    assert isinstance(test.left, ColumnValue)
    # Whose the tested column is goes without saying: the counted rows are named before it.
    said = phrases.condition(index, replace(test, left=replace(test.left, source=0)))
    number = f"the number of {counted.plural} {said}"
    entities = phrases.source(index)[1]
    texts = {
        MATCHED: (
            f"{number}, leaving out {entities} without any such {counted.singular}",
            f"{capitalised(entities)} without any such {counted.singular} play no part.",
        ),
        ALL_ENTITIES: (
            f"{number}, counting zero for {entities} without any such {counted.singular}",
            f"{capitalised(entities)} without any such {counted.singular} take part, as zero.",
        ),
    }
    a, meaning_a, b, meaning_b = in_order(edit, texts)
    return ChoiceWording(index, output, a, b, number, meaning_a, meaning_b)


_CUES = {
    MATCHED: re.compile(
        r"\b(?:leaving out|ignoring|excluding) [\w' -]+? without any such\b"
        r"|\bonly (?:the )?[\w' -]+? (?:with|that have) such\b",
        re.IGNORECASE,
    ),
    ALL_ENTITIES: re.compile(
        r"\b(?:zero|0) for [\w' -]+? without\b|\bcounts? as (?:zero|0)\b"
        r"|\bincluding [\w' -]+? without any such\b|\bwhether or not they have\b",
        re.IGNORECASE,
    ),
}


def settled_by(text: str) -> frozenset[str]:
    """Return the sides that the words settle the choice for; see `ChoiceModule.settled_by`."""
    return frozenset(side for side, cue in _CUES.items() if cue.search(text))
