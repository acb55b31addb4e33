"""The tables of the studies of the generator in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.query_generation.attempt_classes import AttemptClass
from specbridge_pipeline.reporting.formatting import percent
from specbridge_pipeline.reporting.study_counts import DELIVERY, NOT_USABLE
from specbridge_pipeline.reporting.study_rows import SHIPPED
from specbridge_pipeline.request_sets.tasks.coverage import USABLE

Row = Mapping[str, Any]

COVERAGE_WORDS = {
    "allowed": "possible by the schema",
    "delivered": "delivered",
    "accepted": "accepted by both readers",
}
_DELIVERY_WORDS = {"sound": "pass a second look"}
_ORIGIN_WORDS = {True: "These are the rows that ship with the project.", False: "Counted here."}


@dataclass(frozen=True, slots=True)
class StudyTable:
    """One study as a table.

    Attributes:
        columns: Heads of the columns after the first.
        rows: What a row is about, and its cells.
        note: On what it was counted, in a sentence or two.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    note: str


@dataclass(frozen=True, slots=True)
class StudyTables:
    """The studies of the generator, arranged; None for one that has no rows.

    Attributes:
        ablation: Attempts by class, a row a configuration.
        coverage: Databases, a row a feature.
        not_usable: Databases that are not usable, with the reason.
        construction: Queries, a row a source of databases.
    """

    ablation: StudyTable | None
    coverage: StudyTable | None
    not_usable: tuple[tuple[str, str], ...]
    construction: StudyTable | None


def arrange_studies(rows: Sequence[Row]) -> StudyTables | None:
    """Arrange the counts of the studies into the report's tables.

    Args:
        rows: Rows of GENERATION_STUDIES.

    Returns:
        The tables; None where nothing was counted.
    """
    if not rows:
        return None
    coverage = _of(rows, "coverage")
    return StudyTables(
        ablation=_ablation(_of(rows, "ablation")),
        coverage=_coverage(coverage),
        not_usable=tuple(
            (row["label"], row["detail"]) for row in coverage if row["measure"] == NOT_USABLE
        ),
        construction=_construction(_of(rows, "construction")),
    )


def _of(rows: Sequence[Row], study: str) -> list[Row]:
    found = [row for row in rows if row["study"] == study]
    return sorted(found, key=lambda row: (row["place"], row["item"]))


def _ablation(rows: list[Row]) -> StudyTable | None:
    if not rows:
        return None
    attempts = max(row["of_count"] for row in rows)
    return StudyTable(
        tuple(each.value for each in AttemptClass),
        _cells(rows, [each.name.lower() for each in AttemptClass]),
        f"{attempts:,} attempts of each configuration on {_databases(rows)}. {_origin(rows)}",
    )


def _coverage(rows: list[Row]) -> StudyTable | None:
    listed = [row for row in rows if row["measure"] in COVERAGE_WORDS]
    usable = [row for row in rows if row["item"] == USABLE]
    if not listed or not usable:
        return None
    count, of = usable[0]["count"], usable[0]["of_count"]
    return StudyTable(
        tuple(COVERAGE_WORDS.values()),
        _cells(listed, list(COVERAGE_WORDS)),
        f"{count} of the {of} databases with rows are usable ({percent(count, of)}); the shares "
        f"are of these. {_databases(rows)} studied. {_origin(rows)}",
    )


def _construction(rows: list[Row]) -> StudyTable | None:
    if not rows:
        return None
    names = tuple(_DELIVERY_WORDS.get(name, name) for name in DELIVERY)
    return StudyTable(
        ("databases", *names),
        tuple(
            (label, (str(_first(rows, label)["databases"]), *cells))
            for label, cells in _cells(rows, DELIVERY)
        ),
        _origin(rows),
    )


def _cells(rows: Sequence[Row], measures: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = {(row["label"], row["measure"]): row for row in rows}
    labels = dict.fromkeys(row["label"] for row in rows)
    return tuple(
        (label, tuple(_cell(found.get((label, measure))) for measure in measures))
        for label in labels
    )


def _cell(row: Row | None) -> str:
    if row is None or row["count"] is None:
        return "–"
    share = f" ({percent(row['count'], row['of_count'])})" if row["of_count"] else ""
    return f"{row['count']:,}{share}"


def _first(rows: Sequence[Row], label: str) -> Row:
    return next(row for row in rows if row["label"] == label)


def _databases(rows: Sequence[Row]) -> str:
    count = max(row["databases"] for row in rows)
    return f"{count} database{'' if count == 1 else 's'}"


def _origin(rows: Sequence[Row]) -> str:
    return _ORIGIN_WORDS[rows[0]["origin"] == SHIPPED]
