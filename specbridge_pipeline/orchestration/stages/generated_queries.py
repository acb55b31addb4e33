"""Stage `generated_queries`: queries drawn on a database at the depths asked for."""

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
from specbridge_pipeline.query_generation.records import GENERATED_QUERIES
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    construction = workspace.profile.construction
    return {
        "grammar": GRAMMAR,
        "engine_version": workspace.engine_version(database_of(partition)),
        "short_queries": construction.short_queries,
        "paper_queries": construction.paper_queries,
        "seed": workspace.profile.seeds.generation,
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.query_generation.generation import generate, generation_rows
    from specbridge_pipeline.query_generation.requests import draft_requests

    database = database_of(partition)
    catalogue = workspace.catalogue(database)
    wanted = workspace.profile.construction
    seed = workspace.profile.seeds.generation
    attempts = generate(
        catalogue,
        workspace.run_on(database),
        requests=draft_requests(wanted.short_queries, wanted.paper_queries, seed, catalogue),
        seed=seed,
        progress=workspace.progress,
    )
    return generation_rows(database, attempts)


STAGE = Stage(
    schema=GENERATED_QUERIES,
    version=3,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue",),
    group="query_generation",
    description="Queries drawn by seed, their depths measured; rejected attempts by reason.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("kept", "reason", "tier", "step_depth", "arithmetic_depth", "sql"),
)
