"""The process that runs SQL which a model wrote, and answers in frames.

Started by `runner.QueryRunner` with an empty environment; ends when its standard input does. It
imports the standard library and the engine, nothing heavy: what is not loaded cannot be misused,
and a worker that was killed is quickly replaced.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import apsw

from specbridge_pipeline.databases import file_contents, guards
from specbridge_pipeline.databases.frames import (
    EXIT_OUT_OF_MEMORY,
    Message,
    read_frame,
    write_frame,
)
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import FailureKind
from specbridge_pipeline.errors import DatabaseUnavailableError

CELL_BYTES = 8
"""What a number or a NULL counts as, and any cell at least."""

_OPEN_FILES = 32
_MEMORY_BESIDES_ENGINE = 512 * 1024 * 1024
_MEMORY_A_RESULT_BYTE = 16
"""A small integer of eight bytes takes some forty as an object in a row, and its text besides."""

_LONGEST_MESSAGE = 500
_LONGEST_OWN_STATEMENT = 1_000_000
_DEEPEST_OWN_EXPRESSION = 1_000
_UNDECODED_VIEW = "result with undecoded text"
_BEFORE_A_STATEMENT = " \t\n\f\r;\ufeff"

_UNUSABLE_FILE = (apsw.NotADBError, apsw.CantOpenError, apsw.CorruptError, apsw.IOError)
_TOO_LARGE = (MemoryError, apsw.NoMemError, apsw.TooBigError, apsw.FullError)


class _StopError(Exception):
    """Ends a query with a failure whose kind is known where it is found."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(message)


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


def main() -> None:
    """Answer requests from standard input until it ends."""
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    _restrict_process()
    while (request := read_frame(requests)) is not None:
        try:
            write_frame(replies, answer(request))
        except MemoryError:
            os._exit(EXIT_OUT_OF_MEMORY)
        except BrokenPipeError:
            os._exit(0)


def answer(request: Message) -> Message:
    """Carry out one request.

    Args:
        request: An object with `operation` and what it needs: `path`, `sql`, `limits`.

    Returns:
        An object whose `reply` is `result`, `failure`, `schema`, `hash`, `pong`, `unavailable`
        (the database's fault) or `broken` (ours).
    """
    operation = request["operation"]
    if operation == "ping":
        return {"reply": "pong"}
    path, limits = Path(request["path"]), Limits(**request["limits"])
    try:
        if operation == "query":
            _restrict_use(limits, limits.seconds)
            return _query(path, request["sql"], limits)
        _restrict_use(limits, limits.file_seconds)
        with guards.read_only(path) as connection:
            if operation == "schema":
                return {"reply": "schema", **asdict(file_contents.read_schema(connection))}
            if operation == "content_hash":
                return {"reply": "hash", "hash": file_contents.content_hash(connection)}
        return {"reply": "broken", "message": f"unknown operation {operation}"}
    except DatabaseUnavailableError as error:
        return {"reply": "unavailable", "message": error.what, "advice": error.advice}
    except (apsw.Error, UnicodeError) as error:
        return {"reply": "unavailable", "message": _words(error, path), "advice": None}
    except Exception as error:
        return {"reply": "broken", "message": f"{type(error).__name__}: {_words(error, path)}"}


def _restrict_process() -> None:
    os.environ["TZ"] = "UTC0"  # 'localtime' must not depend on the machine.
    time.tzset()
    for limit, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
    ):
        resource.setrlimit(limit, (value, value))


def _restrict_use(limits: Limits, seconds: float) -> None:
    """Limit the processor time and memory from here on; both can be set anew for each query."""
    apsw.hard_heap_limit(limits.memory)
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = used.ru_utime + used.ru_stime + seconds + limits.grace_seconds
    _set_soft_limit(resource.RLIMIT_CPU, math.ceil(allowed) + 1)
    _set_soft_limit(
        resource.RLIMIT_AS,
        limits.memory + _MEMORY_A_RESULT_BYTE * limits.bytes + _MEMORY_BESIDES_ENGINE,
    )


def _set_soft_limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    # macOS knows RLIMIT_AS and refuses to set it; the engine's own heap limit still holds there.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, (value, hard))


