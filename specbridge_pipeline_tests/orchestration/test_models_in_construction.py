"""Models in the roles of construction: chosen in the profile, named in the rows they make."""

import json
import subprocess
import sys

import pytest
import yaml

from specbridge_pipeline.choices.records import CHOICE_PROPOSALS
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.language_models.registry import Role
from specbridge_pipeline.orchestration.checks import PROMISES, violations
from specbridge_pipeline.orchestration.construction_calls import construction_calls
from specbridge_pipeline.orchestration.launching import run_stale
from specbridge_pipeline.orchestration.planner import plan
from specbridge_pipeline.orchestration.stage import construction_roles
from specbridge_pipeline.orchestration.stages import STAGE_BY_NAME, STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.records.row_files import read_rows
from specbridge_pipeline.request_sets.construction_records import (
    ACCEPTED_REQUEST_SETS,
    REQUEST_SETS,
    SET_REVIEWS,
)
from specbridge_pipeline.request_sets.writing_study import WRITING_DRAFTS
from specbridge_pipeline.settings import Mode
from specbridge_pipeline_tests.support.projects import make_project, opened, run, write_models

CLINIC = Partition(database="clinic")
SPECBRIDGE = [sys.executable, "-m", "specbridge_pipeline.cli"]
SMALL = {"short_queries": 8, "paper_queries": 0, "filter_queries": 2}
DRAFT = STAGES[: STAGES.index(STAGE_BY_NAME["accepted_request_sets"]) + 1]


def model(name, *roles, function="build", **entry):
    """Return the registry entry of a scripted model."""
    return {
        "id": name,
        "callable": f"specbridge_pipeline_tests.support.building_models:{function}",
        "roles": list(roles),
        **entry,
    }


def write_profile(project, **construction):
    path = project.profiles / "default.yaml"
    profile = yaml.safe_load(path.read_text("utf-8"))
    profile["construction"] = SMALL | construction
    path.write_text(yaml.safe_dump(profile), "utf-8")


def rows_of(project, schema):
    with Workspace(project) as workspace:
        return workspace.store.read(schema, CLINIC).to_dicts()


def stale(project):
    with Workspace(project) as workspace:
        return {cell.stage for cell in plan(workspace, stages=DRAFT) if not cell.waits}


@pytest.fixture(scope="module")
def by_rules(tmp_path_factory):
    """Return a project whose draft rules have built."""
    project = make_project(
        tmp_path_factory.mktemp("roles"), built_on=("clinic",), construction=SMALL
    )
    assert run(project, stages=DRAFT).failures == []
    return project


@pytest.fixture
def project(by_rules):
    """Return it as rules left it."""
    yield by_rules
    write_models(by_rules, [])
    write_profile(by_rules)
    assert run(by_rules, stages=DRAFT).failures == []


@pytest.mark.slow
def test_a_writer_and_a_reviewer_stand_in_the_rows_that_they_make(project):
    before = rows_of(project, REQUEST_SETS)
    write_models(project, [model("scribe", "writer"), model("critic", "reviewer")])
    write_profile(project, writer="scribe", reviewers=["rules/reading", "critic"])
    assert stale(project) == {"request_sets"}
    assert run(project, stages=DRAFT).failures == []
    sets = rows_of(project, REQUEST_SETS)
    assert {row["writer"] for row in sets} == {"scribe"}
    assert {row["proposal_id"] for row in sets} == {row["proposal_id"] for row in before}
    # Its texts pass or fail the same checks as those of the rules.
    assert all(row["request_a"].startswith("Find ") for row in sets)
    assert all(row["problems"] and not row["passed"] for row in sets)
    reviews = rows_of(project, SET_REVIEWS)
    assert {row["reviewer"] for row in reviews} == {"critic", "rules/reading"}
    # One revision by the same writer, and one recheck.
    assert {row["revision"] for row in reviews} == {0, 1}
    by_critic = [row for row in reviews if row["reviewer"] == "critic"]
    assert all(row["accepts_a"] != row["accepts_b"] for row in by_critic)
    assert rows_of(project, ACCEPTED_REQUEST_SETS) == []
    with Workspace(project) as workspace:
        for promise in PROMISES:
            if promise.stage in ("request_sets", "set_reviews", "accepted_request_sets"):
                assert violations(workspace, promise) == (0, ""), promise.name
    # Another state of the same model makes stale what it made, and nothing else.
    write_models(project, [model("scribe", "writer", revision="2"), model("critic", "reviewer")])
    assert stale(project) == {"request_sets"}


