"""Verdicts that ship with an edition: read with it, added to it, and every fault named."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specbridge_pipeline.errors import ConfigurationError, HumanVerdictsError, SpecBridgeError
from specbridge_pipeline.request_sets.editions import Edition, read_edition
from specbridge_pipeline.request_sets.human_review.decisions import (
    Decision,
    RejectionReason,
    Verdict,
    decisions_csv,
    person_of,
)
from specbridge_pipeline.request_sets.human_review.edition_reviews import (
    edition_digests,
    plan_attachment,
    read_edition_review,
    review_folder,
    write_attachment,
)
from specbridge_pipeline.request_sets.human_review.edition_verdicts import edition_verdict_rows
from specbridge_pipeline.request_sets.human_review.importing import VERDICTS_FILE
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import CHECKOUT, LABEL, judge_sets, make_project

FAULTS = yaml.safe_load(Path(__file__).with_name("edition_review_faults.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_project(tmp_path_factory.mktemp("shop"))


@pytest.fixture
def edition(shop: Project) -> Iterator[Edition]:
    """The edition of a shop, with a review by ann in two readings."""
    judge_sets(shop)
    found = read_edition(shop, "shop-1")
    yield found
    shutil.rmtree(review_folder(found))


@pytest.fixture
def bare(shop: Project) -> Iterator[Edition]:
    """The same edition without any review."""
    found = read_edition(shop, "shop-1")
    yield found
    shutil.rmtree(review_folder(found), ignore_errors=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))}


def file_of(edition: Edition, path: Path, reviewer: str, signs: str) -> Path:
    """Write decisions on an edition's sets by id: + accepts, - rejects, a blank decides nothing."""
    digests = edition_digests(edition)
    decisions = [
        Decision(name, digests[name], reviewer, 1, Verdict.ACCEPT)
        if sign == "+"
        else Decision(name, digests[name], reviewer, 1, Verdict.REJECT, RejectionReason.OTHER, "so")
        for name, sign in zip(sorted(digests), signs, strict=True)
        if sign != " "
    ]
    path.write_text(decisions_csv(decisions), "utf-8")
    return path


def rows_of(edition: Edition, **sources: Any) -> list[dict[str, Any]]:
    own = {"imported": (), "written": ()} | sources
    return edition_verdict_rows(edition, read_edition_review(edition), **own)


@pytest.mark.parametrize(
    ("reviewer", "person"),
    [
        ("ann", "ann"),
        ("ann/1", "ann"),
        ("ann/2", "ann"),
        ("ann / 12", "ann"),
        ("Ann, the first/2", "Ann, the first"),
        ("ann/0", "ann/0"),
        ("ann/again", "ann/again"),
        ("/2", "/2"),
        ("a/b/2", "a/b"),
    ],
)
def test_a_number_after_a_stroke_is_a_reading_of_the_same_person(
    reviewer: str, person: str
) -> None:
    assert person_of(reviewer) == person


def test_an_edition_without_a_review_has_none(bare: Edition) -> None:
    assert read_edition_review(bare).decisions == ()
    assert rows_of(bare) == []


def test_a_review_is_read_with_its_label(edition: Edition) -> None:
    found = read_edition_review(edition)
    assert found.labels == {"ann": LABEL}
    assert [each.decision.reviewer for each in found.decisions] == ["ann/1"] * 2 + ["ann/2"] * 2


def test_an_edition_stays_sealed_whatever_is_said_of_it(shop: Project, edition: Edition) -> None:
    assert read_edition(shop, edition.id).record.digest == edition.record.digest


def test_a_set_stands_as_the_last_words_on_it_say(edition: Edition) -> None:
    rows = rows_of(edition)
    first, _, third = sorted(edition_digests(edition))
    assert {(row["set_id"], row["standing"]) for row in rows} == {
        (first, "kept"),
        (third, "disagreement"),
    }
    assert {row["label"] for row in rows} == {LABEL}
    assert rows[0]["origin"] == "verdicts/ann-1.csv:2"


def test_verdicts_of_the_project_count_as_well(edition: Edition) -> None:
    first, second, third = sorted(edition_digests(edition))
    line = {"line": 2, "reviewer": "bea", "accepted": False, "reason": "dull", "comment": "so"}
    rows = rows_of(
        edition,
        imported=[Decision(second, "d", "cleo", 1, Verdict.ACCEPT)],
        written=[
            line | {"file": "by-hand.csv", "set_id": first},
            line | {"file": "by-hand.csv", "set_id": "of another"},
            # What an import wrote is known from the import.
            line | {"file": VERDICTS_FILE, "set_id": third},
        ],
    )
    own = {row["reviewer"]: row for row in rows if not row["reviewer"].startswith("ann")}
    assert sorted(own) == ["bea", "cleo"]
    assert own["cleo"]["standing"] == "kept"
    assert (own["bea"]["reason"], own["bea"]["comment"]) == ("other", "dull: so")
    assert {row["standing"] for row in rows if row["set_id"] == first} == {"disagreement"}


