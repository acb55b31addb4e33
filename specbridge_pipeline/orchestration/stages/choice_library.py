"""Stage `choice_library`: the choices that benchmarks' questions leave open, by type.

Its records come from references whose answer changes; the file of the library is written beside
the report. Without a benchmark at hand the rows that ship with the project make it.
"""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.choices.choice_library import (
    CHOICE_LIBRARY,
    library_of_references,
    library_rows,
    read_library,
    write_library,
)
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.answer_changes import (
    answer_changes,
    shipped_changes,
    shipped_digest,
)
from specbridge_pipeline.reporting.files import library_path


def _databases(workspace: Workspace) -> list[str]:
    return [name for name, each in workspace.databases.items() if each.entry.questions]


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        "databases": _databases(workspace),
        "shipped": shipped_digest(shipped_changes(workspace.project)),
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    changes = answer_changes(workspace.store, workspace.project, _databases(workspace))
    library = library_of_references(changes.rows)
    write_library(library_path(workspace.project), library)
    return library_rows(library)


def _intact(workspace: Workspace, partition: Partition) -> bool:
    try:
        written = library_rows(read_library(library_path(workspace.project)))
    except ConfigurationError:
        return False
    frame = CHOICE_LIBRARY.frame(written)
    return bool(frame.equals(workspace.store.read(CHOICE_LIBRARY, partition)))


STAGE = Stage(
    schema=CHOICE_LIBRARY,
    version=1,
    dimensions=(),
    upstream=("answer_changes",),
    group="choice_mining",
    description="The choices by type: question, step, edit and evidence, without any text of a "
    "benchmark; also written as a file.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    intact=_intact,
    preview=("record_id", "choice_type", "taken", "other", "origin", "confidence", "evidence"),
)
