"""Stage `database_files`: each database's engine and content hash. All else goes stale with it."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.databases.records import DATABASE_FILES
from specbridge_pipeline.databases.registry import check_database
from specbridge_pipeline.orchestration.stage import Dimension, Rows, Stage
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition


def _name(partition: Partition) -> str:
    assert partition.database is not None
    return partition.database


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    database = workspace.databases[_name(partition)]
    check_database(workspace.project, database)
    return {
        "engine": database.engine.value,
        "source": database.entry.source,
        "content_hash": workspace.files.content_hash(database),
        "engine_version": workspace.engine_version(database.id),
    }


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    database = workspace.databases[_name(partition)]
    schema = workspace.runner.read_schema(workspace.database_path(database.id))
    return [
        {
            "database": database.id,
            "engine": database.engine.value,
            "engine_version": workspace.engine_version(database.id),
            "content_hash": workspace.files.content_hash(database),
            "tables": len(schema.tables),
            "columns": sum(len(table.columns) for table in schema.tables),
            "source": database.entry.source,
        }
    ]


def _partitions(workspace: Workspace) -> list[Partition]:
    return [Partition(database=name) for name in workspace.databases]


STAGE = Stage(
    schema=DATABASE_FILES,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=(),
    group="catalogue",
    description="Engine and content hash of each registered database.",
    configuration=_configuration,
    compute=_compute,
    partitions=_partitions,
    preview=("database", "engine_version", "tables", "columns", "content_hash"),
)
