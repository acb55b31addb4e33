"""Every stage as a Dagster asset: thin, it makes its cells and says what it made."""

from dagster import (
    AssetExecutionContext,
    AssetKey,
    AssetMaterialization,
    AssetsDefinition,
    AutomationCondition,
    BackfillPolicy,
    DataVersion,
    Failure,
    asset,
)

from specbridge_pipeline.errors import BudgetExhaustedError, SpecBridgeError
from specbridge_pipeline.orchestration.making import MadeCell, make_cell
from specbridge_pipeline.orchestration.metadata import cell_metadata, column_schema
from specbridge_pipeline.orchestration.partitions import partition_of, partitions_of
from specbridge_pipeline.orchestration.resources import SpecBridgeResource
from specbridge_pipeline.orchestration.stage import Stage
from specbridge_pipeline.orchestration.stages import STAGES
from specbridge_pipeline.records.cells import Partition

MODEL_POOL = "models"
"""Concurrency pool of the assets that ask models; its limit stands in dagster.yaml."""

_WHEN_INPUTS_CHANGE = AutomationCondition.eager().without(
    # The grid has cells that no edition needs; they are missing for good.
    ~AutomationCondition.any_deps_missing()
)


def asset_of(stage: Stage) -> AssetsDefinition:
    """Return the Dagster asset of a stage."""

    @asset(
        name=stage.name,
        deps=list(stage.upstream),
        partitions_def=partitions_of(stage),
        # One run makes any number of cells: a run for each would cost seconds a cell.
        backfill_policy=BackfillPolicy.single_run() if stage.dimensions else None,
        group_name=stage.group,
        description=stage.description,
        code_version=str(stage.version),
        metadata=column_schema(stage),
        pool=MODEL_POOL if stage.costs_money else None,
        automation_condition=None if stage.dimensions else _WHEN_INPUTS_CHANGE,
    )
    def made(context: AssetExecutionContext, specbridge: SpecBridgeResource) -> None:
        keys = list(context.partition_keys) if stage.dimensions else [""]
        with specbridge.open() as workspace:
            cells: dict[str, MadeCell] = {}
            problems: dict[str, SpecBridgeError] = {}
            for key in keys:
                partition = partition_of(stage, key) if key else Partition()
                if partition not in stage.partitions(workspace):
                    context.log.info("%s[%s]: not a cell of this edition", stage.name, partition)
                    continue
                try:
                    cells[key] = make_cell(workspace, stage, partition)
                except BudgetExhaustedError as error:
                    problems[key] = error
                    break
                except SpecBridgeError as error:
                    problems[key] = error
                    continue
                context.log.info(
                    "%s[%s]: %s, %d rows",
                    stage.name,
                    partition,
                    "made" if cells[key].made else "up to date",
                    cells[key].manifest.rows,
                )
            metadata = {key: cell_metadata(workspace, stage, cells[key]) for key in cells}
        if problems:
            # A failed range run records nothing by itself: say which cells are there.
            for key in cells:
                context.log_event(
                    AssetMaterialization(stage.name, metadata=metadata[key], partition=key or None)
                )
            raise Failure(
                "\n".join(str(error) for error in problems.values()),
                metadata={"failed cells": ", ".join(problems)},
                allow_retries=False,
            )
        for key in cells:
            context.add_asset_metadata(metadata[key], partition_key=key or None)
        if len(keys) == 1 and cells:
            # In a range run one data version would stand for all cells; there the hash in the
            # metadata has to do.
            version = DataVersion(cells[keys[0]].manifest.content_hash)
            context.set_data_version(AssetKey(stage.name), version)

    return made


ASSETS: list[AssetsDefinition] = [asset_of(stage) for stage in STAGES]
