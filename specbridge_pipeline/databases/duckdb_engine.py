"""Running SQL on DuckDB files, for use inside a worker process: it imports the engine."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path

import duckdb

from specbridge_pipeline.databases import duckdb_contents, duckdb_guards
from specbridge_pipeline.databases.duckdb_fetching import carried, fetch
from specbridge_pipeline.databases.duckdb_statements import StatementParser
from specbridge_pipeline.databases.failures import (
    StopError,
    failure_reply,
    not_unicode,
    out_of_memory,
    out_of_time,
    require_length,
    shortened,
    words,
)
from specbridge_pipeline.databases.frames import Message
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import FailureKind
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import DatabaseUnavailableError

_DEEPEST_RECURSION = 20_000
"""Some objects of a parse tree a level of an expression, each level of which may be in a view."""

_MOST_KNOWN_CONTENTS = 16
_MOST_PARSERS = 4

_UNUSABLE_FILE = (duckdb.IOException, duckdb.SerializationException)
_FAILED_INSIDE = (duckdb.InternalException, duckdb.FatalException)


def prepare() -> None:
    """Make the engine ready for the first query."""
    sys.setrecursionlimit(_DEEPEST_RECURSION)
    _parser(Limits())


def limit_memory(_limits: Limits) -> None:
    """Do nothing: each connection is opened with a limit of its own."""


def query(path: Path, sql: str, limits: Limits) -> Message:
    """Run one statement on a connection of its own, so that nothing outlives it.

    Args:
        path: The file.
        sql: The statement, trusted in nothing.
        limits: What it may use.

    Returns:
        An object whose `reply` is `result` or `failure`.

    Raises:
        DatabaseUnavailableError: If the file cannot be opened or read.
    """
    started = time.perf_counter()
    with duckdb_guards.Deadline(limits.seconds) as deadline:
        try:
            require_length(sql, limits)
            reply = _result(path, sql, limits, deadline)
        except DatabaseUnavailableError:
            raise
        except Exception as error:
            return failure_reply(_failure(error, limits, path))
    return {**reply, "reply": "result", "seconds": time.perf_counter() - started}


def rest() -> None:
    """Let go of the file that was read last, so that a program that writes it can open it."""
    _kept_file.close()


def read_schema(path: Path, limits: Limits) -> Schema:
    """Read the tables and views of a file that a query may read.

    Args:
        path: The file.
        limits: What reading it may use.

    Returns:
        The schema.

    Raises:
        DatabaseUnavailableError: If the file cannot be opened or read.
    """
    with _reading(path, limits) as connection:
        return duckdb_contents.read_schema(connection, _parser(limits), limits)


def content_hash(path: Path, limits: Limits) -> str:
    """Hash what a file says, whatever it looks like.

    Args:
        path: The file.
        limits: What reading it may use.

    Returns:
        SHA-256 in hexadecimal.

    Raises:
        DatabaseUnavailableError: If the file cannot be opened or read.
    """
    with _reading(path, limits) as connection:
        return duckdb_contents.content_hash(connection)


@contextmanager
def _reading(path: Path, limits: Limits) -> Iterator[duckdb.DuckDBPyConnection]:
    rest()
    try:
        with duckdb_guards.read_only(path, limits) as connection:
            yield connection
    except (duckdb.Error, UnicodeError) as error:
        raise DatabaseUnavailableError(_first_words(error, path)) from error


@lru_cache(maxsize=_MOST_PARSERS)
def _parser(limits: Limits) -> StatementParser:
    # It only ever parses: no statement is run on its connection but ours.
    return StatementParser(duckdb_guards.in_memory(limits))


def _result(path: Path, sql: str, limits: Limits, deadline: duckdb_guards.Deadline) -> Message:
    parser = _parser(limits)
    with deadline.over(parser.connection):
        statement = parser.single_select(sql)
        with (
            _kept_file.statement(path, limits) as (connection, contents),
            deadline.over(connection),
        ):
            parser.vet(statement.query, contents, limits)
            plan = carried(connection, statement)
            rows = fetch(connection, plan, limits, deadline)
    return {
        "columns": plan.columns,
        "declared_types": plan.types,
        "rows": rows,
        "nested": plan.is_nested,
    }


class _KeptFile:
    """The file that was read last, kept open for the next statement on it.

    Opening one takes ten times as long as an ordinary query. What a statement can leave behind
    belongs to its connection, and each has its own; after one that failed nothing is kept at all.
    """

    def __init__(self) -> None:
        self._key: tuple[object, ...] | None = None
        self._open = ExitStack()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._contents: dict[tuple[object, ...], duckdb_guards.Contents] = {}

    @contextmanager
    def statement(
        self, path: Path, limits: Limits
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, duckdb_guards.Contents]]:
        """Lend a connection for one statement, with what the file has.

        Raises:
            DatabaseUnavailableError: If the file cannot be opened.
        """
        try:
            stat = path.stat()
        except OSError:
            raise DatabaseUnavailableError("there is no such database file") from None
        state = (str(path), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        try:
            if self._connection is None or self._key != (state, limits):
                self.close()
                self._connection = self._open.enter_context(duckdb_guards.read_only(path, limits))
                self._key = (state, limits)
            connection = self._connection.cursor()
            try:
                yield connection, self._contents_in(state, connection)
            finally:
                connection.close()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Keep nothing."""
        self._connection = None
        self._open.close()

    def _contents_in(
        self, state: tuple[object, ...], connection: duckdb.DuckDBPyConnection
    ) -> duckdb_guards.Contents:
        # Listing them takes several times as long as opening the file.
        if state not in self._contents:
            if len(self._contents) == _MOST_KNOWN_CONTENTS:
                self._contents.clear()
            self._contents[state] = duckdb_guards.read_contents(connection)
        return self._contents[state]


_kept_file = _KeptFile()


def _failure(error: Exception, limits: Limits, path: Path) -> StopError:
    if isinstance(error, StopError):
        return error
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException):
        return out_of_memory(limits)
    if isinstance(error, duckdb.InterruptException):
        return out_of_time(limits)
    if isinstance(error, duckdb.PermissionException):
        # Its own words name the file that was asked for.
        return StopError(FailureKind.REFUSED, "reading or writing outside the database is refused")
    if isinstance(error, _UNUSABLE_FILE) or _is_damage(error):
        raise DatabaseUnavailableError(_first_words(error, path)) from error
    if isinstance(error, _FAILED_INSIDE):
        return StopError(FailureKind.ERROR, "the engine failed inside")
    if isinstance(error, UnicodeEncodeError):
        return not_unicode()
    if isinstance(error, RecursionError):
        return StopError(FailureKind.ERROR, "the statement is nested too deeply")
    if isinstance(error, duckdb.Error):
        return StopError(FailureKind.ERROR, _first_words(error, path))
    return StopError(FailureKind.ERROR, f"{type(error).__name__}: {_first_words(error, path)}")


def _is_damage(error: Exception) -> bool:
    # A block that does not fit its checksum has no class of its own; what a statement itself
    # raises by `error()` has one.
    return type(error) is duckdb.Error and str(error).startswith("Corrupt database file")


def _first_words(error: Exception, path: Path) -> str:
    """Return an error's own words without the lines of the statement that it points to."""
    return shortened(words(error, path).split("\n\n", 1)[0].strip())
