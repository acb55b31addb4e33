"""The rows of the studies of the generator: those made here, else those that ship."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specbridge_pipeline.query_generation.study_records import (
    CONSTRUCTION_COUNTS,
    GENERATION_ABLATION,
)
from specbridge_pipeline.records.cells import CellStore, Partition
from specbridge_pipeline.records.row_files import read_rows
from specbridge_pipeline.records.schemas import FrameSchema
from specbridge_pipeline.request_sets.tasks.records import FEATURE_COVERAGE
from specbridge_pipeline.settings import Project

HERE, SHIPPED = "here", "shipped"
STUDIES: Mapping[str, FrameSchema] = {
    "ablation": GENERATION_ABLATION,
    "coverage": FEATURE_COVERAGE,
    "construction": CONSTRUCTION_COUNTS,
}
"""Name of a study, which is also that of its file among the derived rows → the form of its rows."""


@dataclass(frozen=True, slots=True)
class StudyRows:
    """The rows of one study.

    Attributes:
        rows: Them.
        origin: Whether they were made `here` or are `shipped`.
    """

    rows: Sequence[Mapping[str, Any]]
    origin: str


def shipped_file(project: Project, study: str) -> Path:
    """Return where the shipped rows of a study lie, whether or not they are there."""
    return project.derived / "generation" / f"{study}.csv"


def shipped_digests(project: Project) -> dict[str, str]:
    """Return study → SHA-256 of its shipped rows, for those that are there."""
    files = {study: shipped_file(project, study) for study in STUDIES}
    return {
        study: hashlib.sha256(path.read_bytes()).hexdigest()
        for study, path in files.items()
        if path.is_file()
    }


def read_studies(
    store: CellStore, project: Project, databases: Sequence[str]
) -> dict[str, StudyRows]:
    """Read the rows of each study.

    Args:
        store: The warehouse.
        project: The project, whose derived rows stand in for a study that was not made.
        databases: Ids of the databases whose cells count.

    Returns:
        Name of a study → its rows; no entry for a study that has none anywhere.

    Raises:
        ConfigurationError: Shipped rows cannot be read.
        StaleRecordError: A stored cell cannot be read.
    """
    found = {}
    for study, schema in STUDIES.items():
        stored = set(store.partitions(schema.name))
        rows = [
            row
            for part in (Partition(database=name) for name in databases)
            if part in stored
            for row in store.read(schema, part).to_dicts()
        ]
        path = shipped_file(project, study)
        if rows:
            found[study] = StudyRows(rows, HERE)
        elif path.is_file():
            found[study] = StudyRows(read_rows(path, schema), SHIPPED)
    return found
