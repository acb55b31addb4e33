"""Reviewing sets as people do: export, decide by keyboard, download, import, and a second pass."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from specbridge_pipeline.request_sets.human_review.decisions import SETS
from specbridge_pipeline.request_sets.human_verdicts import read_verdicts
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.accepted import accepted_row, clinic_sets, store_accepted
from specbridge_pipeline_tests.support.browser import CHROMIUM, Browser
from specbridge_pipeline_tests.support.projects import make_project, snapshot
from specbridge_pipeline_tests.support.verdict_files import BROKEN, write_case

pytestmark = pytest.mark.slow

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")

TALLY = "document.getElementById('tally').textContent"
PLACE = "document.getElementById('progress').textContent"
MESSAGE = "document.getElementById('message').textContent"
# Buttons on the screen that a finger would miss.
SMALL = """[...document.querySelectorAll('button, summary, textarea')]
    .filter(each => each.offsetParent || each.closest('#actions, #top'))
    .map(each => [each.innerText, each.getBoundingClientRect()])
    .filter(([, box]) => box.width && (box.height < 42 || box.width < 42))
    .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""
# Edited lines of which a part is out of sight.
CUT_OFF = """[...document.querySelectorAll('section:not([hidden]) .edit pre')]
    .filter(each => each.scrollWidth > each.clientWidth + 1)
    .map(each => each.innerText)"""
OPEN = "!document.getElementById('main').hidden"


def specbridge(project: Project, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, "-m", "specbridge_pipeline.cli", "--project", str(project.root)),
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_project(tmp_path_factory.mktemp("reviewed"))


