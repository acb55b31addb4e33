"""Stage `responses`: what each model answers to the three requests of each set."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.evaluation.records import RESPONSES
from specbridge_pipeline.evaluation.stages import response_rows
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    edition_databases_and_models,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    assert partition.database is not None
    assert partition.model is not None
    return {
        "edition": workspace.edition.id,
        "method": workspace.profile.method,
        "model": workspace.all_models[partition.model].request_configuration,
        "rounds": list(workspace.rounds(partition.database, partition.model)),
        "documents": {
            name: content_hash(text) for name, text in workspace.documents(partition.database)
        },
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    assert partition.database is not None
    assert partition.model is not None
    rounds = workspace.rounds(partition.database, partition.model)
    rows = response_rows(
        workspace.gateway,
        workspace.all_models[partition.model],
        workspace.context(partition.database),
        workspace.evaluated.sets_on(partition.database),
        edition=workspace.edition.id,
        method=workspace.profile.method,
        rounds=rounds,
    )
    # Only a round that was answered exists: a failed one leaves nothing that replay would miss.
    for round in rounds:
        workspace.open_round(partition.database, partition.model, round)
    return rows


STAGE = Stage(
    schema=RESPONSES,
    version=1,
    dimensions=(Dimension.DATABASE, Dimension.MODEL),
    upstream=("edition_sets",),
    group="evaluation",
    description="Main query, alternatives and explanation of each model for each request.",
    configuration=_configuration,
    compute=_compute,
    partitions=edition_databases_and_models,
    costs_money=True,
    preview=("set_id", "request_kind", "sql", "explanation"),
)
