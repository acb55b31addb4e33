"""What the other interpretation does to answers: the rows made here, else those that ship."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from specbridge_pipeline.choices.answer_changes.counts import by_type
from specbridge_pipeline.choices.answer_changes.records import ANSWER_CHANGES, DATA_KINDS
from specbridge_pipeline.records.cells import CellStore, Partition
from specbridge_pipeline.records.row_files import read_rows
from specbridge_pipeline.reporting.study_rows import HERE, SHIPPED, StudyRows
from specbridge_pipeline.settings import Project

_TEXTS_OR_NONE = ("gate", "comparison", "move")


def shipped_changes(project: Project) -> Path:
    """Return where the shipped rows of answers lie, whether or not they are there."""
    return project.derived / "conventions" / "answer_changes.csv.gz"


def shipped_kinds(project: Project) -> Path:
    """Return where the shipped rows of kinds of data lie, whether or not they are there."""
    return project.derived / "conventions" / "data_kinds.csv"


def shipped_digest(path: Path) -> str | None:
    """Return the SHA-256 of a shipped file; None where it is not there."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def answer_changes(store: CellStore, project: Project, databases: Sequence[str]) -> StudyRows:
    """Read the rows of answers.

    Args:
        store: The warehouse.
        project: The project, whose shipped rows stand in where none were made.
        databases: Ids of the databases whose cells count.

    Returns:
        Rows of ANSWER_CHANGES; none where there are none anywhere.

    Raises:
        ConfigurationError: Shipped rows cannot be read.
        StaleRecordError: A stored cell cannot be read.
    """
    stored = set(store.partitions(ANSWER_CHANGES.name))
    rows: list[dict[str, Any]] = [
        row
        for part in (Partition(database=name) for name in databases)
        if part in stored
        for row in store.read(ANSWER_CHANGES, part).to_dicts()
    ]
    path = shipped_changes(project)
    if rows or not path.is_file():
        return StudyRows(rows, HERE)
    # A file cannot tell a missing text from an empty one.
    return StudyRows(
        [
            {**row, **{name: row[name] or None for name in _TEXTS_OR_NONE}}
            for row in read_rows(path, ANSWER_CHANGES)
        ],
        SHIPPED,
    )


def answer_change_counts(changes: StudyRows) -> list[dict[str, Any]]:
    """Count answers by benchmark, split and choice type.

    Args:
        changes: Rows of ANSWER_CHANGES.

    Returns:
        Rows of ANSWER_CHANGE_COUNTS.
    """
    grouped: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in changes.rows:
        grouped.setdefault((row["benchmark"], row["split"]), []).append(row)
    return [
        {
            "choice_type": name,
            "benchmark": benchmark,
            "split": split,
            "open": count.open,
            "with_database": count.with_database,
            "edited": count.edited,
            "compared": count.compared,
            "changed": count.changed,
            **{move.value.replace(" ", "_"): number for move, number in count.moves.items()},
            "undetermined": count.undetermined,
            "differing_as_run": count.differing_as_run,
            "no_result": count.no_result,
            "origin": changes.origin,
        }
        for (benchmark, split), rows in grouped.items()
        for name, count in by_type(rows).items()
    ]


def kinds_of_data(store: CellStore, project: Project) -> list[dict[str, Any]]:
    """Read the kinds of data of every database: counted here, else shipped.

    Args:
        store: The warehouse.
        project: The project.

    Returns:
        Rows of DATA_KINDS, in the order of sources and databases.

    Raises:
        ConfigurationError: Shipped rows cannot be read.
        StaleRecordError: A stored cell cannot be read.
    """
    rows: list[dict[str, Any]] = store.read_all(DATA_KINDS).to_dicts()
    here = {(row["source"], row["database"]) for row in rows}
    path = shipped_kinds(project)
    if path.is_file():
        rows += [
            row
            for row in read_rows(path, DATA_KINDS)
            if (row["source"], row["database"]) not in here
        ]
    return sorted(rows, key=lambda row: (row["source"], row["database"]))
