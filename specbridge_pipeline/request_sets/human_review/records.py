"""Rows of the stage `edition_verdicts`."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

EDITION_VERDICTS = FrameSchema(
    name="edition_verdicts",
    version=1,
    columns={
        "verdict_id": "text",
        "edition": "text",
        "set_id": "text",
        "reviewer": "text",
        "pass": "integer",
        "accepted": "boolean",
        "reason": "text",
        "comment": "text",
        "label": "text",
        "origin": "text",
        "final": "boolean",
        "standing": "text",
    },
    key=("verdict_id",),
)
"""One row a verdict on a set of the evaluated edition, by reviewer and pass (1, or 2 after a
disagreement). `label` says what the review is where that is known, `origin` where the verdict
stands. `final` is the reviewer's last word on the set; `standing` is what follows of the set from
all last words: kept, rejected, or disagreement, which is not kept either."""
