"""Sets made elsewhere become an edition: those that pass the gates, under their content ids."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.exchange.gates import (
    LEAVABLE,
    Gate,
    GatedDatabase,
    GateFailure,
    gate_failures,
)
from specbridge_pipeline.exchange.json_lines import ReadRow
from specbridge_pipeline.exchange.reading_sets import stated_tier
from specbridge_pipeline.exchange.set_rows import SetRow, set_of
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.records.files import write_text
from specbridge_pipeline.request_sets import human_verdicts
from specbridge_pipeline.request_sets.editions import EditionDatabase
from specbridge_pipeline.request_sets.human_review.decisions import csv_text
from specbridge_pipeline.request_sets.publishing import Imprint
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.request_sets.rule_reviewers import RULE_REVIEWERS
from specbridge_pipeline.settings import Project
from specbridge_pipeline.sql.depth import Depth, measure_depth

_RULES = "rules"


@dataclass(frozen=True, slots=True)
class GatedSet:
    """A set of a file, and what the gates say of it.

    Attributes:
        read: The row, with where it stands.
        request_set: The set with its content id and who has read it; None where its depths are
            not given and cannot be measured.
        failures: What is wrong with it; empty where it passes.
    """

    read: ReadRow[SetRow]
    request_set: RequestSet | None
    failures: tuple[GateFailure, ...]

    @property
    def passed(self) -> bool:
        """Whether it becomes part of the edition."""
        return not self.failures

    @property
    def set_id(self) -> str:
        """Its id; empty where it has none."""
        return "" if self.request_set is None else self.request_set.id


def gate_sets(
    rows: Sequence[ReadRow[SetRow]],
    database_of: Callable[[str], GatedDatabase],
    *,
    left_out: Collection[Gate] = (),
    progress: Progress | None = None,
) -> list[GatedSet]:
    """Put every set of a file through the gates.

    Args:
        rows: The rows of the file.
        database_of: Database id → the database.
        left_out: Gates that are not asked.
        progress: Told of each set.

    Raises:
        WorkerError: A query could not be run for a reason of ours.
    """
    found = []
    with (progress or SilentProgress()).task("checking sets", len(rows)) as task:
        for each in rows:
            found.append(_gated(each, database_of(each.row.database), left_out))
            task.advance()
    return found


def _gated(each: ReadRow[SetRow], database: GatedDatabase, left_out: Collection[Gate]) -> GatedSet:
    row = each.row
    try:
        depth = _depth(row, database.engine)
    except UnusableReferenceError as error:
        failure = GateFailure(Gate.QUERIES, f"the depths of A cannot be measured: {error}")
        return GatedSet(each, None, (failure,))
    built = set_of(row, depth.step, depth.arithmetic)
    failures = tuple(gate_failures(built, database, left_out))
    # Rules are ours to run: that they have read a set is no claim to take over.
    claimed = [name for name in row.reviewers if name.split("/")[0] != _RULES]
    own = [] if Gate.REVIEWERS in left_out else [reviewer.name for reviewer in RULE_REVIEWERS]
    provenance = built.provenance.model_copy(update={"reviewers": tuple(sorted({*claimed, *own}))})
    return GatedSet(each, built.model_copy(update={"provenance": provenance}), failures)


def _depth(row: SetRow, engine: Engine) -> Depth:
    if row.step_depth is not None and row.arithmetic_depth is not None:
        return Depth(row.step_depth, row.arithmetic_depth)
    return measure_depth(row.sql_a, engine)


def imported_imprint(
    passed: Sequence[GatedSet],
    *,
    title: str,
    file: str,
    read: int,
    left_out: Collection[Gate],
    code_version: str,
    engines: Mapping[str, str],
) -> Imprint:
    """Return what an edition of imported sets says of itself.

    Args:
        passed: Its sets.
        title: A name for people.
        file: Name of the file that they are from.
        read: How many sets the file holds.
        left_out: Gates that were not asked.
        code_version: Version of this package.
        engines: Engine → version that the sets were checked with.
    """
    rows = [each.read.row for each in passed]
    sets = [each.request_set for each in passed if each.request_set is not None]
    unasked = [gate.value for gate in LEAVABLE if gate in left_out]
    gates = f"; gates left out: {', '.join(unasked)}" if unasked else ""
    readers = {name for each in sets for name in each.provenance.reviewers}
    # Verdicts that ship with an edition are no part of what is sealed.
    people = {
        f"person/{each.reviewer}" for row in rows for each in row.human_verdicts if not each.label
    }
    return Imprint(
        title=title,
        built_by=f"elsewhere, imported; requests written by {_listed(row.writer for row in rows)}",
        grammar=None,
        read_by=(*sorted(readers), *sorted(people)),
        selection=f"{len(passed)} of {read} sets of the file {file}{gates}",
        code_version=code_version,
        engines=engines,
        databases={
            row.database: EditionDatabase(
                content_hash=row.database_hash, licence=row.database_licence
            )
            for row in sorted(rows, key=lambda row: row.database)
        },
        tier=cast(Literal["short", "paper"] | None, stated_tier(rows)),
    )


def write_verdicts(project: Project, edition: str, passed: Sequence[GatedSet]) -> Path | None:
    """Write the verdicts of people that came with sets where the project reads verdicts.

    Those with a label are not among them: they ship with the edition.

    Args:
        project: The project.
        edition: The edition that the sets are in; names the file.
        passed: The sets.

    Returns:
        The file; None where no verdict came that was not here already.
    """
    path = verdicts_file(project, edition)
    known = {
        (each.set_id, each.reviewer)
        for each in human_verdicts.read_verdicts(project.reviews.glob("*.csv"))
    }
    lines = [
        (each.set_id, verdict.reviewer, verdict.verdict.value, verdict.reason, verdict.comment)
        for each in passed
        for verdict in each.read.row.human_verdicts
        if not verdict.label and (each.set_id, verdict.reviewer) not in known
    ]
    if not lines:
        return None
    write_text(path, csv_text(human_verdicts.COLUMNS, lines))
    return path


def verdicts_file(project: Project, edition: str) -> Path:
    """Return the file of the verdicts that came with an imported edition."""
    return project.reviews / f"{edition}.csv"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names)))
