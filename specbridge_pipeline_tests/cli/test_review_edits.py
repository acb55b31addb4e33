"""Reviewing edits of benchmark questions: export, decide, import, count; questions written here."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner

from specbridge_pipeline.choices.answer_changes.study import empty_row
from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.request_sets.human_review.decisions import Decision, EditReason, Verdict
from specbridge_pipeline.request_sets.human_review.edits import ConfirmedCount, confirmed_counts
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.browser import CHROMIUM, Browser
from specbridge_pipeline_tests.support.page import Page
from specbridge_pipeline_tests.support.projects import make_project

pytestmark = pytest.mark.slow

QUESTIONS = [
    ("Which ships were built after 1990?", "SELECT name FROM ships WHERE built > 1990"),
    ("Which ships were built after 1991?", "SELECT name FROM ships WHERE built > 1991"),
    (
        "How many ships &c were built after 1990?",
        "SELECT COUNT(*) FROM ships WHERE built > 1990",
    ),
]
NOTE = "built is a year"
COLUMNS = ("ship_id", "name", "built")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project, with a copy of a benchmark beside it."""
    made = make_project(tmp_path_factory.mktemp("edits"))
    root = made.root
    questions = [
        {"db_id": "ships", "question_id": number, "question": a, "evidence": NOTE, "SQL": b}
        for number, (a, b) in enumerate(QUESTIONS)
    ]
    (root / "dev.json").write_text(json.dumps(questions), "utf-8")
    table = {
        "db_id": "ships",
        "table_names_original": ["ships"],
        "column_names_original": [[-1, "*"], *([0, name] for name in COLUMNS)],
        "column_types": ["text", "number", "text", "number"],
        "primary_keys": [1],
        "foreign_keys": [],
    }
    (root / "tables.json").write_text(json.dumps([table]), "utf-8")
    (root / "benchmark" / "ships").mkdir(parents=True)
    connection = apsw.Connection(str(root / "benchmark" / "ships" / "ships.sqlite"))
    connection.execute("CREATE TABLE ships (ship_id INTEGER PRIMARY KEY, name TEXT, built INTEGER)")
    connection.execute("INSERT INTO ships VALUES (1, 'Ada', 1990), (2, 'Eva', 1993)")
    connection.close()
    return made


def edits(project: Project, *arguments: object, code: int = 0) -> str:
    root = project.root
    files = ["--questions", root / "dev.json", "--tables", root / "tables.json"]
    files += ["--databases", root / "benchmark"]
    more = [] if arguments[0] == "counts" else files
    called = ["--project", str(root), "review", "edits", *map(str, arguments), *map(str, more)]
    done = CliRunner().invoke(cli, called)
    assert done.exit_code == code, done.output
    # What the command raises is what `specbridge` prints.
    return str(done.exception) if code else done.output


@pytest.fixture(scope="module")
def page(project: Project) -> Path:
    path = project.root / "page.html"
    assert "2 edits to review" in edits(project, "export", "--order", 3, "--out", path)
    return path


@pytest.fixture
def sheet(project: Project, tmp_path: Path) -> list[dict[str, str]]:
    edits(project, "export", "--csv", tmp_path / "sheet.csv")
    with (tmp_path / "sheet.csv").open(encoding="utf-8", newline="") as file:
        return sorted(csv.DictReader(file), key=lambda row: row["edit_id"])


def decided(rows: list[dict[str, str]], path: Path, reviewer: str, signs: str) -> Path:
    for row, sign in zip(rows, signs, strict=True):
        row |= {"reviewer": reviewer, "verdict": "accept" if sign == "+" else "reject"}
        row["reason"] = "" if sign == "+" else "wording settles it"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_page_shows_a_question_with_both_sides_and_fetches_nothing(page: Path) -> None:
    text = page.read_text("utf-8")
    shown = Page(text)
    assert (shown.crossed, shown.open) == ([], [])
    words = " ".join(" ".join(shown.words).split())
    for said in (
        "How many ships &c were built after 1990?",
        NOTE,
        "The reference",
        "The other interpretation",
        "described exactly",
        "reference takes another side",
        "Could a reasonable analyst mean either?",
    ):
        assert said in words
    assert "ships &amp;c were" in text
    assert "default-src 'none'" in text


def test_only_edits_that_change_an_answer_are_there(sheet: list[dict[str, str]]) -> None:
    assert [row["edit_id"] for row in sheet] == [
        "bird/dev/0/strict_cutoff",
        "bird/dev/2/strict_cutoff",
    ]
    assert len({row["digest"] for row in sheet}) == 2


