"""Answers that change on a registered database: the cells, their counts, and the library."""

from __future__ import annotations

import json

import pytest
import yaml

from specbridge_pipeline.choices.answer_changes.records import ANSWER_CHANGES
from specbridge_pipeline.choices.choice_library import CHOICE_LIBRARY, read_library
from specbridge_pipeline.orchestration.planner import plan
from specbridge_pipeline.orchestration.stages import EVALUATION_STAGES, STAGE_BY_NAME
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.reporting.files import library_path
from specbridge_pipeline.reporting.records import ANSWER_CHANGE_COUNTS
from specbridge_pipeline_tests.support.projects import make_project, run

_STAGES = [
    STAGE_BY_NAME[name]
    for name in (
        "database_files",
        "reference_conventions",
        "answer_changes",
        "answer_change_counts",
        "choice_library",
    )
]
_QUESTIONS = [
    {
        "db_id": "SHOP",
        "question": "How many purchases came after number 5?",
        "query": "SELECT COUNT(*) FROM purchase WHERE id > 5",
    },
    {
        "db_id": "SHOP",
        "question": "How many purchases have a number greater than 5?",
        "query": "SELECT COUNT(*) FROM purchase WHERE id > 5",
    },
]


@pytest.fixture
def project(tmp_path):
    found = make_project(tmp_path)
    (tmp_path / "dev.json").write_text(json.dumps(_QUESTIONS), "utf-8")
    registry = yaml.safe_load(found.databases_file.read_text("utf-8"))
    registry["databases"][0] |= {"questions": ["dev.json"], "questions_id": "SHOP"}
    found.databases_file.write_text(yaml.safe_dump(registry), "utf-8")
    return found


def test_answers_are_compared_counted_and_kept_in_the_library(project):
    assert run(project, stages=_STAGES).failures == []
    with Workspace(project) as workspace:
        cutoffs = {
            row["question_id"]: row
            for row in workspace.store.read_all(ANSWER_CHANGES).to_dicts()
            if row["choice_type"] == "strict_cutoff"
        }
        assert cutoffs.keys() == {"0"}
        assert (cutoffs["0"]["effect"], cutoffs["0"]["move"]) == ("changed", "tenth to half")
        assert cutoffs["0"]["relative_move"] == pytest.approx(0.2)
        counts = {
            row["choice_type"]: row
            for row in workspace.store.read_all(ANSWER_CHANGE_COUNTS).to_dicts()
        }
        assert (counts["strict_cutoff"]["changed"], counts["strict_cutoff"]["origin"]) == (
            1,
            "here",
        )
        records = workspace.store.read_all(CHOICE_LIBRARY)["record_id"].to_list()
        assert "spider/dev/0/strict_cutoff" in records
        assert [each.id for each in read_library(library_path(project)).records] == records
        assert plan(workspace, stages=_STAGES) == []
        library_path(project).unlink()
        assert [cell.stage for cell in plan(workspace, stages=_STAGES)] == ["choice_library"]


def test_an_evaluation_alone_mines_nothing(project):
    with Workspace(project) as workspace:
        stages = {cell.stage for cell in plan(workspace, stages=EVALUATION_STAGES)}
    assert not stages & {"answer_changes", "data_kinds"}
