"""A hundred sets of a shipped edition, decided in a row by keyboard, with a break in the middle."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from specbridge_pipeline.request_sets.human_review.decisions import RejectionReason
from specbridge_pipeline.request_sets.human_verdicts import read_verdicts
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.browser import CHROMIUM, Browser
from specbridge_pipeline_tests.support.projects import CHECKOUT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here"),
]

EDITION = "generated-2"
SETS = 106
BEFORE_THE_BREAK = 53
REASONS = [each.value for each in RejectionReason]

SHOWN = "[...document.querySelectorAll('section.item')].filter(each => !each.hidden)"
SHOWN_ID = f"{SHOWN}[0].dataset.set"
TALLY = "document.getElementById('tally').textContent"
MESSAGE = "document.getElementById('message').textContent"
FINISHED = "!document.getElementById('finished').hidden"
COMMENTING = "document.activeElement.id === 'comment'"

Said = tuple[str, str, str]


class Reviewer:
    """Decides what the page shows, by keys alone, and writes down what was decided of which set.

    Args:
        browser: The browser that shows the page.
        decided: Set id → verdict, reason and comment, added to here.
    """

    def __init__(self, browser: Browser, decided: dict[str, Said]) -> None:
        self.browser = browser
        self.decided = decided

    @property
    def shown(self) -> str:
        """The id of the set on the screen, which is the only one."""
        assert self.browser.evaluate(f"{SHOWN}.length") == 1
        found: str = self.browser.evaluate(SHOWN_ID)
        return found

    def decide(self, keys: Iterable[str], said: Said) -> str:
        """Press keys that decide the set on the screen."""
        name = self.shown
        self.browser.press(*keys)
        self.decided[name] = said
        return name

    def comment(self, text: str) -> None:
        """Write a comment on the set on the screen; letters in it decide nothing."""
        self.browser.press("t")
        assert self.browser.evaluate(COMMENTING)
        self.browser.type(text)
        self.browser.press("Escape")
        assert not self.browser.evaluate(COMMENTING)

    def one(self, number: int) -> None:
        """Decide the set on the screen in one of ten ways."""
        way, reason = number % 10, number // 10 % 4
        if way == 3:
            self.decide(("r", str(reason + 1)), ("reject", REASONS[reason], ""))
        elif way == 4:
            self.decide((str(reason + 1),), ("reject", REASONS[reason], ""))
        elif way == 5:
            name = self.decide(("r", "5"), ("reject", "other", 'rather, a "third" thing,\nño'))
            assert self.browser.evaluate(COMMENTING)
            self.browser.type('rather, a "third" thing,\nño')
            self.browser.press("Escape")
            assert self.shown != name
        elif way == 6:
            self.comment("=1+1 fits")
            self.decide("a", ("accept", "", "=1+1 fits"))
        elif way == 7:
            # Another look: the decision is taken back and made otherwise.
            name = self.decide("a", ("accept", "", ""))
            self.browser.press("u")
            assert self.shown == name
            self.decide(("r", "1"), ("reject", REASONS[0], ""))
        elif way == 8:
            # A change of mind about the set before, and on to where it was left.
            name = self.shown
            self.browser.press("p")
            assert self.shown != name
            self.decide("4", ("reject", REASONS[3], self.decided[self.shown][2]))
            assert self.shown == name
            self.decide("a", ("accept", "", ""))
        else:
            self.decide("a", ("accept", "", ""))


def specbridge(project: Project, *arguments: object) -> str:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "specbridge_pipeline.cli", "--project", str(project.root)),
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with the shipped edition, and no verdict."""
    found = Project(tmp_path_factory.mktemp("in_a_row"))
    shipped = Project(CHECKOUT)
    shutil.copytree(shipped.editions / EDITION, found.editions / EDITION)
    shutil.copytree(shipped.profiles, found.profiles)
    for path in (shipped.databases_file, shipped.models_file):
        shutil.copy(path, found.data)
    return found


