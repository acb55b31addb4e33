"""The stored form of a catalogue."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

CATALOGUE = FrameSchema(
    name="catalogue",
    version=1,
    columns={
        "database": "text",
        "kind": "text",
        "position": "integer",
        "table_name": "text",
        "column_names": "texts",
        "declared_type": "text",
        "role": "text",
        "evidence": "text",
        "phrase": "text",
        "singular": "text",
        "plural": "text",
        "unit": "text",
        "summable": "boolean",
        "denominator": "boolean",
        "meaning": "text",
        "rows": "integer",
        "missing": "integer",
        "distinct": "integer",
        "parent_table": "text",
        "parent_columns": "texts",
        "unmatched_children": "integer",
        "missing_children": "integer",
        "childless_parents": "integer",
        "most_children": "integer",
        "profile": "text",
    },
    key=("database", "kind", "position"),
)
"""One row a table, column and relationship (`kind`), in catalogue order. A table's `column_names`
are its key; a column's the column; a relationship's the columns that refer. `profile` is the rest
of a column's profile as JSON."""
