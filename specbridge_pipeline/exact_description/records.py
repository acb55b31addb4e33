"""The stored form of exact descriptions."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

EXACT_DESCRIPTIONS = FrameSchema(
    name="exact_descriptions",
    version=1,
    columns={
        "database": "text",
        "query_id": "text",
        "described": "boolean",
        "problem": "text",
        "description": "text",
    },
    key=("database", "query_id"),
)
"""One row a generated query: its text, or why it has none."""
