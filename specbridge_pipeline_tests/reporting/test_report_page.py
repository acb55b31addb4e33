from __future__ import annotations

import base64
import dataclasses
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from specbridge_pipeline.reporting.construction_rows import ConstructionRows
from specbridge_pipeline.reporting.draft import draft_of
from specbridge_pipeline.reporting.funnel import construction_funnel
from specbridge_pipeline.reporting.numbers import reported_numbers
from specbridge_pipeline.reporting.readers import judged_by, provenance
from specbridge_pipeline.reporting.records import STATISTICS
from specbridge_pipeline.reporting.report import ReportData, render_report
from specbridge_pipeline_tests.support.drafts import draft_rows
from specbridge_pipeline_tests.support.page import Page

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture(scope="module")
def text(report_data: ReportData) -> str:
    return render_report(report_data)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_the_page_is_well_formed(page: Page) -> None:
    assert page.crossed == []
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))


def test_the_page_is_the_same_on_every_run(report_data: ReportData, text: str) -> None:
    assert render_report(report_data) == text


def test_hostile_text_is_shown_and_nothing_else(page: Page, text: str) -> None:
    assert "<script>alert" not in text
    assert [tag for tag, _ in page.tags if tag in {"img", "iframe", "object", "link"}] == []
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert "".join(page.words).count("<script>alert('x')</script>") > 20


def test_nothing_is_fetched(page: Page, text: str) -> None:
    for _, attributes in page.tags:
        for name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            assert (attributes.get(name) or "#").startswith("#")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_the_policy_allows_the_pages_own_script_only(page: Page, text: str) -> None:
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    policy = next(a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a)
    assert policy is not None
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_every_number_id_is_an_element(page: Page, report_data: ReportData) -> None:
    assert set(report_data.statistics["number_id"].to_list()) <= set(page.ids)
    titles = {a["id"]: a.get("title") for _, a in page.tags if "id" in a}
    number = "specific_right/large/all/explained/1/rules"
    assert titles[number] == number


def test_links_lead_to_elements(page: Page) -> None:
    from urllib.parse import unquote

    hrefs = [a["href"] or "" for tag, a in page.tags if tag == "a"]
    assert {unquote(href[1:]) for href in hrefs} <= set(page.ids)


def test_it_opens_with_what_was_measured_and_who_read_it(page: Page) -> None:
    words = " ".join(" ".join(page.words).split())
    lead = (
        "2 request sets, written by hand, on 2 databases. Checked by code only: no reviewer and no "
        "person has judged them. Explanations are read by rules, not by a model or a person."
    )
    assert lead in words
    assert words.index(lead) < words.index("A small edition", words.index(lead))


def test_its_first_line_says_that_no_person_has_read_the_sets(report_data: ReportData) -> None:
    ruled = report_data.sets.with_columns(
        writer=pl.lit("rules"),
        reviewers=pl.lit(["rules/reading", "rules/requirements"]),
    )
    words = Page(render_report(dataclasses.replace(report_data, sets=ruled))).words
    body = words[words.index("To the headline numbers") + 1 :]
    assert next(word for word in body if word.strip()) == (
        "No person has read these request sets: they were written and reviewed by rules."
    )


def test_the_readers_of_sets_and_explanations_are_named(report_data: ReportData) -> None:
    reviewed = report_data.sets.with_columns(
        reviewers=pl.Series([["reader-1"], []], dtype=pl.List(pl.String)),
        human_verdict=pl.Series([True, None], dtype=pl.Boolean),
        writer=pl.Series(["hand", "writer-1"]),
    )
    said = provenance(reviewed.rows(named=True))
    assert "1 by hand and 1 by writer-1" in said
    assert "1 of 2 read by reader-1" in said
    assert "1 of 2 judged by people, who accepted 1" in said
    assert "by code only" not in said
    assert judged_by("judge-1") == "Explanations are read by a model, judge-1, not by a person."
    assert judged_by("") == "Nobody has read the explanations."


