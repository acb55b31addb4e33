"""Stage `set_reviews`: two reviewers read every request; one revision if they disagree."""

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
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.request_sets.construction_records import REQUEST_SETS, SET_REVIEWS


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return construction_roles(workspace, "writer", "reviewers")


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.request_sets.building import set_review_rows

    database = database_of(partition)
    sets = workspace.store.read(REQUEST_SETS, partition).to_dicts()
    with workspace.progress.task(f"{database} · reviewing sets", len(sets)) as task:
        return set_review_rows(
            sets,
            workspace.store.read(CHOICE_PROPOSALS, partition).to_dicts(),
            workspace.schema(database),
            workspace.catalogue(database),
            writer=workspace.writer,
            reviewers=workspace.set_reviewers,
            told=task.advance,
        )


STAGE = Stage(
    schema=SET_REVIEWS,
    version=3,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue", "choice_proposals", "request_sets"),
    group="reviews",
    description="Two reviewers, rules or models, read every request; at most one revision.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    costs_money=True,
    preview=("set_id", "revision", "reviewer", "request_kind", "accepts_a", "accepts_b", "keep"),
)
