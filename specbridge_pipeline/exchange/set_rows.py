"""A request set as one row of JSON Lines, for others to read and to write."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.exchange.json_lines import ExchangeModel
from specbridge_pipeline.request_sets.human_review.decisions import Verdict
from specbridge_pipeline.request_sets.records import (
    ID_LENGTH,
    Interpretation,
    Interpretations,
    Provenance,
    RequestSet,
    Side,
)
from specbridge_pipeline.settings import SLUG

FORMAT: Final = 1

_SET_ID = rf"^[0-9a-f]{{{ID_LENGTH}}}$"
_HASH = r"^[0-9a-f]{64}$"
_SAID = r"\S"


class PlanItemRow(ExchangeModel):
    """One requirement that the requests of a set share."""

    id: str = Field(description="Its name among the items of the set.")
    kind: str = Field(description="What it requires: source, filter, grouping, measure, …")
    text: str = Field(description="The requirement in one plain sentence.")


class VerdictRow(ExchangeModel):
    """What one person decided of a set, once; a second reading or pass is a verdict of its own."""

    reviewer: str = Field(
        pattern=_SAID,
        description="Who decided; ann/1 and ann/2 are two readings of one person, ann.",
    )
    label: str = Field(
        default="",
        pattern=r"^$|\S",
        description="What kind of review this is, in the words that ship with the edition, such "
        "as: the builders' own review, not an independent one. Empty where nobody has said so.",
    )
    pass_number: Literal[1, 2] | None = Field(
        default=None,
        description="1 as first decided, without knowing of others; 2 as decided again after a "
        "disagreement, which then counts. null where only the last word is known.",
    )
    verdict: Verdict = Field(
        description="accept where a reasonable analyst could mean either, else reject."
    )
    reason: str = Field(default="", description="Why it is rejected; empty where it is accepted.")
    comment: str = Field(default="", description="Anything else.")


class SetRow(ExchangeModel):
    """A request set: two queries that differ in one calculation step, and three requests."""

    format: Literal[1] = Field(default=FORMAT, description="Version of this form.")
    id: str | None = Field(
        default=None,
        pattern=_SET_ID,
        description="Content id: follows from database, choice type, depths, order, meanings, "
        "requests and queries. Leave it out when you write a set.",
    )
    edition: str | None = Field(
        default=None, description="The edition that it was exported from; not read by an import."
    )
    database: str = Field(pattern=SLUG, description="Id of the database that both queries run on.")
    engine: Literal["sqlite", "duckdb"] | None = Field(
        default=None, description="The engine that runs them."
    )
    database_hash: str = Field(
        pattern=_HASH,
        description="SHA-256 over the content of the database on which the set was checked.",
    )
    database_licence: str = Field(
        pattern=_SAID, description="Source and licence of the database's data."
    )
    tier: Literal["short", "paper"] | None = Field(
        default=None,
        description="short (step depth up to 2) or paper (from 3 on); all sets of an edition may "
        "have the same one. By depth where it is not given.",
    )
    choice_type: ChoiceType = Field(description="The type of the calculation choice.")
    step_depth: int | None = Field(
        default=None,
        ge=1,
        description="Stages on the longest chain in query A; measured if left out.",
    )
    arithmetic_depth: int | None = Field(
        default=None,
        ge=0,
        description="Deepest nesting of arithmetic in query A; measured if left out.",
    )
    ordered: bool = Field(
        default=False, description="Whether all three requests ask for an order of rows."
    )
    meaning_a: str = Field(
        min_length=10, description="What A computes where the two differ, in one sentence."
    )
    meaning_b: str = Field(
        min_length=10, description="What B computes where the two differ, in one sentence."
    )
    request_a: str = Field(min_length=10, description="The request that is specific to A.")
    request_b: str = Field(min_length=10, description="The request that is specific to B.")
    request_open: str = Field(
        min_length=10, description="The request that leaves just the choice open."
    )
    sql_a: str = Field(min_length=10, description="The query of interpretation A.")
    sql_b: str = Field(min_length=10, description="The query of interpretation B.")
    exact_description_a: str | None = Field(
        default=None,
        description="What query A computes, said exactly by code; null where it has no words for "
        "it. Not read by an import.",
    )
    exact_description_b: str | None = Field(
        default=None, description="The same of query B. Not read by an import."
    )
    plan_items: tuple[PlanItemRow, ...] | None = Field(
        default=None,
        description="What both queries require, so that every request has to say it; null where "
        "code cannot tell. Not read by an import.",
    )
    proposer: str | None = Field(
        default=None, description="Who proposed the choice; null where it is not recorded."
    )
    writer: str = Field(
        pattern=_SAID, description="Who wrote the requests: a model's id, rules, or hand."
    )
    reviewers: tuple[str, ...] = Field(
        default=(),
        description="Who reviewed the set beside code and people: ids of models, or rules/….",
    )
    human_verdict: bool | None = Field(
        default=None,
        description="Whether people had accepted it when its edition was sealed; null where none "
        "had judged it.",
    )
    human_verdicts: tuple[VerdictRow, ...] = Field(
        default=(),
        description="What each person has decided of it, then or later, as far as known, each "
        "with the kind of review that it is from.",
    )


def known_set(row: SetRow) -> RequestSet | None:
    """Return the set that a row describes, with its content id; None where it gives no depths."""
    if row.step_depth is None or row.arithmetic_depth is None:
        return None
    return set_of(row, row.step_depth, row.arithmetic_depth)


def set_of(row: SetRow, step_depth: int, arithmetic_depth: int) -> RequestSet:
    """Return the set that a row describes, with its content id.

    Args:
        row: The row.
        step_depth: Its step depth, or the measured one where the row gives none.
        arithmetic_depth: The same for arithmetic.
    """
    sides = {
        side.value: Interpretation(
            meaning=getattr(row, f"meaning_{side}"),
            request=getattr(row, f"request_{side}"),
            sql=getattr(row, f"sql_{side}"),
        )
        for side in Side
    }
    built = RequestSet(
        database=row.database,
        choice_type=row.choice_type,
        step_depth=step_depth,
        arithmetic_depth=arithmetic_depth,
        ordered=row.ordered,
        interpretations=Interpretations(**sides),
        open_request=row.request_open,
        provenance=Provenance(
            writer=row.writer, reviewers=row.reviewers, human_verdict=row.human_verdict
        ),
    )
    return built.model_copy(update={"id": built.content_id()})
