"""The stored form of task reviews and of the features that a database gives."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

TASK_REVIEWS = FrameSchema(
    name="task_reviews",
    version=1,
    columns={
        "database": "text",
        "query_id": "text",
        "reviewer": "text",
        "accepted": "boolean",
        "faults": "texts",
    },
    key=("database", "query_id", "reviewer"),
)
"""One row a described query and reviewer: whether the text says exactly what the query computes,
and what it lacks, changes or adds."""

FEATURE_COVERAGE = FrameSchema(
    name="feature_coverage",
    version=1,
    columns={
        "source": "text",
        "database": "text",
        "feature": "text",
        "allowed": "boolean",
        "delivered": "boolean",
        "accepted": "boolean",
        "reason": "text",
    },
    key=("source", "database", "feature"),
)
"""One row a database and feature: whether the rules allow it on the schema, whether a query with it
was delivered, and whether both reviewers accepted one. The feature `usable` stands for any query at
the depths of the paper's tasks; where there is none, `reason` says why."""