@pytest.fixture(scope="module")
def drafted(report_data: ReportData) -> ReportData:
    rows = ConstructionRows(databases=("baseball", "flights"), **draft_rows())
    return dataclasses.replace(report_data, draft=draft_of(rows, construction_funnel(rows)))


def test_it_names_the_edition_and_the_draft(page: Page, drafted: ReportData) -> None:
    assert "There is no draft" in " ".join(page.words)
    words = " ".join(" ".join(Page(render_report(drafted)).words).split())
    assert "Evaluated: edition small" in words
    assert (
        "The draft holds 3 accepted request sets on 2 databases, built by rules, grammar 1; "
        "it is not what was evaluated."
    ) in words


def test_sets_of_the_draft_count_as_in_the_edition_though_no_model_was_asked(
    drafted: ReportData,
) -> None:
    # Of the edition's sets the models were put others; the draft shares one with it.
    shared = dataclasses.replace(drafted, edition_sets=("p1-0", "another"))
    words = " ".join(" ".join(Page(render_report(shared)).words).split())
    assert "on 2 databases, 1 of them in the evaluated edition, " in words


def test_the_funnel_shows_every_count_with_its_id(drafted: ReportData) -> None:
    assert drafted.draft is not None
    text = render_report(drafted)
    found = Page(text)
    assert found.crossed == []
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    words = " ".join(found.words)
    assert {row["number_id"] for row in drafted.draft.funnel if row["scope"] == "all"} <= set(
        found.ids
    )
    assert all(row["number_id"] in words for row in drafted.draft.funnel)
    assert "none read" in words
    assert "one's own reason" in words
    assert render_report(drafted) == text


def test_the_headline_has_each_tier_with_its_sets(report_data: ReportData) -> None:
    found = Page(render_report(report_data))
    words = [" ".join(word.split()) for word in found.words]
    assert "All sets: 2 sets" in words
    assert "Short tier, step depth 1 and 2: 2 sets" in words
    assert "Paper tier, step depth 3 to 6: no sets" in words
    assert "specific_right/large/tier=short/explained/1/rules" in found.ids


def test_a_model_that_answered_fewer_sets_is_marked(report_data: ReportData) -> None:
    rows = report_data.outcomes.filter(
        (pl.col("model") == "large") | (pl.col("database") == "baseball")
    ).to_dicts()
    fewer = STATISTICS.frame(reported_numbers(rows, seed=1, resamples=50))
    words = " ".join(Page(render_report(dataclasses.replace(report_data, statistics=fewer))).words)
    assert "(1 of 2 sets answered)" in words
    assert "Large model (" not in words


def test_it_shows_results_and_what_differs(text: str) -> None:
    assert "showing 2 of 30 rows" in text
    assert '<td class="differs number">4</td>' in text
    assert "NULL" in text
    assert "COUNT(<mark>DISTINCT player</mark>)" in text


def test_it_renders_without_any_answers(report_data: ReportData) -> None:
    names = ("statistics", "responses", "scores", "judgements", "outcomes")
    empty = dataclasses.replace(
        report_data,
        models=(),
        results={},
        **{name: getattr(report_data, name).clear() for name in names},
    )
    words = " ".join(Page(render_report(empty)).words)
    assert "No numbers yet" in words
    assert "No model has answered this set." in words


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium executable")
def test_a_browser_renders_it(text: str, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    command = [
        CHROMIUM,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--dump-dom",
        path.as_uri(),
    ]
    seen = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    # The page's own script has run, and no other: it says how many sets it shows.
    assert "Showing 2 of 2 sets" in seen.stdout
    assert '<form id="section-filters">' in seen.stdout
    dom = Page(seen.stdout)
    assert not any(tag == "img" for tag, _ in dom.tags)
    assert sum(tag == "script" for tag, _ in dom.tags) == 1
    assert sum(tag == "svg" for tag, _ in dom.tags) == 2
