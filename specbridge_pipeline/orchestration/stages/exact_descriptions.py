"""Stage `exact_descriptions`: each generated query in words that leave nothing out."""

from __future__ import annotations

from typing import Any

from specbridge_pipeline.errors import UndescribableQueryError
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


def _configuration(workspace: Workspace, partition: Partition) -> dict[str, Any]:
    return {}


def _compute(workspace: Workspace, partition: Partition) -> Rows:
    from specbridge_pipeline.exact_description.describing import describe

    database = database_of(partition)
    schema, catalogue = workspace.schema(database), workspace.catalogue(database)
    rows = []
    for query in workspace.store.read(GENERATED_QUERIES, partition).to_dicts():
        if not query["kept"]:
            continue
        text = problem = ""
        try:
            text = describe(query["sql"], schema, catalogue).text
        except UndescribableQueryError as error:
            problem = str(error)
        rows.append(
            {
                "database": database,
                "query_id": query["query_id"],
                "described": not problem,
                "problem": problem,
                "description": text,
            }
        )
    return rows


STAGE = Stage(
    schema=EXACT_DESCRIPTIONS,
    version=1,
    dimensions=(Dimension.DATABASE,),
    upstream=("catalogue", "generated_queries"),
    group="exact_description",
    description="Each generated query in English, from its SQL alone.",
    configuration=_configuration,
    compute=_compute,
    partitions=construction_databases,
    preview=("query_id", "described", "description"),
)
