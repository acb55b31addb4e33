"""What a killed run leaves behind, and how it is freed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dagster import DagsterInstance, DagsterRunStatus, RunsFilter

from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.processes import has_ended

PROCESS_TAG = "specbridge/process"
"""Tag of a run with the process that executes it."""

_UNDER_WAY = [
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found.

    Attributes:
        runs: Ids of runs that count as under way.
        slots: Pool → ids of the runs that hold its slots.
        claims: Number of claimed requests in the archive.
        files: Temporary files of writes that did not end.
    """

    runs: tuple[str, ...]
    slots: dict[str, tuple[str, ...]]
    claims: int
    files: tuple[Path, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing was found."""
        return not (self.runs or any(self.slots.values()) or self.claims or self.files)

    def as_json(self) -> dict[str, Any]:
        """Return the findings as plain JSON values."""
        return {
            "runs": list(self.runs),
            "slots": {pool: list(runs) for pool, runs in self.slots.items()},
            "claims": self.claims,
            "files": [str(path) for path in self.files],
        }

    def lines(self) -> list[str]:
        """Return the findings for people, a line each."""
        if self.healthy:
            return ["nothing was left behind"]
        held = sum(len(runs) for runs in self.slots.values())
        counts = (
            (len(self.runs), "runs that count as under way"),
            (held, "slots of concurrency pools that are held"),
            (self.claims, "requests that are claimed and not answered"),
            (len(self.files), "temporary files"),
        )
        return [f"{count} {what}" for count, what in counts if count]


def examine(workspace: Workspace, instance: DagsterInstance) -> Findings:
    """Look for what a killed run left behind. A run that is really under way is found too."""
    runs = instance.get_runs(filters=RunsFilter(statuses=_UNDER_WAY))
    storage = instance.event_log_storage
    slots = {
        pool: tuple(sorted(storage.get_concurrency_info(pool).active_run_ids))
        for pool in sorted(storage.get_concurrency_keys())
    }
    warehouse = workspace.project.warehouse
    return Findings(
        runs=tuple(run.run_id for run in runs),
        slots=slots,
        claims=workspace.archive.claims(),
        files=tuple(sorted(warehouse.glob("**/.data.parquet.*"))),
    )


def release_ended(instance: DagsterInstance) -> list[str]:
    """End the runs of `specbridge run` whose process is no more, and free what they hold.

    A killed process leaves its run as started, with its pool slots taken: the next run would wait
    for them for good.

    Returns:
        The ids of these runs.
    """
    ended = [
        run.run_id
        for run in instance.get_runs(filters=RunsFilter(statuses=_UNDER_WAY))
        if has_ended(run.tags.get(PROCESS_TAG, ""))
    ]
    for run_id in ended:
        _end(instance, run_id)
    return ended


def repair(workspace: Workspace, instance: DagsterInstance, findings: Findings) -> None:
    """Mark the found runs as failed and free what they hold."""
    holders = {run for runs in findings.slots.values() for run in runs}
    for run_id in sorted(holders | set(findings.runs)):
        _end(instance, run_id)
    workspace.archive.drop_claims()
    for path in findings.files:
        path.unlink(missing_ok=True)


def _end(instance: DagsterInstance, run_id: str) -> None:
    run = instance.get_run_by_id(run_id)
    if run is not None and not run.is_finished:
        instance.report_run_failed(run, "The process of this run was killed.")
    instance.event_log_storage.free_concurrency_slots_for_run(run_id)
