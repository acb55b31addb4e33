"""Starts Dagster for stale cells: as few runs as their shape allows, in this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.orchestration.planner import StaleCell, plan
from specbridge_pipeline.orchestration.stage import Dimension, Stage
from specbridge_pipeline.orchestration.stages import STAGE_BY_NAME, STAGES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.records.processes import this_process

if TYPE_CHECKING:
    from dagster import DagsterInstance
    from dagster._core.execution.plan.objects import StepFailureData

DEFINITIONS_MODULE = "specbridge_pipeline.definitions"


@dataclass(frozen=True, slots=True)
class RunPlan:
    """One Dagster run: some assets over one range of partitions.

    Attributes:
        stages: Names of the assets.
        first: First partition key of the range; empty for assets without partitions.
        last: Last partition key of the range.
    """

    stages: tuple[str, ...]
    first: str = ""
    last: str = ""


@dataclass(slots=True)
class RunReport:
    """What a sequence of runs did.

    Attributes:
        runs: Ids of the Dagster runs.
        failures: What failed, each in words.
        tracebacks: Of failures that nobody foresaw.
    """

    runs: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)


def dagster_instance(workspace: Workspace, *, prepare: bool = True) -> DagsterInstance:
    """Return the project's Dagster instance.

    Args:
        workspace: The project.
        prepare: Whether to register every database and model as a partition, and to free what
            killed runs of this machine left behind.

    Returns:
        The instance that `dagster dev` opens in the project's folder.
    """
    from dagster import DagsterInstance

    from specbridge_pipeline.orchestration.partitions import register
    from specbridge_pipeline.orchestration.recovery import release_ended

    root = workspace.project.root
    os.environ["DAGSTER_HOME"] = str(root)
    os.environ["SPECBRIDGE_HOME"] = str(root)
    # dagster.yaml names its folders relative to the project's.
    os.chdir(root)
    instance = DagsterInstance.get()
    if prepare:
        register(instance, workspace)
        release_ended(instance)
    return instance


def run_stale(
    workspace: Workspace,
    instance: DagsterInstance,
    *,
    configuration: Mapping[str, str],
    databases: Sequence[str] | None = None,
    models: Sequence[str] | None = None,
    stages: Iterable[Stage] = STAGES,
    told: Callable[[RunPlan], None] = lambda _: None,
) -> RunReport:
    """Make every stale cell.

    Neighbouring stages that share their partitions go in one run, a run a model. What fails in one
    run does not keep the others from running; a stage whose inputs are missing is left out.

    Args:
        workspace: The project.
        instance: The Dagster instance.
        configuration: Configuration of the resource, the same for every run.
        databases: Only cells of these databases.
        models: Only cells of these models.
        stages: Only cells of these stages, upstream first.
        told: Told of each run before it starts.

    Returns:
        The runs and what failed.
    """
    report = RunReport()
    for _, neighbours in groupby(stages, key=lambda stage: stage.dimensions):
        wave = list(neighbours)
        failed: set[tuple[str, Partition]] = set()
        attempted: list[StaleCell] = []
        while True:
            stale = plan(workspace, databases=databases, models=models, stages=wave)
            # What was attempted and is stale on its own account failed: again would be the same.
            failed |= {
                (cell.stage, cell.partition)
                for cell in stale
                if cell in attempted and not cell.waits
            }
            cells = [cell for cell in stale if cell.makeable and not _blocked(cell, failed)]
            if not cells or cells == attempted:
                break
            for run in runs_for(instance, cells):
                told(run)
                _execute(instance, run, configuration, report)
            attempted = cells
    return report


def runs_for(instance: DagsterInstance, cells: Iterable[StaleCell]) -> list[RunPlan]:
    """Return the runs that make exactly the given cells, all of stages with the same partitions.

    Args:
        instance: Knows the order of partition keys.
        cells: The cells.

    Returns:
        One run a range of consecutive databases, for each model on its own.
    """
    from specbridge_pipeline.orchestration.partitions import consecutive

    listed = list(cells)
    stages = tuple(stage.name for stage in STAGES if any(c.stage == stage.name for c in listed))
    if not STAGE_BY_NAME[stages[0]].dimensions:
        return [RunPlan(stages)]
    runs = []
    for model in dict.fromkeys(cell.partition.model for cell in listed):
        of_model = [cell for cell in listed if cell.partition.model == model]
        names = tuple(name for name in stages if any(cell.stage == name for cell in of_model))
        databases = {cell.partition.database or "" for cell in of_model}
        for first, last in consecutive(instance, Dimension.DATABASE.value, databases):
            suffix = "" if model is None else f"|{model}"
            runs.append(RunPlan(names, f"{first}{suffix}", f"{last}{suffix}"))
    return runs


def _blocked(cell: StaleCell, failed: set[tuple[str, Partition]]) -> bool:
    names = (cell.stage, *STAGE_BY_NAME[cell.stage].upstream)
    return any((name, cell.partition) in failed for name in names)


def _execute(
    instance: DagsterInstance, run: RunPlan, configuration: Mapping[str, str], report: RunReport
) -> None:
    from dagster import AssetKey, DagsterEventType, DagsterInstance, execute_job
    from dagster._core.code_pointer import ModuleCodePointer
    from dagster._core.origin import JobPythonOrigin, RepositoryPythonOrigin
    from dagster._core.storage.tags import (
        ASSET_PARTITION_RANGE_END_TAG,
        ASSET_PARTITION_RANGE_START_TAG,
        PARTITION_NAME_TAG,
    )
    from dagster._utils.hosted_user_process import (
        recon_job_from_origin,
        recon_repository_from_origin,
    )

    from specbridge_pipeline.orchestration.recovery import PROCESS_TAG

    assert isinstance(instance, DagsterInstance)
    origin = RepositoryPythonOrigin(
        executable_path=sys.executable,
        code_pointer=ModuleCodePointer(DEFINITIONS_MODULE, "defs", working_directory=None),
        entry_point=["dagster"],
    )
    repository = recon_repository_from_origin(origin)
    keys = [AssetKey(name) for name in run.stages]
    job = repository.get_definition().get_implicit_job_def_for_assets(keys)
    assert job is not None
    tags: dict[str, Any] = {
        "specbridge/started_by": "specbridge run",
        PROCESS_TAG: this_process(),
    }
    if run.first and run.first == run.last:
        tags |= job.get_tags_for_partition_key(run.first, selected_asset_keys=set(keys))
        tags[PARTITION_NAME_TAG] = run.first
    elif run.first:
        tags |= {
            ASSET_PARTITION_RANGE_START_TAG: run.first,
            ASSET_PARTITION_RANGE_END_TAG: run.last,
        }
    result = execute_job(
        job=recon_job_from_origin(JobPythonOrigin(job.name, repository_origin=origin)),
        asset_selection=keys,
        instance=instance,
        tags=tags,
        run_config={
            "resources": {"specbridge": {"config": dict(configuration)}},
            "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
        },
        raise_on_error=False,
    )
    report.runs.append(result.run_id)
    known = len(report.failures)
    for event in result.all_events:
        if event.is_step_failure:
            _note_failure(event.step_key or "", event.step_failure_data, report)
        elif event.event_type is DagsterEventType.ASSET_CHECK_EVALUATION:
            check = event.asset_check_evaluation_data
            if not check.passed:
                stage = check.asset_key.to_user_string()
                first = check.metadata["first"].value
                report.failures.append(f"{stage} breaks its promise {check.check_name}: {first}")
    if not result.success and len(report.failures) == known:
        report.failures.append(f"run {result.run_id} of {', '.join(run.stages)} did not succeed")


def _note_failure(step: str, failure: StepFailureData, report: RunReport) -> None:
    error = failure.error
    if error is not None and error.cls_name == "DagsterExecutionInterruptedError":
        # Dagster turns the interrupt into a failed step; whoever pressed Ctrl-C wants all to end.
        raise KeyboardInterrupt
    said = failure.user_failure_data
    if said is not None and said.description:
        report.failures += said.description.splitlines()
    elif error is not None:
        cause = error.cause or error
        report.failures.append(f"{step}: {cause.message.strip()}")
        report.tracebacks.append(error.to_string())
