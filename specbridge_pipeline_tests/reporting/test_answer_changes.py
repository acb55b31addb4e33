"""Answers that change, as counts, tables and chart of the report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from specbridge_pipeline.choices.answer_changes.records import ANSWER_CHANGES, DATA_KINDS
from specbridge_pipeline.choices.answer_changes.study import empty_row
from specbridge_pipeline.records.cells import CellStore, Manifest, Partition
from specbridge_pipeline.records.row_files import write_rows
from specbridge_pipeline.reporting.answer_change_chart import answer_changes_chart
from specbridge_pipeline.reporting.answer_changes import (
    answer_change_counts,
    answer_changes,
    kinds_of_data,
    shipped_changes,
    shipped_digest,
    shipped_kinds,
)
from specbridge_pipeline.reporting.records import ANSWER_CHANGE_COUNTS
from specbridge_pipeline.reporting.report import ReportData, render_report
from specbridge_pipeline.reporting.report_answer_changes import arrange_answer_changes
from specbridge_pipeline.settings import Project

Row = dict[str, Any]


def row(question: int, choice_type: str, effect: str, **more: Any) -> Row:
    decided = {
        "benchmark": "bird",
        "source": "dev",
        "split": "dev",
        "question_id": str(question),
        "database": "ships",
        "author_group": "BIRD",
        "query": "0123456789ab",
        "choice_type": choice_type,
        "side": "usual",
        "confirmed": False,
    }
    return {**empty_row(decided, "a form"), "effect": effect, **more}


CHANGED = {"comparison": "not_equal", "proved": 1, "rows_lost": 1, "rows_gained": 1}
ROWS = [
    row(1, "ties", "changed", move="other rows", **CHANGED),
    row(1, "calculation", "changed", move="over half", relative_move=0.99, **CHANGED),
    row(2, "ties", "same", comparison="equal", proved=1),
    row(2, "counting_unit", "changed", move="tenth to half", relative_move=0.25, **CHANGED),
    row(3, "ties", "undetermined", proved=1, reason="reference: cut", differs_as_run=True),
    row(4, "ties", "limit", proved=1, reason="reference: timeout"),
    row(5, "ties", "not proved", gate="edited", reason="it is not sound"),
    row(6, "ties", "no database"),
    row(7, "negation", "not edited", reason="no edit"),
]
KINDS = [
    {
        "source": "registered",
        "database": name,
        "kind": kind,
        "present": count > 0,
        "count": count,
        "of_count": 3,
        "example": "ship.name" if count else "",
    }
    for name, counts in (("shop", (1, 2)), ("ships", (3, 0)))
    for kind, count in zip(
        ("joins that repeat rows", "columns with missing values"), counts, strict=True
    )
]


@pytest.fixture
def project(tmp_path: Any) -> Project:
    found = Project(tmp_path)
    write_rows(shipped_changes(found), ANSWER_CHANGES, ROWS)
    write_rows(shipped_kinds(found), DATA_KINDS, KINDS)
    return found


@pytest.fixture
def counted(project: Project) -> list[Row]:
    rows = answer_change_counts(answer_changes(CellStore(project.warehouse), project, []))
    ANSWER_CHANGE_COUNTS.frame(rows)
    return rows


def _of(rows: list[Row], name: str) -> Row:
    return next(each for each in rows if each["choice_type"] == name)


def test_shipped_rows_are_read_as_they_were_written(project: Project) -> None:
    found = answer_changes(CellStore(project.warehouse), project, [])
    assert found.origin == "shipped"
    assert ANSWER_CHANGES.frame(found.rows).equals(ANSWER_CHANGES.frame(ROWS))


def test_shipped_rows_are_counted_by_what_became_of_the_answer(counted: list[Row]) -> None:
    ties = _of(counted, "ties")
    wanted = {
        **{"open": 6, "with_database": 5, "edited": 4, "compared": 2, "changed": 1},
        **{"other_rows": 1, "undetermined": 1, "differing_as_run": 1, "no_result": 1},
    }
    assert {name: ties[name] for name in wanted} == wanted
    assert _of(counted, "negation")["edited"] == 0
    assert {each["origin"] for each in counted} == {"shipped"}


def test_a_question_counts_once_by_its_farthest_change(counted: list[Row]) -> None:
    anything, published = _of(counted, "any"), _of(counted, "published")
    assert (anything["open"], anything["edited"], anything["changed"]) == (7, 4, 2)
    assert (anything["over_half"], anything["tenth_to_half"], anything["other_rows"]) == (1, 1, 0)
    assert (published["open"], published["changed"], published["other_rows"]) == (6, 2, 1)


def _made(version: int) -> Manifest:
    return Manifest(stage="a stage", stage_version=version, schema_version=version)


def test_rows_made_here_come_before_shipped_ones(project: Project) -> None:
    store = CellStore(project.warehouse)
    store.write(ANSWER_CHANGES, Partition("ships"), ANSWER_CHANGES.frame(ROWS[:1]), _made(1))
    found = answer_changes(store, project, ["ships"])
    assert (found.origin, len(found.rows)) == ("here", 1)
    assert answer_changes(store, project, ["others"]).origin == "shipped"


def test_kinds_of_databases_counted_here_come_before_shipped_ones(project: Project) -> None:
    store = CellStore(project.warehouse)
    counted = DATA_KINDS.frame([{**KINDS[0], "count": 2}])
    store.write(DATA_KINDS, Partition("shop"), counted, _made(1))
    found = kinds_of_data(store, project)
    assert [(each["database"], each["count"]) for each in found] == [
        ("ships", 0),
        ("ships", 3),
        ("shop", 2),
    ]


def test_nothing_anywhere_is_shown_nowhere(tmp_path: Any, report_data: ReportData) -> None:
    project = Project(tmp_path)
    found = answer_changes(CellStore(project.warehouse), project, ["ships"])
    assert list(found.rows) == []
    assert answer_change_counts(found) == []
    assert kinds_of_data(CellStore(project.warehouse), project) == []
    assert shipped_digest(shipped_changes(project)) is None
    assert arrange_answer_changes([], []) is None
    assert answer_changes_chart([]) == ""
    assert "section-answer-changes" not in render_report(report_data)


def test_the_table_has_each_type_and_the_sums_last(counted: list[Row]) -> None:
    tables = arrange_answer_changes(counted, [])
    assert tables is not None
    [(name, table)] = tables.by_questions
    assert name == "BIRD dev"
    assert [label for label, _ in table.rows] == [
        *("calculation", "counting unit", "negation", "ties"),
        *("any of the paper's five", "any choice"),
    ]
    assert dict(table.rows)["ties"][:5] == ("6", "4", "1", "–", "–")
    assert "2 change" in table.note
    assert "2 of 4 change" in table.note
    assert "ship with the project" in tables.note
    assert tables.kinds is None


def test_a_share_is_given_of_ten_questions_and_more(counted: list[Row]) -> None:
    ties = _of(counted, "ties")
    many = {**ties, "open": 12, "with_database": 12, "edited": 10, "compared": 8, "changed": 4}
    others = [each for each in counted if each is not ties]
    tables = arrange_answer_changes([*others, many], [])
    assert tables is not None
    [(_, table)] = tables.by_questions
    assert dict(table.rows)["ties"][:4] == ("12", "10", "4", "40.0%")


def test_kinds_of_data_are_a_row_a_database() -> None:
    tables = arrange_answer_changes([], KINDS)
    assert tables is not None
    assert tables.kinds is not None
    assert [(label, cells[:2]) for label, cells in tables.kinds.rows] == [
        ("shop (registered)", ("2", "1 of 3")),
        ("ships (registered)", ("1", "3 of 3")),
    ]
    assert "at least 1 kind of" in tables.kinds.note


def test_the_chart_says_its_counts_in_words(counted: list[Row]) -> None:
    said = ElementTree.fromstring(answer_changes_chart(counted)).get("aria-label") or ""
    assert "BIRD dev, ties: 1 of 4" in said
    assert "negation" not in said
    assert said.index("calculation") < said.index("ties")


def test_the_report_shows_them(report_data: ReportData, counted: list[Row]) -> None:
    page = render_report(replace(report_data, answer_changes=counted, data_kinds=KINDS))
    assert "section-answer-changes" in page
    assert "chart-answer-changes" in page
    assert "joins that repeat rows" in page
