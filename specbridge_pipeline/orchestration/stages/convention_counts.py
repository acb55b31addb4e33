"""Stage `convention_counts`: how many references take each side of a choice.

Without a benchmark at hand the decisions that ship with the project are counted.
"""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.convention_counts import (
    convention_counts,
    shipped_decisions_digest,
)
from specbridge_pipeline.reporting.records import CONVENTION_COUNTS


def _databases(workspace: Workspace) -> list[str]:
    return [name for name, each in workspace.databases.items() if each.entry.questions]


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        "databases": _databases(workspace),
        "shipped": shipped_decisions_digest(workspace.project),
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    return convention_counts(workspace.store, workspace.project, _databases(workspace))


STAGE = Stage(
    schema=CONVENTION_COUNTS,
    version=1,
    dimensions=(),
    upstream=("reference_conventions",),
    group="choice_mining",
    description="How many references of open questions take each side of a choice, by authors.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    preview=("choice_type", "author_group", "split", "usual", "other", "unread", "origin"),
)
