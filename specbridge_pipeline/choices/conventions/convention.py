"""What a choice type says of references: its meaning, its two sides, and how a side is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from specbridge_pipeline.choices.conventions.cues import CueMatch, Cues, Texts, without_values
from specbridge_pipeline.choices.conventions.editing import Edit
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope


class Side(StrEnum):
    """The two interpretations of a choice; the value is the name in stored rows."""

    USUAL = "usual"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Reference:
    """A question with its reference query.

    Attributes:
        question: The question in words.
        evidence: What the benchmark says beside it; empty for nothing.
        query: The query with its names resolved.
        texts: Both texts as they are searched for cues.
    """

    question: str
    evidence: str
    query: ResolvedQuery
    texts: Texts


def make_reference(question: str, evidence: str, query: ResolvedQuery) -> Reference:
    """Return a question with its reference query, its texts ready to be searched."""
    values = {
        node.name
        for node in query.tree.find_all(exp.Literal)
        if node.is_string and len(node.name) > 2
    }
    texts = Texts(without_values(question, values), without_values(evidence, values))
    return Reference(question, evidence, query, texts)


@dataclass(frozen=True, slots=True)
class Reading:
    """A place where a reference takes a side of a choice.

    Attributes:
        side: The side.
        form: What the SQL writes for it, in a few words; the same words for the same form.
        scope: The SELECT in which it stands.
        node: The part of the tree that takes the side.
        could_differ: Whether, by the keys alone, the other side could give another answer.
        detail: What the question says of the place that an edit has to know; each type says what
            it writes there, if anything.
    """

    side: Side
    form: str
    scope: Scope
    node: exp.Expr
    could_differ: bool = True
    detail: str = ""


def _nothing_further(reference: Reference, readings: tuple[Reading, ...]) -> Iterator[CueMatch]:
    yield from ()


@dataclass(frozen=True, slots=True)
class Convention:
    """One choice type as references show it.

    Attributes:
        choice_type: The type.
        meaning: The choice as a question.
        usual: What the usual interpretation does, in a few words.
        other: What the other one does.
        read: Reference → the places where it takes a side; None where no query shows the choice.
        cues: The words that ask for the choice and those that settle it.
        further_cues: Cues that take more than a list of words.
        unread: Why no query shows it, where `read` is None.
        edit: The edit of a query at one of its readings to the other side; None where code cannot
            edit the choice.
        unedited: Why it cannot, where `edit` is None.
    """

    choice_type: ChoiceType
    meaning: str
    usual: str
    other: str
    read: Callable[[Reference], Iterable[Reading]] | None
    cues: Cues
    further_cues: Callable[[Reference, tuple[Reading, ...]], Iterable[CueMatch]] = _nothing_further
    unread: str = ""
    edit: Edit | None = None
    unedited: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided of one reference and one choice type.

    Attributes:
        choice_type: The type.
        side: The side that the reference takes: the other one if it takes it anywhere.
        form: The form of that side.
        readings: All places, in the order of the query.
        cues: The cues in question and evidence that settle the choice; open without any.
    """

    choice_type: ChoiceType
    side: Side
    form: str
    readings: tuple[Reading, ...]
    cues: tuple[CueMatch, ...]

    @property
    def is_open(self) -> bool:
        """Whether no word settles the choice."""
        return not self.cues

    @property
    def could_differ(self) -> bool:
        """Whether the other side could give another answer at one of the places, by the keys."""
        return any(reading.could_differ for reading in self.readings)


def decide(convention: Convention, reference: Reference) -> Decision | None:
    """Decide whether a question leaves a choice open and which side its reference takes.

    Args:
        convention: The choice type.
        reference: The question and its reference.

    Returns:
        The decision; None where the choice does not occur, or the words do not bring it up.
    """
    if convention.read is None:
        return None
    if not convention.cues.asked(reference.texts):
        return None
    readings = tuple(convention.read(reference))
    if not readings:
        return None
    settling = convention.cues.settling(reference.texts)
    matched = (*settling, *convention.further_cues(reference, readings))
    # What could not give another answer says little of the side.
    ranked = sorted(readings, key=lambda each: (not each.could_differ, each.side is Side.USUAL))
    shown = ranked[0]
    return Decision(convention.choice_type, shown.side, shown.form, readings, matched)
