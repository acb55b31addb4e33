"""Stage `catalogue`: what each table and column means, and how the tables hang together."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.catalogue.records import CATALOGUE, catalogue_rows
from specbridge_pipeline.orchestration.stage import (
    Dimension,
    Rows,
    Stage,
    construction_databases,
    database_of,
)
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    cataloguer = workspace.cataloguer
    return {
        "cataloguer": None if cataloguer is None else cataloguer.request_configuration,
        "engine_version": workspace.engine_version(database_of(partition)),
        "meanings": workspace.meanings(database_of(partition)).fingerprint(),
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    catalogue, _ = workspace.build_catalogue(database_of(partition))
    return catalogue_rows(catalogue)


STAGE = Stage(
    schema=CATALOGUE,
    version=2,
    dimensions=(Dimension.DATABASE,),
    upstream=("database_files",),
    group="catalogue",
    description="Tables, columns and relationships with what is known of each, and from where.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=(
        "kind",
        "table_name",
        "column_names",
        "role",
        "phrase",
        "summable",
        "most_children",
        "reason",
    ),
)