def _query(path: Path, sql: str, limits: Limits) -> Message:
    """Run one statement on a connection of its own, so that nothing outlives it."""
    guard: guards.Guard | None = None
    statement = _Statement()
    started = time.perf_counter()
    deadline = time.monotonic() + limits.seconds
    try:
        if len(sql.encode()) > limits.sql_bytes:
            raise _StopError(
                FailureKind.REFUSED, f"the statement is longer than {limits.sql_bytes} bytes"
            )
        try:
            with guards.read_only(path) as connection:
                guard = guards.Guard(connection, limits, deadline)
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
            error = _StopError(
                FailureKind.TOO_MANY_STEPS,
                f"it took more than {limits.steps:,} steps of the engine",
            )
        refusal = None if guard is None else guard.refusal
        kind, message = _failure(error, refusal, limits, path)
        return {"reply": "failure", "kind": kind.value, "message": message}
    return {
        "reply": "result",
        "columns": statement.columns,
        "declared_types": statement.declared_types,
        "rows": rows,
        "seconds": time.perf_counter() - started,
    }


def _rows(
    connection: apsw.Connection,
    guard: guards.Guard,
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
        raise _StopError(FailureKind.ERROR, "there is no statement in the text")
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
    remaining = limits.bytes - sum(len(name.encode()) for name in columns)
    for row in cursor:
        if len(rows) == limits.rows:
            raise _StopError(
                FailureKind.TOO_MANY_ROWS, f"the result has more than {limits.rows} rows"
            )
        remaining -= CELL_BYTES * len(row)
        for cell in row:
            if isinstance(cell, str | bytes) and len(cell) > CELL_BYTES:
                counted = cell if isinstance(cell, bytes) or cell.isascii() else cell.encode()
                remaining -= len(counted) - CELL_BYTES
        if remaining < 0:
            break
        rows.append(row)
    if remaining < 0:
        raise _StopError(
            FailureKind.TOO_MANY_BYTES, f"the result has more than {limits.bytes} bytes"
        )
    return rows


def _rows_with_undecoded_text(
    path: Path, sql: str, statement: _Statement, limits: Limits, deadline: float
) -> list[tuple[Any, ...]]:
    """Run a statement whose result holds text that is not UTF-8, which the driver cannot fetch.

    The statement has passed all guards once. It becomes a temporary view, so that no code of ours
    has to find its end in the text, and is read through a SELECT that hands out text as bytes.
    """
    places = [f"c{place}" for place in range(len(statement.columns))]
    view = file_contents.quoted(_UNDECODED_VIEW)
    # One marker a row tells which of its cells are text: a digit for each.
    markers = " || ".join(f"(typeof({place}) = 'text')" for place in places)
    cells = ", ".join(
        f"iif(typeof({place}) = 'text', CAST({place} AS BLOB), {place})" for place in places
    )
    with guards.read_only(path) as connection:
        guard = guards.Guard(connection, limits, deadline)
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
            file_contents.text_or_bytes(cell) if mark == "1" else cell
            for mark, cell in zip(str(row[0]), row[1:], strict=True)
        )
        for row in rows
    ]


def _failure(
    error: Exception, refusal: str | None, limits: Limits, path: Path
) -> tuple[FailureKind, str]:
    if isinstance(error, _StopError):
        return error.kind, error.message
    if refusal is not None:
        return FailureKind.REFUSED, refusal
    if isinstance(error, _TOO_LARGE) or _lacks_memory(error):
        return (
            FailureKind.TOO_MANY_BYTES,
            f"it needs more than {limits.memory} bytes of memory, "
            f"or a single value of more than {limits.bytes} bytes",
        )
    if isinstance(error, apsw.InterruptError):
        return FailureKind.TIMEOUT, f"it ran longer than {limits.seconds:g} s"
    if isinstance(error, _UNUSABLE_FILE):
        raise DatabaseUnavailableError(_words(error, path)) from error
    if isinstance(error, apsw.AuthError | apsw.ReadOnlyError):
        return FailureKind.REFUSED, _words(error, path)
    if isinstance(error, apsw.SQLError) and str(error).startswith("no such module"):
        return FailureKind.REFUSED, "reading a virtual table is not allowed"
    if isinstance(error, UnicodeEncodeError):
        return FailureKind.ERROR, "the statement holds characters that are no valid Unicode"
    if isinstance(error, apsw.Error):
        return FailureKind.ERROR, _words(error, path)
    return FailureKind.ERROR, f"{type(error).__name__}: {_words(error, path)}"


def _lacks_memory(error: Exception) -> bool:
    # An out-of-memory inside an input-output call arrives as an input-output error.
    return getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_NOMEM


def _words(error: Exception, path: Path) -> str:
    """Return an error's own words, short and without the database's path."""
    words = str(error).replace(str(path), "the database").replace(str(path.parent), "the folder")
    return words if len(words) <= _LONGEST_MESSAGE else words[:_LONGEST_MESSAGE] + "…"


if __name__ == "__main__":
    main()