@pytest.mark.slow
def test_the_first_reviewer_says_which_choices_are_open(project):
    before = {row["proposal_id"]: row for row in rows_of(project, CHOICE_PROPOSALS)}
    assert any(row["selected"] for row in before.values())
    assert {row["reviewer"] for row in before.values() if row["one_step"]} == {"rules/reading"}
    write_models(project, [model("critic", "reviewer")])
    write_profile(project, reviewers=["critic", "rules/reading"])
    with Workspace(project, mode=Mode.AUTO) as workspace:
        cells = plan(workspace, stages=DRAFT)
        [asked] = construction_calls(workspace, cells)
    assert "choice_proposals" in {cell.stage for cell in cells}
    assert (asked.role, asked.model, asked.databases) == (Role.REVIEWER, "critic", 1)
    assert run(project, stages=DRAFT).failures == []
    rows = rows_of(project, CHOICE_PROPOSALS)
    read = [row for row in rows if row["reviewer"]]
    assert {row["proposal_id"] for row in read} == {
        row["proposal_id"] for row in before.values() if row["one_step"]
    }
    assert asked.calls >= len(read) > 0
    # It takes every request for one side alone, so that nothing is open.
    for row in read:
        assert (row["reviewer"], row["found_open"], row["selected"]) == ("critic", False, False)
        assert "both interpretations" in row["problem"]
    assert rows_of(project, REQUEST_SETS) == []


@pytest.mark.slow
def test_what_building_would_ask_is_said_before_it_is_asked(project):
    roles = [model("all", "writer", "reviewer", "proposer"), model("other", "reviewer")]
    write_models(project, roles)
    write_profile(project, writer="all", proposer="all", reviewers=["rules/reading", "other"])
    command = [*SPECBRIDGE, "--project", str(project.root), "run", "--dry-run"]
    shown = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    planned = json.loads(shown.stdout)["construction"]
    assert [(each["role"], each["model"], each["databases"]) for each in planned] == [
        ("proposer", "all", 1),
        ("writer", "all", 1),
        ("reviewer", "other", 1),
    ]
    # Ten queries, each proposal repaired, each set revised and read again.
    assert [each["calls"] for each in planned] == [16, 20, 20]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "calls, at most" in table
    write_profile(project)
    shown = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(shown.stdout)["construction"] == []


@pytest.mark.slow
def test_a_writer_that_cannot_be_read_leaves_rows_without_texts(project):
    write_models(project, [model("mute", "writer", function="refuse")])
    write_profile(project, writer="mute")
    assert run(project, stages=DRAFT).failures == []
    sets = rows_of(project, REQUEST_SETS)
    assert sets
    for row in sets:
        assert (row["request_a"], row["set_id"], row["passed"]) == ("", "", False)
        assert row["problems"][0].startswith("the writer's reply cannot be read: ")
    assert rows_of(project, SET_REVIEWS) == []


@pytest.mark.slow
def test_a_proposer_replaces_the_edits_by_rules_and_no_filter(project):
    write_models(project, [model("editor", "proposer")])
    write_profile(project, proposer="editor")
    assert stale(project) == {"choice_proposals"}
    assert run(project, stages=DRAFT).failures == []
    rows = rows_of(project, CHOICE_PROPOSALS)
    assert {row["proposer"] for row in rows} == {"editor", "rules/filters"}
    for row in rows:
        if row["proposer"] == "editor":
            assert row["applies"] is False
            assert "does not stand in the query" in row["problem"]


