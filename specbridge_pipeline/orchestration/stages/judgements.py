"""Stage `judgements`: whether the words of each response say that the choice is open."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.evaluation.records import JUDGEMENTS, RESPONSES
from specbridge_pipeline.evaluation.stages import judgement_rows
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    edition_databases_and_models,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    name = workspace.profile.judge
    entry = workspace.all_models.get(name)
    return {"judge": name, "model": None if entry is None else entry.request_configuration}


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    assert partition.database is not None
    return judgement_rows(
        workspace.judge,
        workspace.evaluated.sets_on(partition.database),
        workspace.store.read(RESPONSES, partition).to_dicts(),
        where=str(partition),
    )


STAGE = Stage(
    schema=JUDGEMENTS,
    version=1,
    dimensions=(Dimension.DATABASE, Dimension.MODEL),
    upstream=("edition_sets", "responses"),
    group="evaluation",
    description="Whether each response names the choice, by rules or by a judge model.",
    configuration=_configuration,
    compute=_compute,
    partitions=edition_databases_and_models,
    costs_money=True,
    preview=("set_id", "request_kind", "judge", "names_choice", "evidence"),
)
