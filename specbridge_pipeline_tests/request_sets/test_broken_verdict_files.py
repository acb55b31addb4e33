"""Every way in which a file of verdicts can be broken, with verdicts on sets and on edits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.request_sets.human_review.decisions import EDITS, KINDS, SETS, ReviewKind
from specbridge_pipeline.request_sets.human_review.edits import plan_edit_import, write_edit_import
from specbridge_pipeline.request_sets.human_review.importing import (
    ReviewImport,
    plan_import,
    write_import,
)
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import snapshot
from specbridge_pipeline_tests.support.verdict_files import BROKEN, filled_in, write_case

IDS = {
    SETS.noun: ("0123456789ab", "ba9876543210", "000000000000"),
    EDITS.noun: ("bird/dev/0/ties", "bird/dev/1/ties", "bird/dev/9/ties"),
}
DIGESTS = ("d1", "d2")

kinds = pytest.mark.parametrize("kind", KINDS, ids=[each.noun for each in KINDS])


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def plan(project: Project, kind: ReviewKind, *paths: Path) -> ReviewImport:
    digests = dict(zip(IDS[kind.noun], DIGESTS, strict=False))
    function = plan_import if kind is SETS else plan_edit_import
    return function(project, paths, digests)


def problems(project: Project, kind: ReviewKind, *paths: Path) -> tuple[str, ...]:
    with pytest.raises(HumanVerdictsError) as caught:
        plan(project, kind, *paths)
    return caught.value.problems


def recorded(project: Project, kind: ReviewKind, folder: Path) -> Mapping[str, bytes]:
    """Import a verdict by somebody else; return what lies on the disk then."""
    text = filled_in("HEADER\nTWO,D2,zoe,1,accept,,\n", kind, IDS[kind.noun], DIGESTS)
    path = folder / "before.csv"
    path.write_text(text, "utf-8")
    planned = plan(project, kind, path)
    (write_import if kind is SETS else write_edit_import)(project, planned)
    return snapshot(project.root)


@kinds
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_has_its_own_error_and_changes_nothing(
    name: str, kind: ReviewKind, project: Project, tmp_path: Path
) -> None:
    before = recorded(project, kind, tmp_path)
    case: dict[str, Any] = BROKEN[name]
    path = write_case(case, tmp_path, kind, IDS[kind.noun], DIGESTS)
    if case.get("accepted"):
        assert plan(project, kind, path).added >= 1
        return
    expected = [
        filled_in(each, kind, IDS[kind.noun], DIGESTS).replace("FILE", path.name)
        for each in case["says"]
    ]
    found = problems(project, kind, path)
    assert len(found) == len(expected), found
    for problem, says in zip(found, expected, strict=True):
        assert problem.startswith(says)
        assert len(problem) < 300
    assert snapshot(project.root) == before


@kinds
def test_what_is_no_file_is_not_waited_for(
    kind: ReviewKind, project: Project, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path in (pipe, Path(os.devnull), Path("/dev/zero"), tmp_path):
        [problem] = problems(project, kind, path)
        assert problem == f"{path.name}: cannot be read: it is no regular file"
    [problem] = problems(project, kind, tmp_path / "none.csv")
    assert problem == "none.csv: cannot be read: there is no such file"


@kinds
def test_a_file_that_is_given_twice_is_one_fault(
    kind: ReviewKind, project: Project, tmp_path: Path
) -> None:
    text = "HEADER\nONE,D1,ann,1,accept,,\nTWO,D2,ann,1,accept,,\n"
    one, copy = tmp_path / "ann.csv", tmp_path / "ann (1).csv"
    for path in (one, copy):
        path.write_text(filled_in(text, kind, IDS[kind.noun], DIGESTS), "utf-8")
    again = tmp_path / "link.csv"
    again.symlink_to(one)
    assert problems(project, kind, one, one) == ("ann.csv: is given twice",)
    assert problems(project, kind, one, again) == (
        "link.csv: holds the same as ann.csv; give one of them",
    )
    assert problems(project, kind, one, copy) == (
        "ann (1).csv: holds the same as ann.csv; give one of them",
    )


@kinds
def test_files_of_one_name_are_told_apart_by_their_folders(
    kind: ReviewKind, project: Project, tmp_path: Path
) -> None:
    paths = [tmp_path / name / "review.csv" for name in ("ann", "bea")]
    for path in paths:
        path.parent.mkdir()
        text = f"HEADER\nONE,D1,{path.parent.name},1,perhaps,,\n"
        path.write_text(filled_in(text, kind, IDS[kind.noun], DIGESTS), "utf-8")
    found = problems(project, kind, *paths)
    assert [problem.split(": ")[0] for problem in found] == [f"{path}:2" for path in paths]


@kinds
def test_a_person_has_one_spelling_also_over_imports_and_readings(
    kind: ReviewKind, project: Project, tmp_path: Path
) -> None:
    before = recorded(project, kind, tmp_path)
    path = tmp_path / "file.csv"
    text = "HEADER\nTWO,D2,Zoe/2,1,accept,,\n"
    path.write_text(filled_in(text, kind, IDS[kind.noun], DIGESTS), "utf-8")
    [problem] = problems(project, kind, path)
    assert problem == (
        "file.csv:2: the reviewer 'Zoe' was imported as 'zoe'; one person has one spelling"
    )
    assert snapshot(project.root) == before


@kinds
def test_verdicts_that_were_damaged_on_the_disk_are_named_by_their_path(
    kind: ReviewKind, project: Project, tmp_path: Path
) -> None:
    recorded(project, kind, tmp_path)
    folder = project.review_passes if kind is SETS else project.answer_change_verdicts
    kept = folder / "imported.csv"
    kept.write_text(kept.read_text("utf-8").replace("accept", "acce"), "utf-8")
    path = tmp_path / "file.csv"
    text = "HEADER\nONE,D1,ann,1,accept,,\n"
    path.write_text(filled_in(text, kind, IDS[kind.noun], DIGESTS), "utf-8")
    [problem] = problems(project, kind, path)
    assert problem.startswith(f"{kept}:2: the verdict is 'acce'")


@kinds
def test_of_very_many_faults_the_first_are_printed_and_the_others_counted(
    kind: ReviewKind, project: Project, tmp_path: Path
) -> None:
    path = tmp_path / "file.csv"
    text = "HEADER\n" + "ONE,D1,ann,1,maybe,,\n" * 100
    path.write_text(filled_in(text, kind, IDS[kind.noun], DIGESTS), "utf-8")
    with pytest.raises(HumanVerdictsError, match=r"100 problems(.|\n)*… and 70 more") as caught:
        plan(project, kind, path)
    assert len(caught.value.problems) == 100
