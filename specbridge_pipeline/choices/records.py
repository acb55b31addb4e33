"""The stored forms of choice opportunities and proposals."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

CHOICE_OPPORTUNITIES = FrameSchema(
    name="choice_opportunities",
    version=1,
    columns={
        "database": "text",
        "query_id": "text",
        "choice_type": "text",
        "step": "text",
        "output": "integer",
        "detail": "text",
        "taken": "text",
        "matters": "boolean",
        "evidence": "text",
    },
    key=("database", "query_id", "choice_type", "step", "output", "detail"),
)
"""One row a place where a generated query takes a side of a choice: which side, and whether the
data make it matter."""

CHOICE_PROPOSALS = FrameSchema(
    name="choice_proposals",
    version=2,
    columns={
        "database": "text",
        "proposal_id": "text",
        "query_id": "text",
        "proposer": "text",
        "choice_type": "text",
        "step": "text",
        "output": "integer",
        "detail": "text",
        "taken": "text",
        "side": "text",
        "sql_a": "text",
        "sql_b": "text",
        "convention": "text",
        "applies": "boolean",
        "runs": "boolean",
        "disjoint": "boolean",
        "described": "boolean",
        "one_step": "boolean",
        "found_open": "boolean",
        "reviewer": "text",
        "selected": "boolean",
        "problem": "text",
    },
    key=("database", "proposal_id", "proposer"),
)
"""One row a proposed edit. `taken` is the side of A (the query as generated), `side` that of B.
`convention` is 'a', 'b' or NULL. The checks stand in their order, each NULL where an earlier one
failed; the last is the word of `reviewer`, NULL where nobody was asked. `selected` says whether it
is its query's one choice."""
