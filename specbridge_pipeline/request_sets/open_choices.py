"""Whether a choice is open: a reviewer reads a request that is to fit both interpretations.

The paper, Figure 5: a reviewer finds a proposed choice open, before one is kept for each task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.request_sets.building import planned
from specbridge_pipeline.request_sets.construction import (
    RequestReview,
    Requests,
    Reviewer,
    WritingTask,
)
from specbridge_pipeline.request_sets.records import RequestKind
from specbridge_pipeline.request_sets.reviews import Draft, review_subject
from specbridge_pipeline.request_sets.writing import RuleWriter


class OpenRequestReviewer:
    """Has a reviewer of sets read what rules write of a choice, and takes its word on the open one.

    A model is asked just what it is asked about a set by rules, so that a choice which becomes one
    is paid for once.

    Args:
        reviewer: Who reads.
        schema: The database's schema.
        catalogue: Its catalogue.
    """

    def __init__(self, reviewer: Reviewer, schema: Schema, catalogue: Catalogue) -> None:
        self.name = reviewer.name
        self._reviewer = reviewer
        self._schema = schema
        self._catalogue = catalogue

    def objections(self, proposals: Sequence[Mapping[str, Any]]) -> list[str]:
        """Say why a request cannot leave the choice open; see `proposals.OpenChoiceReviewer`.

        Raises:
            MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`,
                where a model reads.
        """
        choices = [planned(each, self._schema, self._catalogue) for each in proposals]
        where = f"{self._catalogue.database}, reading proposed choices"
        written = RuleWriter().write_all(
            [WritingTask(choice.plan) for choice in choices], self._catalogue, where=where
        )
        subjects = [
            review_subject(
                Draft(choice.plan, _texts(each.requests), choice.descriptions), self._catalogue
            )
            for choice, each in zip(choices, written, strict=True)
        ]
        return [_objection(reviews) for reviews in self._reviewer.review_all(subjects, where=where)]


def _texts(requests: Requests | None) -> Requests:
    assert requests is not None, "rules always write"
    return requests


def _objection(reviews: Sequence[RequestReview]) -> str:
    of_open = next((each for each in reviews if each.kind is RequestKind.OPEN), None)
    if of_open is None:
        return "The reviewer says nothing of the open request."
    if of_open.accepts_a and of_open.accepts_b:
        return ""
    return "; ".join(of_open.notes) or "The reviewer does not find the choice open."
