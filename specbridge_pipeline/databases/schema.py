"""What a database consists of, and its wording as CREATE TABLE statements for a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PLAIN_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_KEYWORD_NAMES = """
ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN
BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS
CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED DELETE
DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL
FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP GROUPS HAVING IF IGNORE
IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST
LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR
ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE
REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS
SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION
UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHIN WITHOUT
"""
_KEYWORDS = frozenset(_KEYWORD_NAMES.split())


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table or view.

    Attributes:
        name: Its name as declared.
        declared_type: Its type as declared; empty where none is.
        not_null: Whether it is declared NOT NULL.
        primary_key_position: Its place in the primary key, from 1; 0 if it has none.
    """

    name: str
    declared_type: str
    not_null: bool
    primary_key_position: int


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A declared reference to another table.

    Attributes:
        columns: The columns that refer, in declared order.
        referenced_table: The table's name as the reference spells it.
        referenced_columns: The columns referred to, in the same order; empty where none are
            declared and the table has no primary key that fits.
    """

    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, or a view as a table of columns without keys.

    Attributes:
        name: Its name as declared.
        columns: Its columns in declared order.
        foreign_keys: Its foreign keys in declared order.
    """

    name: str
    columns: tuple[Column, ...]
    foreign_keys: tuple[ForeignKey, ...]

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The names of the primary key's columns in key order; empty if it has none."""
        keyed = [column for column in self.columns if column.primary_key_position]
        return tuple(
            column.name for column in sorted(keyed, key=lambda each: each.primary_key_position)
        )


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables and views of a database that a query can read.

    Attributes:
        tables: Them, in the order in which the database lists them.
    """

    tables: tuple[Table, ...]


def quoted_if_needed(name: str) -> str:
    """Return an identifier as SQL, quoted only when it would not be read as itself.

    Args:
        name: The identifier.

    Returns:
        The identifier, in double quotes if it is a keyword or not made of ASCII letters, digits
        and underscores.
    """
    if _PLAIN_IDENTIFIER.fullmatch(name) and name.upper() not in _KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def create_statements(schema: Schema) -> str:
    """Render a schema as CREATE TABLE statements, one column a line.

    Args:
        schema: The schema.

    Returns:
        The statements in the schema's order; the same schema always gives the same text. Empty
        for a schema without tables.
    """
    return "\n\n".join(_create_statement(table) for table in schema.tables)


def _create_statement(table: Table) -> str:
    lines = [_column_line(column) for column in table.columns]
    if table.primary_key:
        lines.append(f"PRIMARY KEY {_listed(table.primary_key)}")
    for key in table.foreign_keys:
        reference = quoted_if_needed(key.referenced_table)
        if key.referenced_columns:
            reference += f" {_listed(key.referenced_columns)}"
        lines.append(f"FOREIGN KEY {_listed(key.columns)} REFERENCES {reference}")
    body = ",\n".join(f"  {line}" for line in lines)
    return f"CREATE TABLE {quoted_if_needed(table.name)} (\n{body}\n);"


def _column_line(column: Column) -> str:
    # A declared type may be any text; a line break in it would break "one column a line".
    parts = [quoted_if_needed(column.name), " ".join(column.declared_type.split())]
    if column.not_null:
        parts.append("NOT NULL")
    return " ".join(part for part in parts if part)


def _listed(names: Iterable[str]) -> str:
    return "(" + ", ".join(quoted_if_needed(name) for name in names) + ")"
