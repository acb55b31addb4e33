"""Stage `answer_changes`: what the other interpretation does to answers of open questions."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.choices.answer_changes.records import ANSWER_CHANGES
from specbridge_pipeline.choices.conventions.references.records import REFERENCE_CONVENTIONS
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.orchestration.stage import Dimension, Rows, Stage, database_of
from specbridge_pipeline.orchestration.stages.reference_conventions import (
    STAGE as REFERENCE_CONVENTIONS_STAGE,
)
from specbridge_pipeline.orchestration.stages.reference_conventions import question_files_of
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    name = database_of(partition)
    if workspace.engine(name) is not Engine.SQLITE:
        return {"not_made": "benchmarks' references are written for SQLite"}
    return {
        "engine_version": workspace.engine_version(name),
        "steps": workspace.profile.query_steps,
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.choices.answer_changes.study import study_answer_changes

    name = database_of(partition)
    if workspace.engine(name) is not Engine.SQLITE:
        return ()
    files = question_files_of(workspace, name)
    decisions = workspace.store.read(REFERENCE_CONVENTIONS, partition).to_dicts()
    run = workspace.run_on(name)
    ids = {each.database for file in files for each in file.references}
    found = study_answer_changes(
        files, decisions, dict.fromkeys(ids, run), progress=workspace.progress
    )
    return [each.row for each in found]


STAGE = Stage(
    schema=ANSWER_CHANGES,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=("database_files", "reference_conventions"),
    group="choice_mining",
    description="Per open question: the other interpretation as an edit, and how far the answer "
    "moves.",
    configuration=_configuration,
    compute=_compute,
    partitions=REFERENCE_CONVENTIONS_STAGE.partitions,
    preview=("question_id", "choice_type", "form", "other_form", "effect", "move", "reason"),
)
