"""The studies of the generator as counts, tables and charts of the report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from specbridge_pipeline.query_generation.attempt_classes import AttemptClass
from specbridge_pipeline.query_generation.features import Feature
from specbridge_pipeline.query_generation.study_records import (
    CONSTRUCTION_COUNTS,
    GENERATION_ABLATION,
)
from specbridge_pipeline.records.cells import CellStore
from specbridge_pipeline.records.row_files import write_rows
from specbridge_pipeline.reporting.records import GENERATION_STUDIES
from specbridge_pipeline.reporting.report import ReportData, render_report
from specbridge_pipeline.reporting.report_studies import arrange_studies
from specbridge_pipeline.reporting.study_charts import ablation_chart, coverage_chart
from specbridge_pipeline.reporting.study_counts import study_counts
from specbridge_pipeline.reporting.study_rows import (
    SHIPPED,
    StudyRows,
    read_studies,
    shipped_file,
)
from specbridge_pipeline.request_sets.tasks.records import FEATURE_COVERAGE
from specbridge_pipeline.settings import Project

Row = dict[str, Any]


def ablation_rows() -> list[Row]:
    """Ten attempts of two configurations on two databases."""
    made = {"all": {AttemptClass.SOUND: 9, AttemptClass.NOT_BUILT: 1}}
    made["none"] = {AttemptClass.SOUND: 0, AttemptClass.OFF_TARGET: 10}
    return [
        {
            "source": "tiny",
            "database": database,
            "configuration": name,
            "seed": 1,
            "attempt_class": each.value,
            # Two fifths of each on one database; what is one alone lies on the other.
            "attempts": count * share // 5 if count > 1 else int(share == 3) * count,
        }
        for name, classes in made.items()
        for database, share in (("a", 2), ("b", 3))
        for each in AttemptClass
        for count in [classes.get(each, 0)]
    ]


def coverage_rows() -> list[Row]:
    """Two usable databases, one of which has no joins; one without rows, one without groups."""
    features = [feature.name.lower() for feature in Feature]
    reasons = {"a": "", "b": "", "c": "empty: no table has rows", "d": "no repeated rows: none"}
    rows = []
    for database, reason in reasons.items():
        for feature in [*features, "usable"]:
            has = not reason and not (database == "b" and feature == "joins")
            rows.append(
                {
                    "source": "tiny",
                    "database": database,
                    "feature": feature,
                    "allowed": has,
                    "delivered": has,
                    "accepted": has and not (database == "a" and feature == "joins"),
                    "reason": reason if feature == "usable" else "",
                }
            )
    return rows


def construction_rows() -> list[Row]:
    def row(source: str, database: str, delivered: int, sound: int | None) -> Row:
        return {
            "source": source,
            "database": database,
            "queries": 10,
            "delivered": delivered,
            "constructions": 12,
            "taken_back": 3,
            "distinct": delivered,
            "sound": sound,
            "faults": [],
            "shortfalls": [],
        }

    return [row("one", "a", 10, 10), row("one", "b", 9, 9), row("two", "c", 8, None)]


@pytest.fixture
def counted() -> list[Row]:
    studies = {
        "ablation": StudyRows(ablation_rows(), "here"),
        "coverage": StudyRows(coverage_rows(), "here"),
        "construction": StudyRows(construction_rows(), SHIPPED),
    }
    rows = study_counts(studies)
    GENERATION_STUDIES.frame(rows)
    return rows


def test_counts_are_added_up_over_databases(counted: list[Row]) -> None:
    found = {
        (row["study"], row["item"], row["measure"]): (row["count"], row["of_count"])
        for row in counted
    }
    assert found["ablation", "all", "sound"] == (8, 9)
    assert found["ablation", "all", "not_built"] == (1, 9)
    assert found["ablation", "none", "off_target"] == (10, 10)
    assert found["coverage", "joins", "allowed"] == (1, 2)
    assert found["coverage", "joins", "accepted"] == (0, 2)
    assert found["coverage", "grouping", "accepted"] == (2, 2)
    assert found["coverage", "usable", "usable"] == (2, 3)
    assert found["construction", "one", "delivered"] == (19, 20)
    assert found["construction", "total", "delivered"] == (27, 30)
    assert found["construction", "one", "sound"] == (19, 19)
    # What was not looked at a second time on one database is not known of all.
    assert found["construction", "total", "sound"] == (None, 27)


def test_a_database_that_is_not_usable_stands_with_its_reason(counted: list[Row]) -> None:
    tables = arrange_studies(counted)
    assert tables is not None
    assert tables.not_usable == (
        ("tiny/c", "empty: no table has rows"),
        ("tiny/d", "no repeated rows: none"),
    )
    assert tables.coverage is not None
    assert tables.coverage.note.startswith("2 of the 3 databases with rows are usable (67%)")


def test_tables_say_where_their_rows_are_from(counted: list[Row]) -> None:
    tables = arrange_studies(counted)
    assert tables is not None
    assert tables.ablation is not None
    assert tables.construction is not None
    assert tables.ablation.note.endswith("Counted here.")
    assert "ship with the project" in tables.construction.note
    assert [label for label, _ in tables.construction.rows] == ["one", "two", "total"]
    assert tables.construction.rows[-1][1][-1] == "–"


def test_charts_say_their_shares_in_words(counted: list[Row]) -> None:
    for svg, words in (
        (ablation_chart(counted), "all mechanisms: 89%; none (naive): 0%"),
        (coverage_chart(counted), "joins: 50% and 0%"),
    ):
        root = ElementTree.fromstring(svg)
        assert words in (root.get("aria-label") or "")
        assert len(svg) < 20_000


def test_nothing_counted_is_nothing_shown(report_data: ReportData, counted: list[Row]) -> None:
    assert study_counts({}) == []
    assert arrange_studies([]) is None
    assert ablation_chart([]) == coverage_chart([]) == ""
    assert "section-studies" not in render_report(report_data)
    page = render_report(replace(report_data, studies=counted))
    assert "section-studies" in page
    assert "no repeated rows: none" in page


def test_a_hostile_name_stays_text(report_data: ReportData, counted: list[Row]) -> None:
    hostile = [{**row, "label": "<script>x</script>", "detail": "<b>"} for row in counted]
    page = render_report(replace(report_data, studies=hostile))
    assert "<script>x" not in page


def test_rows_made_here_come_before_those_that_ship(tmp_path: Any) -> None:
    project, store = Project(tmp_path), CellStore(tmp_path / "warehouse")
    assert read_studies(store, project, ["a"]) == {}
    for study, schema, rows in (
        ("ablation", GENERATION_ABLATION, ablation_rows()),
        ("coverage", FEATURE_COVERAGE, coverage_rows()),
        ("construction", CONSTRUCTION_COUNTS, construction_rows()),
    ):
        write_rows(shipped_file(project, study), schema, rows)
    found = read_studies(store, project, ["a"])
    assert {study: each.origin for study, each in found.items()} == dict.fromkeys(
        ("ablation", "coverage", "construction"), SHIPPED
    )
    assert sorted(map(str, found["coverage"].rows)) == sorted(map(str, coverage_rows()))
