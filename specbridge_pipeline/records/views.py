"""DuckDB views over the warehouse: one a stored asset, named after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.records.cells import CellStore
from specbridge_pipeline.records.schemas import FrameSchema

_DUCKDB_TYPES = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "float": "DOUBLE",
    "boolean": "BOOLEAN",
    "texts": "VARCHAR[]",
}


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """Rows of a query on the warehouse.

    Attributes:
        columns: Column names.
        rows: Values in column order.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def query_warehouse(store: CellStore, schemas: Iterable[FrameSchema], sql: str) -> QueryAnswer:
    """Run a query over the views of the warehouse, in a DuckDB that lives in memory.

    Args:
        store: The warehouse.
        schemas: The stages that get a view; a stage without cells gets an empty one.
        sql: One statement.

    Returns:
        Its rows.

    Raises:
        SpecBridgeError: DuckDB refuses or fails the statement; with the views there are. Or a
            stored cell cannot be read.
    """
    import duckdb

    listed = list(schemas)
    connection = duckdb.connect(":memory:")
    try:
        for schema in listed:
            try:
                connection.execute(f"CREATE VIEW {schema.name} AS {_selection(store, schema)}")
            except duckdb.Error as error:
                raise SpecBridgeError(
                    f"its stored cells cannot be read: {str(error).strip()}",
                    where=f"view {schema.name}",
                    advice="run `specbridge run`, which makes stale cells again",
                ) from None
        try:
            cursor = connection.execute(sql)
            description = cursor.description or []
            return QueryAnswer(tuple(column[0] for column in description), cursor.fetchall())
        except duckdb.Error as error:
            raise SpecBridgeError(
                str(error).strip(),
                where="specbridge sql",
                advice=f"views: {', '.join(schema.name for schema in listed)}",
            ) from None
    finally:
        connection.close()


def _selection(store: CellStore, schema: FrameSchema) -> str:
    files = [str(store.path(schema.name, part)) for part in store.partitions(schema.name)]
    if not files:
        empty = ", ".join(
            f"CAST(NULL AS {_DUCKDB_TYPES[kind]}) AS {_quoted(name)}"
            for name, kind in schema.columns.items()
        )
        return f"SELECT {empty} WHERE false"
    quoted = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    names = ", ".join(map(_quoted, schema.columns))
    return (
        f"SELECT {names} FROM read_parquet([{quoted}], union_by_name = true, "
        "hive_partitioning = false)"
    )


def _quoted(name: str) -> str:
    """Write a column's name so that one that is a word of SQL, such as `distinct`, is read too."""
    return f'"{name}"'
