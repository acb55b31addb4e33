"""Stage `accepted_request_sets`: the sets that all gates keep."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    construction_databases,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.construction_records import (
    ACCEPTED_REQUEST_SETS,
    HUMAN_VERDICTS,
    REQUEST_SETS,
    SET_REVIEWS,
)


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {"human_required": workspace.profile.construction.human_verdict_required}


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.request_sets.acceptance import accepted_rows

    return accepted_rows(
        workspace.store.read(REQUEST_SETS, partition).to_dicts(),
        workspace.store.read(SET_REVIEWS, partition).to_dicts(),
        workspace.store.read(HUMAN_VERDICTS, Partition()).to_dicts(),
        human_required=workspace.profile.construction.human_verdict_required,
    )


STAGE = Stage(
    schema=ACCEPTED_REQUEST_SETS,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=("request_sets", "set_reviews", "human_verdicts"),
    group="human_review",
    description="Sets kept by code checks, both reviewers, and every person who judged them.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("choice_type", "tier", "request_open", "human_verdict"),
)
