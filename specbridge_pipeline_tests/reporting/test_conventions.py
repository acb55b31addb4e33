"""What references take, as counts, table and chart of the report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from specbridge_pipeline.choices.conventions.references.records import REFERENCE_CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.records.cells import CellStore
from specbridge_pipeline.records.row_files import write_rows
from specbridge_pipeline.reporting.convention_chart import conventions_chart
from specbridge_pipeline.reporting.convention_counts import (
    convention_counts,
    shipped_decisions,
    shipped_decisions_digest,
)
from specbridge_pipeline.reporting.records import CONVENTION_COUNTS
from specbridge_pipeline.reporting.report import ReportData, render_report
from specbridge_pipeline.reporting.report_conventions import arrange_conventions
from specbridge_pipeline.settings import Project

Row = dict[str, Any]
_SPIDER = "Spider's own authors"


def decision(at: int, choice_type: str, side: str, **more: Any) -> Row:
    return {
        "benchmark": "spider",
        "source": "dev",
        "split": "dev",
        "question_id": str(at),
        "database": "ships",
        "author_group": _SPIDER,
        "query": "0123456789ab",
        "choice_type": choice_type,
        "open": True,
        "side": side,
        "form": "a form",
        "could_differ": True,
        "cues": [],
        "verdict": None,
        "reason": None,
        **more,
    }


DECISIONS = [
    decision(0, "ties", "usual"),
    decision(1, "ties", "usual", could_differ=False),
    decision(2, "ties", "other", verdict="confirmed", reason="read"),
    decision(3, "ties", "other", verdict="dropped", reason="read"),
    decision(4, "ties", "other", open=False, cues=["several"]),
    decision(5, "ties", "other", author_group="BIRD", verdict="confirmed", reason="read"),
    decision(6, "negation", "usual"),
    decision(7, "negation", "other"),
]


@pytest.fixture
def counted(tmp_path: Any) -> list[Row]:
    project = Project(tmp_path)
    write_rows(shipped_decisions(project), REFERENCE_CONVENTIONS, DECISIONS)
    rows = convention_counts(CellStore(tmp_path / "warehouse"), project, [])
    CONVENTION_COUNTS.frame(rows)
    return rows


def test_shipped_decisions_are_counted_and_said_to_ship(counted: list[Row]) -> None:
    found = {(row["choice_type"], row["author_group"]): row for row in counted}
    ties = found["ties", _SPIDER]
    assert {name: ties[name] for name in ("usual", "other", "unread", "dropped", "settled")} == {
        "usual": 2,
        "other": 1,
        "unread": 0,
        "dropped": 1,
        "settled": 1,
    }
    assert ties["usual_that_could_differ"] == 1
    assert {row["origin"] for row in counted} == {"shipped"}
    assert found["ties", "BIRD"]["other"] == 1
    assert found["negation", _SPIDER]["unread"] == 1


def test_nothing_anywhere_is_no_count(tmp_path: Any, report_data: ReportData) -> None:
    project = Project(tmp_path)
    assert convention_counts(CellStore(tmp_path / "warehouse"), project, ["a"]) == []
    assert shipped_decisions_digest(project) is None
    assert arrange_conventions([]) is None
    assert conventions_chart([]) == ""
    assert "section-conventions" not in render_report(report_data)


def test_the_table_has_every_choice_type_in_its_order(counted: list[Row]) -> None:
    table = arrange_conventions(counted)
    assert table is not None
    assert [label for label, _ in table.rows] == [each.label for each in ChoiceType]
    cells = dict(table.rows)
    assert cells["ties"][1:5] == ("4", "2", "2", "50.0%")
    assert cells["referent column"][1:] == ("–",) * 5
    assert cells["quantifier"][1:] == ("0", "0", "0", "–", "–")
    assert "8 decisions" in table.note
    assert "ship with the project" in table.note


def test_what_nobody_has_read_is_said(counted: list[Row]) -> None:
    table = arrange_conventions(counted)
    assert table is not None
    assert "nobody has read yet: 1" in table.note
    table = arrange_conventions([row for row in counted if row["choice_type"] == "ties"])
    assert table is not None
    assert "was read and confirmed" in table.note


def test_the_chart_says_its_counts_in_words(counted: list[Row]) -> None:
    svg = conventions_chart(counted)
    said = ElementTree.fromstring(svg).get("aria-label") or ""
    assert f"ties, {_SPIDER}, dev: 2 of 3" in said
    assert "ties, BIRD, dev: 0 of 1" in said


def test_the_report_shows_them(report_data: ReportData, counted: list[Row]) -> None:
    page = render_report(replace(report_data, conventions=counted))
    assert "section-conventions" in page
    assert "What benchmark references take" in page
