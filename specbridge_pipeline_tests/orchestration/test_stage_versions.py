"""A stage whose rows change without a new version would leave stale cells behind: it is found."""

import polars as pl
import pytest
import yaml

from specbridge_pipeline.orchestration.stages import STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import frame_hash
from specbridge_pipeline_tests.support.projects import (
    FIXTURES,
    judge_sets,
    make_project,
    run,
    scripted,
    write_models,
)

GOLDEN = FIXTURES / "stage_digests.yaml"
NAMES = ("returns_both", "names_only", "false_alarm_by_alternative", "does_not_run", "wrong")


@pytest.mark.slow
def test_rows_change_only_with_the_version_of_their_stage(tmp_path, monkeypatch):
    """When this fails: raise the stage's version if its rows were meant to change, and write the
    digests that the message shows into fixtures/stage_digests.yaml."""
    project = make_project(
        tmp_path, built_on=("clinic",), construction={"short_queries": 12, "paper_queries": 8}
    )
    write_models(project, [scripted(project, name) for name in NAMES])
    judge_sets(project)
    assert run(project).failures == []
    found = {}
    with Workspace(project) as workspace:
        for stage in STAGES:
            # The name of the engine's version and the page's own scripts are no rows of ours.
            if stage.name in {"database_files", "report"}:
                continue
            # Keys of calls hold the folder of this test.
            frame = workspace.store.read_all(stage.schema).drop("calls", strict=False)
            # The last bits of an interval are the mathematics library's.
            frame = frame.with_columns(pl.col(pl.Float64).round(9))
            found[stage.name] = {"version": stage.version, "digest": frame_hash(frame)[:16]}
    golden = yaml.safe_load(GOLDEN.read_text("utf-8"))
    changed = {name: found[name] for name in found if found[name] != golden.get(name)}
    assert changed == {}, yaml.safe_dump(found)
