"""Stage `task_reviews`: two readers read each described query against its description."""

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
from specbridge_pipeline.request_sets.tasks.records import TASK_REVIEWS


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {"reviewers": reviewer_entries(workspace)}


def reviewer_entries(workspace: Workspace) -> dict[str, Any]:
    """Return who reads tasks: name → what the registry says of it; None for rules."""
    entries = {name: workspace.all_models.get(name) for name in workspace.profile.task_reviewers}
    return {
        name: None if entry is None else entry.request_configuration
        for name, entry in entries.items()
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.request_sets.tasks.reviews import task_review_rows

    database = database_of(partition)
    return task_review_rows(
        database,
        workspace.store.read(GENERATED_QUERIES, partition).to_dicts(),
        workspace.store.read(EXACT_DESCRIPTIONS, partition).to_dicts(),
        workspace.schema(database),
        workspace.task_readers,
    )


STAGE = Stage(
    schema=TASK_REVIEWS,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=("database_files", "generated_queries", "exact_descriptions"),
    group="exact_description",
    description="Two readers, by rules or models, read each query against its description.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    costs_money=True,
    preview=("query_id", "reviewer", "accepted", "faults"),
)
