from __future__ import annotations

import base64
import dataclasses
import hashlib
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from specbridge_pipeline.reporting.report import ReportData, judged_by, provenance, render_report

VOID = {"meta", "img", "br", "input", "link", "hr"}
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


class Page(HTMLParser):
    """What a page is made of: tags with their attributes, ids, and whether it is well nested."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.crossed: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


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


def test_the_readers_of_sets_and_explanations_are_named(report_data: ReportData) -> None:
    reviewed = report_data.sets.with_columns(
        reviewers=pl.Series([["reader-1"], []], dtype=pl.List(pl.String)),
        human_verdict=pl.Series([True, None], dtype=pl.Boolean),
        writer=pl.Series(["hand", "writer-1"]),
    )
    said = provenance(dataclasses.replace(report_data, sets=reviewed))
    assert "1 by hand and 1 by writer-1" in said
    assert "1 of 2 read by reader-1" in said
    assert "1 of 2 judged by people, who accepted 1" in said
    assert "by code only" not in said
    assert judged_by("judge-1") == "Explanations are read by a model, judge-1, not by a person."
    assert judged_by("") == "Nobody has read the explanations."


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
