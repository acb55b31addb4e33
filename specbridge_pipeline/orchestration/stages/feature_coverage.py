"""Stage `feature_coverage`: which features of a query a database gives.

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
from specbridge_pipeline.orchestration.stages.task_reviews import reviewer_entries
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.plan import GRAMMAR
from specbridge_pipeline.query_generation.study_records import REGISTERED
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.tasks.records import FEATURE_COVERAGE


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    queries = workspace.profile.studies.coverage_queries
    if not queries:
        return {"not_made": "the profile asks for no queries: studies.coverage_queries"}
    return {
        "grammar": GRAMMAR,
        "engine_version": workspace.engine_version(database_of(partition)),
        "queries": queries,
        "seed": workspace.profile.seeds.coverage,
        "reviewers": reviewer_entries(workspace),
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.request_sets.tasks.coverage import coverage_rows

    queries = workspace.profile.studies.coverage_queries
    if not queries:
        return ()
    database = database_of(partition)
    rows = coverage_rows(
        workspace.catalogue(database),
        workspace.schema(database),
        workspace.run_on(database),
        seed=workspace.profile.seeds.coverage,
        queries=queries,
        readers=workspace.task_readers,
        progress=workspace.progress,
    )
    return ({"source": REGISTERED, **row} for row in rows)


STAGE = Stage(
    schema=FEATURE_COVERAGE,
    version=2,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue",),
    group="query_generation",
    description="Which features a schema allows, and which were delivered and accepted.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    costs_money=True,
    preview=("feature", "allowed", "delivered", "accepted", "reason"),
)
