"""What the studies of the generator counted, as the rows that a report shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from specbridge_pipeline.query_generation.ablation import configuration_words, counts_by_class
from specbridge_pipeline.reporting.study_rows import StudyRows
from specbridge_pipeline.request_sets.tasks.coverage import USABLE
from specbridge_pipeline.request_sets.tasks.coverage_counts import coverage_counts

Row = Mapping[str, Any]

DELIVERY = ("queries", "delivered", "constructions", "distinct", "sound")
"""What is counted of construction."""
NOT_USABLE = "not usable"


def study_counts(studies: Mapping[str, StudyRows]) -> list[dict[str, Any]]:
    """Count the rows of the studies.

    Args:
        studies: Name of a study → its rows.

    Returns:
        Rows of GENERATION_STUDIES.
    """
    counted: list[dict[str, Any]] = []
    for study, counter in (
        ("ablation", _ablation),
        ("coverage", _coverage),
        ("construction", _construction),
    ):
        found = studies.get(study)
        if found is None:
            continue
        databases = len({(row["source"], row["database"]) for row in found.rows})
        counted += [
            {
                "study": study,
                "detail": "",
                **row,
                "databases": row.get("databases", databases),
                "origin": found.origin,
            }
            for row in counter(found.rows)
        ]
    return counted


def _ablation(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    for place, (name, classes) in enumerate(counts_by_class(rows).items()):
        for each, count in classes.items():
            yield {
                "place": place,
                "item": name,
                "label": configuration_words(name),
                "measure": each.name.lower(),
                "count": count,
                "of_count": sum(classes.values()),
            }


def _coverage(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    counts = coverage_counts(rows)
    for place, (name, found) in enumerate(counts["features"].items()):
        for measure, count in found.items():
            yield {
                "place": place,
                "item": name,
                "label": name,
                "measure": measure,
                "count": count,
                "of_count": counts["usable"],
            }
    place = len(counts["features"])
    yield {
        "place": place,
        "item": USABLE,
        "label": "databases on which queries are delivered",
        "measure": USABLE,
        "count": counts["usable"],
        "of_count": counts["with_rows"],
    }
    for name, reason in counts["not_usable"].items():
        yield {
            "place": place + 1,
            "item": name,
            "label": name,
            "measure": NOT_USABLE,
            "count": 1,
            "of_count": None,
            "detail": reason,
        }


def _construction(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    sources = sorted({row["source"] for row in rows})
    for place, source in enumerate((*sources, "total")):
        mine = [row for row in rows if source in (row["source"], "total")]
        asked = sum(row["queries"] for row in mine)
        delivered = sum(row["delivered"] for row in mine)
        for measure in DELIVERY:
            known = [row[measure] for row in mine if row[measure] is not None]
            yield {
                "place": place,
                "item": source,
                "label": source,
                "measure": measure,
                "count": sum(known) if len(known) == len(mine) else None,
                "of_count": {"delivered": asked, "distinct": delivered, "sound": delivered}.get(
                    measure
                ),
                "databases": len(mine),
            }
