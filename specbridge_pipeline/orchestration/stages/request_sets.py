"""Stage `request_sets`: three requests for each selected choice, written from one plan."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.choices.records import CHOICE_PROPOSALS
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    construction_databases,
    construction_roles,
    database_of,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.records import FILTER_QUERIES, GENERATED_QUERIES
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.construction_records import REQUEST_SETS


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return construction_roles(workspace, "writer")


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.request_sets.building import request_set_rows

    database = database_of(partition)
    proposals = workspace.store.read(CHOICE_PROPOSALS, partition).to_dicts()
    selected = sum(row["selected"] for row in proposals)
    with workspace.progress.task(f"{database} · writing requests", selected) as task:
        return request_set_rows(
            proposals,
            [
                *workspace.store.read(GENERATED_QUERIES, partition).to_dicts(),
                *workspace.store.read(FILTER_QUERIES, partition).to_dicts(),
            ],
            workspace.schema(database),
            workspace.catalogue(database),
            writer=workspace.writer,
            told=task.advance,
        )


STAGE = Stage(
    schema=REQUEST_SETS,
    version=3,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue", "generated_queries", "filter_queries", "choice_proposals"),
    group="request_set_writing",
    description="Plan, three requests by rules or a model, and what code checks found.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    costs_money=True,
    preview=("choice_type", "tier", "passed", "request_open", "problems"),
)
