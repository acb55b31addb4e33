"""Verdicts of people filter the sets of an edition; no reply is asked for or scored again."""

import shutil

import pytest
from click.testing import CliRunner

from specbridge_pipeline.cli.headline import headline_table, sets_line
from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.errors import TraceMismatchError
from specbridge_pipeline.orchestration.checks import PROMISES
from specbridge_pipeline.orchestration.planner import plan
from specbridge_pipeline.orchestration.stages import STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.records.views import query_warehouse
from specbridge_pipeline.reporting.records import REVIEW_NUMBERS, STATISTICS
from specbridge_pipeline.reporting.trace import Tracer
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.human_review.edition_reviews import review_folder
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.counting_server import CountingServer, served
from specbridge_pipeline_tests.support.projects import (
    EDITION,
    LABEL,
    judge_sets,
    make_project,
    run,
    scripted,
    write_models,
)

pytestmark = pytest.mark.slow
VARIABLE = "SPECBRIDGE_TEST_ENDPOINT"


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory):
    """A project that was evaluated, then reviewed, and what the review made stale and asked."""
    project = make_project(tmp_path_factory.mktemp("reviewed"))
    with pytest.MonkeyPatch.context() as patch, CountingServer() as server:
        patch.setenv(VARIABLE, server.address)
        write_models(project, [served(scripted(project, "returns_both"), VARIABLE)])
        assert run(project).failures == []
        asked = len(server.asked)
        judge_sets(project)
        with Workspace(project) as workspace:
            stale = {cell.stage for cell in plan(workspace)}
        assert run(project).failures == []
        return project, stale, len(server.asked) - asked


@pytest.fixture
def workspace(reviewed):
    with Workspace(reviewed[0]) as workspace:
        yield workspace


def tracer(workspace):
    return Tracer(
        workspace.store,
        workspace.archive,
        seed=workspace.profile.seeds.bootstrap,
        resamples=workspace.profile.resamples,
    )


def test_a_verdict_makes_only_numbers_and_report_anew_and_asks_nothing(reviewed):
    _, stale, asked = reviewed
    assert stale == {"edition_verdicts", "review_numbers", "statistics", "report"}
    assert asked == 0


def test_numbers_over_all_sets_stay_and_those_over_kept_sets_come_beside_them(workspace):
    rows = workspace.store.read(STATISTICS, Partition()).to_dicts()
    found = {
        row["scope"]: (row["numerator"], row["denominator"])
        for row in rows
        if row["measure"] == "both_returned" and not row["compared_with"]
    }
    assert found["all"] == (3, 3)
    assert found["review=read"] == (2, 2)
    assert found["review=kept"] == (1, 1)


def test_the_terminal_shows_both_and_whose_review_it_is(workspace):
    _, rows = headline_table(workspace)
    assert [row[0] for row in rows if not row[0].startswith(" ")] == [
        "All sets: 3 sets",
        "Sets that were judged in review: 2 sets",
        "Sets that the review keeps: 1 set",
    ]
    assert sets_line(workspace).startswith(
        f"2 of 3 request sets were judged by ann in 2 passes ({LABEL}); 1 is kept. 3 request sets, "
        "written by hand, on 1 database."
    )


def test_every_number_of_the_review_is_traced(workspace):
    following = tracer(workspace)
    counted = {
        name: (number["numerator"], number["denominator"], len(trace.rows))
        for name in following.review_ids
        for trace in [following.review(name)]
        for number in [trace.number]
    }
    assert counted == {
        "review/read": (2, 3, 2),
        "review/kept": (1, 2, 1),
        "review/rejected": (0, 2, 0),
        "review/disagreement": (1, 2, 1),
        "review/reason=unnatural": (1, 2, 1),
        "review/agreement/ann/1-and-ann/2/apart": (1, 2, 2),
    }
    kept = [name for name in following.number_ids if "/review=kept/" in name]
    assert kept
    assert max(len(following.trace(name).rows) for name in kept) == 1


def test_the_command_traces_them(reviewed):
    def trace(*arguments):
        return CliRunner().invoke(
            cli, ["--project", str(reviewed[0].root), "trace", *arguments], catch_exceptions=False
        )

    said = trace("review/agreement").output
    assert "label     Agreement between passes, as first decided" in said
    assert "value     1 of 2, Cohen's κ 0.00" in said
    assert "unnatural" in said
    assert "value     1/1" in trace("both_returned/returns_both/review=kept", "--brief").output
    assert '"numerator": 1' in trace("review/kept", "--json").output


def test_a_number_whose_verdicts_have_changed_is_not_traced(reviewed, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(reviewed[0].root, copy)
    project = Project(copy)
    with Workspace(project) as workspace:
        schema = next(stage.schema for stage in STAGES if stage.name == "edition_verdicts")
        frame = workspace.store.read(schema, Partition())
        origin = workspace.store.manifest(schema.name, Partition())
        changed = [row | {"standing": "rejected"} for row in frame.to_dicts()]
        workspace.store.write(schema, Partition(), schema.frame(changed), origin)
    with Workspace(project) as workspace:
        following = tracer(workspace)
        with pytest.raises(TraceMismatchError, match="does not belong to the scope review=kept"):
            following.trace("both_returned/returns_both/review=kept/explained/1/rules")
        with pytest.raises(TraceMismatchError):
            following.review("review/kept")
        assert following.trace("both_returned/returns_both/all/explained/1/rules").rows


def test_the_promises_of_the_review_hold(workspace):
    kept = {promise.stage: promise for promise in PROMISES}["edition_verdicts"]
    schemas = [stage.schema for stage in STAGES]
    assert query_warehouse(workspace.store, schemas, kept.violations).rows == []


def test_a_fault_in_a_verdict_file_stops_the_numbers_and_is_named(reviewed, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(reviewed[0].root, copy)
    project = Project(copy)
    file = review_folder(read_edition(project, EDITION)) / "ann-1.csv"
    file.write_text(file.read_text("utf-8").replace("accept", "perhaps"), "utf-8")
    with Workspace(project) as workspace:
        before = workspace.store.read(REVIEW_NUMBERS, Partition())
    failures = " ".join(run(project).failures)
    assert "ann-1.csv:2: the verdict is 'perhaps', not accept or reject" in failures
    with Workspace(project) as workspace:
        assert workspace.store.read(REVIEW_NUMBERS, Partition()).equals(before)
