"""What each choice type says of itself: where it occurs, how it is edited, how it is worded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.exact_description.structure import (
    ColumnValue,
    Condition,
    Expression,
    Missing,
    Structure,
)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place in a query where a choice was made.

    Attributes:
        choice_type: The type.
        step: Name of the step (its WITH entry); empty for the query's own SELECT.
        output: Position of the output in the step whose value the choice concerns; None where it
            concerns the rows that the step returns.
        taken: Name of the side that the query takes, one of the module's `sides`.
        detail: What tells two occurrences in one step apart (for a counting unit, the column whose
            values would be counted).
    """

    choice_type: ChoiceType
    step: str
    output: int | None
    taken: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Opportunity:
    """Whether the data make an occurrence matter.

    Attributes:
        matters: Whether the other side can give another answer.
        evidence: What was measured, in one sentence with its figures.
    """

    matters: bool
    evidence: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A query with one step changed to take the other side of a choice.

    Attributes:
        occurrence: What was changed.
        sql: The changed query.
        side: The side that it takes now.
    """

    occurrence: Occurrence
    sql: str
    side: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an occurrence cannot be edited soundly, in one sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class ChoiceWording:
    """What stands in one place of the three requests.

    All three fit the same sentence. Where `output` is a number they are noun phrases with their
    article for that output's value ("the average salary"), and may say beside it what becomes of
    rows without a value; where it is None they are noun phrases
    for the rows that the step keeps ("exactly ten teams with the highest average salary, …"), or,
    where conditions are stated, stand after the plural of the rows that the step reads ("whose
    distance is at least 500").

    Attributes:
        step: Index of the step in A's structure.
        output: Position of the output, or None; as in `Occurrence`.
        a: The phrase that settles the choice for A.
        b: The phrase that settles it for B.
        open: The phrase that leaves it open: no word of it settles the choice.
        meaning_a: What A computes where the two differ, in one sentence.
        meaning_b: What B computes.
        stated: The conditions of A's step that the phrases state; no other words do.
        names_rows: Whether the phrases name the rows that are counted. Then no other words do:
            "for each member among the attendances" would leave out members that attended nothing.
    """

    step: int
    output: int | None
    a: str
    b: str
    open: str
    meaning_a: str
    meaning_b: str
    stated: tuple[Condition, ...] = ()
    names_rows: bool = False

    @property
    def is_cut(self) -> bool:
        """Whether the phrases name the rows that a cut keeps."""
        return self.output is None and not self.stated


class Phrases(Protocol):
    """Natural names for the parts of a query, from the catalogue. Whoever writes gives them."""

    def value(self, step: int, expression: Expression) -> str:
        """Name a value without article: "average salary", "number of flights"."""

    def rows(self, step: int) -> tuple[str, str]:
        """Name what one row that a step returns stands for: ("team", "teams")."""

    def source(self, step: int) -> tuple[str, str]:
        """Name what one row that a step reads is: ("salary record", "salary records")."""

    def condition(self, step: int, condition: Condition) -> str:
        """Say a condition after the plural of the source rows: "whose origin is 'JFK'"."""

    def absence(self, step: int, condition: Missing) -> str:
        """Say which rows have no value, after their plural: "without a league"."""

    def is_plural(self, value: ColumnValue) -> bool:
        """Say whether a column's phrase is a plural: "home runs"."""


class ChoiceModule(Protocol):
    """One choice type that requests are written for: a module that has all of this."""

    choice_type: ChoiceType
    sides: tuple[str, str]
    """Names of the two sides."""
    convention: str | None
    """The side that references take by convention; None where neither is one."""

    def wording(
        self,
        edit: Edit,
        structure: Structure,
        edited: Structure,
        catalogue: Catalogue,
        phrases: Phrases,
    ) -> ChoiceWording:
        """Word the choice for the three requests; A is the query, B the edited one."""

    def settled_by(self, text: str) -> frozenset[str]:
        """Return the sides that words of a text settle the choice for."""


class FoundChoice(ChoiceModule, Protocol):
    """A choice type that is found in queries as they are, and edited to its other side there."""

    def occurrences(
        self, sql: str, structure: Structure, catalogue: Catalogue
    ) -> tuple[Occurrence, ...]:
        """Find where a query takes a side of the choice."""

    def opportunity(
        self,
        occurrence: Occurrence,
        sql: str,
        structure: Structure,
        catalogue: Catalogue,
        run: Callable[[str], Outcome],
    ) -> Opportunity:
        """Measure on the data whether the occurrence matters."""

    def edit(
        self, occurrence: Occurrence, sql: str, structure: Structure, catalogue: Catalogue
    ) -> Edit | Refusal:
        """Change one step so that the query takes the other side."""
