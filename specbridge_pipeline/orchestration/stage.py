"""What a stage is: rows of one schema, made from rows of others, partition by partition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.records.schemas import FrameSchema
from specbridge_pipeline.settings import Construction


class Dimension(StrEnum):
    """What a stage is partitioned by."""

    DATABASE = "database"
    MODEL = "model"


Rows = Iterable[Mapping[str, Any]]


def _always(workspace: Workspace, partition: Partition) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the pipeline. It becomes one Dagster asset and one view of the warehouse.

    Attributes:
        schema: The form of its rows; gives it its name.
        version: Version of the code that makes them; raised when the same inputs give other rows.
        dimensions: What it is partitioned by.
        upstream: The stages that it reads.
        group: The part of the pipeline that it belongs to.
        description: What it holds, for people.
        configuration: (workspace, partition) → settings and registry entries that its rows depend
            on, as plain JSON values.
        compute: (workspace, partition) → its rows.
        partitions: workspace → the partitions that there should be.
        costs_money: Whether making it may ask models.
        intact: (workspace, partition) → whether what it wrote beside its cell is still there.
        preview: Columns of the table that the Dagster UI shows.
    """

    schema: FrameSchema
    version: int
    dimensions: tuple[Dimension, ...]
    upstream: tuple[str, ...]
    group: str
    description: str
    configuration: Callable[[Workspace, Partition], dict[str, Any]]
    compute: Callable[[Workspace, Partition], Rows]
    partitions: Callable[[Workspace], list[Partition]]
    costs_money: bool = False
    intact: Callable[[Workspace, Partition], bool] = _always
    preview: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of stage, asset and view."""
        return self.schema.name


def database_of(partition: Partition) -> str:
    """Return the database of a partition that has one."""
    assert partition.database is not None
    return partition.database


def whole(workspace: Workspace) -> list[Partition]:
    """The one partition of a stage without dimensions."""
    return [Partition()]


def construction_databases(workspace: Workspace) -> list[Partition]:
    """One partition a database that request sets are built on."""
    return [Partition(database=name) for name in workspace.construction_databases]


def construction_roles(workspace: Workspace, *roles: str) -> dict[str, Any]:
    """Return the models that a profile names in roles of construction, as the registry has them.

    Args:
        workspace: The project.
        roles: Settings of the profile's `construction`: "writer", "reviewers", "proposer".

    Returns:
        Role → name → what a reply depends on, None for rules. Roles that the default profile's
        rules have are left out, so that the cells they made stay as they are.
    """
    chosen, default = workspace.profile.construction, Construction()
    configuration = {}
    for role in roles:
        names = getattr(chosen, role)
        if names != getattr(default, role):
            entries = {
                name: workspace.all_models.get(name)
                for name in ((names,) if isinstance(names, str) else names)
            }
            configuration[role] = {
                name: None if entry is None else entry.request_configuration
                for name, entry in entries.items()
            }
    return configuration


def edition_databases(workspace: Workspace) -> list[Partition]:
    """One partition a database of the edition."""
    return [Partition(database=name) for name in workspace.evaluated_databases]


def edition_databases_and_models(workspace: Workspace) -> list[Partition]:
    """One partition a database of the edition and evaluated model."""
    return [
        Partition(database, model)
        for model in workspace.models
        for database in workspace.evaluated_databases
    ]
