from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from specbridge_pipeline.reporting.numbers import reported_numbers
from specbridge_pipeline.reporting.records import REVIEW_NUMBERS, STATISTICS
from specbridge_pipeline.reporting.report import ReportData, render_report
from specbridge_pipeline.reporting.report_review import review_line
from specbridge_pipeline.reporting.review_numbers import (
    review_numbers,
    reviewed_ids,
    shown_scopes,
)
from specbridge_pipeline_tests.reporting.conftest import HOSTILE
from specbridge_pipeline_tests.support.page import Page

Row = dict[str, Any]
LABEL = "the builders' own review, not an independent one"


def verdict(set_id: str, reviewer: str, sign: str, standing: str, **changes: Any) -> Row:
    return {
        "verdict_id": f"{set_id}/{reviewer}/1",
        "edition": "small",
        "set_id": set_id,
        "reviewer": reviewer,
        "pass": 1,
        "accepted": sign == "+",
        "reason": "" if sign == "+" else "unnatural",
        "comment": "",
        "label": LABEL,
        "origin": "file.csv:2",
        "final": True,
        "standing": standing,
        **changes,
    }


TWICE = [
    verdict("s1", "ann/1", "+", "kept"),
    verdict("s1", "ann/2", "+", "kept"),
    verdict("s2", "ann/1", "-", "rejected"),
    verdict("s2", "ann/2", "-", "rejected"),
    verdict("s3", "ann/1", "+", "disagreement"),
    verdict("s3", "ann/2", "-", "disagreement"),
    verdict("s4", "ann/1", "+", "kept"),
]


def by_id(verdicts: list[Row], sets: int = 9) -> dict[str, Row]:
    return {row["number_id"]: row for row in review_numbers(verdicts, "small", sets)}


def test_sets_are_counted_by_what_becomes_of_them() -> None:
    found = by_id(TWICE)
    counts = {name: (row["numerator"], row["denominator"]) for name, row in found.items()}
    assert counts == {
        "review/read": (4, 9),
        "review/kept": (2, 4),
        "review/rejected": (1, 4),
        "review/disagreement": (1, 4),
        "review/reason=unnatural": (2, 4),
        "review/agreement/ann/1-and-ann/2/apart": (2, 3),
    }


def test_two_readings_of_one_person_agree_between_passes_and_two_people_between_reviewers() -> None:
    found = by_id(
        [*TWICE, verdict("s1", "bea", "+", "kept"), verdict("s2", "bea", "-", "rejected")]
    )
    between = {name: row["between"] for name, row in found.items() if row["between"]}
    assert between == {
        "review/agreement/ann/1-and-ann/2/apart": "passes",
        "review/agreement/ann/1-and-bea/apart": "reviewers",
        "review/agreement/ann/2-and-bea/apart": "reviewers",
    }
    assert found["review/agreement/ann/1-and-ann/2/apart"]["kappa"] == pytest.approx(0.4)
    assert found["review/agreement/ann/1-and-bea/apart"]["kappa"] == pytest.approx(1)


def test_kappa_is_not_defined_where_one_verdict_is_all_there_is() -> None:
    rows = [verdict("s1", name, "+", "kept") for name in ("ann", "bea")]
    [agreement] = [row for row in by_id(rows).values() if row["between"]]
    assert (agreement["numerator"], agreement["denominator"]) == (1, 1)
    assert math.isnan(agreement["kappa"])


def test_a_second_pass_is_counted_apart_from_the_first() -> None:
    rows = [
        verdict("s1", "ann", "+", "kept"),
        verdict("s1", "bea", "-", "kept", final=False),
        verdict("s1", "bea", "+", "kept", **{"pass": 2}),
    ]
    found = by_id(rows)
    assert found["review/agreement/ann-and-bea/apart"]["numerator"] == 0
    assert found["review/agreement/ann-and-bea/in_the_end"]["numerator"] == 1
    assert found["review/kept"]["numerator"] == 1
    assert "review/reason=unnatural" not in found


def test_without_a_verdict_there_is_nothing() -> None:
    assert review_numbers([], "small", 9) == []
    assert reviewed_ids([]) == {}
    assert review_line([], 9) == ""


def test_what_was_judged_is_shown_where_it_is_not_everything() -> None:
    assert [scope for scope, _ in shown_scopes({"review=read": 4, "review=kept": 2}, 9)] == [
        "review=read",
        "review=kept",
    ]
    assert [scope for scope, _ in shown_scopes({"review=read": 9, "review=kept": 2}, 9)] == [
        "review=kept"
    ]
    assert shown_scopes({}, 9) == []


def test_the_line_says_whose_review_it_is() -> None:
    assert review_line(TWICE, 9) == (
        "4 of 9 request sets were judged by ann in 2 passes (the builders' own review, not an "
        "independent one); 2 are kept."
    )
    assert review_line([verdict("s1", "bea", "+", "kept", label="")], 1) == (
        "1 of 1 request set was judged by bea; 1 is kept."
    )


@pytest.fixture(scope="module")
def reviewed(report_data: ReportData) -> ReportData:
    """The small report with a verdict on each of its sets, of a hostile reviewer."""
    verdicts = [
        verdict("aaaaaaaaaaaa", "ann/1", "+", "kept"),
        verdict("aaaaaaaaaaaa", f"bea {HOSTILE}", "+", "kept", label=HOSTILE),
        verdict("bbbbbbbbbbbb", "ann/1", "-", "rejected"),
    ]
    rows = report_data.outcomes.rows(named=True)
    numbers = reported_numbers(rows, seed=1, resamples=50, reviewed=reviewed_ids(verdicts))
    return dataclasses.replace(
        report_data,
        statistics=STATISTICS.frame(numbers),
        verdicts=verdicts,
        review=REVIEW_NUMBERS.frame(review_numbers(verdicts, "small", 2)).to_dicts(),
    )


def test_the_report_opens_with_whose_review_it_is(reviewed: ReportData) -> None:
    words = Page(render_report(reviewed)).words
    body = words[words.index("To the headline numbers") + 1 :]
    first = next(word for word in body if word.strip())
    assert first.startswith("2 of 2 request sets were judged by ann (the builders' own review, not")
    assert first.endswith("1 is kept.")


def test_the_report_has_the_same_numbers_with_and_without_the_review(reviewed: ReportData) -> None:
    text = render_report(reviewed)
    page = Page(text)
    words = " ".join(" ".join(page.words).split())
    assert "All sets: 2 sets" in words
    assert "Sets that the review keeps: 1 set" in words
    assert "Sets that were judged in review" not in words
    titles = {a["id"]: a.get("title") for _, a in page.tags if "id" in a}
    for scope in ("all", "review=kept"):
        number = f"both_returned/large/{scope}/explained/1/rules"
        assert titles[number] == number
    for row in reviewed.review:
        assert titles[row["number_id"]] == row["number_id"]
    assert "accepted by ann/1" in words
    assert "rejected by ann/1 (unnatural)" in words


def test_a_report_with_a_review_is_sound(reviewed: ReportData) -> None:
    text = render_report(reviewed)
    page = Page(text)
    assert (page.crossed, page.open) == ([], [])
    assert len(page.ids) == len(set(page.ids))
    assert set(reviewed.statistics["number_id"].to_list()) <= set(page.ids)
    assert "<script>alert" not in text