def test_decisions_are_kept_apart_from_those_on_sets_and_counted(
    project: Project, sheet: list[dict[str, str]], tmp_path: Path
) -> None:
    one = decided(sheet, tmp_path / "one.csv", "ann/1", "+-")
    two = decided(sheet, tmp_path / "two.csv", "ann/2", "+-")
    said = edits(project, "import", one, two)
    assert "2 of 2 edits reviewed, 0 of them by one person: 1 kept, 1 rejected" in said
    assert "between passes" in said
    kept = (project.answer_change_verdicts / "imported.csv").read_text("utf-8")
    assert kept.startswith("edit_id,digest,reviewer,pass,verdict,reason,comment\n")
    assert "ships" not in kept
    assert NOTE not in kept
    assert not list(project.reviews.glob("*.csv"))
    # No asset was made here, so that there is nothing to count.
    assert json.loads(edits(project, "counts", "--json")) == {}
    assert "there is no answer to count" in edits(project, "counts")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"edit_id": "bird/dev/1/strict_cutoff"}, "there is no edit 'bird/dev/1/strict_cutof"),
        ({"digest": "d0"}, "edit bird/dev/0/strict_cutoff or its database has changed since"),
        ({"verdict": "maybe"}, "the verdict is 'maybe'"),
        (
            {"verdict": "reject"},
            "it is rejected without a reason; reasons: reference takes",
        ),
        ({"verdict": "reject", "reason": "unnatural"}, "unknown reason 'unnatural'"),
        ({"edit_id": ""}, "the edit id is missing"),
    ],
)
def test_a_fault_is_named_and_nothing_is_written(
    project: Project,
    sheet: list[dict[str, str]],
    tmp_path: Path,
    change: dict[str, str],
    says: str,
) -> None:
    kept = project.answer_change_verdicts / "imported.csv"
    before = kept.read_bytes() if kept.exists() else None
    decided(sheet, tmp_path / "bea.csv", "bea", "++")
    sheet[0] |= change
    with (tmp_path / "bea.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(sheet[0]))
        writer.writeheader()
        writer.writerows(sheet)
    said = edits(project, "import", tmp_path / "bea.csv", code=1)
    assert f"bea.csv:2: {says}" in " ".join(said.split())
    assert (kept.read_bytes() if kept.exists() else None) == before


def row(number: int, choice: str, effect: str = "changed") -> dict[str, object]:
    known = {
        "benchmark": "bird",
        "source": "dev",
        "question_id": str(number),
        "query": "0123456789ab",
        "choice_type": choice,
    }
    return empty_row(known, "strict") | {"effect": effect}


def verdict(number: int, choice: str, accepted: bool, query: str = "0123456789ab") -> Decision:
    return Decision(
        f"bird/dev/{number}/{choice}",
        f"d{query}-00000000",
        "ann",
        1,
        Verdict.ACCEPT if accepted else Verdict.REJECT,
        None if accepted else EditReason.OTHER,
    )


def test_counts_with_and_without_verdicts() -> None:
    rows = [
        *(row(number, "strict_cutoff") for number in range(4)),
        row(0, "ties"),
        row(1, "ties"),
        row(5, "ties", "same"),
    ]
    found = confirmed_counts(
        rows,
        [
            verdict(0, "strict_cutoff", False),
            verdict(0, "ties", True),
            verdict(1, "strict_cutoff", True),
            # The question has another query by now, or an answer that stays.
            verdict(2, "strict_cutoff", True, "ba9876543210"),
            verdict(5, "ties", True),
        ],
    )
    assert found == {
        "strict_cutoff": ConfirmedCount(4, 2, 1),
        "ties": ConfirmedCount(2, 1, 1),
        "published": ConfirmedCount(4, 2, 2),
        "any": ConfirmedCount(4, 2, 2),
    }
    assert confirmed_counts(rows, [])["any"] == ConfirmedCount(4, 0, 0)
    assert confirmed_counts([], []) == {}


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")
def test_edits_are_decided_by_keyboard_downloaded_and_imported(
    project: Project, page: Path, tmp_path: Path
) -> None:
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    with Browser(tmp_path / "profile") as browser:
        browser.download_to(downloads)
        browser.open(page.as_uri())
        browser.wait_for("document.activeElement && document.activeElement.id === 'name'")
        browser.type("Cleo")
        browser.evaluate("document.querySelector('#who button').click()")
        browser.wait_for("!document.getElementById('main').hidden")
        browser.press("a", "r", "2", "d")
        browser.wait_for("document.getElementById('message').textContent.startsWith('Downloaded')")
        for _ in range(100):
            if list(downloads.glob("*.csv")):
                break
            browser.wait_for("true")
        [file] = downloads.glob("*.csv")
        browser.quit()
    assert file.name == "review-bird-dev-pass-1-cleo.csv"
    assert "2 decisions read" in edits(project, "import", "--dry-run", file)
    assert "wording settles it" in file.read_text("utf-8")
