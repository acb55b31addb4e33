"""Stage `answer_change_counts`: how many open questions change their answer, by choice type.

Without a benchmark at hand the rows that ship with the project are counted.
"""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.answer_changes import (
    answer_change_counts,
    answer_changes,
    shipped_changes,
    shipped_digest,
)
from specbridge_pipeline.reporting.records import ANSWER_CHANGE_COUNTS


def _databases(workspace: Workspace) -> list[str]:
    return [name for name, each in workspace.databases.items() if each.entry.questions]


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        "databases": _databases(workspace),
        "shipped": shipped_digest(shipped_changes(workspace.project)),
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    return answer_change_counts(
        answer_changes(workspace.store, workspace.project, _databases(workspace))
    )


STAGE = Stage(
    schema=ANSWER_CHANGE_COUNTS,
    version=1,
    dimensions=(),
    upstream=("answer_changes",),
    group="choice_mining",
    description="How many open questions change their answer under the other interpretation.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    preview=("choice_type", "benchmark", "split", "open", "edited", "changed", "origin"),
)
