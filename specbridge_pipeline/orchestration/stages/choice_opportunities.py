"""Stage `choice_opportunities`: where the data make a choice of a generated query matter."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.choices.records import CHOICE_OPPORTUNITIES
from specbridge_pipeline.databases.many_queries import AT_ONCE
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


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {"engine_version": workspace.engine_version(database_of(partition))}


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.choices.opportunities import find_opportunities

    database = database_of(partition)
    return find_opportunities(
        workspace.store.read(GENERATED_QUERIES, partition).to_dicts(),
        workspace.schema(database),
        workspace.catalogue(database),
        workspace.run_on(database),
        progress=workspace.progress,
        at_once=AT_ONCE,
    )


STAGE = Stage(
    schema=CHOICE_OPPORTUNITIES,
    version=2,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue", "generated_queries"),
    group="request_set_writing",
    description="Each place where a query takes a side of a choice, and whether it matters.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("choice_type", "taken", "matters", "evidence"),
)
