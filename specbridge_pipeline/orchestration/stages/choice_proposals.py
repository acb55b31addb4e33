"""Stage `choice_proposals`: each query with a choice taken the other way, and what checks keep."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.choices.records import CHOICE_OPPORTUNITIES, CHOICE_PROPOSALS
from specbridge_pipeline.databases.many_queries import AT_ONCE
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    construction_databases,
    database_of,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.records import FILTER_QUERIES, GENERATED_QUERIES
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {
        "engine_version": workspace.engine_version(database_of(partition)),
        "seed": workspace.profile.seeds.selection,
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.choices.proposals import check_filter_queries, propose

    database = database_of(partition)
    proposed = propose(
        workspace.store.read(GENERATED_QUERIES, partition).to_dicts(),
        workspace.store.read(CHOICE_OPPORTUNITIES, partition).to_dicts(),
        workspace.schema(database),
        workspace.catalogue(database),
        workspace.run_on(database),
        seed=workspace.profile.seeds.selection,
        progress=workspace.progress,
        at_once=AT_ONCE,
    )
    of_filters = check_filter_queries(
        workspace.store.read(FILTER_QUERIES, partition).to_dicts(),
        workspace.schema(database),
        workspace.catalogue(database),
        workspace.run_on(database),
        progress=workspace.progress,
        at_once=AT_ONCE,
    )
    return [*proposed, *of_filters]


STAGE = Stage(
    schema=CHOICE_PROPOSALS,
    version=3,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue", "generated_queries", "filter_queries", "choice_opportunities"),
    group="request_set_writing",
    description="Edits and filters by rules; each check is a column; one a query is selected.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("choice_type", "taken", "side", "selected", "problem"),
)
