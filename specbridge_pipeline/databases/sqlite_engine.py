"""Running SQL on SQLite files, for use inside a worker process: it imports the engine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from specbridge_pipeline.databases import sqlite_contents, sqlite_guards
from specbridge_pipeline.databases.failures import (
    StopError,
    failure_reply,
    not_unicode,
    out_of_memory,
    out_of_time,
    require_length,
    words,
)
from specbridge_pipeline.databases.frames import Message
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.result_limits import Allowance
from specbridge_pipeline.databases.results import FailureKind
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import DatabaseUnavailableError

_LONGEST_OWN_STATEMENT = 1_000_000
_DEEPEST_OWN_EXPRESSION = 1_000
_UNDECODED_VIEW = "result with undecoded text"
_BEFORE_A_STATEMENT = " \t\n\f\r;\ufeff"

_UNUSABLE_FILE = (apsw.NotADBError, apsw.CantOpenError, apsw.CorruptError, apsw.IOError)
_TOO_LARGE = (MemoryError, apsw.NoMemError, apsw.TooBigError, apsw.FullError)


@dataclass(slots=True)
class _Statement:
    """What compiling told about the one statement of a text.

    Attributes:
        columns: Its output columns.
        declared_types: Their declared types.
        count: Statements seen so far.
        position: Where the text that is not compiled yet begins.
    """

    columns: tuple[str, ...] = ()
    declared_types: tuple[str | None, ...] = ()
    count: int = 0
    position: int = 0


def prepare() -> None:
    """Make the engine ready for the first query; loading this module has done it."""


def limit_memory(limits: Limits) -> None:
    """Limit the engine's memory from here on.

    Args:
        limits: What a query may use.
    """
    apsw.hard_heap_limit(limits.memory)


def rest() -> None:
    """Do nothing: no file is kept open."""


def read_schema(path: Path, _limits: Limits) -> Schema:
    """Read the tables and views of a file that a query may read.

    Args:
        path: The file.

    Returns:
        The schema.

    Raises:
        DatabaseUnavailableError: If the file cannot be opened or read.
    """
    with _reading(path) as connection:
        return sqlite_contents.read_schema(connection)


def content_hash(path: Path, _limits: Limits) -> str:
    """Hash what a file says, whatever it looks like.

    Args:
        path: The file.

    Returns:
        SHA-256 in hexadecimal.

    Raises:
        DatabaseUnavailableError: If the file cannot be opened or read.
    """
    with _reading(path) as connection:
        return sqlite_contents.content_hash(connection)


@contextmanager
def _reading(path: Path) -> Iterator[apsw.Connection]:
    try:
        with sqlite_guards.read_only(path) as connection:
            yield connection
    except (apsw.Error, UnicodeError) as error:
        raise DatabaseUnavailableError(words(error, path)) from error


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
    guard: sqlite_guards.Guard | None = None
    statement = _Statement()
    started = time.perf_counter()
    deadline = time.monotonic() + limits.seconds
    try:
        require_length(sql, limits)
        try:
            with sqlite_guards.read_only(path) as connection:
                guard = sqlite_guards.Guard(connection, limits, deadline)
                guard.close_door()
                rows = _rows(connection, guard, sql, statement, limits)
        except UnicodeDecodeError:
            if not statement.columns:
                raise
            rows = _rows_with_undecoded_text(path, sql, statement, limits, deadline)
    except DatabaseUnavailableError:
        raise
    except Exception as error:
        if guard is not None and guard.used_up_steps and isinstance(error, apsw.InterruptError):
            error = StopError(
                FailureKind.TOO_MANY_STEPS,
                f"it took more than {limits.steps:,} steps of the engine",
            )
        refusal = None if guard is None else guard.refusal
        return failure_reply(_failure(error, refusal, limits, path))
    return {
        "reply": "result",
        "columns": statement.columns,
        "declared_types": statement.declared_types,
        "rows": rows,
        "seconds": time.perf_counter() - started,
    }


def _rows(
    connection: apsw.Connection,
    guard: sqlite_guards.Guard,
    sql: str,
    statement: _Statement,
    limits: Limits,
) -> list[tuple[Any, ...]]:
    def check(cursor: apsw.Cursor, text: str, _bindings: object) -> bool:
        # Called for each statement of the text after it is compiled and before it runs. Blanks
        # and comments on their own are compiled to nothing.
        statement.position += len(text)
        if not cursor.has_vdbe:
            return True
        statement.count += 1
        if cursor.is_explain:
            guard.refuse("EXPLAIN is not allowed")
        elif not cursor.is_readonly:
            guard.refuse("only a SELECT is allowed")
        elif _holds_statement(connection, sql[statement.position :]):
            guard.refuse("there is more than one statement")
        if guard.refusal is not None:
            return False
        described = cursor.get_description()
        statement.columns = tuple(name for name, _ in described)
        statement.declared_types = tuple(declared for _, declared in described)
        return True

    cursor = connection.cursor()
    cursor.exec_trace = check
    cursor.execute(sql)
    if not statement.count:
        raise StopError(FailureKind.ERROR, "there is no statement in the text")
    return _fetched(cursor, statement.columns, limits)


def _holds_statement(connection: apsw.Connection, rest: str) -> bool:
    """Tell whether the text after a statement is more than blanks and comments."""
    if not rest:
        return False
    compiled: list[bool] = []

    def look(cursor: apsw.Cursor, _text: str, _bindings: object) -> bool:
        compiled.append(cursor.has_vdbe)
        return not cursor.has_vdbe

    cursor = connection.cursor()
    cursor.exec_trace = look
    try:
        cursor.execute(rest)
    except apsw.Error:
        # It does not compile, or was stopped before it ran: either way there is something.
        return True
    return any(compiled)


def _fetched(
    cursor: apsw.Cursor, columns: tuple[str, ...], limits: Limits
) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    allowance = Allowance(limits, columns)
    for row in cursor:
        allowance.take(row)
        rows.append(row)
    allowance.require_bytes()
    return rows


def _rows_with_undecoded_text(
    path: Path, sql: str, statement: _Statement, limits: Limits, deadline: float
) -> list[tuple[Any, ...]]:
    """Run a statement whose result holds text that is not UTF-8, which the driver cannot fetch.

    The statement has passed all guards once. It becomes a temporary view, so that no code of ours
    has to find its end in the text, and is read through a SELECT that hands out text as bytes.
    """
    places = [f"c{place}" for place in range(len(statement.columns))]
    view = sqlite_contents.quoted(_UNDECODED_VIEW)
    # One marker a row tells which of its cells are text: a digit for each.
    markers = " || ".join(f"(typeof({place}) = 'text')" for place in places)
    cells = ", ".join(
        f"iif(typeof({place}) = 'text', CAST({place} AS BLOB), {place})" for place in places
    )
    with sqlite_guards.read_only(path) as connection:
        guard = sqlite_guards.Guard(connection, limits, deadline)
        connection.execute(
            f"CREATE TEMP VIEW {view} ({', '.join(places)}) AS {sql.lstrip(_BEFORE_A_STATEMENT)}"
        )
        guard.close_door(also_readable=_UNDECODED_VIEW)
        # Written by us, and longer and deeper than what a query's author may write.
        connection.limit(apsw.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_OWN_STATEMENT)
        connection.limit(apsw.SQLITE_LIMIT_EXPR_DEPTH, _DEEPEST_OWN_EXPRESSION)
        cursor = connection.execute(f"SELECT {markers}, {cells} FROM temp.{view}")
        rows = _fetched(cursor, statement.columns, limits)
    return [
        tuple(
            sqlite_contents.text_or_bytes(cell) if mark == "1" else cell
            for mark, cell in zip(str(row[0]), row[1:], strict=True)
        )
        for row in rows
    ]


def _failure(error: Exception, refusal: str | None, limits: Limits, path: Path) -> StopError:
    if isinstance(error, StopError):
        return error
    if refusal is not None:
        return StopError(FailureKind.REFUSED, refusal)
    if isinstance(error, _TOO_LARGE) or _lacks_memory(error):
        return out_of_memory(limits)
    if isinstance(error, apsw.InterruptError):
        return out_of_time(limits)
    if isinstance(error, _UNUSABLE_FILE):
        raise DatabaseUnavailableError(words(error, path)) from error
    if isinstance(error, apsw.AuthError | apsw.ReadOnlyError):
        return StopError(FailureKind.REFUSED, words(error, path))
    if isinstance(error, apsw.SQLError) and str(error).startswith("no such module"):
        return StopError(FailureKind.REFUSED, "reading a virtual table is not allowed")
    if isinstance(error, UnicodeEncodeError):
        return not_unicode()
    if isinstance(error, apsw.Error):
        return StopError(FailureKind.ERROR, words(error, path))
    return StopError(FailureKind.ERROR, f"{type(error).__name__}: {words(error, path)}")


def _lacks_memory(error: Exception) -> bool:
    # An out-of-memory inside an input-output call arrives as an input-output error.
    return getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_NOMEM
