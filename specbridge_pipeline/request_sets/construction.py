"""What passes between plan, writer, code checks and reviewers while a request set is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceWording
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.request_sets.records import RequestKind, Side


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One requirement that the three requests share.

    Attributes:
        id: Its name in the plan: "source", "filter-1", "step-2-comparison".
        kind: What it requires: "source", "filter", "grouping", "measure", "comparison", "ranking",
            "output", …
        text: The requirement in one plain sentence.
    """

    id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """What three requests of a set share, and the one choice in which they differ.

    Attributes:
        choice_type: Type of the choice.
        structure: A's structure.
        edited: B's structure.
        items: The shared requirements; together with the choice, all that A's description requires.
        wording: The choice, in its three wordings.
        ordered: Whether the requests ask for an order of the rows.
    """

    choice_type: ChoiceType
    structure: Structure
    edited: Structure
    items: tuple[PlanItem, ...]
    wording: ChoiceWording
    ordered: bool


@dataclass(frozen=True, slots=True)
class Requests:
    """The three requests of a set in words."""

    a: str
    b: str
    open: str

    def __getitem__(self, kind: RequestKind) -> str:
        """Return one of them."""
        return {
            RequestKind.SPECIFIC_A: self.a,
            RequestKind.SPECIFIC_B: self.b,
            RequestKind.OPEN: self.open,
        }[kind]


@dataclass(frozen=True, slots=True)
class WritingTask:
    """What a writer is given.

    Attributes:
        plan: What the requests must say.
        earlier: The texts of an earlier try; None where there is none.
        notes: What checks and reviewers found wrong with them.
    """

    plan: RequestPlan
    earlier: Requests | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What a writer gives back.

    Attributes:
        requests: The three requests; None where a model's reply stays unreadable after its repair.
        problem: Why it cannot be read; empty where it can.
    """

    requests: Requests | None
    problem: str = ""


class Writer(Protocol):
    """Who puts plans into words."""

    name: str
    """A model's id, or 'rules'."""

    def write_all(
        self, tasks: Sequence[WritingTask], catalogue: Catalogue, *, where: str
    ) -> list[Written]:
        """Write the three requests of each plan, those with notes anew.

        Args:
            tasks: The plans.
            catalogue: The database.
            where: The cell that needs them, for messages.

        Returns:
            One result a task, in order.
        """


@dataclass(frozen=True, slots=True)
class ReviewSubject:
    """What a reviewer is shown: three requests and both queries, not who wrote them or from what.

    Attributes:
        choice_type: Type of the choice that the set tests.
        requests: The three requests.
        structures: Side → structure of its query.
        descriptions: Side → exact description of its query.
        catalogue: The database.
        items: What the requests must share, for a reviewer that names what is lost; rules read
            that from the queries.
    """

    choice_type: ChoiceType
    requests: Requests
    structures: dict[Side, Structure]
    descriptions: dict[Side, str]
    catalogue: Catalogue
    items: tuple[PlanItem, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestReview:
    """What a reviewer says of one request; its verdicts are None where it cannot be read.

    Attributes:
        kind: Which request.
        accepts_a: Whether A answers the request.
        accepts_b: Whether B answers it.
        requirements_kept: Whether the request states every shared requirement and adds none.
        notes: What is wrong, for the writer.
    """

    kind: RequestKind
    accepts_a: bool | None
    accepts_b: bool | None
    requirements_kept: bool | None
    notes: tuple[str, ...]


class Reviewer(Protocol):
    """Who reads requests against queries."""

    name: str
    """A model's id, or 'rules/…'."""

    def review_all(
        self, subjects: Sequence[ReviewSubject], *, where: str
    ) -> list[tuple[RequestReview, ...]]:
        """Judge each of the three requests of each set against each interpretation.

        Args:
            subjects: The sets.
            where: The cell that needs them, for messages.

        Returns:
            The three reviews of each set, in RequestKind's order.
        """
