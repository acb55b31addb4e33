"""Features counted over databases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from specbridge_pipeline.query_generation.features import Feature
from specbridge_pipeline.request_sets.tasks.coverage import USABLE

EMPTY = "empty"
"""What the reason begins with of a database without rows."""


def coverage_counts(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Count on how many databases each feature is possible, delivered and accepted.

    Args:
        rows: Rows of FEATURE_COVERAGE.

    Returns:
        `databases`, how many there are; `with_rows`, those that are not empty; `usable`, those on
        which a query was delivered; `features`, for each feature in words how many of the usable
        ones have it `allowed`, `delivered` and `accepted`; and `not_usable`, the reason of each
        other one.
    """
    listed = list(rows)
    whole = {_label(row): row for row in listed if row["feature"] == USABLE}
    usable = {name for name, row in whole.items() if row["delivered"]}
    features = {
        feature.value: {
            part: sum(
                row[part]
                for row in listed
                if row["feature"] == feature.name.lower() and _label(row) in usable
            )
            for part in ("allowed", "delivered", "accepted")
        }
        for feature in Feature
    }
    return {
        "databases": len(whole),
        "with_rows": sum(not row["reason"].startswith(EMPTY) for row in whole.values()),
        "usable": len(usable),
        "features": features,
        "not_usable": {
            name: row["reason"] for name, row in sorted(whole.items()) if name not in usable
        },
    }


def _label(row: Mapping[str, Any]) -> str:
    return f"{row['source']}/{row['database']}"
