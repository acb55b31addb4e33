"""Stage `construction_funnel`: what each stage of construction kept.

It joins the graph together with the stages that it counts.
"""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.orchestration.stage import Rows, Stage, whole
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.construction_rows import read_construction
from specbridge_pipeline.reporting.funnel import construction_funnel
from specbridge_pipeline.reporting.records import CONSTRUCTION_FUNNEL


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {"databases": workspace.construction_databases}


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    return construction_funnel(read_construction(workspace.store, workspace.construction_databases))


STAGE = Stage(
    schema=CONSTRUCTION_FUNNEL,
    version=3,
    dimensions=(),
    upstream=(
        "generated_queries",
        "filter_queries",
        "exact_descriptions",
        "natural_requests",
        "choice_opportunities",
        "choice_proposals",
        "request_sets",
        "set_reviews",
        "human_verdicts",
        "accepted_request_sets",
    ),
    group="statistics",
    description="What each stage of construction kept, by database, tier and choice type.",
    configuration=_configuration,
    compute=_compute,
    partitions=whole,
    preview=("number_id", "label", "count", "of_stage", "of_count"),
)
