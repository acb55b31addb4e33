"""Rows of the stages of evaluation. None carries time, latency or cost: the archive does."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

_ORIGIN = {
    "edition": "text",
    "set_id": "text",
    "database": "text",
    "model": "text",
    "method": "text",
    "round": "text",
    "variant": "text",
}

RESPONSES = FrameSchema(
    name="responses",
    version=1,
    columns={
        "response_id": "text",
        **_ORIGIN,
        "request_kind": "text",
        "sql": "text",
        "alternative_sql": "texts",
        "alternative_interpretations": "texts",
        "explanation": "text",
        "problem": "text",
        "calls": "texts",
    },
    key=("response_id",),
)
"""One row a request and model: main query, alternatives, explanation, archive keys of the calls.
`problem` says why a reply could not be read."""

SCORES = FrameSchema(
    name="scores",
    version=1,
    columns={
        "score_id": "text",
        "response_id": "text",
        **_ORIGIN,
        "request_kind": "text",
        "query": "text",
        "interpretation": "text",
        "verdict": "text",
        "reason": "text",
        "allowing_columns": "text",
    },
    key=("score_id",),
)
"""One row a returned query (`main`, `alternative_1`, `alternative_2`) and interpretation (a, b):
the verdict of execution, and the verdict that allows extra or reordered columns."""

JUDGEMENTS = FrameSchema(
    name="judgements",
    version=1,
    columns={
        "response_id": "text",
        **_ORIGIN,
        "request_kind": "text",
        "judge": "text",
        "names_choice": "boolean",
        "evidence": "text",
        "calls": "texts",
    },
    key=("response_id", "judge"),
)
"""One row a response: whether its words say that the set's choice is open, and which words."""

OUTCOMES = FrameSchema(
    name="outcomes",
    version=1,
    columns={
        "outcome_id": "text",
        **_ORIGIN,
        "choice_type": "text",
        "tier": "text",
        "judge": "text",
        "right_a": "boolean",
        "right_b": "boolean",
        "runs_a": "boolean",
        "runs_b": "boolean",
        "right_a_allowing_columns": "boolean",
        "right_b_allowing_columns": "boolean",
        "both_computable": "boolean",
        "both_returned": "boolean",
        "both_returned_by_one_query": "boolean",
        "found_a": "boolean",
        "found_b": "boolean",
        "named": "boolean",
        "main_answer": "text",
        "false_alarm_alternative_a": "boolean",
        "false_alarm_alternative_b": "boolean",
        "false_alarm_named_a": "boolean",
        "false_alarm_named_b": "boolean",
        "other_alternative_a": "boolean",
        "other_alternative_b": "boolean",
        "outcome": "text",
        "score_ids": "texts",
        "response_ids": "texts",
    },
    key=("outcome_id",),
)
"""One row a set and model: every measure of the paper's Section 3, and the outcome of the open
request (Figure 8)."""