@pytest.fixture(scope="module")
def page(shared: Project) -> Path:
    path = shared.root / "page.html"
    done = specbridge(shared, "review", "export", "--seed", 1, "--out", path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"3 sets to review: {path}\n"
    return path


@pytest.fixture
def project(shared: Project, page: Path, tmp_path: Path) -> Project:
    """The same project, with no verdict yet."""
    for path in sorted(shared.reviews.rglob("*.csv")):
        path.unlink()
    return shared


def sheet(project: Project, path: Path) -> list[dict[str, str]]:
    done = specbridge(project, "review", "export", "--seed", 1, "--csv", path)
    assert done.returncode == 0, done.stderr
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def filled_in(rows: list[dict[str, str]], path: Path, reviewer: str, verdicts: str) -> Path:
    """Write a sheet with verdicts: + accepts, - rejects, a blank leaves the set undecided."""
    for row, sign in zip(rows, verdicts, strict=True):
        if sign != " ":
            row["reviewer"] = reviewer
            row["verdict"] = {"+": "accept", "-": "reject"}[sign]
            row["reason"] = {"+": "", "-": "unnatural"}[sign]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def begin(browser: Browser, page: Path, name: str) -> None:
    browser.open(page.as_uri())
    browser.wait_for("document.activeElement && document.activeElement.id === 'name'")
    browser.type(name)
    browser.evaluate("document.querySelector('#who button').click()")
    browser.wait_for(OPEN)


def downloaded(folder: Path) -> Path:
    for _ in range(300):
        found = list(folder.glob("*.csv"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError("nothing was downloaded")


@needs_chromium
def test_three_sets_are_decided_by_keyboard_kept_downloaded_and_imported(
    project: Project, page: Path, tmp_path: Path
) -> None:
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    with Browser(tmp_path / "profile") as browser:
        begin(browser, page, "Ann, the first")
        assert browser.evaluate(PLACE) == "1 of 3"
        browser.press("a")
        browser.wait_for(f"{PLACE} === '2 of 3'")
        browser.press("a", "u")
        assert browser.wait_for(f"{PLACE} === '2 of 3'")
        assert browser.evaluate(TALLY) == "1 decided: 1 accepted, 0 rejected"
        browser.press("r", "2")
        browser.wait_for(f"{PLACE} === '3 of 3'")
        assert browser.evaluate(TALLY) == "2 decided: 1 accepted, 1 rejected"
        browser.quit()
    with Browser(tmp_path / "profile") as browser:
        browser.download_to(downloads)
        browser.open(page.as_uri())
        browser.wait_for(OPEN)
        assert browser.evaluate(PLACE) == "3 of 3"
        assert browser.evaluate(TALLY) == "2 decided: 1 accepted, 1 rejected"
        browser.press("r", "5")
        browser.wait_for("document.activeElement.id === 'comment'")
        browser.type('says "all",\nmeans most')
        browser.press("Escape")
        browser.wait_for(f"{TALLY} === '3 decided: 1 accepted, 2 rejected'")
        browser.press("p")
        browser.wait_for(f"{PLACE} === '2 of 3'")
        browser.press("d")
        file = downloaded(downloads)
        browser.quit()
    assert file.name == "review-shop-1-pass-1-ann-the-first.csv"
    done = specbridge(project, "review", "import", file)
    assert done.returncode == 0, done.stderr
    assert "3 decisions read: 3 new" in done.stdout
    found = {each.set_id: each for each in read_verdicts(project.reviews.glob("*.csv"))}
    first, second, third = (found[row["set_id"]] for row in sheet(project, tmp_path / "sheet.csv"))
    assert {each.reviewer for each in found.values()} == {"Ann, the first"}
    assert (first.accepted, first.reason) == (True, "")
    assert (second.accepted, second.reason) == (False, "convention settles it")
    assert (third.accepted, third.reason) == (False, "other")
    assert third.comment == 'says "all",\nmeans most'


@needs_chromium
def test_a_browser_that_keeps_nothing_says_so_and_the_review_goes_on(
    page: Path, tmp_path: Path
) -> None:
    with Browser(tmp_path) as browser:
        browser.run_first(
            "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
        )
        begin(browser, page, "ann")
        browser.press("a")
        browser.wait_for(f"{PLACE} === '2 of 3'")
        assert browser.evaluate(TALLY) == "1 decided: 1 accepted, 0 rejected"
        kept = browser.evaluate("document.getElementById('kept').textContent")
        assert kept == "Not kept in this browser: download before you close."


@needs_chromium
def test_a_set_that_has_changed_since_is_undecided_again(page: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.html"
    text = page.read_text("utf-8")
    copy.write_text(text, "utf-8")
    digest = text.split('data-digest="')[1].split('"')[0]
    with Browser(tmp_path / "profile") as browser:
        begin(browser, copy, "ann")
        browser.press("a", "a")
        browser.wait_for(f"{TALLY}.startsWith('2 decided')")
        copy.write_text(text.replace(digest, "d000000000000"), "utf-8")
        browser.open("about:blank")
        browser.open(copy.as_uri())
        browser.wait_for(OPEN)
        assert browser.evaluate(TALLY) == "1 decided: 1 accepted, 0 rejected"


@needs_chromium
def test_a_key_that_is_held_down_decides_on_one_set_only(page: Path, tmp_path: Path) -> None:
    with Browser(tmp_path) as browser:
        begin(browser, page, "ann")
        browser.hold("a")
        browser.wait_for(f"{PLACE} === '2 of 3'")
        assert browser.evaluate(TALLY) == "1 decided: 1 accepted, 0 rejected"


@needs_chromium
def test_two_reviewers_in_one_browser_do_not_see_each_other_s_decisions(
    page: Path, tmp_path: Path
) -> None:
    with Browser(tmp_path) as browser:
        begin(browser, page, "ann")
        browser.press("a")
        browser.wait_for(f"{TALLY}.startsWith('1 decided')")
        browser.evaluate("document.getElementById('reviewer').click()")
        browser.evaluate("document.getElementById('name').value = 'bea'")
        browser.evaluate("document.querySelector('#who button').click()")
        browser.wait_for(f"{OPEN} && {TALLY}.startsWith('0 decided')")
        assert browser.evaluate(PLACE) == "1 of 3"


@needs_chromium
@pytest.mark.parametrize("width", [1440, 700, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_window_and_one_set_is_shown(
    page: Path, tmp_path: Path, width: int, dark: bool
) -> None:
    with Browser(tmp_path) as browser:
        browser.emulate(width, 900, dark=dark)
        begin(browser, page, "ann")
        for _ in range(3):
            shown = "[...document.querySelectorAll('section.item')].filter(x => !x.hidden).length"
            assert browser.evaluate(shown) == 1
            assert browser.evaluate("document.documentElement.scrollWidth") <= width
            assert browser.evaluate(CUT_OFF) == []
            browser.press("n")


@needs_chromium
def test_on_a_telephone_all_that_is_tapped_is_large_enough(page: Path, tmp_path: Path) -> None:
    with Browser(tmp_path) as browser:
        browser.emulate(390, 844)
        begin(browser, page, "ann")
        for key in ("", "t", "Escape", "r", "5"):
            browser.press(*filter(None, [key]))
            assert browser.evaluate(SMALL) == [], key
        # The comment is ended without a keyboard too.
        browser.type("neither")
        browser.evaluate("document.querySelector('#comment-box button').click()")
        browser.wait_for(f"{PLACE} === '2 of 3'")


@needs_chromium
def test_a_reason_is_one_key_and_undecided_sets_and_help_are_found(
    page: Path, tmp_path: Path
) -> None:
    with Browser(tmp_path) as browser:
        begin(browser, page, "ann")
        browser.press("n", "3")
        browser.wait_for(f"{PLACE} === '3 of 3'")
        assert browser.evaluate(TALLY) == "1 decided: 0 accepted, 1 rejected"
        browser.press("n")
        assert browser.evaluate(MESSAGE) == "This is the last set; 2 left to decide."
        browser.press("p", "g")
        assert browser.evaluate(PLACE) == "3 of 3"
        browser.press("g")
        assert browser.evaluate(PLACE) == "1 of 3"
        helped = "!document.getElementById('criterion').hidden"
        browser.press("?")
        assert browser.evaluate(helped)
        browser.press("Escape")
        assert not browser.evaluate(helped)
        browser.press("a", "a", "g")
        assert browser.evaluate(MESSAGE) == "No set is left to decide."
        finished = "document.getElementById('finished').innerText"
        assert "All 3 sets are decided: 2 accepted, 1 rejected." in browser.evaluate(finished)


def test_two_reviewers_are_merged_and_decide_again_what_they_disagree_on(
    project: Project, tmp_path: Path
) -> None:
    rows = sheet(project, tmp_path / "sheet.csv")
    files = [
        filled_in([dict(row) for row in rows], tmp_path / f"{name}.csv", name, verdicts)
        for name, verdicts in (("ann", "++-"), ("bea", "+-+"))
    ]
    again = tmp_path / "again.csv"
    done = specbridge(project, "review", "import", *files, "--disagreements", again, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["sets"] == {
        "all": 3,
        "reviewed": 3,
        "by_one_reviewer": 0,
        "kept": 1,
        "rejected": 0,
        "disagreement": 2,
    }
    [agreement] = said["agreement"]
    # By hand: 1 of 3 alike, and (2 × 2 + 1 × 1) / 9 = 5/9 to be expected.
    assert agreement["first_pass"]["kappa"] == pytest.approx((1 / 3 - 5 / 9) / (1 - 5 / 9))
    assert {each["set_id"] for each in said["disagreements"]} == {row["set_id"] for row in rows[1:]}
    with again.open(encoding="utf-8", newline="") as file:
        second = list(csv.DictReader(file))
    assert {row["set_id"] for row in second} == {row["set_id"] for row in rows[1:]}
    assert {row["pass"] for row in second} == {"2"}
    assert all("bea: " in row["first_pass"] for row in second)
    second.sort(key=lambda row: [each["set_id"] for each in rows].index(row["set_id"]))
    files = [
        filled_in([dict(row) for row in second], tmp_path / f"{name}-2.csv", name, verdicts)
        for name, verdicts in (("ann", "+-"), ("bea", "++"))
    ]
    done = specbridge(project, "review", "import", *files, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["sets"]["kept"], said["sets"]["rejected"]) == (2, 1)
    assert said["disagreements"] == []
    verdicts = read_verdicts(project.reviews.glob("*.csv"))
    kept = {each.set_id for each in verdicts} - {
        each.set_id for each in verdicts if not each.accepted
    }
    assert kept == {row["set_id"] for row in rows[:2]}


@needs_chromium
def test_the_page_of_a_second_pass_shows_the_first_and_begins_anew(
    project: Project, tmp_path: Path
) -> None:
    rows = sheet(project, tmp_path / "sheet.csv")
    files = [
        filled_in([dict(row) for row in rows], tmp_path / f"{name}.csv", name, verdicts)
        for name, verdicts in (("ann", "++-"), ("bea", "+-+"))
    ]
    again = tmp_path / "again.html"
    done = specbridge(project, "review", "import", *files, "--disagreements", again)
    assert done.returncode == 0, done.stderr
    assert "1 of them" not in done.stdout
    assert "ann and bea" in done.stdout
    with Browser(tmp_path / "profile") as browser:
        begin(browser, again, "ann")
        assert browser.evaluate(PLACE) == "1 of 2"
        assert browser.evaluate(TALLY) == "0 decided: 0 accepted, 0 rejected"
        shown = browser.evaluate("document.getElementById('main').innerText")
        assert "rejected it: unnatural" in shown


def test_a_dry_run_and_a_faulty_file_write_nothing(project: Project, tmp_path: Path) -> None:
    rows = sheet(project, tmp_path / "sheet.csv")
    file = filled_in(rows, tmp_path / "ann.csv", "ann", "+ -")
    again = tmp_path / "again.csv"
    done = specbridge(project, "review", "import", file, "--dry-run", "--disagreements", again)
    assert done.returncode == 0, done.stderr
    assert "nothing was written" in done.stdout
    rows[0]["digest"] = "d000000000000"
    broken = filled_in(rows, tmp_path / "broken.csv", "ann", "+ -")
    done = specbridge(project, "review", "import", broken)
    assert done.returncode == 1
    assert f"broken.csv:2: set {rows[0]['set_id']} or its database has changed" in done.stderr
    assert list(project.reviews.rglob("*.csv")) == []
    assert not again.exists()


def test_a_broken_file_beside_a_good_one_changes_nothing_anywhere(
    project: Project, tmp_path: Path
) -> None:
    rows = sheet(project, tmp_path / "sheet.csv")
    good = filled_in([dict(row) for row in rows], tmp_path / "ann.csv", "ann", "++-")
    assert specbridge(project, "review", "import", good).returncode == 0
    before = snapshot(project.data)
    other = filled_in([dict(row) for row in rows], tmp_path / "bea.csv", "bea", "-++")
    ids, digests = (tuple(row[name] for row in rows[:2]) for name in ("set_id", "digest"))
    second = tmp_path / "second.html"
    for name in ("header alone", "UTF-16", "a line that is cut off", "decided twice"):
        broken = write_case(BROKEN[name], tmp_path, SETS, (*ids, "000000000000"), digests)
        for more in ((), ("--attach", "--label", "mine")):
            done = specbridge(
                project, "review", "import", other, broken, "--disagreements", second, *more
            )
            assert done.returncode == 1, done.stdout
            assert f"{broken.name}:" in done.stderr
            assert "bea.csv" not in done.stderr
            assert snapshot(project.data) == before
            assert not second.exists()


def test_an_export_is_the_same_twice_and_smaller_ones_begin_it(
    project: Project, page: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.html"
    specbridge(project, "review", "export", "--seed", 1, "--out", other)
    assert other.read_bytes() == page.read_bytes()
    specbridge(
        project, "review", "export", "--seed", 1, "--count", 2, "--jsonl", tmp_path / "two.jsonl"
    )
    two = [json.loads(line) for line in (tmp_path / "two.jsonl").read_text().splitlines()]
    whole = sheet(project, tmp_path / "sheet.csv")
    assert [row["set_id"] for row in two] == [row["set_id"] for row in whole[:2]]


def test_the_draft_is_reviewed_too(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project", built_on=("clinic",))
    empty = specbridge(project, "review", "export", "--draft")
    assert empty.returncode == 1
    assert "there is no set to review in draft" in empty.stderr
    store_accepted(project, [accepted_row(each) for each in clinic_sets()], "clinic")
    done = specbridge(project, "review", "export", "--draft")
    assert done.returncode == 0, done.stderr
    page = project.report / "review-draft.html"
    assert done.stdout == f"4 sets to review: {page}\n"
    text = page.read_text("utf-8")
    assert all(each.id in text for each in clinic_sets())
    both = specbridge(project, "review", "export", "--draft", "--edition", "shop-1")
    assert "--draft and --edition exclude each other" in both.stderr
