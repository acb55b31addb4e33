"""Opening a DuckDB file so that untrusted SQL can only read it.

For use inside a worker process: it imports the engine.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb

from specbridge_pipeline.databases.failures import words
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.errors import DatabaseUnavailableError

_PENDING_SUFFIXES = (".wal", ".wal.checkpoint", ".wal.recovery")

OPTIONS = {
    # One thread: rows come in the same order, and floats are added up in it, at every run.
    "threads": "1",
    "async_threads": "1",
    "preserve_insertion_order": "true",
    "python_enable_replacements": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
}

_LAST_SETTINGS = ("SET enable_external_access = false", "SET lock_configuration = true")

_SECONDS_BETWEEN_INTERRUPTS = 0.02

# In what the engine itself writes a quote inside a quoted name is doubled, and nothing else is
# escaped. Possessive, so that no shorter reading of a name is ever tried.
_NAME = r'(?:"(?:[^"]|"")*+"|[^\s"().,;]++)'
_VIEW_HEAD = re.compile(
    rf"CREATE VIEW (?:{_NAME}\.)*+{_NAME}(?: ?\({_NAME}(?:, ?{_NAME})*+\))?+ AS "
)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a database file has, by schema and name in lower case.

    Attributes:
        catalog: The name under which the file is open.
        tables: Its tables.
        views: The SELECT of each of its views; None where it is not understood.
        computed: The expressions of the columns that some tables compute when they are read.
    """

    catalog: str
    tables: frozenset[tuple[str, str]]
    views: dict[tuple[str, str], str | None]
    computed: dict[tuple[str, str], tuple[str, ...]]


@contextmanager
def read_only(path: Path, limits: Limits) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database file for reading, in an instance of the engine of its own.

    Args:
        path: The file.
        limits: What a query may use.

    Yields:
        A connection that can reach nothing but the file, and whose settings are locked. It is
        closed, and its instance gone, when the context is left.

    Raises:
        DatabaseUnavailableError: If there is no such database, or changes of it are not in the
            file yet.
    """
    if not path.is_file():
        raise DatabaseUnavailableError("there is no such database file")
    for suffix in _PENDING_SUFFIXES:
        log = path.with_name(path.name + suffix)
        # A log cannot be played back without writing to the file.
        if log.exists() and log.stat().st_size > 0:
            raise DatabaseUnavailableError(
                f"changes of the database are still in its {suffix} file",
                advice="close the program that writes it, or write them into the file: CHECKPOINT",
            )
    try:
        connection = duckdb.connect(
            str(path), read_only=True, config={**OPTIONS, "memory_limit": memory_text(limits)}
        )
    except duckdb.Error as error:
        raise _unavailable(error, path) from error
    try:
        lock(connection, limits)
        yield connection
    finally:
        connection.close()


def in_memory(limits: Limits) -> duckdb.DuckDBPyConnection:
    """Open an empty database under the same guards, to have statements parsed by the engine.

    Args:
        limits: What it may use.

    Returns:
        The connection.
    """
    connection = duckdb.connect(":memory:", config={**OPTIONS, "memory_limit": memory_text(limits)})
    lock(connection, limits)
    return connection


def lock(connection: duckdb.DuckDBPyConnection, limits: Limits) -> None:
    """Take from a connection all that a query does not need, and let nothing be set again."""
    for setting in (
        # Sorts would spill beside the database or into the current folder.
        "SET temp_directory = ''",
        "SET max_temp_directory_size = '0B'",
        "SET TimeZone = 'UTC'",
        "SET Calendar = 'gregorian'",
        f"SET max_expression_depth = {limits.expression_depth}",
        *_LAST_SETTINGS,
    ):
        connection.execute(setting)


def memory_text(limits: Limits) -> str:
    """Return the memory that the engine may use, as its setting has it."""
    return f"{max(1, limits.memory // 1024)}KiB"


def read_contents(connection: duckdb.DuckDBPyConnection) -> Contents:
    """Read what a file has, by statements that no macro of the file can change.

    Args:
        connection: A connection from `read_only`.

    Returns:
        Its tables and views.

    Raises:
        DatabaseUnavailableError: If the file gives one of the engine's own functions another
            meaning: no statement on it would mean what it says.
    """
    _refuse_redefinitions(connection)
    # By the whole name, and without an operator or function: a file could define its own.
    tables = connection.execute(
        "SELECT schema_name, table_name FROM system.main.duckdb_tables() WHERE NOT internal"
    ).fetchall()
    views = connection.execute(
        "SELECT schema_name, view_name, sql FROM system.main.duckdb_views() WHERE NOT internal"
    ).fetchall()
    computed: dict[tuple[str, str], tuple[str, ...]] = {}
    for schema, name, expression in connection.execute(
        "SELECT schema_name, table_name, generation_expression "
        "FROM system.main.duckdb_columns() WHERE NOT internal"
    ).fetchall():
        if expression is not None:
            key = (schema.lower(), name.lower())
            computed[key] = (*computed.get(key, ()), expression)
    ((catalog,),) = connection.execute(
        "SELECT database_name FROM system.main.duckdb_databases() WHERE NOT internal"
    ).fetchall()
    return Contents(
        catalog=catalog.lower(),
        tables=frozenset((schema.lower(), name.lower()) for schema, name in tables),
        views={(schema.lower(), name.lower()): select_of_view(sql) for schema, name, sql in views},
        computed=computed,
    )


def select_of_view(sql: str | None) -> str | None:
    """Return the SELECT of a view, from the CREATE VIEW statement that the engine keeps.

    Args:
        sql: The statement.

    Returns:
        The text behind its head, or None if the head is not understood.
    """
    head = _VIEW_HEAD.match(sql or "")
    return None if head is None or sql is None else sql[head.end() :]


class Deadline:
    """Interrupts what runs on some connections, from a moment on and again until it is left.

    Again, because an interrupt between two statements is lost.

    Args:
        seconds: When.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._connections: list[duckdb.DuckDBPyConnection] = []
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.is_over = False
        """Whether the moment has come."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._left.set()
        self._thread.join()

    @contextmanager
    def over(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Interrupt this connection too, as long as the context is not left."""
        self._connections.append(connection)
        try:
            yield
        finally:
            self._connections.remove(connection)

    def _watch(self) -> None:
        if self._left.wait(self._seconds):
            return
        self.is_over = True
        while not self._left.wait(_SECONDS_BETWEEN_INTERRUPTS):
            for connection in tuple(self._connections):
                with contextlib.suppress(duckdb.Error):
                    # It may have been closed since.
                    connection.interrupt()


def _refuse_redefinitions(connection: duckdb.DuckDBPyConnection) -> None:
    """Refuse a file in which `sum` or `+` is something else than the engine's own."""
    own = connection.execute(
        "SELECT function_name FROM system.main.duckdb_functions() WHERE NOT internal"
    ).fetchall()
    if not own:
        return
    builtin = {
        name.lower()
        for (name,) in connection.execute(
            "SELECT function_name FROM system.main.duckdb_functions() WHERE internal"
        ).fetchall()
    }
    shadowing = sorted({name for (name,) in own if name.lower() in builtin})
    if shadowing:
        raise DatabaseUnavailableError(
            f"the database gives a function of the engine another meaning: {shadowing[0]}",
            advice="drop the macro of that name",
        )


def _unavailable(error: Exception, path: Path) -> DatabaseUnavailableError:
    if "Could not set lock" in str(error):
        return DatabaseUnavailableError(
            "another program has the database open for writing", advice="close it there"
        )
    return DatabaseUnavailableError(words(error, path).split("\n", 1)[0])
