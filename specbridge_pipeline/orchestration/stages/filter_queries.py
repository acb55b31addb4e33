"""Stage `filter_queries`: queries with one condition that can be read in two ways, both built."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    construction_databases,
    database_of,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.plan import GRAMMAR
from specbridge_pipeline.query_generation.records import FILTER_QUERIES
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        "grammar": GRAMMAR,
        "engine_version": workspace.engine_version(database_of(partition)),
        "queries": workspace.profile.construction.filter_queries,
        "seed": workspace.profile.seeds.filters,
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.query_generation.filter_queries import filter_queries, filter_rows

    database = database_of(partition)
    catalogue = workspace.catalogue(database)
    attempts = filter_queries(
        catalogue,
        workspace.run_on(database),
        count=workspace.profile.construction.filter_queries,
        seed=workspace.profile.seeds.filters,
        progress=workspace.progress,
    )
    return filter_rows(catalogue, attempts)


STAGE = Stage(
    schema=FILTER_QUERIES,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue",),
    group="query_generation",
    description="Queries with a condition from the data that can be read in two ways, both built.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("kept", "reason", "form", "tier", "step_depth", "sql_a", "sql_b"),
)
