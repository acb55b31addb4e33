"""What `specbridge sets import` does and says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from specbridge_pipeline.cli.terminal import print_json
from specbridge_pipeline.errors import ConfigurationError, EditionError, ImportFaultsError
from specbridge_pipeline.exchange.coming_verdicts import read_coming_review
from specbridge_pipeline.exchange.gates import Gate, GatedDatabase
from specbridge_pipeline.exchange.importing_sets import (
    GatedSet,
    gate_sets,
    imported_imprint,
    verdicts_file,
    write_verdicts,
)
from specbridge_pipeline.exchange.reading_sets import RegisteredDatabase, read_set_rows
from specbridge_pipeline.language_models.recordings import check_recordings, copy_recordings
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.reporting.formatting import counted
from specbridge_pipeline.request_sets.editions import EditionRecord
from specbridge_pipeline.request_sets.human_review.decisions import person_of
from specbridge_pipeline.request_sets.human_review.edition_reviews import NO_REVIEW, EditionReview
from specbridge_pipeline.request_sets.human_review.importing import recorded_decisions
from specbridge_pipeline.request_sets.human_verdicts import read_verdicts
from specbridge_pipeline.request_sets.publishing import publish, require_new
from specbridge_pipeline.settings import SLUG

_SOME_LEFT_OUT = 3
_MOST_REASONS = 4
"""So many reasons of one gate are printed for a set."""


@dataclass(frozen=True, slots=True)
class DoneImport:
    """What became of an import.

    Attributes:
        edition: The edition's id.
        gated: All sets of the file, with what is wrong with them.
        record: What edition.yaml says; None where nothing was written.
        dry_run: Whether nothing was to be written.
        recordings: Files of recorded replies that were taken along.
        review: The verdicts with a label that came and ship with the edition now.
    """

    edition: str
    gated: tuple[GatedSet, ...]
    record: EditionRecord | None
    dry_run: bool
    recordings: int
    review: EditionReview

    @property
    def failed(self) -> list[GatedSet]:
        """The sets that did not pass."""
        return [each for each in self.gated if not each.passed]

    @property
    def exit_code(self) -> int:
        """0 where all sets passed, 3 where some were left out, 1 where nothing was written."""
        if not self.failed:
            return 0
        return _SOME_LEFT_OUT if self.record is not None else 1


def import_sets(
    workspace: Workspace,
    file: Path,
    edition: str,
    *,
    title: str,
    left_out: Sequence[str],
    strict: bool,
    recordings: Path | None,
    dry_run: bool,
) -> DoneImport:
    """Read a file of sets, put them through the gates, and seal those that pass.

    Raises:
        ConfigurationError: The edition's name is none, or recordings are damaged.
        EditionError: There is something under the edition's name already.
        ImportFaultsError: The file has faults; nothing is written then.
        WorkerError: A query could not be run for a reason of ours; nothing is written then.
    """
    if not re.fullmatch(SLUG, edition):
        raise ConfigurationError(
            f"'{edition}' is no id of an edition",
            advice="use lower-case letters, digits, '_', '.', '-'",
        )
    project = workspace.project
    require_new(project, edition)
    if recordings is not None:
        check_recordings(recordings)
        _require_no_recordings(project.recordings / edition)
    verdicts = read_verdicts(project.reviews.glob("*.csv"))
    rows = read_set_rows(file, lambda name: _registered(workspace, name), verdicts)
    coming = read_coming_review(file, rows, recorded_decisions(project), verdicts)
    if any(not said.label for each in rows for said in each.row.human_verdicts):
        path = verdicts_file(project, edition)
        if path.exists():
            raise ImportFaultsError(
                (f"{file.name}: it has verdicts of people, and there is a file {path} already",)
            )
    gates = tuple(Gate(name) for name in left_out)
    databases: dict[str, GatedDatabase] = {}

    def database_of(name: str) -> GatedDatabase:
        if name not in databases:
            databases[name] = _gated(workspace, name)
        return databases[name]

    gated = gate_sets(rows, database_of, left_out=gates, progress=workspace.progress)
    passed = [each for each in gated if each.passed]
    record, taken, review = None, 0, NO_REVIEW
    here = {each.set_id for each in passed}
    if passed and not dry_run and (len(passed) == len(gated) or not strict):
        imprint = imported_imprint(
            passed,
            title=title,
            file=file.name,
            read=len(rows),
            left_out=gates,
            code_version=version("specbridge-pipeline"),
            engines=workspace.engine_numbers({each.read.row.database for each in passed}),
        )
        sets = [each.request_set for each in passed if each.request_set is not None]
        record = publish(project, edition, sets, imprint, unsealed=coming.shipped_with(here))
        review = coming.on(here)
        write_verdicts(project, edition, passed)
        if recordings is not None:
            taken = copy_recordings(recordings, project.recordings / edition)
    return DoneImport(edition, tuple(gated), record, dry_run, taken, review)


def print_import(done: DoneImport, *, as_json: bool) -> None:
    """Print what became of an import, with every set that was left out and why."""
    if as_json:
        print_json(_as_json(done))
        return
    for each in done.failed:
        named = f" set {each.set_id}" if each.set_id else ""
        for gate in Gate:
            found = [failure for failure in each.failures if failure.gate is gate]
            for failure in found[:_MOST_REASONS]:
                click.echo(f"{each.read.where}:{named} {failure}")
            if len(found) > _MOST_REASONS:
                more = len(found) - _MOST_REASONS
                click.echo(f"{each.read.where}:{named} {gate}: and {more} more (--json shows all)")
    passed = len(done.gated) - len(done.failed)
    click.echo(f"{passed} of {len(done.gated)} sets pass every gate that was asked")
    if done.record is not None:
        click.echo(
            f"imported as edition {done.record.id}: {done.record.sets} sets, digest "
            f"{done.record.digest[:12]}…"
        )
        for person, label in done.review.labels.items():
            read = [
                each.decision
                for each in done.review.decisions
                if person_of(each.decision.reviewer) == person
            ]
            click.echo(
                f"{counted(len(read), 'verdict')} of {person} taken along, on "
                f"{counted(len({each.set_id for each in read}), 'set')} ({label})"
            )
        if done.recordings:
            click.echo(f"{done.recordings} files of recorded replies taken along")
        click.echo(f"evaluate it: specbridge run --no-draft --edition {done.record.id}")
    else:
        click.echo("dry run: nothing is written" if done.dry_run else "nothing is written")


def _as_json(done: DoneImport) -> dict[str, Any]:
    return {
        "edition": done.edition,
        "imported": done.record is not None,
        "record": None if done.record is None else done.record.model_dump(mode="json"),
        "sets": [
            {
                "where": each.read.where,
                "set_id": each.set_id,
                "passed": each.passed,
                "failures": [
                    {"gate": failure.gate.value, "reason": failure.reason}
                    for failure in each.failures
                ],
            }
            for each in done.gated
        ],
        "recordings": done.recordings,
        "verdicts": len(done.review.decisions),
    }


def _registered(workspace: Workspace, name: str) -> RegisteredDatabase | None:
    if name not in workspace.databases:
        return None
    database = workspace.databases[name]
    return RegisteredDatabase(workspace.files.content_hash(database), database.engine.value)


def _gated(workspace: Workspace, name: str) -> GatedDatabase:
    return GatedDatabase(
        run=workspace.run_on(name),
        engine=workspace.engine(name),
        copies=workspace.copies_on(name),
        schema=workspace.schema(name),
        catalogue=workspace.measured_catalogue(name),
    )


def _require_no_recordings(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()):
        raise EditionError(
            "there are recordings of an edition of this name already",
            where=str(folder),
            advice="import under another name",
        )
