"""The made-up database of harbours that references of the cases are written for."""

from __future__ import annotations

from pathlib import Path

import apsw
import yaml

from specbridge_pipeline.databases.schema import Column, ForeignKey, Schema, Table

HERE = Path(__file__).parent
CASES = HERE / "cases"


def _table(name, entry):
    key = entry.get("key", [])
    return Table(
        name,
        tuple(
            Column(column, kind, False, key.index(column) + 1 if column in key else 0)
            for column, kind in entry["columns"].items()
        ),
        tuple(
            ForeignKey((column,), table, (referred,))
            for column, target in entry.get("refers", {}).items()
            for table, referred in [target.split(".")]
        ),
    )


def _schema():
    tables = yaml.safe_load((HERE / "harbours.yaml").read_text(encoding="utf-8"))
    return Schema(tuple(_table(name, entry) for name, entry in tables.items()))


SCHEMA = _schema()


def read_case_file(choice_type):
    return yaml.safe_load((CASES / f"{choice_type.value}.yaml").read_text(encoding="utf-8"))


def open_database(rows):
    """Open an SQLite database in memory with the tables of the schema and the rows given."""
    connection = apsw.Connection(":memory:")
    for table in SCHEMA.tables:
        columns = ", ".join(f'"{each.name}" {each.declared_type}' for each in table.columns)
        connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
    for table, entries in rows.items():
        for entry in entries:
            places = ", ".join("?" * len(entry))
            connection.execute(f'INSERT INTO "{table}" VALUES ({places})', entry)
    return connection
