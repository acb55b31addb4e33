"""Which side of each choice references take: the decisions made here, else those that ship."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from specbridge_pipeline.choices.conventions.references.counts import count_rows
from specbridge_pipeline.choices.conventions.references.records import REFERENCE_CONVENTIONS
from specbridge_pipeline.records.cells import CellStore, Partition
from specbridge_pipeline.records.row_files import read_rows
from specbridge_pipeline.reporting.study_rows import HERE, SHIPPED
from specbridge_pipeline.settings import Project


def shipped_decisions(project: Project) -> Path:
    """Return where the shipped decisions lie, whether or not they are there."""
    return project.derived / "conventions" / "decisions.csv.gz"


def shipped_decisions_digest(project: Project) -> str | None:
    """Return the SHA-256 of the shipped decisions; None where there are none."""
    path = shipped_decisions(project)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def convention_counts(
    store: CellStore, project: Project, databases: Sequence[str]
) -> list[dict[str, Any]]:
    """Count the decisions on references by choice type, group of authors and split.

    Args:
        store: The warehouse.
        project: The project, whose shipped decisions stand in where none were made.
        databases: Ids of the databases whose cells count.

    Returns:
        Rows of CONVENTION_COUNTS; none where there are no decisions anywhere.

    Raises:
        ConfigurationError: Shipped decisions cannot be read.
        StaleRecordError: A stored cell cannot be read.
    """
    stored = set(store.partitions(REFERENCE_CONVENTIONS.name))
    decisions: list[dict[str, Any]] = [
        row
        for part in (Partition(database=name) for name in databases)
        if part in stored
        for row in store.read(REFERENCE_CONVENTIONS, part).to_dicts()
    ]
    origin = HERE
    path = shipped_decisions(project)
    if not decisions and path.is_file():
        # A file cannot tell a missing text from an empty one.
        decisions = [
            {**row, "verdict": row["verdict"] or None}
            for row in read_rows(path, REFERENCE_CONVENTIONS)
        ]
        origin = SHIPPED
    return _counted(decisions, origin)


def _counted(decisions: Sequence[Mapping[str, Any]], origin: str) -> list[dict[str, Any]]:
    grouped: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in decisions:
        key = (row["choice_type"], row["author_group"], row["split"])
        grouped.setdefault(key, []).append(row)
    counted = []
    for (choice_type, group, split), rows in grouped.items():
        count = count_rows(rows)
        counted.append(
            {
                "choice_type": choice_type,
                "author_group": group,
                "split": split,
                "usual": count.usual,
                "other": count.other,
                "unread": count.unread,
                "dropped": count.dropped,
                "usual_that_could_differ": count.usual_that_could_differ,
                "settled": count.settled,
                "origin": origin,
            }
        )
    return counted
