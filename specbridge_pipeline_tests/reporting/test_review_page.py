from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import FailureKind, QueryFailure, QueryResult
from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.reporting.differences import Line, MarkedRow, Piece, RowStatus
from specbridge_pipeline.reporting.review_items import (
    MOST_ROWS,
    Gap,
    ReviewItem,
    ReviewSide,
    ShownResult,
    review_item,
    shown_results,
)
from specbridge_pipeline.reporting.review_page import Review, render_review
from specbridge_pipeline.reporting.review_sheet import review_csv, review_json_lines
from specbridge_pipeline.request_sets.human_review.decisions import (
    Decision,
    RejectionReason,
    Verdict,
)
from specbridge_pipeline.request_sets.human_review.reading import read_decisions
from specbridge_pipeline.request_sets.recheck import recheck_set
from specbridge_pipeline_tests.support.accepted import clinic_sets
from specbridge_pipeline_tests.support.page import Page
from specbridge_pipeline_tests.support.sample_databases import RunOn, run_on

__all__ = ["run_on"]

HOSTILE = "</script><script>alert('x')</script>\"><img src=https://evil.example/x onerror=alert(1)>"
REJECTION = Decision(
    "0123456789ab", "d1", HOSTILE, 1, Verdict.REJECT, RejectionReason.OTHER, HOSTILE
)


def side(name: str) -> ReviewSide:
    result = ShownResult(
        (HOSTILE, "n"),
        (
            MarkedRow((HOSTILE, 1.5), RowStatus.CHANGED, frozenset({1})),
            Gap("3 rows alike in A and B"),
            MarkedRow((None, b"\x00"), RowStatus.ONLY_HERE),
        ),
        "5 rows",
    )
    pieces = (Piece(HOSTILE, True), Piece(f" {name}", False))
    return ReviewSide(name, pieces, pieces, result, (Line(pieces, True),))


HOSTILE_ITEM = ReviewItem(
    id="0123456789ab",
    digest="d1",
    database=HOSTILE,
    choice_type="counting_unit",
    facts=HOSTILE,
    open_request=(Piece(HOSTILE, False), Piece("\ud800", True)),
    sides=(side("A"), side("B")),
    answers=HOSTILE,
    edited=HOSTILE,
    steps=((HOSTILE, HOSTILE),),
    checks=((True, HOSTILE), (False, "it does not hold"), (None, HOSTILE)),
    first_pass=(REJECTION,),
)
REVIEW = Review(HOSTILE, 2, (HOSTILE_ITEM, replace(HOSTILE_ITEM, id="ba9876543210")))


@pytest.fixture(scope="module")
def text() -> str:
    return render_review(REVIEW)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_the_page_is_well_formed_and_the_same_on_every_run(page: Page, text: str) -> None:
    assert page.crossed == []
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert render_review(REVIEW) == text
    assert text.encode("utf-8")


def test_hostile_text_is_shown_and_nothing_else(page: Page, text: str) -> None:
    assert "<script>alert" not in text
    assert [tag for tag, _ in page.tags if tag in {"img", "iframe", "object", "link", "a"}] == []
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    # In each set: database, facts, answers, edited, a step's name and query, two checks, the open
    # request, who rejected it and why; and for each side two texts, a line, a column, a cell.
    assert "".join(page.words).count("<script>alert('x')</script>") >= 2 * (11 + 2 * 5)


def test_nothing_is_fetched_and_only_the_page_s_own_script_runs(page: Page, text: str) -> None:
    for _, attributes in page.tags:
        assert not {"src", "href", "action", "data", "poster", "srcset"} & set(attributes)
    assert "url(" not in text
    assert "@import" not in text
    [policy] = [
        attributes["content"]
        for tag, attributes in page.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}'" in policy


