"""Verdicts that ship with an edition come along when its export is imported, or nothing does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.errors import ImportFaultsError
from specbridge_pipeline.exchange.coming_verdicts import ComingReview, read_coming_review
from specbridge_pipeline.exchange.reading_sets import RegisteredDatabase, read_set_rows
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.human_review.edition_reviews import (
    edition_digests,
    read_edition_review,
    review_folder,
)
from specbridge_pipeline.request_sets.human_verdicts import read_verdicts
from specbridge_pipeline.request_sets.review_text import LARGEST_FILE
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import EDITION, LABEL, judge_sets, make_project

SHIPPED_FAULTS, OWN_FAULTS = (
    yaml.safe_load(path.read_text("utf-8"))
    for path in (
        Path(__file__).parents[1] / "request_sets" / "edition_review_faults.yaml",
        Path(__file__).with_name("coming_verdict_faults.yaml"),
    )
)
FAULTS: dict[str, dict[str, Any]] = {
    name: {**case, "says": [case["says"]]} for name, case in SHIPPED_FAULTS.items()
} | OWN_FAULTS


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Path]:
    """A project, and the export of its edition with a review; the sets are in order of their ids.

    The first set is accepted by both readings of ann, the third by one of them.
    """
    project = make_project(tmp_path_factory.mktemp("reviewed"))
    judge_sets(project)
    out = tmp_path_factory.mktemp("shared") / "out"
    command = ["--project", str(project.root), "editions", "export", EDITION, "--out", str(out)]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    sets = out / "sets.jsonl"
    lines = sorted(sets.read_text("utf-8").splitlines(), key=lambda line: json.loads(line)["id"])
    sets.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return project, out


@pytest.fixture
def out(shared: tuple[Project, Path], tmp_path: Path) -> Path:
    """The exported folder, to be changed."""
    return shutil.copytree(shared[1], tmp_path / "out")


def digests_of(shared: tuple[Project, Path]) -> dict[str, str]:
    return edition_digests(read_edition(shared[0], EDITION))


def import_into(project: Project, out: Path, *options: str) -> Result:
    """Import an export as another edition, without the gates for words."""
    gates = [each for name in ("requests", "reviewers") for each in ("--without", name)]
    command = ["sets", "import", str(out / "sets.jsonl"), "--edition", "again-1", *gates, *options]
    return CliRunner().invoke(
        cli, ["--project", str(project.root), *command], standalone_mode=False
    )


def coming(shared: tuple[Project, Path], out: Path) -> ComingReview:
    known = read_edition(shared[0], EDITION).record.databases["shop"].content_hash
    rows = read_set_rows(out / "sets.jsonl", lambda _: RegisteredDatabase(known, "sqlite"))
    return read_coming_review(out / "sets.jsonl", rows)


def files(project: Project) -> dict[Path, bytes]:
    folders = (project.editions, project.reviews, project.recordings)
    return {
        path: path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }


def change_first_verdict(out: Path, change: dict[str, Any]) -> None:
    sets = out / "sets.jsonl"
    first, *others = sets.read_text("utf-8").splitlines()
    row = json.loads(first)
    row["human_verdicts"][0] |= change
    sets.write_text("\n".join([json.dumps(row), *others]), "utf-8")


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_verdict_is_named_and_changes_nothing(
    name: str, shared: tuple[Project, Path], out: Path, tmp_path: Path
) -> None:
    case = FAULTS[name]
    digests = digests_of(shared)
    words = {"LABEL": LABEL}
    for place, (word, set_id) in enumerate(
        zip(("FIRST", "SECOND", "THIRD"), sorted(digests), strict=True), start=1
    ):
        words |= {word: set_id, f"D{place}": digests[set_id]}

    def filled(text: str) -> str:
        for word, value in words.items():
            text = text.replace(word, value)
        return text

    project = make_project(tmp_path / "project")
    for file, change in case.get("files", {}).items():
        path = out / "verdicts" / file
        if change is None:
            path.unlink()
        elif isinstance(change, str):
            path.write_text(filled(change), "utf-8")
        else:
            old, new = change
            text = path.read_text("utf-8")
            assert old in text
            path.write_text(text.replace(old, new), "utf-8")
    if "row" in case:
        change_first_verdict(out, case["row"])
    if "own" in case:
        project.reviews.mkdir(parents=True)
        (project.reviews / "mine.csv").write_text(filled(case["own"]), "utf-8")
    before = files(project)
    refused = import_into(project, out)
    assert refused.exception is not None
    for says in case["says"]:
        assert filled(says) in str(refused.exception)
    assert files(project) == before


def test_a_file_that_is_not_utf_8_is_named(shared: tuple[Project, Path], out: Path) -> None:
    (out / "verdicts" / "ann-1.csv").write_bytes(b"set_id,digest,reviewer,verdict\n\xff")
    refused = import_into(shared[0], out)
    assert "verdicts/ann-1.csv:2: is not UTF-8, at byte 31" in str(refused.exception)


def test_a_folder_or_a_file_that_is_none_is_named(shared: tuple[Project, Path], out: Path) -> None:
    labels = out / "verdicts" / "reviewers.yaml"
    said = labels.read_bytes()
    labels.unlink()
    labels.mkdir()
    refused = import_into(shared[0], out)
    assert "verdicts/reviewers.yaml: is no regular file" in str(refused.exception)
    labels.rmdir()
    labels.write_bytes(said + b"#" * LARGEST_FILE)
    refused = import_into(shared[0], out)
    assert "verdicts/reviewers.yaml: has more than 10,000,000 bytes" in str(refused.exception)
    shutil.rmtree(out / "verdicts")
    (out / "verdicts").write_text("mine", "utf-8")
    refused = import_into(shared[0], out)
    assert "verdicts: is no folder" in str(refused.exception)
    (out / "verdicts").unlink()
    (out / "verdicts").symlink_to(out / "lost")
    refused = import_into(shared[0], out)
    assert "verdicts: is no folder" in str(refused.exception)


def test_a_label_is_one_line_of_a_length_wherever_it_stands(
    shared: tuple[Project, Path], out: Path
) -> None:
    labels, sets = out / "verdicts" / "reviewers.yaml", out / "sets.jsonl"
    whole = coming(shared, out)
    words = LABEL.replace(", not", ",\n    not")
    labels.write_text(f"reviewers:\n  ann: |\n    {words}\n", "utf-8")
    assert coming(shared, out).review == whole.review
    long = "an independent review " * 20
    labels.write_text(yaml.safe_dump({"reviewers": {"ann": long}}), "utf-8")
    says = "the review of 'ann' has a label of 439 characters; at most 300 can be"
    assert says in str(import_into(shared[0], out).exception)
    shutil.rmtree(labels.parent)
    sets.write_text(sets.read_text("utf-8").replace(LABEL, long), "utf-8")
    refused = import_into(shared[0], out)
    assert f"sets.jsonl:1: {says}" in str(refused.exception)
    assert isinstance(refused.exception, ImportFaultsError)
    # Once for a person in a row, and not for each of their verdicts.
    assert len(refused.exception.problems) == 1


def test_what_a_system_leaves_in_the_folder_is_passed_over(
    shared: tuple[Project, Path], out: Path
) -> None:
    (out / "verdicts" / ".DS_Store").write_bytes(b"\0")
    found = coming(shared, out)
    assert sorted(found.files) == ["ann-1.csv", "ann-2.csv", "reviewers.yaml"]


def test_verdicts_on_sets_without_depths_cannot_be_told(
    shared: tuple[Project, Path], out: Path
) -> None:
    sets = out / "sets.jsonl"
    nothing = {"id": None, "step_depth": None, "arithmetic_depth": None, "tier": None}
    rows = [json.loads(line) for line in sets.read_text("utf-8").splitlines()]
    text = "\n".join(json.dumps(each | nothing | {"human_verdicts": []}) for each in rows)
    sets.write_text(text, "utf-8")
    assert (
        "sets.jsonl: 3 sets with no depths, from which ids follow too, so that no verdict can be "
        "told to be on them; give step_depth and arithmetic_depth"
    ) in str(import_into(shared[0], out).exception)


def test_verdicts_come_along_as_the_files_that_they_are(
    shared: tuple[Project, Path], out: Path, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "project")
    assert "taken along" not in import_into(project, out, "--dry-run").output
    assert not (project.editions / "again-1").exists()
    done = import_into(project, out)
    assert done.return_value == 0, done.output
    assert f"4 verdicts of ann taken along, on 2 sets ({LABEL})" in done.output
    edition = read_edition(project, "again-1")
    came, shipped = (
        {path.name: path.read_bytes() for path in folder.iterdir()}
        for folder in (review_folder(edition), review_folder(read_edition(shared[0], EDITION)))
    )
    assert came == shipped
    # They are no part of what is sealed, and none of the project's own.
    assert edition.record.read_by == ()
    assert read_verdicts(project.reviews.glob("*.csv")) == []


def test_rows_alone_hold_the_whole_review(
    shared: tuple[Project, Path], out: Path, tmp_path: Path
) -> None:
    shutil.rmtree(out / "verdicts")
    project = make_project(tmp_path / "project")
    done = import_into(project, out, "--json")
    assert done.return_value == 0, done.output
    assert json.loads(done.output)["verdicts"] == 4
    came, shipped = (
        read_edition_review(edition)
        for edition in (read_edition(project, "again-1"), read_edition(shared[0], EDITION))
    )
    assert came.labels == shipped.labels == {"ann": LABEL}
    assert [each.decision for each in came.decisions] == [
        each.decision for each in shipped.decisions
    ]


def test_files_alone_hold_the_whole_review(shared: tuple[Project, Path], out: Path) -> None:
    sets = out / "sets.jsonl"
    whole = coming(shared, out)
    rows = [json.loads(line) for line in sets.read_text("utf-8").splitlines()]
    text = "\n".join(json.dumps(each | {"human_verdicts": []}) for each in rows)
    sets.write_text(text, "utf-8")
    assert coming(shared, out) == whole


def test_verdicts_on_sets_that_are_left_out_are_left_out(
    shared: tuple[Project, Path], out: Path
) -> None:
    first, second, third = sorted(digests_of(shared))
    found = coming(shared, out)
    whole = found.shipped_with({first, second, third})
    assert whole == {f"verdicts/{name}": content for name, content in found.files.items()}
    assert found.shipped_with({second}) == {}
    part = found.shipped_with({first, second})
    assert sorted(part) == sorted(whole)
    assert part["verdicts/ann-1.csv"].decode().splitlines() == [
        line
        for line in whole["verdicts/ann-1.csv"].decode().splitlines()
        if not line.startswith(third)
    ]
