"""Stage `scores`: every returned query run and compared with both interpretations."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.evaluation.records import RESPONSES, SCORES
from specbridge_pipeline.evaluation.stages import score_rows
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    database_of,
    edition_databases_and_models,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        "engine_version": workspace.engine_version(database_of(partition)),
        "query_steps": workspace.profile.query_steps,
        "query_seconds": workspace.profile.query_seconds,
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    database = database_of(partition)
    return score_rows(
        lambda queries: workspace.run_many(database, queries),
        workspace.evaluated.sets_on(database),
        workspace.store.read(RESPONSES, partition).to_dicts(),
        workspace.engine(database),
        run_reference=workspace.run_on(database),
    )


STAGE = Stage(
    schema=SCORES,
    version=2,
    dimensions=(Dimension.DATABASE, Dimension.MODEL),
    upstream=("edition_sets", "responses"),
    group="evaluation",
    description="Verdict of execution of each returned query for each interpretation.",
    configuration=_configuration,
    compute=_compute,
    partitions=edition_databases_and_models,
    preview=("set_id", "request_kind", "query", "interpretation", "verdict", "reason"),
)
