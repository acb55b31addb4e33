"""Stage `human_verdicts`: what people say of request sets, read from files."""

from __future__ import annotations

import hashlib
from typing import Any

from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.construction_records import HUMAN_VERDICTS


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(workspace.project.reviews.glob("*.csv"))
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.request_sets.human_verdicts import read_verdicts, verdict_rows

    return verdict_rows(read_verdicts(workspace.project.reviews.glob("*.csv")))


STAGE = Stage(
    schema=HUMAN_VERDICTS,
    version=1,
    dimensions=(),
    upstream=(),
    group="human_review",
    description="Verdicts of people on request sets, from the CSV files in data/reviews.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    preview=("set_id", "reviewer", "accepted", "reason", "file", "line"),
)