@pytest.mark.slow
def test_without_a_reply_in_the_archive_replay_says_what_is_missing(project):
    write_models(project, [model("scribe", "writer")])
    write_profile(project, writer="scribe")
    with opened(project, mode=Mode.REPLAY) as (workspace, instance):
        report = run_stale(
            workspace,
            instance,
            configuration={"mode": "replay", "new_round": "", "edition": workspace.profile.edition},
            stages=DRAFT,
        )
    assert any("are not in the archive" in failure for failure in report.failures)


@pytest.mark.slow
def test_the_study_of_writing_counts_both_ways_on_the_same_tasks(project, tmp_path):
    write_models(project, [model("scribe", "writer"), model("critic", "reviewer")])
    out = tmp_path / "drafts.csv"
    command = (sys.executable, "-m", "specbridge_pipeline.cli", "--project", str(project.root))
    study = (*command, "study", "writing", "--mode", "auto", "--tasks", "3", "--model")
    done = subprocess.run(
        [*study, "scribe", "--json", "--out", str(out)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert set(result) == {"model", "seed", "tasks", "outcomes"}
    assert result["tasks"] == 3
    assert list(result["outcomes"]) == ["readable", "kept_requirements", "passed"]
    # It writes the same texts in both ways.
    for counts in result["outcomes"].values():
        assert counts["plan"] == counts["direct"]
        assert (counts["only_plan"], counts["only_direct"], counts["p_value"]) == (0, 0, 1.0)
    assert result["outcomes"]["readable"]["plan"] == 3
    rows = read_rows(out, WRITING_DRAFTS)
    assert [row["way"] for row in rows] == ["direct", "plan"] * 3
    by_task = {row["proposal_id"]: row["choice_type"] for row in rows}
    assert len(set(by_task.values())) == 3
    # The next time nothing is asked.
    again = subprocess.run(
        [*study, "scribe", "--mode", "replay"], capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr
    assert "all checks passed" in again.stdout
    refused = subprocess.run([*study, "critic"], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "'critic' is no model with the role writer" in refused.stderr


def test_the_default_names_no_model_and_changes_no_configuration(tmp_path):
    with Workspace(make_project(tmp_path)) as workspace:
        assert construction_roles(workspace, "proposer", "writer", "reviewers") == {}
        assert workspace.writer.name == "rules"
        assert workspace.proposer is None
        names = [reviewer.name for reviewer in workspace.set_reviewers]
        assert names == ["rules/reading", "rules/requirements"]
        assert "gateway" not in workspace.__dict__


@pytest.mark.parametrize(
    ("construction", "message"),
    [
        ({"writer": "critic"}, "the writer 'critic' is no model with the role writer"),
        ({"proposer": "nobody"}, "the proposer 'nobody' is no model with the role proposer"),
        ({"reviewers": ["rules", "critic"]}, "the reviewer 'rules' is no model with the role"),
    ],
)
def test_who_has_not_the_role_is_named(tmp_path, construction, message):
    project = make_project(tmp_path, construction=construction)
    write_models(project, [model("critic", "reviewer")])
    with Workspace(project) as workspace, pytest.raises(ConfigurationError, match=message):
        _ = (workspace.writer, workspace.proposer, workspace.set_reviewers)


@pytest.mark.parametrize(
    "reviewers", [["critic", "critic"], ["critic"], ["critic", "rules/reading", "rules/way_back"]]
)
def test_there_are_two_reviewers_who_differ(tmp_path, reviewers):
    project = make_project(tmp_path, construction={"reviewers": reviewers})
    with pytest.raises(ConfigurationError, match="reviewers"):
        Workspace(project)
