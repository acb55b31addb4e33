"""From every reported number to its replies, and a loud failure where a step does not hold."""

import shutil

import polars as pl
import pytest

from specbridge_pipeline.errors import SpecBridgeError, TraceMismatchError
from specbridge_pipeline.evaluation.records import OUTCOMES, RESPONSES, SCORES
from specbridge_pipeline.evaluation.stages import score_rows
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.records import STATISTICS
from specbridge_pipeline.reporting.trace import Tracer, rescore
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import make_project, run, scripted, write_models

pytestmark = pytest.mark.slow
CELL = Partition("shop", "false_alarm_by_alternative")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("evaluated"))
    names = ("false_alarm_by_alternative", "silent", "does_not_run")
    write_models(project, [scripted(project, name) for name in names])
    run(project)
    return project


@pytest.fixture
def workspace(tmp_path, evaluated):
    copy = tmp_path / "copy"
    shutil.copytree(evaluated.root, copy)
    with Workspace(Project(copy)) as workspace:
        yield workspace


def tracer(workspace):
    return Tracer(
        workspace.store,
        workspace.archive,
        seed=workspace.profile.seeds.bootstrap,
        resamples=workspace.profile.resamples,
    )


def change(workspace, schema, partition, column, value):
    """Change a column as somebody would who also mends the manifest."""
    frame = workspace.store.read(schema, partition)
    changed = frame.with_columns(pl.lit(value).alias(column))
    origin = workspace.store.manifest(schema.name, partition)
    workspace.store.write(schema, partition, changed.cast(schema.types()), origin)


def test_every_number_is_traced_and_every_verdict_run_again(workspace):
    following = tracer(workspace)
    assert len(following.number_ids) > 60

    def score(database, responses):
        return score_rows(
            lambda queries: workspace.run_many(database, queries),
            workspace.edition.sets_on(database),
            responses,
        )

    compared = 0
    for number_id in following.number_ids:
        trace = following.trace(number_id)
        assert len(trace.rows) == len(trace.number["row_keys"])
        for row in trace.rows:
            assert len(row.responses) == 3
            assert all(response.replies for response in row.responses)
        if trace.number["scope"] == "all" and trace.number["measure"] == "named":
            compared += rescore(trace, score)
    assert compared > 0


@pytest.mark.parametrize(
    ("schema", "partition", "column", "value"),
    [
        (STATISTICS, Partition(), "numerator", 77),
        (OUTCOMES, CELL, "both_returned", False),
        (SCORES, CELL, "verdict", "not_equal"),
        (RESPONSES, CELL, "sql", "SELECT 1"),
        (RESPONSES, CELL, "explanation", "It depends."),
    ],
)
def test_a_changed_row_is_found(workspace, schema, partition, column, value):
    change(workspace, schema, partition, column, value)
    following = tracer(workspace)

    def trace_all():
        for number_id in following.number_ids:
            following.trace(number_id)

    with pytest.raises(TraceMismatchError):
        trace_all()


def test_a_reply_that_is_gone_is_found(workspace):
    import sqlite3

    with sqlite3.connect(workspace.project.archive) as connection:
        connection.execute("DELETE FROM replies")
    with pytest.raises(TraceMismatchError, match="the archive has no reply"):
        tracer(workspace).trace("both_returned/silent/all/explained/1/rules")


def test_an_unknown_number_is_answered_with_those_close_to_it(workspace):
    with pytest.raises(SpecBridgeError, match="close to it: both_returned/silent/all"):
        tracer(workspace).trace("both_returnd/silent/all/explained/1/rules")
