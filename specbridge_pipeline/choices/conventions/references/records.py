"""The stored form of what is decided of references."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

REFERENCE_CONVENTIONS = FrameSchema(
    name="reference_conventions",
    version=1,
    columns={
        "benchmark": "text",
        "source": "text",
        "split": "text",
        "question_id": "text",
        "database": "text",
        "author_group": "text",
        "query": "text",
        "choice_type": "text",
        "open": "boolean",
        "side": "text",
        "form": "text",
        "could_differ": "boolean",
        "cues": "texts",
        "verdict": "text",
        "reason": "text",
    },
    key=("benchmark", "source", "question_id", "choice_type"),
)
"""One row a reference and choice type that occurs in it. `query` is a fingerprint of the query,
`cues` the names of the cues that settle the choice, `verdict` what a reading says of a reference
that takes the other side: 'confirmed', 'dropped', or NULL where nobody has read it. No text of a
benchmark is in it."""
