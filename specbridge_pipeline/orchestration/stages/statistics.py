"""Stage `statistics`: every reported number with the keys of the rows behind it."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.evaluation.records import OUTCOMES
from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.numbers import reported_numbers
from specbridge_pipeline.reporting.records import STATISTICS
from specbridge_pipeline.reporting.review_numbers import reviewed_ids
from specbridge_pipeline.request_sets.human_review.records import EDITION_VERDICTS


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        "edition": workspace.edition.id,
        "databases": workspace.evaluated_databases,
        "models": sorted(workspace.all_models),
        "seed": workspace.profile.seeds.bootstrap,
        "resamples": workspace.profile.resamples,
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    rows = workspace.store.read_all(OUTCOMES).to_dicts()
    return reported_numbers(
        # Cells of earlier editions and of databases that are no longer used stay stored.
        [
            row
            for row in rows
            if row["edition"] == workspace.edition.id
            and row["database"] in workspace.evaluated_databases
            and row["model"] in workspace.all_models
        ],
        seed=workspace.profile.seeds.bootstrap,
        resamples=workspace.profile.resamples,
        reviewed=reviewed_ids(workspace.store.read(EDITION_VERDICTS, Partition()).to_dicts()),
    )


STAGE = Stage(
    schema=STATISTICS,
    version=1,
    dimensions=(),
    upstream=("outcomes", "edition_verdicts"),
    group="statistics",
    description="Every reported number with its interval and the keys of the rows behind it.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    preview=("number_id", "numerator", "denominator", "value", "low", "high"),
)
