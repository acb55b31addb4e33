"""Makes cells: computes the rows of stale ones, stores them, and leaves fresh ones alone."""

from __future__ import annotations

from dataclasses import dataclass

from specbridge_pipeline.errors import StaleRecordError
from specbridge_pipeline.orchestration.planner import origin, stale_input, staleness
from specbridge_pipeline.orchestration.stage import Stage
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Manifest, Partition


@dataclass(frozen=True, slots=True)
class MadeCell:
    """What became of a cell.

    Attributes:
        partition: Which cell.
        manifest: Its manifest.
        made: Whether it was computed now; False where it was fresh.
    """

    partition: Partition
    manifest: Manifest
    made: bool


def make_cell(workspace: Workspace, stage: Stage, partition: Partition) -> MadeCell:
    """Make a cell, unless it is fresh.

    Raises:
        StaleRecordError: A cell that it reads is missing or stale.
        SpecBridgeError: Its rows cannot be computed; what was stored before stays.
    """
    expected = origin(workspace, stage, partition)
    if expected is None:
        raise StaleRecordError(
            f"a cell that it reads is missing (it reads {', '.join(stage.upstream)})",
            where=f"{stage.name}[{partition}]",
            advice="materialize the upstream assets first, or use `specbridge run`",
        )
    stale = stale_input(workspace, stage, partition)
    if stale:
        raise StaleRecordError(
            f"a cell that it reads is stale: {stale}",
            where=f"{stage.name}[{partition}]",
            advice="materialize the upstream assets first, or use `specbridge run`",
        )
    stored = workspace.store.manifest(stage.name, partition)
    if stored is not None and not staleness(workspace, stage, partition):
        return MadeCell(partition, stored, made=False)
    frame = stage.schema.frame(stage.compute(workspace, partition))
    manifest = workspace.store.write(stage.schema, partition, frame, expected)
    return MadeCell(partition, manifest, made=True)
