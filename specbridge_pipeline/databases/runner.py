"""Running SQL in worker processes: limits from outside, retries, and one answer for each query."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

from specbridge_pipeline.databases.engine import Engine, engine_of
from specbridge_pipeline.databases.frames import Message
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.reply_rows import unpacked_rows
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.databases.schema import Column, ForeignKey, Schema, Table
from specbridge_pipeline.databases.snapshots import FolderSnapshots
from specbridge_pipeline.databases.worker_process import (
    ReplyOverdueError,
    WorkerDiedError,
    WorkerProcess,
)
from specbridge_pipeline.errors import DatabaseUnavailableError, WorkerError
from specbridge_pipeline.progress import Progress, SilentProgress

_MOST_WORKERS_BY_DEFAULT = 4

_FINAL_AT_ONCE = frozenset(
    {
        FailureKind.ERROR,
        FailureKind.REFUSED,
        FailureKind.TOO_MANY_STEPS,
        FailureKind.TOO_MANY_ROWS,
    }
)
"""Failures that a second run cannot change; any other may come from load."""


def engine_version(engine: Engine) -> str:
    """Return the version of an engine that runs queries, to be stored with each result.

    Args:
        engine: The engine.

    Returns:
        For example ``sqlite 3.54.1`` or ``duckdb 2.0.1``.
    """
    if engine is Engine.SQLITE:
        import apsw

        version = apsw.sqlite_lib_version()
    else:
        from importlib.metadata import version as installed

        # Not by loading it: the engine is larger than all else that this process needs.
        version = installed("duckdb")
    return f"{engine.value} {version}"


class QueryRunner:
    """Runs untrusted SQL in worker processes that are started once and reused.

    A database is an SQLite or DuckDB file, or a folder of Parquet and CSV files, which DuckDB runs
    on; which engine it needs is found from what it is.

    Any number of threads may use one runner; it runs as many queries at a time as it has workers.
    A query that fails for any reason but its own text or the guards is run once more while
    nothing else runs, so that a limit it reached under load is not held against it.

    Use it as a context manager, or call `close`.

    Args:
        workers: How many worker processes; by default the number of processors, at most 4.
        limits: What each query may use.

    Raises:
        ValueError: If `workers` is not positive.
    """

    def __init__(self, *, workers: int | None = None, limits: Limits | None = None) -> None:
        if workers is not None and workers < 1:
            raise ValueError("a runner needs at least one worker")
        self._limits = limits or Limits()
        self._pool = _WorkerPool(workers or min(_MOST_WORKERS_BY_DEFAULT, os.cpu_count() or 1))
        self._snapshots = FolderSnapshots(self._load_folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def limits(self) -> Limits:
        """What each query may use, unless it is said otherwise for one."""
        return self._limits

    @property
    def worker_ids(self) -> tuple[int, ...]:
        """The process ids of the workers that are running now."""
        return self._pool.process_ids

    def run(self, path: Path, sql: str, *, limits: Limits | None = None) -> Outcome:
        """Run one query.

        Args:
            path: The database file or folder.
            sql: The statement, trusted in nothing.
            limits: What it may use, if not what the runner's other queries may.

        Returns:
            Its result, or the failure. `WORKER_LOST` says that the worker died under it twice
            for no limit that it reached: never the query's fault, never to be scored.

        Raises:
            DatabaseUnavailableError: If the file cannot be opened or read.
            WorkerError: If workers cannot be started, or the runner is closed.
        """
        outcome = self._attempt(path, sql, limits, alone=False)
        if _deserves_second_run(outcome):
            outcome = self._attempt(path, sql, limits, alone=True)
        return outcome

    def run_many(
        self,
        queries: Sequence[tuple[Path, str]],
        *,
        progress: Progress | None = None,
        description: str = "queries",
    ) -> list[Outcome]:
        """Run queries on all workers; equal pairs run once.

        Args:
            queries: Pairs of database and statement.
            progress: Told about each query that has its outcome; by default nobody is.
            description: What to call the work there.

        Returns:
            The outcomes, in the order of the queries; see `run`.

        Raises:
            DatabaseUnavailableError: If one of the files cannot be opened or read.
            WorkerError: If workers cannot be started, or the runner is closed.
        """
        repeats: dict[tuple[Path, str], int] = {}
        for query in queries:
            repeats[query] = repeats.get(query, 0) + 1
        outcomes: dict[tuple[Path, str], Outcome] = {}
        progress = progress or SilentProgress()
        with progress.task(description, len(queries)) as task:
            for query, outcome in self._first_attempts(list(repeats)):
                outcomes[query] = outcome
                if not _deserves_second_run(outcome):
                    task.advance(repeats[query])
            for query, outcome in outcomes.items():
                if _deserves_second_run(outcome):
                    outcomes[query] = self._attempt(*query, None, alone=True)
                    task.advance(repeats[query])
        return [outcomes[query] for query in queries]

    def read_schema(self, path: Path) -> Schema:
        """Read what tables and views a database has.

        Args:
            path: The database file or folder.

        Returns:
            The schema; views are tables of columns without keys, virtual tables are left out.

        Raises:
            DatabaseUnavailableError: If the file cannot be opened or read.
            WorkerError: If workers fail.
        """
        return _schema(self._read_file("schema", path))

    def content_hash(self, path: Path) -> str:
        """Hash what a database says, whatever its file looks like.

        Args:
            path: The database file or folder.

        Returns:
            SHA-256 in hexadecimal over the CREATE statements (of a folder: tables, columns and
            types) and all rows; page layout or row groups, free space and the engine version in
            the file's header do not count.

        Raises:
            DatabaseUnavailableError: If the file cannot be opened or read.
            WorkerError: If workers fail.
        """
        return str(self._read_file("content_hash", path)["hash"])

    def close(self) -> None:
        """End the workers; queries that are running raise `WorkerError`."""
        self._pool.close()
        self._snapshots.close()

    def _first_attempts(
        self, queries: list[tuple[Path, str]]
    ) -> Iterator[tuple[tuple[Path, str], Outcome]]:
        if not queries:
            return
        with ThreadPoolExecutor(min(self._pool.size, len(queries))) as threads:
            futures: dict[Future[Outcome], tuple[Path, str]] = {
                threads.submit(self._attempt, *query, None, alone=False): query for query in queries
            }
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    def _attempt(self, path: Path, sql: str, limits: Limits | None, *, alone: bool) -> Outcome:
        limits = limits or self._limits
        request = {"operation": "query", "sql": sql}
        try:
            reply = self._exchange(request, path, limits, limits.seconds, alone=alone)
        except ReplyOverdueError:
            return QueryFailure(FailureKind.TIMEOUT, f"it ran longer than {limits.seconds:g} s")
        except WorkerDiedError as death:
            return _outcome_of_death(death, limits)
        return _outcome(reply, path)

    def _read_file(self, operation: str, path: Path) -> Message:
        for alone in (False, True):
            try:
                reply = self._exchange(
                    {"operation": operation},
                    path,
                    self._limits,
                    self._limits.file_seconds,
                    alone=alone,
                )
            except (ReplyOverdueError, WorkerDiedError):
                continue
            _raise_if_unavailable(reply, path)
            return reply
        raise WorkerError(
            f"workers were lost twice reading the {operation.replace('_', ' ')}",
            where=str(path),
            advice="see that the machine has memory left; a very large file may need a higher "
            "limit `file_seconds`",
        )

    def _exchange(
        self, request: Mapping[str, str], path: Path, limits: Limits, seconds: float, *, alone: bool
    ) -> Message:
        engine = engine_of(path)
        with self._database_file(path) as file:
            message = {
                **request,
                "engine": engine.value,
                # The worker's own folder is the root, and the journal lies beside the file itself.
                "path": str(file.resolve()),
                "limits": asdict(limits),
            }
            with self._pool.lease(alone=alone) as worker:
                worker.prepare(engine)
                reply = worker.exchange(message, seconds + limits.grace_seconds)
                if reply["reply"] == "broken" or reply.get("kind") == FailureKind.TOO_MANY_BYTES:
                    # Its heap may be in pieces; the next query deserves a whole one.
                    worker.kill()
                return reply

    @contextmanager
    def _database_file(self, path: Path) -> Iterator[Path]:
        if not path.is_dir():
            yield path
            return
        with self._snapshots.open(path) as snapshot:
            yield snapshot

    def _load_folder(self, own: Path, tables: Mapping[str, Path]) -> None:
        message = {
            "operation": "load",
            "engine": Engine.DUCKDB.value,
            "path": str(own),
            "tables": [[table, str(file)] for table, file in tables.items()],
            "limits": asdict(self._limits),
        }
        worker = WorkerProcess(may_write=True)
        try:
            worker.prepare(Engine.DUCKDB)
            reply = worker.exchange(message, self._limits.file_seconds + self._limits.grace_seconds)
        except (ReplyOverdueError, WorkerDiedError):
            reply = {"reply": "broken", "message": "the worker was lost"}
        finally:
            worker.discard()
        folder = next(iter(tables.values())).parent
        _raise_if_unavailable(reply, folder)
        if reply["reply"] != "loaded":
            raise WorkerError(
                f"a folder of data files cannot be loaded: {reply.get('message')}",
                where=str(folder),
                advice="see that the machine has memory and disk space left",
            )


class _WorkerPool:
    """Lends workers, to as many borrowers at a time as it has workers, or to one alone."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._owner = os.getpid()
        self._changed = threading.Condition()
        self._all: set[WorkerProcess] = set()
        self._idle: list[WorkerProcess] = []
        self._borrowers = 0
        self._waiting_alone = 0
        self._closed = False

    @property
    def process_ids(self) -> tuple[int, ...]:
        with self._changed:
            return tuple(sorted(worker.process_id for worker in self._all))

    @contextmanager
    def lease(self, *, alone: bool) -> Iterator[WorkerProcess]:
        if os.getpid() != self._owner:
            raise WorkerError(
                "this runner was made in another process",
                advice="make one runner in each process",
            )
        self._enter(alone)
        try:
            worker = self._take()
            try:
                yield worker
            except (ReplyOverdueError, WorkerDiedError):
                if self._closed:
                    raise WorkerError("the query runner was closed under a query") from None
                raise
            except BaseException:
                # Its reply was not read; it would be taken for the answer to the next request.
                worker.kill()
                raise
            finally:
                self._give_back(worker)
        finally:
            self._leave(alone)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
            busy = self._all.difference(idle)
            self._all.clear()
            self._changed.notify_all()
        for worker in idle:
            worker.discard()
        for worker in busy:
            # Its borrower discards it: closing pipes under a thread that reads them is unsafe.
            worker.kill()

    def _enter(self, alone: bool) -> None:
        with self._changed:
            if alone:
                self._waiting_alone += 1
                self._wait_for(lambda: self._borrowers == 0, giving_up=self._stop_waiting_alone)
                # Counted as waiting until it leaves, which keeps the others out.
            else:
                self._wait_for(
                    lambda: self._borrowers < self.size and self._waiting_alone == 0,
                    giving_up=lambda: None,
                )
            self._borrowers += 1

    def _wait_for(self, ready: Callable[[], bool], giving_up: Callable[[], None]) -> None:
        try:
            self._changed.wait_for(lambda: self._closed or ready())
            if self._closed:
                raise WorkerError("the query runner is closed")
        except BaseException:
            giving_up()
            raise

    def _stop_waiting_alone(self) -> None:
        self._waiting_alone -= 1
        self._changed.notify_all()

    def _leave(self, alone: bool) -> None:
        with self._changed:
            self._borrowers -= 1
            if alone:
                self._waiting_alone -= 1
            self._changed.notify_all()

    def _take(self) -> WorkerProcess:
        with self._changed:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_running:
                    return worker
                self._forget(worker)
        worker = WorkerProcess()
        with self._changed:
            if not self._closed:
                self._all.add(worker)
                return worker
        worker.discard()
        raise WorkerError("the query runner is closed")

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._changed:
            if worker in self._all and worker.is_running:
                self._idle.append(worker)
            else:
                self._forget(worker)

    def _forget(self, worker: WorkerProcess) -> None:
        self._all.discard(worker)
        worker.discard()


