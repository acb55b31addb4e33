"""Stage `natural_requests`: one request in words for each described query."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.exact_description.records import EXACT_DESCRIPTIONS
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    construction_databases,
    database_of,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.records import GENERATED_QUERIES
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.construction_records import NATURAL_REQUESTS


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {}


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.request_sets.building import natural_request_rows

    database = database_of(partition)
    described = workspace.store.read(EXACT_DESCRIPTIONS, partition).to_dicts()
    count = sum(row["described"] for row in described)
    with workspace.progress.task(f"{database} · natural requests", count) as task:
        return natural_request_rows(
            workspace.store.read(GENERATED_QUERIES, partition).to_dicts(),
            described,
            workspace.schema(database),
            workspace.catalogue(database),
            told=task.advance,
        )


STAGE = Stage(
    schema=NATURAL_REQUESTS,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue", "generated_queries", "exact_descriptions"),
    group="exact_description",
    description="One request for each query, written and read by rules, with at most one revision.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("accepted", "revision", "request", "problem"),
)
