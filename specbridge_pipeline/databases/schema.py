"""What a database consists of."""

from __future__ import annotations

from dataclasses import dataclass

from specbridge_pipeline.databases.engine import Engine


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table or view.

    Attributes:
        name: Its name as declared.
        declared_type: Its type as declared; empty where none is.
        not_null: Whether it is declared NOT NULL.
        primary_key_position: Its place in the primary key, from 1; 0 if it has none.
        collation: The collation that is declared for it, in upper case; empty for the usual one.
    """

    name: str
    declared_type: str
    not_null: bool
    primary_key_position: int
    collation: str = ""


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
        is_view: Whether it is known to be a view; engines whose views can be asked for by a query
            need not say.
    """

    name: str
    columns: tuple[Column, ...]
    foreign_keys: tuple[ForeignKey, ...]
    is_view: bool = False

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
        engine: The engine that runs the database's queries.
    """

    tables: tuple[Table, ...]
    engine: Engine = Engine.SQLITE
