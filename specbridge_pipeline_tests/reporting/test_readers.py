from __future__ import annotations

from typing import Any

import pytest

from specbridge_pipeline.reporting.readers import (
    judged_by,
    named,
    provenance,
    readers_line,
    unread_line,
)


def sets(*each: tuple[str, tuple[str, ...], bool | None]) -> list[dict[str, Any]]:
    return [
        {"database": "shop", "writer": writer, "reviewers": reviewers, "human_verdict": verdict}
        for writer, reviewers, verdict in each
    ]


RULES = ("rules", ("rules/reading", "rules/requirements"), None)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            sets(RULES, RULES),
            "No person has read these request sets: they were written and reviewed by rules.",
        ),
        (
            sets(RULES, ("rules", (), None)),
            "No person has read these request sets: they were written and reviewed by rules, 1 of "
            "them checked by code only.",
        ),
        (
            sets(("rules", (), None)),
            "No person has read these request sets: they were written by rules and checked by "
            "code only.",
        ),
        (
            sets(("model-1", ("rules/reading",), None)),
            "No person has read these request sets: they were written by model-1 and reviewed by "
            "rules.",
        ),
        (
            sets(("rules", ("model-2", "rules/reading"), None)),
            "No person has read these request sets: they were written by rules and reviewed by "
            "rules (reading) and model-2.",
        ),
        (sets(RULES, ("rules", ("rules/reading",), False)), ""),
        (sets(("hand", (), None)), ""),
        ([], ""),
    ],
)
def test_sets_that_no_person_has_read_say_so(rows: list[dict[str, Any]], said: str) -> None:
    assert unread_line(rows) == said


def test_who_read_sets_that_no_person_has_read() -> None:
    assert provenance(sets(RULES, RULES)) == (
        "2 request sets, written by rules, on 1 database. All checked by code. "
        "2 of 2 read by rules (reading, requirements)."
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            sets(("hand", (), None)),
            "The request sets were written by hand, checked by code, and judged by no person.",
        ),
        (
            sets(RULES, ("rules", ("rules/reading",), True)),
            "The request sets were written by rules, reviewed by rules (reading, requirements), "
            "and 1 of 2 judged by people.",
        ),
    ],
)
def test_one_line_says_who_wrote_and_read_them(rows: list[dict[str, Any]], said: str) -> None:
    assert readers_line(rows) == said


def test_rules_are_named_as_rules() -> None:
    assert named(["rules/reading", "model-1", "rules"]) == "rules (reading) and model-1"
    assert judged_by("rules/phrases").endswith("not by a model or a person.")
