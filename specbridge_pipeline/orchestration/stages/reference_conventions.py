"""Stage `reference_conventions`: which side of each choice a benchmark's references take."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.choices.conventions.references.records import REFERENCE_CONVENTIONS
from specbridge_pipeline.choices.conventions.references.verdicts import SHIPPED
from specbridge_pipeline.databases.registry import Database
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.orchestration.stage import Dimension, Rows, Stage, database_of
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition

if TYPE_CHECKING:
    from specbridge_pipeline.choices.conventions.references.study import QuestionFile


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


def question_files_of(workspace: Workspace, name: str) -> list[QuestionFile]:
    """Return the questions about a database, of the files that its registry entry names.

    Args:
        workspace: The workspace.
        name: The database's id.

    Raises:
        ConfigurationError: A file cannot be read.
    """
    from specbridge_pipeline.benchmarks.references import read_references
    from specbridge_pipeline.choices.conventions.references.study import question_file

    database = workspace.databases[name]
    wanted = database.entry.questions_id or database.id
    schemas = [{wanted: workspace.schema(database.id)}]
    return [
        question_file(
            path, tuple(each for each in read_references(path) if each.database == wanted), schemas
        )
        for path in _question_files(workspace, database)
    ]


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.choices.conventions.references.study import study_references
    from specbridge_pipeline.choices.conventions.references.verdicts import read_verdicts

    study = study_references(
        question_files_of(workspace, database_of(partition)),
        read_verdicts(_verdict_files(workspace)),
        progress=workspace.progress,
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
