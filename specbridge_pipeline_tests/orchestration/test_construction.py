"""Construction as a user runs it: from a database file to accepted sets, and what goes stale."""

import dataclasses

import pytest

from specbridge_pipeline.orchestration import planner
from specbridge_pipeline.orchestration.planner import plan
from specbridge_pipeline.orchestration.stages import EVALUATION_STAGES, STAGE_BY_NAME, STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.records import GENERATED_QUERIES
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.construction_records import (
    ACCEPTED_REQUEST_SETS,
    HUMAN_VERDICTS,
    REQUEST_SETS,
)
from specbridge_pipeline.sql.step_difference import step_difference
from specbridge_pipeline_tests.support.projects import make_project, run, scripted, write_models

pytestmark = pytest.mark.slow

CLINIC = Partition(database="clinic")
ASKING = {"responses", "scores", "judgements", "outcomes", "edition_sets"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = make_project(
        tmp_path_factory.mktemp("construction"),
        built_on=("clinic",),
        construction={"short_queries": 24, "paper_queries": 16},
    )
    write_models(project, [scripted(project, "returns_both")])
    assert run(project).failures == []
    return project


def rows_of(project, schema, partition=CLINIC):
    with Workspace(project) as workspace:
        return workspace.store.read(schema, partition).to_dicts()


def test_a_database_that_nobody_annotated_yields_sets_of_every_type_and_both_tiers(project):
    accepted = rows_of(project, ACCEPTED_REQUEST_SETS)
    assert len(accepted) >= 10
    types = {row["choice_type"] for row in accepted}
    assert types >= {"aggregation_level", "counting_unit", "ties"}
    assert types & {"strict_cutoff", "negation"}
    assert {row["tier"] for row in accepted} == {"short", "paper"}


def test_the_queries_of_an_accepted_set_differ_in_one_step(project):
    for row in rows_of(project, ACCEPTED_REQUEST_SETS):
        difference = step_difference(row["sql_a"], row["sql_b"])
        assert difference.one_step, (row["sql_a"], row["sql_b"], difference.reason)


def test_sets_are_built_only_where_the_registry_says_so(project):
    with Workspace(project) as workspace:
        assert workspace.store.partitions(GENERATED_QUERIES.name) == [CLINIC]


def test_the_same_database_gives_the_same_draft_in_another_project(project, tmp_path):
    other = make_project(
        tmp_path, built_on=("clinic",), construction={"short_queries": 24, "paper_queries": 16}
    )
    assert run(other).failures == []
    hashes = []
    for each in (project, other):
        with Workspace(each) as workspace:
            manifest = workspace.store.manifest(ACCEPTED_REQUEST_SETS.name, CLINIC)
            hashes.append(manifest.content_hash)
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("changed", ["version", "grammar"])
def test_a_new_generator_makes_the_draft_stale_and_no_reply(project, monkeypatch, changed):
    stage = STAGE_BY_NAME["generated_queries"]
    if changed == "version":
        newer = dataclasses.replace(stage, version=stage.version + 1)
    else:
        newer = dataclasses.replace(
            stage,
            configuration=lambda workspace, partition: (
                stage.configuration(workspace, partition) | {"grammar": "another"}
            ),
        )
    monkeypatch.setitem(STAGE_BY_NAME, stage.name, newer)
    stages = tuple(newer if each is stage else each for each in STAGES)
    monkeypatch.setattr(planner, "STAGES", stages)
    with Workspace(project) as workspace:
        stale = {cell.stage for cell in plan(workspace, stages=stages)}
    assert stale == {
        "generated_queries",
        "exact_descriptions",
        "task_reviews",
        "natural_requests",
        "choice_opportunities",
        "choice_proposals",
        "request_sets",
        "set_reviews",
        "accepted_request_sets",
        "construction_funnel",
        "report",
    }
    assert not stale & ASKING


def test_an_evaluation_alone_builds_no_draft(tmp_path):
    project = make_project(tmp_path, built_on=("clinic",))
    write_models(project, [scripted(project, "silent")])
    assert run(project, stages=EVALUATION_STAGES).failures == []
    assert (project.report / "report.html").exists()
    with Workspace(project) as workspace:
        assert workspace.store.partitions(GENERATED_QUERIES.name) == []
        assert {cell.stage for cell in plan(workspace, stages=EVALUATION_STAGES)} == set()
        assert "generated_queries" in {cell.stage for cell in plan(workspace)}


def test_a_person_who_rejects_a_set_takes_it_out_of_the_draft(project):
    accepted = rows_of(project, ACCEPTED_REQUEST_SETS)
    rejected, kept = accepted[0]["set_id"], accepted[1]["set_id"]
    folder = project.reviews
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "first.csv"
    file.write_text(
        "set_id,reviewer,verdict,reason,comment\n"
        f"{rejected},ann,reject,wording favours one,\n"
        f"{kept},ann,accept,,reads well\n",
        "utf-8",
    )
    try:
        with Workspace(project) as workspace:
            stale = {cell.stage for cell in plan(workspace)}
        assert not stale & ASKING
        assert run(project).failures == []
        found = {row["set_id"]: row for row in rows_of(project, ACCEPTED_REQUEST_SETS)}
        assert rejected not in found
        assert found[kept]["human_verdict"] is True
        assert found[kept]["human_reviewers"] == ["ann"]
        assert len(rows_of(project, HUMAN_VERDICTS, Partition())) == 2
    finally:
        file.unlink()
        run(project)
    assert len(rows_of(project, ACCEPTED_REQUEST_SETS)) == len(accepted)


def test_a_broken_verdict_file_changes_nothing_and_names_its_line(project):
    before = rows_of(project, ACCEPTED_REQUEST_SETS)
    project.reviews.mkdir(parents=True, exist_ok=True)
    file = project.reviews / "broken.csv"
    file.write_text("set_id,reviewer,verdict,reason,comment\nabc,ann,perhaps,,\n", "utf-8")
    try:
        failures = run(project).failures
        assert any("broken.csv" in failure and "2" in failure for failure in failures)
        assert rows_of(project, ACCEPTED_REQUEST_SETS) == before
    finally:
        file.unlink()
        assert run(project).failures == []


def test_every_request_set_says_who_wrote_it(project):
    assert {row["writer"] for row in rows_of(project, REQUEST_SETS)} == {"rules"}
    for row in rows_of(project, ACCEPTED_REQUEST_SETS):
        assert row["reviewers"] == ["rules/reading", "rules/requirements"]
