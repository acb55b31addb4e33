"""Stage `data_kinds`: kinds of data on which an unstated choice changes an answer."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.choices.answer_changes.records import DATA_KINDS
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    construction_databases,
    database_of,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.query_generation.study_records import REGISTERED
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {"engine_version": workspace.engine_version(database_of(partition))}


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.choices.answer_changes.data_kinds import data_kinds

    name = database_of(partition)
    return data_kinds(REGISTERED, workspace.catalogue(name), workspace.measure_on(name))


STAGE = Stage(
    schema=DATA_KINDS,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue",),
    group="choice_mining",
    description="Kinds of data on which an unstated choice changes an answer, counted.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("kind", "present", "count", "of_count", "example"),
)