def _deserves_second_run(outcome: Outcome) -> bool:
    return isinstance(outcome, QueryFailure) and outcome.kind not in _FINAL_AT_ONCE


def _outcome(reply: Message, path: Path) -> Outcome:
    _raise_if_unavailable(reply, path)
    if reply["reply"] == "result":
        return QueryResult(
            columns=tuple(reply["columns"]),
            declared_types=tuple(reply["declared_types"]),
            contents=unpacked_rows(reply),
            seconds=reply["seconds"],
        )
    if reply["reply"] == "failure":
        return QueryFailure(FailureKind(reply["kind"]), reply["message"])
    return QueryFailure(FailureKind.WORKER_LOST, str(reply.get("message")))


def _outcome_of_death(death: WorkerDiedError, limits: Limits) -> QueryFailure:
    if death.used_up_processor:
        return QueryFailure(FailureKind.TIMEOUT, f"it ran longer than {limits.seconds:g} s")
    if death.used_up_memory:
        return QueryFailure(
            FailureKind.TOO_MANY_BYTES, f"it needs more than {limits.memory} bytes of memory"
        )
    return QueryFailure(FailureKind.WORKER_LOST, str(death))


def _raise_if_unavailable(reply: Message, path: Path) -> None:
    if reply["reply"] == "unavailable":
        raise DatabaseUnavailableError(
            reply["message"], where=str(path), advice=reply.get("advice")
        )


def _schema(reply: Message) -> Schema:
    return Schema(
        tuple(
            Table(
                name=table["name"],
                columns=tuple(Column(**column) for column in table["columns"]),
                foreign_keys=tuple(
                    ForeignKey(
                        columns=tuple(key["columns"]),
                        referenced_table=key["referenced_table"],
                        referenced_columns=tuple(key["referenced_columns"]),
                    )
                    for key in table["foreign_keys"]
                ),
                is_view=table["is_view"],
            )
            for table in reply["tables"]
        ),
        Engine(reply["engine"]),
    )
