"""Reading a whole DuckDB file: its schema and the hash of its content.

For use inside a worker process: it imports the engine.
"""

from __future__ import annotations

from collections import defaultdict

import duckdb

from specbridge_pipeline.databases.content_digest import ContentDigest
from specbridge_pipeline.databases.duckdb_fetching import CARRYING_VIEW, carried, streamed
from specbridge_pipeline.databases.duckdb_guards import read_contents
from specbridge_pipeline.databases.duckdb_statements import StatementParser
from specbridge_pipeline.databases.duckdb_values import carrier_of
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.failures import StopError
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.schema import Column, ForeignKey, Schema, Table

_SCHEMA = "main"

_CATALOGUE = (
    ("schemas", "schema_name, sql", "duckdb_schemas() WHERE NOT internal"),
    (
        "types",
        "schema_name, type_name, logical_type, labels",
        "duckdb_types() WHERE NOT internal",
    ),
    ("sequences", "schema_name, sequence_name, sql", "duckdb_sequences()"),
    (
        "macros",
        "schema_name, function_name, function_type, parameters, macro_definition",
        "duckdb_functions() WHERE NOT internal",
    ),
    ("tables", "schema_name, table_name, sql", "duckdb_tables() WHERE NOT internal"),
    ("views", "schema_name, view_name, sql", "duckdb_views() WHERE NOT internal"),
    ("indexes", "schema_name, index_name, sql", "duckdb_indexes()"),
)
"""What a database is made of besides rows: what it is called, and where the engine lists it."""


def read_schema(
    connection: duckdb.DuckDBPyConnection, parser: StatementParser, limits: Limits
) -> Schema:
    """Read the tables and views of the schema `main` that a query may read.

    Left out are those that no query may read, since they compute what is not allowed, and views
    that no longer fit the tables they read.

    Args:
        connection: A guarded connection.
        parser: Judges views and computed columns.
        limits: What a query may use.

    Returns:
        The schema, by name: the engine's own order depends on how the file was written.

    Raises:
        DatabaseUnavailableError: If the file gives a function of the engine another meaning.
        duckdb.Error: If the file cannot be read.
    """
    contents = read_contents(connection)
    columns = defaultdict[str, list[tuple[str, str, bool]]](list)
    for schema, table, name, declared_type, is_nullable in connection.execute(
        "SELECT schema_name, table_name, column_name, data_type, is_nullable "
        "FROM system.main.duckdb_columns() WHERE NOT internal ORDER BY column_index"
    ).fetchall():
        if schema == _SCHEMA:
            columns[table].append((name, declared_type, not is_nullable))
    primary: dict[str, tuple[str, ...]] = {}
    foreign = defaultdict[str, list[ForeignKey]](list)
    for schema, table, kind, own, referenced, others in connection.execute(
        "SELECT schema_name, table_name, constraint_type, constraint_column_names, "
        "referenced_table, referenced_column_names "
        "FROM system.main.duckdb_constraints() ORDER BY constraint_index"
    ).fetchall():
        if schema != _SCHEMA:
            continue
        if kind == "PRIMARY KEY":
            primary[table] = tuple(own)
        elif kind == "FOREIGN KEY":
            foreign[table].append(ForeignKey(tuple(own), referenced, tuple(others)))
    tables = []
    for table, found in sorted(columns.items()):
        statement = f"SELECT * FROM {_quoted(_SCHEMA)}.{_quoted(table)}"
        try:
            parser.vet(statement, contents, limits)
            connection.query(statement)
        except (StopError, duckdb.BinderException, duckdb.CatalogException):
            continue
        key = primary.get(table, ())
        tables.append(
            Table(
                table,
                tuple(
                    Column(name, kind, not_null, key.index(name) + 1 if name in key else 0)
                    for name, kind, not_null in found
                ),
                tuple(foreign[table]),
                is_view=(_SCHEMA, table.lower()) in contents.views,
            )
        )
    return Schema(tuple(tables), Engine.DUCKDB)


def content_hash(connection: duckdb.DuckDBPyConnection) -> str:
    """Hash what a database says, whatever its file looks like.

    The hash covers what the engine says of schemas, types, sequences, macros, tables with their
    constraints, and views, each by name, then each table's rows by table name in the order of a
    plain scan. It does not see row groups, compression, free blocks or the storage version.

    Args:
        connection: A guarded connection.

    Returns:
        SHA-256 in hexadecimal.

    Raises:
        DatabaseUnavailableError: If the file gives a function of the engine another meaning.
        duckdb.Error: If the file cannot be read.
    """
    # Else a macro of the file could stand in the statements below.
    read_contents(connection)
    digest = ContentDigest("duckdb database content 1")
    for heading, listed, source in _CATALOGUE:
        digest.begin(heading)
        found = connection.execute(f"SELECT {listed} FROM system.main.{source}").fetchall()
        digest.add_rows(sorted(found, key=repr))
    for (schema, table), columns in sorted(_stored_columns(connection).items()):
        name = f"{_quoted(schema)}.{_quoted(table)}"
        digest.begin(name)
        cells = ", ".join(
            cell for column in columns for cell in _hashed_cells(connection, name, column)
        )
        (statement,) = connection.extract_statements(f"SELECT {cells} FROM {name}")
        digest.add_rows(streamed(connection, carried(connection, statement)))
        # The next table may need a view of the same name.
        connection.execute(f"DROP VIEW IF EXISTS temp.{CARRYING_VIEW}")
    return digest.hexadecimal()


def _stored_columns(
    connection: duckdb.DuckDBPyConnection,
) -> dict[tuple[str, str], list[str]]:
    """Return the columns of each table but those that it computes."""
    tables = {
        (schema, name): list[str]()
        for schema, name in connection.execute(
            "SELECT schema_name, table_name FROM system.main.duckdb_tables() WHERE NOT internal"
        ).fetchall()
    }
    for schema, table, column in connection.execute(
        "SELECT schema_name, table_name, column_name FROM system.main.duckdb_columns() "
        "WHERE NOT internal AND NOT is_generated ORDER BY column_index"
    ).fetchall():
        if (schema, table) in tables:
            tables[schema, table].append(column)
    return tables


def _hashed_cells(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> list[str]:
    name = _quoted(column)
    (kind,) = connection.query(f"SELECT {name} FROM {table}").types
    try:
        carrier_of(kind)
    except StopError:
        # What Python has no value for counts by its text; which of its types a value has besides.
        kinds = {"union": "union_tag", "variant": "variant_typeof"}
        of_kind = [f"CAST({kinds[kind.id]}({name}) AS VARCHAR)"] if kind.id in kinds else []
        return [*of_kind, f"CAST({name} AS VARCHAR)"]
    return [name]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
