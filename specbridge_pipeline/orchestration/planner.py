"""Which cells are stale, and why: read from manifests alone, without starting Dagster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.orchestration.stage import Dimension, Stage
from specbridge_pipeline.orchestration.stages import STAGE_BY_NAME, STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Manifest, Partition

_NO_INPUTS = "its inputs are not made"


@dataclass(frozen=True, slots=True)
class StaleCell:
    """A cell that has to be made.

    Attributes:
        stage: Name of its stage.
        partition: Which cell.
        reason: Why it is stale, for people.
        waits: Whether it is stale only because one that it reads is.
        makeable: Whether everything that it reads is there, or is made before it.
    """

    stage: str
    partition: Partition
    reason: str
    waits: bool = False
    makeable: bool = True


def upstream_partitions(
    workspace: Workspace, stage: Stage, partition: Partition, upstream: Stage
) -> list[Partition]:
    """Return the cells of an upstream stage that one cell reads.

    A dimension that both have is passed on. A stage that lacks a dimension reads every stored cell
    along it.
    """
    if set(upstream.dimensions) <= set(stage.dimensions):
        return [
            Partition(
                partition.database if Dimension.DATABASE in upstream.dimensions else None,
                partition.model if Dimension.MODEL in upstream.dimensions else None,
            )
        ]
    return workspace.store.partitions(upstream.name)


def origin(workspace: Workspace, stage: Stage, partition: Partition) -> Manifest | None:
    """Return what a cell would be made from now, or None while a cell that it reads is missing."""
    inputs = {}
    for name in stage.upstream:
        for needed in upstream_partitions(workspace, stage, partition, STAGE_BY_NAME[name]):
            manifest = workspace.store.manifest(name, needed)
            if manifest is None:
                return None
            inputs[f"{name}[{needed}]"] = manifest.content_hash
    return Manifest(
        stage=stage.name,
        stage_version=stage.version,
        schema_version=stage.schema.version,
        inputs=inputs,
        configuration=stage.configuration(workspace, partition),
    )


def staleness(workspace: Workspace, stage: Stage, partition: Partition) -> str:
    """Return why a cell has to be made; an empty text where it is fresh."""
    try:
        expected = origin(workspace, stage, partition)
    except SpecBridgeError as error:
        # Making it will say the same, and fail for this cell alone.
        return str(error)
    if expected is None:
        return _NO_INPUTS
    stored = workspace.store.manifest(stage.name, partition)
    if stored is None:
        return "never made"
    if stored.schema_version != expected.schema_version:
        return "the form of its rows changed"
    if stored.stage_version != expected.stage_version:
        return f"its code changed (version {stored.stage_version} → {expected.stage_version})"
    changed = _differing(stored.inputs, expected.inputs)
    if changed:
        return f"its inputs changed: {_listed(changed)}"
    changed = _differing(stored.configuration, expected.configuration)
    if changed:
        return f"its configuration changed: {_listed(changed)}"
    return "" if stage.intact(workspace, partition) else "a file that it wrote is gone"


def stale_input(
    workspace: Workspace, stage: Stage, partition: Partition, *, among: Iterable[Stage] = STAGES
) -> str:
    """Return which cell that a cell reads is stale, and why; an empty text where none is.

    A stage that gathers cells along a dimension reads what is stored, stale or not: a model that
    cannot be reached does not keep the others from being counted.

    Args:
        workspace: The project.
        stage: The cell's stage.
        partition: Which cell.
        among: The upstream stages to look at, with everything that they read.
    """
    looked_at = list(among)
    for name in stage.upstream:
        upstream = STAGE_BY_NAME[name]
        gathers = not set(upstream.dimensions) <= set(stage.dimensions)
        if upstream not in looked_at or gathers:
            continue
        for needed in upstream_partitions(workspace, stage, partition, upstream):
            reason = staleness(workspace, upstream, needed)
            if reason:
                return f"{name}[{needed}]: {reason}"
            deeper = stale_input(workspace, upstream, needed)
            if deeper:
                return deeper
    return ""


def plan(
    workspace: Workspace,
    *,
    databases: Sequence[str] | None = None,
    models: Sequence[str] | None = None,
    stages: Iterable[Stage] = STAGES,
) -> list[StaleCell]:
    """Return every cell that has to be made, upstream first.

    A cell downstream of a stale one counts as stale; when its turn comes and its inputs turn out
    unchanged, it is left as it is.

    Args:
        workspace: The project.
        databases: Only cells of these databases, where a stage is partitioned by database.
        models: Only cells of these models, where a stage is partitioned by model.
        stages: The stages to look at, upstream first.
    """
    stale: dict[tuple[str, Partition], StaleCell] = {}
    looked_at = list(stages)
    before = [stage for stage in STAGES if stage not in looked_at]
    for stage in looked_at:
        for partition in stage.partitions(workspace):
            if _left_out(partition, databases, models):
                continue
            waits_for = _stale_upstream(workspace, stage, partition, stale)
            reason = f"after {waits_for}" if waits_for else staleness(workspace, stage, partition)
            blocked = stale_input(workspace, stage, partition, among=before) if reason else ""
            if reason:
                stale[stage.name, partition] = StaleCell(
                    stage.name,
                    partition,
                    reason,
                    waits=bool(waits_for),
                    makeable=reason != _NO_INPUTS and not blocked,
                )
    return list(stale.values())


def _stale_upstream(
    workspace: Workspace,
    stage: Stage,
    partition: Partition,
    stale: dict[tuple[str, Partition], StaleCell],
) -> str:
    for name in stage.upstream:
        upstream = STAGE_BY_NAME[name]
        if set(upstream.dimensions) <= set(stage.dimensions):
            candidates = upstream_partitions(workspace, stage, partition, upstream)
        else:
            candidates = upstream.partitions(workspace)
        if any((name, needed) in stale for needed in candidates):
            return name
    return ""


def _left_out(
    partition: Partition, databases: Sequence[str] | None, models: Sequence[str] | None
) -> bool:
    return (
        databases is not None
        and partition.database is not None
        and partition.database not in databases
    ) or (models is not None and partition.model is not None and partition.model not in models)


def _differing(stored: Mapping[str, object], expected: Mapping[str, object]) -> list[str]:
    return sorted(
        name for name in stored.keys() | expected.keys() if stored.get(name) != expected.get(name)
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
