"""Stage `generation_studies`: what the studies of the generator counted.

A study that the profile asks for is counted from its cells; for the others the rows that ship with
the project are counted.
"""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.records import GENERATION_STUDIES
from specbridge_pipeline.reporting.study_rows import read_studies, shipped_digests


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        "databases": workspace.construction_databases,
        "shipped": shipped_digests(workspace.project),
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.reporting.study_counts import study_counts

    return study_counts(
        read_studies(workspace.store, workspace.project, workspace.construction_databases)
    )


STAGE = Stage(
    schema=GENERATION_STUDIES,
    version=1,
    dimensions=(),
    upstream=("generation_ablation", "feature_coverage", "construction_counts"),
    group="statistics",
    description="What the studies of the generator counted: ablation, coverage, construction.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    preview=("study", "item", "measure", "count", "of_count", "origin"),
)
