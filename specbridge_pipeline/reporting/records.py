"""Rows of the stage `statistics`: every reported number with the keys of the rows behind it."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

STATISTICS = FrameSchema(
    name="statistics",
    version=1,
    columns={
        "number_id": "text",
        "edition": "text",
        "method": "text",
        "round": "text",
        "judge": "text",
        "measure": "text",
        "label": "text",
        "model": "text",
        "compared_with": "text",
        "scope": "text",
        "numerator": "integer",
        "denominator": "integer",
        "value": "float",
        "low": "float",
        "high": "float",
        "standard_error": "float",
        "interval": "text",
        "p_value": "float",
        "formula": "text",
        "source": "text",
        "row_keys": "texts",
    },
    key=("number_id",),
)
"""One row a reported number. `value` is numerator / denominator, NaN for an empty denominator;
`low` and `high` bound it at 95% by `interval` (wilson, bootstrap, n/a). `row_keys` are the keys, in
the view `source`, of the rows that make the denominator. `scope` is `all`, `tier=…` or
`choice_type=…`; `compared_with` is empty unless the number compares two models."""

REPORT = FrameSchema(
    name="report",
    version=1,
    columns={"edition": "text", "file": "text", "sha256": "text", "characters": "integer"},
    key=("edition",),
)
"""One row: the HTML report that was written, and its checksum."""
