"""Stage `reference_conventions`: which side of each choice a benchmark's references take."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from specbridge_pipeline.choices.conventions.records import REFERENCE_CONVENTIONS
from specbridge_pipeline.choices.conventions.verdicts import SHIPPED
from specbridge_pipeline.databases.registry import Database
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.orchestration.stage import Dimension, Rows, Stage, database_of
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition


def _question_files(workspace: Workspace, database: Database) -> list[Path]:
    return [workspace.project.root / name for name in database.entry.questions]


def _verdict_files(workspace: Workspace) -> list[Path]:
    return [SHIPPED, *sorted(workspace.project.convention_verdicts.glob("*.csv"))]


def _hash(path: Path, database: Database) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        registry, line = database.registered_in
        raise ConfigurationError(
            f"the questions of '{database.id}' cannot be read: {path}: {error.strerror}",
            path=registry,
            line=line,
            advice="name files that are there, or none",
        ) from error


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    database = workspace.databases[database_of(partition)]
    return {
        "questions_id": database.entry.questions_id or database.id,
        "questions": {
            path.name: _hash(path, database) for path in _question_files(workspace, database)
        },
        "verdicts": {path.name: _hash(path, database) for path in _verdict_files(workspace)},
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.benchmarks.references import read_references
    from specbridge_pipeline.choices.conventions.study import question_file, study_references
    from specbridge_pipeline.choices.conventions.verdicts import read_verdicts

    database = workspace.databases[database_of(partition)]
    wanted = database.entry.questions_id or database.id
    schemas = [{wanted: workspace.schema(database.id)}]
    files = [
        question_file(
            path, tuple(each for each in read_references(path) if each.database == wanted), schemas
        )
        for path in _question_files(workspace, database)
    ]
    study = study_references(
        files, read_verdicts(_verdict_files(workspace)), progress=workspace.progress
    )
    return study.rows


def _partitions(workspace: Workspace) -> list[Partition]:
    return [
        Partition(database=name)
        for name, database in workspace.databases.items()
        if database.entry.questions
    ]


STAGE = Stage(
    schema=REFERENCE_CONVENTIONS,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=("database_files",),
    group="choice_mining",
    description="Per reference and choice type: open or settled, and which side it takes.",
    configuration=_configuration,
    compute=_compute,
    partitions=_partitions,
    preview=("question_id", "choice_type", "open", "side", "form", "cues", "verdict"),
)
