"""A database's schema as CREATE TABLE statements for a prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.sql.engines import rules_of

_Quoted = Callable[[str], str]


def create_statements(schema: Schema) -> str:
    """Render a schema as CREATE TABLE statements, one column a line.

    Args:
        schema: The schema.

    Returns:
        The statements in the schema's order; the same schema always gives the same text. Empty
        for a schema without tables.
    """
    quoted = rules_of(schema.engine).quoted
    return "\n\n".join(_create_statement(table, quoted) for table in schema.tables)


def _create_statement(table: Table, quoted: _Quoted) -> str:
    lines = [_column_line(column, quoted) for column in table.columns]
    if table.primary_key:
        lines.append(f"PRIMARY KEY {_listed(table.primary_key, quoted)}")
    for key in table.foreign_keys:
        reference = quoted(key.referenced_table)
        if key.referenced_columns:
            reference += f" {_listed(key.referenced_columns, quoted)}"
        lines.append(f"FOREIGN KEY {_listed(key.columns, quoted)} REFERENCES {reference}")
    body = ",\n".join(f"  {line}" for line in lines)
    return f"CREATE TABLE {quoted(table.name)} (\n{body}\n);"


def _column_line(column: Column, quoted: _Quoted) -> str:
    # A declared type may be any text; a line break in it would break "one column a line".
    parts = [quoted(column.name), " ".join(column.declared_type.split())]
    if column.not_null:
        parts.append("NOT NULL")
    return " ".join(part for part in parts if part)


def _listed(names: Iterable[str], quoted: _Quoted) -> str:
    return "(" + ", ".join(quoted(name) for name in names) + ")"
