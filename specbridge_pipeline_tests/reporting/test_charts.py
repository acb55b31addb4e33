from __future__ import annotations

import base64
import math
from xml.etree import ElementTree

import matplotlib
import polars as pl
import pytest

from specbridge_pipeline.reporting.charts import data_uri, outcomes_chart, shares_chart
from specbridge_pipeline.reporting.construction_rows import ConstructionRows
from specbridge_pipeline.reporting.funnel import FUNNEL, construction_funnel
from specbridge_pipeline.reporting.funnel_chart import funnel_chart
from specbridge_pipeline.reporting.numbers import MEASURES
from specbridge_pipeline.reporting.report import ReportData
from specbridge_pipeline.reporting.wording import OUTCOME_WORDS
from specbridge_pipeline_tests.support.drafts import draft_rows

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_charts_have_the_same_bytes_whatever_the_user_has_set(report_data: ReportData) -> None:
    def draw() -> tuple[str, str]:
        return (
            shares_chart(report_data.statistics, report_data.names),
            outcomes_chart(report_data.outcomes, report_data.names),
        )

    first = draw()
    with matplotlib.rc_context({"font.size": 30, "text.color": "red", "svg.fonttype": "path"}):
        assert draw() == first


def test_charts_are_small_and_refer_to_nothing_outside(report_data: ReportData) -> None:
    for svg in (
        shares_chart(report_data.statistics),
        outcomes_chart(report_data.outcomes, report_data.names),
    ):
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert root.get("role") == "img"
        assert len(svg) < 20_000
        assert "https://" not in svg.replace("https://evil.example", "")
        assert "DejaVu" not in svg
        assert "#010203" not in svg
        assert not list(root.iter(f"{SVG}style"))
        assert all(each.get("href", "#").startswith("#") for each in root.iter())


def test_two_charts_share_no_id(report_data: ReportData) -> None:
    ids = [
        each.get("id")
        for svg in (
            shares_chart(report_data.statistics),
            outcomes_chart(report_data.outcomes, {}),
        )
        for each in ElementTree.fromstring(svg).iter()
        if each.get("id")
    ]
    assert len(ids) == len(set(ids))


def test_shares_chart_prints_counts(report_data: ReportData) -> None:
    shown = texts(shares_chart(report_data.statistics, report_data.names))
    assert "4/4" in shown
    assert "n/a" in shown
    assert "Large model" in shown
    for measure in MEASURES:
        assert measure.label.split()[0] in " ".join(shown)


def test_a_missing_interval_has_no_whisker(report_data: ReportData) -> None:
    def lines(frame: pl.DataFrame) -> int:
        return shares_chart(frame).count("<path")

    unbounded = report_data.statistics.with_columns(low=pl.lit(math.nan), high=pl.lit(math.nan))
    assert lines(unbounded) < lines(report_data.statistics)


def test_outcomes_chart_prints_counts_and_words(report_data: ReportData) -> None:
    shown = texts(outcomes_chart(report_data.outcomes, report_data.names))
    assert set(OUTCOME_WORDS.values()) <= set(shown)
    assert shown.count("of 2") == 2
    assert "2" in shown


@pytest.mark.parametrize("name", ["$x^2$ {model}", "a < b & c", "-->", 'id="x"'])
def test_a_name_is_no_formula_and_no_markup(report_data: ReportData, name: str) -> None:
    shown = texts(outcomes_chart(report_data.outcomes, {"large": name}))
    assert name in shown


def test_empty_frames_give_a_chart_that_says_so(report_data: ReportData) -> None:
    assert texts(shares_chart(report_data.statistics.clear())) == ["No numbers yet"]
    assert texts(outcomes_chart(report_data.outcomes.clear(), {})) == ["No outcomes yet"]


def test_data_uri_holds_the_chart_on_a_white_ground(report_data: ReportData) -> None:
    head, _, body = data_uri(shares_chart(report_data.statistics)).partition(",")
    assert head == "data:image/svg+xml;base64"
    first = next(iter(ElementTree.fromstring(base64.b64decode(body))))
    assert (first.tag, first.get("fill")) == (f"{SVG}rect", "#ffffff")


def test_funnel_chart_prints_every_stage_with_its_count() -> None:
    rows = ConstructionRows(databases=("baseball", "flights"), **draft_rows())
    svg = funnel_chart(construction_funnel(rows))
    shown = texts(svg)
    assert {stage.label for stage in FUNNEL} <= set(shown)
    assert {"Queries", "Choices", "Request sets", "short tier", "paper tier"} <= set(shown)
    assert "tier not known" not in shown
    assert "4 (44%)" in shown
    assert "none read" in shown
    assert svg == funnel_chart(construction_funnel(rows)[::-1])
    assert len(svg) < 20_000
    assert texts(funnel_chart([])) == ["Nothing built yet"]
