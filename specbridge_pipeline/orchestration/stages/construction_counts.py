"""Stage `construction_counts`: queries asked for on a database, delivered, and looked at twice.

It is made where the profile asks for it.
"""

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
from specbridge_pipeline.query_generation.study_records import CONSTRUCTION_COUNTS, REGISTERED
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    queries = workspace.profile.studies.construction_queries
    if not queries:
        return {"not_made": "the profile asks for no queries: studies.construction_queries"}
    return {
        "grammar": GRAMMAR,
        "engine_version": workspace.engine_version(database_of(partition)),
        "queries": queries,
        "seed": workspace.profile.seeds.generation,
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.query_generation.delivery import checked_row, deliver

    queries = workspace.profile.studies.construction_queries
    if not queries:
        return ()
    database = database_of(partition)
    run = workspace.run_on(database)
    delivery = deliver(
        workspace.catalogue(database),
        run,
        queries=queries,
        seed=workspace.profile.seeds.generation,
        progress=workspace.progress,
    )
    return ({"source": REGISTERED, **row} for row in [checked_row(delivery, run)])


STAGE = Stage(
    schema=CONSTRUCTION_COUNTS,
    version=2,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue",),
    group="query_generation",
    description="Queries asked for, delivered, and passing a second look by other code.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("queries", "delivered", "constructions", "distinct", "sound"),
)