def reopened(browser: Browser, page: Path) -> None:
    browser.open(page.as_uri())
    browser.wait_for("!document.getElementById('main').hidden")


def downloaded(browser: Browser, folder: Path) -> dict[str, Said]:
    """Download by keyboard; return set id → verdict, reason and comment, in the file's order."""
    folder.mkdir()
    browser.download_to(folder)
    browser.press("d")
    browser.wait_for(f"{MESSAGE}.startsWith('Downloaded')")
    for _ in range(300):
        if list(folder.glob("*.csv")):
            break
        time.sleep(0.1)
    [path] = folder.glob("*.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["reviewer"] for row in rows} == {"Ann"}
    return {row["set_id"]: (row["verdict"], row["reason"], row["comment"]) for row in rows}


def test_a_hundred_sets_are_decided_by_keyboard_with_a_break_and_imported_as_keyed(
    project: Project, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    specbridge(project, "review", "export", "--edition", EDITION, "--count", SETS, "--out", page)
    decided: dict[str, Said] = {}
    skipped: list[str] = []
    profile = tmp_path / "profile"

    with Browser(profile, 1440, 900) as browser:
        browser.open(page.as_uri())
        browser.wait_for("document.activeElement && document.activeElement.id === 'name'")
        browser.type("Ann")
        browser.press("Enter")
        browser.wait_for("!document.getElementById('main').hidden")
        order = browser.evaluate(
            "[...document.querySelectorAll('section.item')].map(each => each.dataset.set)"
        )
        assert len(order) == SETS
        reviewer = Reviewer(browser, decided)
        for number in range(BEFORE_THE_BREAK):
            if number % 20 == 2:
                skipped.append(reviewer.shown)
                browser.press("n")
            reviewer.one(number)
        before = reviewer.shown, browser.evaluate(TALLY)
        browser.quit()

    with Browser(profile, 1440, 900) as browser:
        reopened(browser, page)
        reviewer = Reviewer(browser, decided)
        assert (reviewer.shown, browser.evaluate(TALLY)) == before
        # What was decided before the break can be taken back after it.
        browser.press("u")
        assert reviewer.shown == list(decided)[-1]
        reviewer.decide("2", ("reject", REASONS[1], ""))
        assert reviewer.shown == before[0]
        while len(decided) < SETS - len(skipped):
            reviewer.one(len(decided))
        assert len(decided) >= 100
        # The sets that were skipped are shown at the end, by themselves.
        assert reviewer.shown == skipped[0]
        accepted = sum(said[0] == "accept" for said in decided.values())
        rejected = len(decided) - accepted
        assert browser.evaluate(TALLY) == (
            f"{len(decided)} decided: {accepted} accepted, {rejected} rejected"
        )
        assert not browser.evaluate(FINISHED)
        found = downloaded(browser, tmp_path / "first")
        assert found == decided
        assert list(found) == [name for name in order if name in decided]

        done = json.loads(
            specbridge(
                project,
                *("review", "import", "--edition", EDITION, "--json"),
                *(tmp_path / "first").glob("*.csv"),
            )
        )
        assert (done["read"], done["added"]) == (len(decided), len(decided))

        for name in skipped:
            assert reviewer.decide("a", ("accept", "", "")) == name
        assert browser.evaluate(FINISHED)
        assert downloaded(browser, tmp_path / "second") == decided
        browser.quit()

    done = json.loads(
        specbridge(
            project,
            *("review", "import", "--edition", EDITION, "--json"),
            *(tmp_path / "second").glob("*.csv"),
        )
    )
    assert (done["read"], done["added"], done["replaced"]) == (SETS, len(skipped), 0)
    verdicts = read_verdicts(project.reviews.glob("*.csv"))
    assert {
        each.set_id: ("accept" if each.accepted else "reject", each.reason, each.comment)
        for each in verdicts
    } == decided
