"""Stage `outcomes`: every measure of each set and model, and what became of the open request."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.evaluation.outcomes import outcome_rows
from specbridge_pipeline.evaluation.records import JUDGEMENTS, OUTCOMES, RESPONSES, SCORES
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    edition_databases_and_models,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.records import EDITION_SETS


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {}


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    store = workspace.store
    return outcome_rows(
        store.read(EDITION_SETS, Partition(database=partition.database)).to_dicts(),
        store.read(RESPONSES, partition).to_dicts(),
        store.read(SCORES, partition).to_dicts(),
        store.read(JUDGEMENTS, partition).to_dicts(),
    )


STAGE = Stage(
    schema=OUTCOMES,
    version=1,
    dimensions=(Dimension.DATABASE, Dimension.MODEL),
    upstream=("edition_sets", "responses", "scores", "judgements"),
    group="evaluation",
    description="Measures of each set and model, and the outcome of its open request.",
    configuration=_configuration,
    compute=_compute,
    partitions=edition_databases_and_models,
    preview=("set_id", "choice_type", "right_a", "right_b", "both_returned", "named", "outcome"),
)
