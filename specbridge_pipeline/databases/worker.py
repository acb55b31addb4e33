"""The process that runs SQL which a model wrote, and answers in frames.

Started by `runner.QueryRunner` with an empty environment; ends when its standard input does. It
imports the standard library and the engines it is asked for, nothing heavy: what is not loaded
cannot be misused, and a worker that was killed is quickly replaced.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import select
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.failures import words
from specbridge_pipeline.databases.frames import (
    EXIT_OUT_OF_MEMORY,
    Message,
    read_frame,
    write_frame,
)
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.reply_rows import with_packed_rows
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import DatabaseUnavailableError

_OPEN_FILES = 32
_MEMORY_BESIDES_ENGINE = 512 * 1024 * 1024
_MEMORY_A_RESULT_BYTE = 16
"""A small integer of eight bytes takes some forty as an object in a row, and its text besides."""

_SECONDS_UNTIL_REST = 1

_used: set[Engine] = set()


class _EngineModule(Protocol):
    """What a module that runs one engine offers."""

    def prepare(self) -> None: ...
    def rest(self) -> None: ...
    def limit_memory(self, limits: Limits, /) -> None: ...
    def query(self, path: Path, sql: str, limits: Limits, /) -> Message: ...
    def read_schema(self, path: Path, limits: Limits, /) -> Schema: ...
    def content_hash(self, path: Path, limits: Limits, /) -> str: ...


def main(*, may_write: bool = False) -> None:
    """Answer requests from standard input until it ends.

    Args:
        may_write: Whether this process may write files: only for reading folders of data files
            into a database of ours, never for a statement that somebody else wrote.
    """
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    _restrict_process(may_write)
    while True:
        if not _has_request(requests.fileno()):
            for engine in tuple(_used):
                _engine(engine).rest()
        request = read_frame(requests)
        if request is None:
            return
        try:
            write_frame(replies, answer(request, may_write=may_write))
        except MemoryError:
            os._exit(EXIT_OUT_OF_MEMORY)
        except BrokenPipeError:
            os._exit(0)


def _has_request(pipe: int) -> bool:
    """Wait a while for the next request, or for the pipe's end."""
    # Each request is answered before the next one comes, so none is left in a buffer.
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    return bool(poll.poll(_SECONDS_UNTIL_REST * 1000))


def answer(request: Message, *, may_write: bool = False) -> Message:
    """Carry out one request.

    Args:
        request: An object with `operation` and what it needs: `engine`, `path`, `sql`, `limits`.
        may_write: Whether the request may write files; a query never is carried out then.

    Returns:
        An object whose `reply` is `result`, `failure`, `schema`, `hash`, `loaded`, `pong`,
        `unavailable` (the database's fault) or `broken` (ours).
    """
    operation = request["operation"]
    if operation == "ping":
        return {"reply": "pong"}
    try:
        engine = _engine(Engine(request["engine"]))
        if operation == "prepare":
            engine.prepare()
            return {"reply": "pong"}
    except Exception as error:
        return {"reply": "broken", "message": f"{type(error).__name__}: {error}"}
    path, limits = Path(request["path"]), Limits(**request["limits"])
    try:
        if operation == "load" and may_write:
            _restrict_use(engine, limits, limits.file_seconds)
            return _load(request, path, limits)
        if operation == "query" and not may_write:
            _restrict_use(engine, limits, limits.seconds)
            return with_packed_rows(engine.query(path, request["sql"], limits))
        _restrict_use(engine, limits, limits.file_seconds)
        if operation == "schema":
            return {"reply": "schema", **asdict(engine.read_schema(path, limits))}
        if operation == "content_hash":
            return {"reply": "hash", "hash": engine.content_hash(path, limits)}
        return {"reply": "broken", "message": f"unknown operation {operation}"}
    except DatabaseUnavailableError as error:
        return {"reply": "unavailable", "message": error.what, "advice": error.advice}
    except Exception as error:
        return {"reply": "broken", "message": f"{type(error).__name__}: {words(error, path)}"}


def _engine(engine: Engine) -> _EngineModule:
    """Return the module of an engine, which is loaded when it is first asked for."""
    _used.add(engine)
    if engine is Engine.SQLITE:
        from specbridge_pipeline.databases import sqlite_engine

        return sqlite_engine
    from specbridge_pipeline.databases import duckdb_engine

    return duckdb_engine


def _load(request: Message, folder: Path, limits: Limits) -> Message:
    from specbridge_pipeline.databases import duckdb_loading

    duckdb_loading.load(folder, request["tables"], limits)
    return {"reply": "loaded"}


def _restrict_process(may_write: bool) -> None:
    os.environ["TZ"] = "UTC0"  # 'localtime' must not depend on the machine.
    time.tzset()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    if not may_write:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _restrict_use(engine: _EngineModule, limits: Limits, seconds: float) -> None:
    """Limit the processor time and memory from here on; both can be set anew for each query."""
    engine.limit_memory(limits)
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


if __name__ == "__main__":
    main()
