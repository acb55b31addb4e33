"""Dagster partitions: databases and models, whose keys come from the two registries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster import DagsterInstance, DynamicPartitionsDefinition, MultiPartitionsDefinition

from specbridge_pipeline.orchestration.stage import Dimension, Stage
from specbridge_pipeline.records.cells import Partition

if TYPE_CHECKING:
    from dagster import PartitionsDefinition

    from specbridge_pipeline.orchestration.workspace import Workspace

DATABASES = DynamicPartitionsDefinition(name=Dimension.DATABASE.value)
MODELS = DynamicPartitionsDefinition(name=Dimension.MODEL.value)
DATABASES_AND_MODELS = MultiPartitionsDefinition(
    {Dimension.DATABASE.value: DATABASES, Dimension.MODEL.value: MODELS}
)


def partitions_of(stage: Stage) -> PartitionsDefinition[str] | None:
    """Return the partitions of a stage's asset."""
    if len(stage.dimensions) == 2:
        return DATABASES_AND_MODELS
    if stage.dimensions == (Dimension.DATABASE,):
        return DATABASES
    if stage.dimensions == (Dimension.MODEL,):
        return MODELS
    return None


def partition_of(stage: Stage, key: str) -> Partition:
    """Return the cell that a Dagster partition key names."""
    if len(stage.dimensions) == 2:
        # Dimensions stand in alphabetical order in the key.
        database, model = key.split("|")
        return Partition(database, model)
    if stage.dimensions == (Dimension.DATABASE,):
        return Partition(database=key)
    return Partition(model=key)


def missing_keys(instance: DagsterInstance, workspace: Workspace) -> dict[str, list[str]]:
    """Return the registry ids that are not yet partitions, by dimension, in registry order."""
    wanted = {
        Dimension.DATABASE.value: list(workspace.databases),
        Dimension.MODEL.value: list(workspace.models),
    }
    return {
        name: [key for key in keys if key not in instance.get_dynamic_partitions(name)]
        for name, keys in wanted.items()
    }


def register(instance: DagsterInstance, workspace: Workspace) -> None:
    """Make every registered database and model a partition. None is ever removed."""
    for name, keys in missing_keys(instance, workspace).items():
        if keys:
            instance.add_dynamic_partitions(name, keys)


def consecutive(instance: DagsterInstance, name: str, keys: set[str]) -> list[tuple[str, str]]:
    """Return the fewest ranges of a dimension that hold exactly the given keys.

    Args:
        instance: Knows the order of the keys.
        name: The dimension.
        keys: The keys to cover; all of them are partitions.

    Returns:
        (first, last) of each range.
    """
    ranges: list[tuple[str, str]] = []
    previous_in = False
    for key in instance.get_dynamic_partitions(name):
        if key in keys:
            ranges = [*ranges[:-1], (ranges[-1][0], key)] if previous_in else [*ranges, (key, key)]
        previous_in = key in keys
    return ranges