def test_a_verdict_in_two_places_counts_once_if_it_is_the_same(edition: Edition) -> None:
    first = min(edition_digests(edition))
    same = Decision(first, "d", "ann/1", 1, Verdict.ACCEPT)
    assert rows_of(edition, imported=[same]) == rows_of(edition)
    other = Decision(first, "d", "ann/1", 1, Verdict.REJECT, RejectionReason.OTHER)
    with pytest.raises(HumanVerdictsError, match=r"otherwise than at verdicts/ann-1\.csv:2"):
        rows_of(edition, imported=[other])


@pytest.mark.parametrize("case", FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_review_that_ships_is_named(edition: Edition, case: dict[str, Any]) -> None:
    first, second, third = sorted(digests := edition_digests(edition))
    names = {"FIRST": first, "SECOND": second, "THIRD": third}
    names |= {f"D{place}": digests[name] for place, name in enumerate(sorted(digests), 1)}

    def filled(text: str) -> str:
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    for name, text in case["files"].items():
        path = review_folder(edition) / name
        path.unlink() if text is None else path.write_text(filled(text), "utf-8")
    with pytest.raises(SpecBridgeError) as caught:
        read_edition_review(edition)
    assert filled(case["says"]) in str(caught.value)


def test_files_are_added_to_an_edition_a_file_a_reviewer(bare: Edition, tmp_path: Path) -> None:
    files = [
        file_of(bare, tmp_path / "one.csv", "Ann/1", "+-+"),
        file_of(bare, tmp_path / "two.csv", "Ann/2", "++ "),
    ]
    planned, labels = plan_attachment(bare, files, f" {LABEL} ")
    assert not review_folder(bare).exists()
    assert (planned.read, planned.added) == (5, 5)
    folder = write_attachment(bare, planned, labels)
    assert sorted(contents(folder)) == ["ann-1.csv", "ann-2.csv", "reviewers.yaml"]
    assert read_edition_review(bare).labels == {"Ann": LABEL}
    before = contents(folder)
    again, labels = plan_attachment(bare, files, LABEL)
    assert again.added == 0
    write_attachment(bare, again, labels)
    assert contents(folder) == before


def test_a_file_that_came_under_another_name_is_not_said_twice(
    edition: Edition, tmp_path: Path
) -> None:
    folder = review_folder(edition)
    (folder / "ann-1.csv").rename(folder / "download.csv")
    planned, labels = plan_attachment(
        edition, [file_of(edition, tmp_path / "bea.csv", "bea", "+  ")], "an independent review"
    )
    write_attachment(edition, planned, labels)
    assert sorted(contents(folder)) == ["ann-1.csv", "ann-2.csv", "bea.csv", "reviewers.yaml"]
    assert read_edition_review(edition).labels == {"ann": LABEL, "bea": "an independent review"}


def test_what_cannot_be_added_changes_nothing(edition: Edition, tmp_path: Path) -> None:
    before = contents(review_folder(edition))
    contrary = [file_of(edition, tmp_path / "one.csv", "ann/1", "-  ")]
    with pytest.raises(HumanVerdictsError, match="otherwise, in a file imported before"):
        plan_attachment(edition, contrary, LABEL)
    fine = [file_of(edition, tmp_path / "two.csv", "ann/1", "+  ")]
    with pytest.raises(ConfigurationError, match="it is not said what this review is"):
        plan_attachment(edition, fine, "")
    with pytest.raises(ConfigurationError, match="the review has a label of 301 characters"):
        plan_attachment(edition, fine, "x" * 301)
    with pytest.raises(ConfigurationError, match="the review of 'ann' ships as"):
        plan_attachment(edition, fine, "an independent review")
    assert contents(review_folder(edition)) == before


def test_verdicts_on_the_shipped_edition_need_no_database(tmp_path: Path) -> None:
    """What a set's digest is made from stands in the edition itself."""
    project = Project(tmp_path)
    shutil.copytree(
        CHECKOUT / "data" / "editions" / "generated-1",
        project.editions / "copy",
        ignore=shutil.ignore_patterns("verdicts"),
    )
    record = project.editions / "copy" / "edition.yaml"
    record.write_text(record.read_text("utf-8").replace("id: generated-1", "id: copy"), "utf-8")
    copy = read_edition(project, "copy")
    signs = "+-" + " " * (len(copy.sets) - 2)
    files = [
        file_of(copy, tmp_path / f"{name}.csv", f"builders/{name}", signs) for name in ("1", "2")
    ]
    write_attachment(copy, *plan_attachment(copy, files, LABEL))
    assert sorted(row["standing"] for row in rows_of(copy)) == ["kept"] * 2 + ["rejected"] * 2
