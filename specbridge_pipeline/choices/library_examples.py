"""One question of the choice library for each type, as an example of what is left open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from specbridge_pipeline.benchmarks.references import BenchmarkReference
from specbridge_pipeline.choices.choice_library import ChoiceLibrary, Confidence
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType


@dataclass(frozen=True, slots=True)
class LibraryExample:
    """A question that leaves a choice open; its SQL is no part of it.

    Attributes:
        question: The question, as the user's copy of the benchmark has it.
        choice: What it leaves open, in one sentence.
    """

    question: str
    choice: str


def examples_of(
    library: ChoiceLibrary, references: Iterable[BenchmarkReference]
) -> Mapping[ChoiceType, LibraryExample]:
    """Return the first example of each type whose question is at hand.

    Records that somebody has read come first, then the order of their ids decides. The library
    holds no text of a benchmark: without the user's copy of it there is no example.

    Args:
        library: The library.
        references: The questions at hand.
    """
    questions = {
        (each.form, str(each.question_id), each.database): each.question
        for each in references
        if each.question
    }
    found: dict[ChoiceType, LibraryExample] = {}
    for record in sorted(
        library.records, key=lambda each: (each.confidence is not Confidence.READ, each.id)
    ):
        question = questions.get((record.benchmark, record.question_id, record.database))
        if question is not None and record.type not in found:
            found[record.type] = LibraryExample(question, CONVENTIONS[record.type].meaning)
    return found
