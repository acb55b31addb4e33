"""The page on which a person reviews request sets: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from specbridge_pipeline.reporting.page_templates import (
    page_environment,
    page_text,
    script_digest,
)
from specbridge_pipeline.reporting.review_items import ReviewItem
from specbridge_pipeline.request_sets.human_review.decisions import (
    FIRST_PASS,
    LONGEST_COMMENT,
    LONGEST_NAME,
    QUESTION,
    SETS,
    ReviewKind,
)


@dataclass(frozen=True, slots=True)
class Review:
    """What is reviewed together.

    Attributes:
        source: Id of the edition, or "draft"; of edits the name of the questions.
        pass_number: 1, or 2 for what reviewers disagreed on.
        items: The sets in the order in which they are shown.
        kind: Whether they are sets, or edits of benchmark questions.
    """

    source: str
    pass_number: int
    items: Sequence[ReviewItem]
    kind: ReviewKind = SETS


def render_review(review: Review) -> str:
    """Write the page.

    Everything is escaped; a content policy in the page lets nothing be fetched and no script run
    but the page's own. Decisions stay in the reader's browser until they are downloaded.

    Args:
        review: What is reviewed.

    Returns:
        The page, the same for the same review.
    """
    environment = page_environment()
    text = environment.get_template("review.html.j2").render(
        review=review,
        second=review.pass_number != FIRST_PASS,
        question=QUESTION,
        reasons=[reason.value for reason in review.kind.reasons],
        columns=",".join(review.kind.columns),
        of_sets=review.kind is SETS,
        longest_name=LONGEST_NAME,
        longest_comment=LONGEST_COMMENT,
        script_digest=script_digest(environment, "review.js"),
    )
    return page_text(text)
