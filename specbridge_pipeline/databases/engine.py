"""The database engines that queries run on, and which of them a database is for."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from specbridge_pipeline.errors import DatabaseUnavailableError

_SQLITE_MAGIC = b"SQLite format 3\x00"
_DUCKDB_MAGIC = b"DUCK"
_DUCKDB_MAGIC_OFFSET = 8
"""Behind the checksum of the file's first block."""


class Engine(StrEnum):
    """The engine that runs a database's queries; its value is also its dialect's name."""

    SQLITE = "sqlite"
    DUCKDB = "duckdb"

    @property
    def label(self) -> str:
        """Its name as its makers write it."""
        return {Engine.SQLITE: "SQLite", Engine.DUCKDB: "DuckDB"}[self]


def engine_of(path: Path) -> Engine:
    """Tell which engine a database is for, from what it is and not from what it is called.

    Args:
        path: A database file, or a folder of Parquet and CSV files, which is DuckDB's.

    Returns:
        The engine.

    Raises:
        DatabaseUnavailableError: If there is nothing, or nothing that can be read, or it is no
            database.
    """
    try:
        if path.is_dir():
            return Engine.DUCKDB
        if not path.exists():
            raise _unavailable("there is no such database file", path)
        if not path.is_file():
            # Reading a pipe or a device might never end.
            raise _unavailable("this is no regular file", path)
        with path.open("rb") as file:
            head = file.read(len(_SQLITE_MAGIC))
    except OSError as error:
        raise _unavailable(f"cannot be read ({error.strerror})", path) from None
    if not head:
        raise _unavailable("the database file is empty", path)
    if head == _SQLITE_MAGIC:
        return Engine.SQLITE
    if head[_DUCKDB_MAGIC_OFFSET:].startswith(_DUCKDB_MAGIC):
        return Engine.DUCKDB
    raise DatabaseUnavailableError(
        "this is neither an SQLite nor a DuckDB database",
        where=str(path),
        advice="name a database file of one of the two, or a folder of Parquet or CSV files",
    )


def _unavailable(what: str, path: Path) -> DatabaseUnavailableError:
    return DatabaseUnavailableError(what, where=str(path), advice="correct the path")
