"""The stored form of generated queries."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

GENERATED_QUERIES = FrameSchema(
    name="generated_queries",
    version=1,
    columns={
        "database": "text",
        "query_id": "text",
        "attempt": "integer",
        "kept": "boolean",
        "reason": "text",
        "tier": "text",
        "sql": "text",
        "plan": "text",
        "step_depth": "integer",
        "arithmetic_depth": "integer",
        "operations": "texts",
        "rows": "integer",
        "result_hash": "text",
        "grammar": "text",
    },
    key=("database", "attempt"),
)
"""One row an attempt. A kept one has a content id, its plan as JSON, and the depths measured from
its SQL; a rejected one has the reason, and what was known of it by then (else NULL)."""

FILTER_QUERIES = FrameSchema(
    name="filter_queries",
    version=1,
    columns={
        "database": "text",
        "query_id": "text",
        "attempt": "integer",
        "request": "integer",
        "kept": "boolean",
        "reason": "text",
        "tier": "text",
        "form": "text",
        "taken": "text",
        "side": "text",
        "detail": "text",
        "sql_a": "text",
        "sql_b": "text",
        "plan_a": "text",
        "plan_b": "text",
        "step_depth": "integer",
        "arithmetic_depth": "integer",
        "operations": "texts",
        "grammar": "text",
    },
    key=("database", "attempt"),
)
"""One row an attempt at a query with a condition that can be read in two ways. `query_id` is that
of A; `taken` says how A reads the condition, `side` how B does. A rejected one has the reason, and
what was known of it by then (else NULL)."""
