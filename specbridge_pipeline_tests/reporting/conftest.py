"""A small report that the tests of this folder share: two sets, two models, one hostile."""

from __future__ import annotations

import math
from typing import Any

import pytest

from specbridge_pipeline.evaluation.outcomes import outcome_rows
from specbridge_pipeline.evaluation.records import JUDGEMENTS, OUTCOMES, RESPONSES, SCORES
from specbridge_pipeline.reporting.numbers import reported_numbers
from specbridge_pipeline.reporting.records import STATISTICS
from specbridge_pipeline.reporting.report import (
    MeasuredDatabase,
    MeasuredModel,
    ReportData,
    ResultPreview,
)
from specbridge_pipeline.request_sets.records import EDITION_SETS

HOSTILE = "<script>alert('x')</script>\"><img src=https://evil.example/x onerror=alert(1)>"

Row = dict[str, Any]


def set_row(set_id: str, database: str, choice_type: str, **changes: Any) -> Row:
    return {
        "edition": "small",
        "set_id": set_id,
        "database": database,
        "choice_type": choice_type,
        "tier": "short",
        "step_depth": 1,
        "arithmetic_depth": 0,
        "ordered": False,
        "meaning_a": "Rows are counted.",
        "meaning_b": "Different players are counted.",
        "request_a": "How many award rows does each league have?",
        "request_b": "How many different winners does each league have?",
        "request_open": "How many winners does each league have?",
        "sql_a": "SELECT league, COUNT(*)\nFROM awards\nGROUP BY league",
        "sql_b": "SELECT league, COUNT(DISTINCT player)\nFROM awards\nGROUP BY league",
        "rows_a": 2,
        "rows_b": 2,
        "regions_disjoint": True,
        "writer": "hand",
        "reviewers": [],
        "human_verdict": None,
        "database_hash": "0" * 64,
        **changes,
    }


def answer(
    of: Row, model: str, kind: str, verdicts: dict[str, tuple[str, str]]
) -> tuple[Row, list[Row]]:
    """One response and its scores; `verdicts` is query → verdicts against A and B."""
    origin = {
        "edition": of["edition"],
        "set_id": of["set_id"],
        "database": of["database"],
        "model": model,
        "method": "explained",
        "round": "1",
        "variant": "as_written",
    }
    response_id = f"{of['set_id']}/{kind}/{model}"
    alternatives = len(verdicts) - 1
    response = {
        "response_id": response_id,
        **origin,
        "request_kind": kind,
        "sql": f"SELECT 1 -- {HOSTILE}",
        "alternative_sql": [f"SELECT 2 -- {HOSTILE}"] * alternatives,
        "alternative_interpretations": [HOSTILE] * alternatives,
        "explanation": f"It could also mean rows. {HOSTILE}",
        "problem": HOSTILE if model == "small" else "",
        "calls": ["key"],
    }
    scores = [
        {
            "score_id": f"{response_id}/{query}/{side}",
            "response_id": response_id,
            **origin,
            "request_kind": kind,
            "query": query,
            "interpretation": side,
            "verdict": verdict,
            "reason": "" if verdict == "equal" else HOSTILE,
            "allowing_columns": verdict,
        }
        for query, both in verdicts.items()
        for side, verdict in zip("ab", both, strict=True)
    ]
    return response, scores


@pytest.fixture(scope="session")
def report_data() -> ReportData:
    sets = [
        set_row("aaaaaaaaaaaa", "baseball", "counting_unit"),
        set_row("bbbbbbbbbbbb", "flights", "ties", request_open=f"Which one? {HOSTILE}"),
    ]
    right, wrong = ("equal", "not_equal"), ("not_equal", "candidate_error")
    plans = {
        ("large", "specific_a"): {"main": right},
        ("large", "specific_b"): {"main": right[::-1]},
        ("large", "open"): {"main": right, "alternative_1": right[::-1]},
        ("small", "specific_a"): {"main": right},
        ("small", "specific_b"): {"main": wrong},
        ("small", "open"): {"main": right},
    }
    pairs = [answer(of, *who, verdicts) for of in sets for who, verdicts in plans.items()]
    responses = [response for response, _ in pairs]
    scores = [score for _, listed in pairs for score in listed]
    kept = [k for k in JUDGEMENTS.columns if k in responses[0] and k != "calls"]
    judgements = [
        {
            **{k: response[k] for k in kept},
            "judge": "rules",
            "names_choice": response["model"] == "large",
            "evidence": HOSTILE if response["model"] == "large" else "",
            "calls": [],
        }
        for response in responses
    ]
    outcomes = outcome_rows(sets, responses, scores, judgements)
    numbers = reported_numbers(outcomes, seed=1, resamples=50)
    # A measure that no table has a column for is listed all the same.
    numbers.append(
        {**numbers[0], "number_id": "further/large", "measure": "further", "low": math.nan}
    )
    return ReportData(
        edition="small",
        title=f"A small edition {HOSTILE}",
        databases=(
            MeasuredDatabase("baseball", "a package", "CC BY-SA 3.0", "0" * 64, "SQLite 3.54.1"),
            MeasuredDatabase("flights", HOSTILE, "CC0", "1" * 64, "SQLite 3.54.1"),
        ),
        models=(
            MeasuredModel("large", "Large model", "provider/large", "r1", ("1",)),
            MeasuredModel("small", f"Small {HOSTILE}", "provider/small", "r2", ("1",)),
        ),
        judge="rules",
        profile="default",
        statistics=STATISTICS.frame(numbers),
        sets=EDITION_SETS.frame(sets),
        responses=RESPONSES.frame(responses),
        scores=SCORES.frame(scores),
        judgements=JUDGEMENTS.frame(judgements),
        outcomes=OUTCOMES.frame(outcomes),
        results={
            ("aaaaaaaaaaaa", "a"): ResultPreview(("league", "n"), (("AL", 5), ("NL", 4)), 30),
            ("aaaaaaaaaaaa", "b"): ResultPreview(("league", "n"), (("AL", 5), ("NL", 3)), 2),
            ("bbbbbbbbbbbb", "a"): ResultPreview((HOSTILE,), ((HOSTILE,), (None,)), 2),
            ("bbbbbbbbbbbb", "b"): ResultPreview((HOSTILE,), ((b"\xff<b>",),), 1),
        },
    )
