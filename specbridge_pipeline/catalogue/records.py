"""The stored form of a catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    ColumnProfile,
    Dimension,
    Evidence,
    Quantity,
    Relationship,
    Role,
)
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.errors import StaleRecordError
from specbridge_pipeline.records.canonical import canonical_json
from specbridge_pipeline.records.schemas import FrameSchema

CATALOGUE = FrameSchema(
    name="catalogue",
    version=2,
    columns={
        "database": "text",
        "kind": "text",
        "position": "integer",
        "table_name": "text",
        "column_names": "texts",
        "declared_type": "text",
        "role": "text",
        "evidence": "text",
        "reason": "text",
        "entity": "text",
        "phrase": "text",
        "singular": "text",
        "plural": "text",
        "unit": "text",
        "dimension": "text",
        "unit_reason": "text",
        "summable": "boolean",
        "summable_reason": "text",
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
        "matched_children": "integer",
        "matched_parents": "integer",
        "profile": "text",
    },
    key=("database", "kind", "position"),
)
"""One row a table, column and relationship (`kind`), in catalogue order. A table's `column_names`
are its key; a column's the column; a relationship's the columns that refer. `reason` says why a
table has its key, a column its role, a relationship holds. `dimension` and `profile`, the rest of
a column's profile, are JSON."""

_TABLE, _COLUMN, _RELATIONSHIP = "table", "column", "relationship"


def catalogue_rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return a catalogue as rows of `CATALOGUE`.

    Args:
        catalogue: The catalogue.

    Returns:
        One row a table, column and relationship. `read_catalogue` gives the catalogue back.
    """
    rows = [_table_row(place, table) for place, table in enumerate(catalogue.tables)]
    columns = [(table.name, column) for table in catalogue.tables for column in table.columns]
    rows += [_column_row(place, *each) for place, each in enumerate(columns)]
    rows += [_relationship_row(place, each) for place, each in enumerate(catalogue.relationships)]
    empty: dict[str, Any] = dict.fromkeys(CATALOGUE.columns)
    return [{**empty, **row, "database": catalogue.database} for row in rows]


def read_catalogue(rows: Sequence[Mapping[str, Any]], engine: Engine = Engine.SQLITE) -> Catalogue:
    """Return the catalogue that rows of `CATALOGUE` hold, in any order.

    Args:
        rows: The rows of one database.
        engine: The engine that runs its queries.

    Raises:
        StaleRecordError: There are no rows, or they are of several databases.
    """
    databases = {row["database"] for row in rows}
    if len(databases) != 1:
        raise StaleRecordError(
            f"the rows are of {len(databases)} databases, a catalogue is of one",
            where=CATALOGUE.name,
            advice="build the catalogue anew: specbridge run",
        )
    kinds = {
        kind: sorted(
            (row for row in rows if row["kind"] == kind), key=lambda row: int(row["position"])
        )
        for kind in (_TABLE, _COLUMN, _RELATIONSHIP)
    }
    columns: dict[str, list[CatalogueColumn]] = {}
    for row in kinds[_COLUMN]:
        columns.setdefault(row["table_name"], []).append(_column(row))
    return Catalogue(
        database=str(databases.pop()),
        tables=tuple(_table(row, columns) for row in kinds[_TABLE]),
        relationships=tuple(_relationship(row) for row in kinds[_RELATIONSHIP]),
        engine=engine,
    )


def _table_row(place: int, table: CatalogueTable) -> dict[str, Any]:
    return {
        "kind": _TABLE,
        "position": place,
        "table_name": table.name,
        "column_names": list(table.key),
        "evidence": None if table.key_evidence is None else table.key_evidence.value,
        "reason": table.key_reason,
        "entity": table.entity,
        "singular": table.singular,
        "plural": table.plural,
        "rows": table.rows,
    }


def _column_row(place: int, table: str, column: CatalogueColumn) -> dict[str, Any]:
    profile = asdict(column.profile)
    missing, distinct = profile.pop("missing"), profile.pop("distinct")
    return {
        "kind": _COLUMN,
        "position": place,
        "table_name": table,
        "column_names": [column.name],
        "declared_type": column.declared_type,
        "role": column.role.value,
        "evidence": column.role_evidence.value,
        "reason": column.role_reason,
        "phrase": column.phrase,
        "singular": column.singular,
        "plural": column.plural,
        "unit": column.unit,
        "dimension": None if column.dimension is None else canonical_json(asdict(column.dimension)),
        "unit_reason": column.unit_reason,
        "summable": column.summable,
        "summable_reason": column.summable_reason,
        "denominator": column.denominator,
        "meaning": column.meaning,
        "missing": missing,
        "distinct": distinct,
        "profile": canonical_json(profile),
    }


def _relationship_row(place: int, each: Relationship) -> dict[str, Any]:
    return {
        "kind": _RELATIONSHIP,
        "position": place,
        "table_name": each.child,
        "column_names": list(each.child_columns),
        "evidence": each.evidence.value,
        "reason": each.reason,
        "parent_table": each.parent,
        "parent_columns": list(each.parent_columns),
        "unmatched_children": each.unmatched_children,
        "missing_children": each.missing_children,
        "childless_parents": each.childless_parents,
        "most_children": each.most_children,
        "matched_children": each.matched_children,
        "matched_parents": each.matched_parents,
    }


def _table(
    row: Mapping[str, Any], columns: Mapping[str, Sequence[CatalogueColumn]]
) -> CatalogueTable:
    return CatalogueTable(
        name=row["table_name"],
        rows=row["rows"],
        singular=row["singular"],
        plural=row["plural"],
        key=tuple(row["column_names"]),
        key_evidence=None if row["evidence"] is None else Evidence(row["evidence"]),
        columns=tuple(columns.get(row["table_name"], ())),
        key_reason=row["reason"],
        entity=row["entity"],
    )


def _column(row: Mapping[str, Any]) -> CatalogueColumn:
    return CatalogueColumn(
        name=row["column_names"][0],
        declared_type=row["declared_type"],
        role=Role(row["role"]),
        role_evidence=Evidence(row["evidence"]),
        phrase=row["phrase"],
        singular=row["singular"],
        plural=row["plural"],
        unit=row["unit"],
        summable=row["summable"],
        denominator=row["denominator"],
        meaning=row["meaning"],
        profile=ColumnProfile(
            missing=row["missing"], distinct=row["distinct"], **json.loads(row["profile"])
        ),
        dimension=None if row["dimension"] is None else _dimension(row["dimension"]),
        role_reason=row["reason"],
        unit_reason=row["unit_reason"],
        summable_reason=row["summable_reason"],
    )


def _dimension(stored: str) -> Dimension:
    fields = json.loads(stored)
    per = fields["per"]
    return Dimension(
        Quantity(fields["quantity"]),
        fields["of"],
        None if per is None else Quantity(per),
        fields["per_of"],
    )


def _relationship(row: Mapping[str, Any]) -> Relationship:
    return Relationship(
        child=row["table_name"],
        child_columns=tuple(row["column_names"]),
        parent=row["parent_table"],
        parent_columns=tuple(row["parent_columns"]),
        evidence=Evidence(row["evidence"]),
        unmatched_children=row["unmatched_children"],
        missing_children=row["missing_children"],
        childless_parents=row["childless_parents"],
        most_children=row["most_children"],
        matched_children=row["matched_children"],
        matched_parents=row["matched_parents"],
        reason=row["reason"],
    )