def test_a_sheet_names_each_set_once_and_has_no_formula(tmp_path: Path) -> None:
    formula = replace(HOSTILE_ITEM, open_request=(Piece("=1+1\rand", True),))
    review = Review("small", 1, (formula, replace(formula, id="ba9876543210")))
    rows = list(csv.DictReader(io.StringIO(review_csv(review))))
    assert [row["set_id"] for row in rows] == ["0123456789ab", "ba9876543210"]
    assert {row["open_request"] for row in rows} == {"'=1+1\nand"}
    objects = [json.loads(line) for line in review_json_lines(review).splitlines()]
    assert [each["digest"] for each in objects] == ["d1", "d1"]
    assert {each["open_request"] for each in objects} == {"=1+1\rand"}


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_sheet_that_nobody_filled_in_holds_no_decision(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"sheet.{suffix}"
    review = Review("small", 1, (replace(HOSTILE_ITEM, open_request=()),))
    written = review_csv(review) if suffix == "csv" else review_json_lines(review)
    path.write_bytes(written.encode())
    with pytest.raises(HumanVerdictsError, match=r"^[^,]*, one problem:\s+\S+: holds no decision"):
        read_decisions([path], {"0123456789ab": "d1"})


def result(*rows: tuple[object, ...]) -> QueryResult:
    return QueryResult(("name", "n"), (None, None), rows, 0.0)


def cells(shown: ShownResult) -> list[object]:
    return [each.cells[0] if isinstance(each, MarkedRow) else each.words for each in shown.entries]


def test_rows_that_differ_are_shown_however_far_down_and_the_same_on_both_sides() -> None:
    rows = [(f"name {i}", i) for i in range(100)]
    changed = [(name, n + (n in (50, 90))) for name, n in rows]
    a, b = shown_results(result(*rows), result(*reversed(changed)))
    assert cells(a) == [
        *(f"name {i}" for i in range(10)),
        "40 rows alike in A and B",
        "name 50",
        "39 rows alike in A and B",
        "name 90",
        "9 rows alike in A and B",
    ]
    assert {"name 50", "name 90"} < set(cells(b))
    assert a.total == b.total == "100 rows"


def test_rows_that_lie_far_apart_take_no_more_lines_than_rows_in_a_row() -> None:
    rows = [(f"name {i:03d}", i) for i in range(200)]
    kept = [row for row in rows if row[1] % 20 != 7]
    a, b = shown_results(result(*rows), result(*kept))
    assert len(a.entries) == 15
    assert cells(a)[:3] == ["7 rows alike in A and B", "name 007", "19 rows alike in A and B"]
    assert cells(a)[-1] == "72 more rows, 3 of them different"
    assert len(b.entries) == MOST_ROWS + 1


def test_a_row_that_lies_between_others_alone_is_shown_itself() -> None:
    rows = [(f"name {i:03d}", i) for i in range(40)]
    a, _ = shown_results(
        result(*rows), result(*(row for row in rows if row[1] not in (20, 22, 24)))
    )
    assert [each for each in cells(a) if each in ("name 021", "name 023")]
    assert not any("1 row " in str(each) for each in cells(a))


def test_columns_of_numbers_are_known_by_what_is_shown() -> None:
    a, _ = shown_results(result(("x", 1), ("y", None)), result(("x", 2), ("y", 3.5)))
    assert a.number_columns == {1}


def test_what_is_not_shown_says_how_much_of_it_differs() -> None:
    rows = [(f"name {i}", i) for i in range(30)]
    a, b = shown_results(result(*rows), result(*((name, n + 1) for name, n in reversed(rows))))
    assert cells(a)[-1] == "18 more rows, all different"
    shown = [sum(isinstance(each, MarkedRow) for each in side.entries) for side in (a, b)]
    assert shown == [MOST_ROWS, MOST_ROWS]
    assert set(cells(a)[:9]) <= set(cells(b))


def test_a_query_without_a_result_says_why() -> None:
    a, b = shown_results(QueryFailure(FailureKind.ERROR, "no such table"), result(("x", 1)))
    assert a.problem == "it gives no result: no such table"
    assert cells(b) == ["x"]


def test_an_item_shows_the_set_and_no_verdict_of_people_on_it(run_on: RunOn) -> None:
    for each in clinic_sets():
        run = run_on(each.database)
        judged = each.provenance.model_copy(
            update={"human_verdict": False, "reviewers": ("model-1",)}
        )
        rejected = each.model_copy(update={"provenance": judged})
        sides = rejected.interpretations
        item = review_item(
            rejected,
            "d1",
            (run(sides.a.sql), run(sides.b.sql)),
            recheck_set(run, rejected),
            Engine.SQLITE,
        )
        said = [words for _, words in item.checks]
        assert "model-1: each request read against both interpretations" in said
        assert not any("person" in words for words in said)
        assert all(holds for holds, _ in item.checks)
        for side, request in zip(item.sides, (sides.a.request, sides.b.request), strict=True):
            assert "".join(piece.text for piece in side.request) == request
        assert any(line.differs for side in item.sides for line in side.edit)
        assert "".join(piece.text for piece in item.open_request) == each.open_request
        marked = [
            any(isinstance(row, MarkedRow) and row.status is not RowStatus.SAME for row in entries)
            for entries in (side.result.entries for side in item.sides)
        ]
        assert any(marked)
