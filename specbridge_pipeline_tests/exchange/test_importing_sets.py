"""Importing sets as a user does it: what is written, what is left out, and what changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.human_verdicts import read_verdicts
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.exchange.test_reading_sets import row, write
from specbridge_pipeline_tests.support.projects import make_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "project", built_on=("clinic",))


def rows(project: Project, *names: str, **changes: Any) -> list[dict[str, Any]]:
    with Workspace(project) as workspace:
        found = workspace.files.content_hash(workspace.databases["clinic"])
    return [row(name, database_hash=found, **changes) for name in names]


def specbridge(project: Project, *arguments: str) -> Result:
    return CliRunner().invoke(
        cli, ["--project", str(project.root), *arguments], standalone_mode=False
    )


def files(project: Project) -> set[Path]:
    folders = (project.editions, project.reviews, project.recordings)
    return {path for folder in folders for path in folder.rglob("*") if path.is_file()}


def test_good_sets_become_an_edition_and_are_evaluable(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path / "sets.jsonl", rows(project, "COUNTING", "RATES"))
    done = specbridge(project, "sets", "import", str(path), "--edition", "outside-1")
    assert done.return_value == 0, done.output
    edition = read_edition(project, "outside-1")
    assert [each.choice_type for each in edition.sets] == ["counting_unit", "aggregation_level"]
    assert edition.record.title == "Imported from sets.jsonl"
    assert edition.record.selection == "2 of 2 sets of the file sets.jsonl"
    assert edition.record.read_by == ("rules/reading", "rules/requirements")
    again = specbridge(project, "sets", "import", str(path), "--edition", "outside-1")
    assert "there is already an edition of this name" in str(again.exception)


def test_sets_that_fail_are_listed_and_left_out(project: Project, tmp_path: Path) -> None:
    listed = rows(project, "COUNTING", "TIES")
    listed[1]["sql_b"] = "SELECT visit_id, cost FROM visits WHERE"
    path = write(tmp_path / "sets.jsonl", listed)
    before = files(project)
    command = ("sets", "import", str(path), "--edition", "outside-1")
    for option in ("--strict", "--dry-run"):
        refused = specbridge(project, *command, option)
        assert refused.return_value == 1
        assert "sets.jsonl:2:" in refused.output
        assert "queries: the queries cannot be compared" in refused.output
        assert files(project) == before
    done = specbridge(project, *command, "--json")
    assert done.return_value == 3
    said = json.loads(done.output)
    assert said["imported"]
    assert [each["passed"] for each in said["sets"]] == [True, False]
    assert said["sets"][1]["where"] == "sets.jsonl:2"
    assert len(read_edition(project, "outside-1").sets) == 1


def test_nothing_is_written_where_no_set_is_left(project: Project, tmp_path: Path) -> None:
    path = write(tmp_path / "sets.jsonl", rows(project, "TIES", sql_a="SELECT 1 AS no_such"))
    before = files(project)
    done = specbridge(project, "sets", "import", str(path), "--edition", "outside-1")
    assert done.return_value == 1
    assert "0 of 1 sets pass" in done.output
    assert "nothing is written" in done.output
    assert files(project) == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--edition", "shop-1"], "there is already an edition of this name"),
        (["--edition", "Outside 1"], "is no id of an edition"),
        (["--edition", "outside-1"], "unknown field 'mood'"),
    ],
)
def test_a_fault_changes_nothing(
    arguments: list[str], says: str, project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "sets.jsonl", rows(project, "COUNTING", mood="fine"))
    before = files(project)
    refused = specbridge(project, "sets", "import", str(path), *arguments)
    assert says in str(refused.exception)
    assert files(project) == before


def test_recordings_that_are_damaged_or_not_there_change_nothing(
    project: Project, tmp_path: Path
) -> None:
    path = write(tmp_path / "sets.jsonl", rows(project, "COUNTING"))
    folder = tmp_path / "recordings"
    folder.mkdir()
    before = files(project)
    command = ("sets", "import", str(path), "--edition", "outside-1", "--recordings", str(folder))
    assert "there is no recording here" in str(specbridge(project, *command).exception)
    (folder / "model.jsonl.gz").write_bytes(b"no recording")
    assert "is no recording" in str(specbridge(project, *command).exception)
    assert files(project) == before


def test_verdicts_of_people_come_along_to_where_they_are_read(
    project: Project, tmp_path: Path
) -> None:
    verdicts = [
        {"reviewer": "ann", "verdict": "accept"},
        {"reviewer": "bea", "verdict": "reject", "reason": "unnatural", "comment": "who, me?"},
    ]
    path = write(
        tmp_path / "sets.jsonl", rows(project, "COUNTING", id="ID", human_verdicts=verdicts)
    )
    done = specbridge(project, "sets", "import", str(path), "--edition", "outside-1")
    assert done.return_value == 0, done.output
    edition = read_edition(project, "outside-1")
    found = read_verdicts(project.reviews.glob("*.csv"))
    assert [(each.set_id, each.reviewer, each.accepted, each.reason) for each in found] == [
        (edition.sets[0].id, "ann", True, ""),
        (edition.sets[0].id, "bea", False, "unnatural"),
    ]
    assert edition.record.read_by[-2:] == ("person/ann", "person/bea")
    # What is known already is not written again.
    again = specbridge(project, "sets", "import", str(path), "--edition", "outside-2")
    assert again.return_value == 0, again.output
    assert read_verdicts(project.reviews.glob("*.csv")) == found


def test_a_bare_project_has_registries_and_nothing_to_look_at(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["init", str(tmp_path / "bare"), "--bare"])
    assert done.exit_code == 0
    project = Project(tmp_path / "bare")
    assert project.databases_file.is_file()
    assert project.models_file.is_file()
    assert project.profile("default").edition
    assert not project.editions.exists()
    assert not project.recordings.exists()


def test_the_hash_of_a_database_is_printed_for_who_writes_sets(project: Project) -> None:
    [expected] = {each["database_hash"] for each in rows(project, "COUNTING")}
    assert specbridge(project, "databases", "hash", "clinic").output == f"{expected}  clinic\n"
    unknown = specbridge(project, "databases", "hash", "nowhere")
    assert "there is no database 'nowhere'" in str(unknown.exception)
