"""Results of the project's own queries, remembered while a process lasts.

A run asks the same references again and again: when an edition is checked, and for each model that
is scored. A database file that is not changed gives the same result every time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import Outcome, QueryResult
from specbridge_pipeline.databases.runner import QueryRunner

_Key: TypeAlias = tuple[str, tuple[int, int, int], Limits, str]


class RememberedOutcomes:
    """Runs queries, each only once on the same file under the same limits.

    For queries that the project wrote or sealed: what a model wrote has to be run each time that
    its result is to be known again. Failures are not remembered, nor are large results, nor
    results on a folder, which can change file by file. Any number of threads may use it.

    Args:
        results: How many results are kept at the most; the ones used longest ago go first.
        cells: Results with more cells than this are not kept.
    """

    def __init__(self, *, results: int = 2_000, cells: int = 20_000) -> None:
        self._results = results
        self._cells = cells
        self._kept: OrderedDict[_Key, QueryResult] = OrderedDict()
        self._lock = threading.Lock()

    def run(self, runner: QueryRunner, path: Path, sql: str) -> Outcome:
        """Run a query, or return what it gave before.

        Args:
            runner: What runs it where that is needed.
            path: The database file.
            sql: The query.

        Returns:
            As `QueryRunner.run`; the elapsed time of a remembered result is 0.

        Raises:
            DatabaseUnavailableError, WorkerError: As `QueryRunner.run`.
        """
        key = self._key(runner, path, sql)
        if key is None:
            return runner.run(path, sql)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        outcome = runner.run(path, sql)
        small = isinstance(outcome, QueryResult) and (
            outcome.row_count * len(outcome.columns) <= self._cells
        )
        if isinstance(outcome, QueryResult) and small and key == self._key(runner, path, sql):
            with self._lock:
                self._kept[key] = replace(outcome, seconds=0.0)
                while len(self._kept) > self._results:
                    self._kept.popitem(last=False)
        return outcome

    def _key(self, runner: QueryRunner, path: Path, sql: str) -> _Key | None:
        if not path.is_file():
            return None
        stat = path.stat()
        stamp = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
        return str(path.resolve()), stamp, runner.limits, sql
