"""A request set as it stands in an edition's files and in the warehouse."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.configuration_files import StrictModel
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.records.schemas import FrameSchema
from specbridge_pipeline.settings import SLUG

ID_LENGTH = 12
"""Hexadecimal digits of a set's content id."""

SHORT_TIER_DEPTH = 2
"""Sets with at most this step depth are the short tier; the paper's sets have depth 3 to 6."""


class Side(StrEnum):
    """One of the two interpretations of a set."""

    A = "a"
    B = "b"

    @property
    def other(self) -> Side:
        """The other interpretation."""
        return Side.B if self is Side.A else Side.A


class RequestKind(StrEnum):
    """One of the three requests of a set."""

    SPECIFIC_A = "specific_a"
    SPECIFIC_B = "specific_b"
    OPEN = "open"

    @property
    def side(self) -> Side | None:
        """The interpretation that a specific request asks for; None for the open request."""
        return {RequestKind.SPECIFIC_A: Side.A, RequestKind.SPECIFIC_B: Side.B}.get(self)


class Interpretation(StrictModel):
    """One way to read the open request."""

    meaning: str = Field(min_length=10)
    """What it computes where the two differ, in one sentence."""
    request: str = Field(min_length=10)
    """The request that is specific to it."""
    sql: str = Field(min_length=10)
    """Its query."""


class Interpretations(StrictModel):
    """The two ways to read the open request."""

    a: Interpretation
    b: Interpretation

    def __getitem__(self, side: Side) -> Interpretation:
        """Return one of them."""
        return self.a if side is Side.A else self.b


class Provenance(StrictModel):
    """Who wrote a set and who read it. Not part of its content id."""

    writer: str = "hand"
    """A model's id, 'rules', or 'hand'."""
    reviewers: tuple[str, ...] = ()
    """Model ids or 'rules/…'; empty where only code has checked the set."""
    human_verdict: bool | None = None
    """Whether people accepted it; None where none has judged it."""


class RequestSet(StrictModel):
    """Two queries that differ in one calculation step, and three requests in words.

    The paper, Section 2.1: one request specific to each interpretation, and one that leaves just
    their choice open.
    """

    id: str = ""
    """Content id: the first digits of the SHA-256 of everything but id and provenance."""
    database: str = Field(pattern=SLUG)
    choice_type: ChoiceType
    step_depth: int = Field(ge=1)
    """Number of stages on the longest chain of dependence in A."""
    arithmetic_depth: int = Field(ge=0)
    """Deepest nesting of arithmetic in any value that A returns or compares."""
    ordered: bool = False
    """Whether all three requests ask for an order of the rows."""
    interpretations: Interpretations
    open_request: str = Field(min_length=10)
    provenance: Provenance = Provenance()

    @property
    def tier(self) -> str:
        """'short' for step depth 1 and 2, 'paper' for the depths that the paper's sets have."""
        return "short" if self.step_depth <= SHORT_TIER_DEPTH else "paper"

    def request(self, kind: RequestKind) -> str:
        """Return the words of one of the three requests."""
        side = kind.side
        return self.open_request if side is None else self.interpretations[side].request

    def content(self) -> dict[str, Any]:
        """Return what the content id is made from."""
        return self.model_dump(mode="json", exclude={"id", "provenance"})

    def content_id(self) -> str:
        """Return the content id that the set ought to have."""
        return content_hash(self.content())[:ID_LENGTH]


EDITION_SETS = FrameSchema(
    name="edition_sets",
    version=1,
    columns={
        "edition": "text",
        "set_id": "text",
        "database": "text",
        "choice_type": "text",
        "tier": "text",
        "step_depth": "integer",
        "arithmetic_depth": "integer",
        "ordered": "boolean",
        "meaning_a": "text",
        "meaning_b": "text",
        "request_a": "text",
        "request_b": "text",
        "request_open": "text",
        "sql_a": "text",
        "sql_b": "text",
        "rows_a": "integer",
        "rows_b": "integer",
        "regions_disjoint": "boolean",
        "writer": "text",
        "reviewers": "texts",
        "human_verdict": "boolean",
        "database_hash": "text",
    },
    key=("edition", "set_id"),
)
"""One row a set of the edition: its content, the row counts of both results, and whether no answer
can be accepted for both."""
