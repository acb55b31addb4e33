"""The stored forms of request sets while they are built."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

NATURAL_REQUESTS = FrameSchema(
    name="natural_requests",
    version=1,
    columns={
        "database": "text",
        "query_id": "text",
        "request": "text",
        "writer": "text",
        "revision": "integer",
        "accepted": "boolean",
        "problem": "text",
    },
    key=("database", "query_id", "writer"),
)
"""One row a described query: one request for it, and whether both reviewers accept it after at most
one revision."""

REQUEST_SETS = FrameSchema(
    name="request_sets",
    version=1,
    columns={
        "database": "text",
        "proposal_id": "text",
        "query_id": "text",
        "set_id": "text",
        "choice_type": "text",
        "tier": "text",
        "step_depth": "integer",
        "arithmetic_depth": "integer",
        "ordered": "boolean",
        "convention": "text",
        "meaning_a": "text",
        "meaning_b": "text",
        "request_a": "text",
        "request_b": "text",
        "request_open": "text",
        "sql_a": "text",
        "sql_b": "text",
        "plan": "text",
        "writer": "text",
        "passed": "boolean",
        "problems": "texts",
    },
    key=("database", "proposal_id", "writer"),
)
"""One row a selected proposal: the plan as JSON, the three requests as first written, and what the
code checks found. `set_id` is the content id of the set. Where a model's reply could not be read,
requests and id are empty, and `problems` says why."""

SET_REVIEWS = FrameSchema(
    name="set_reviews",
    version=1,
    columns={
        "database": "text",
        "proposal_id": "text",
        "set_id": "text",
        "revision": "integer",
        "reviewer": "text",
        "request_kind": "text",
        "request": "text",
        "accepts_a": "boolean",
        "accepts_b": "boolean",
        "requirements_kept": "boolean",
        "notes": "texts",
        "code_checks_passed": "boolean",
        "keep": "boolean",
    },
    key=("database", "proposal_id", "revision", "reviewer", "request_kind"),
)
"""One row a set, revision (0, or 1 after the one revision), reviewer and request. `request` is the
text that was read, `set_id` the content id of the set with the texts of that revision; `keep` is
the decision over the whole set in that revision (the paper, Equation 4). Verdicts are NULL where a
model's reply could not be read, with the reason in `notes`: it accepts nothing."""

HUMAN_VERDICTS = FrameSchema(
    name="human_verdicts",
    version=1,
    columns={
        "file": "text",
        "line": "integer",
        "set_id": "text",
        "reviewer": "text",
        "accepted": "boolean",
        "reason": "text",
        "comment": "text",
    },
    key=("set_id", "reviewer"),
)
"""One row a person's verdict on a set."""

ACCEPTED_REQUEST_SETS = FrameSchema(
    name="accepted_request_sets",
    version=1,
    columns={
        "database": "text",
        "set_id": "text",
        "proposal_id": "text",
        "query_id": "text",
        "choice_type": "text",
        "tier": "text",
        "step_depth": "integer",
        "arithmetic_depth": "integer",
        "ordered": "boolean",
        "convention": "text",
        "meaning_a": "text",
        "meaning_b": "text",
        "request_a": "text",
        "request_b": "text",
        "request_open": "text",
        "sql_a": "text",
        "sql_b": "text",
        "writer": "text",
        "reviewers": "texts",
        "human_verdict": "boolean",
        "human_reviewers": "texts",
    },
    key=("database", "set_id"),
)
"""One row a set that all gates keep. `human_verdict` is NULL where no person has judged it; a set
that a person rejects is not here."""
