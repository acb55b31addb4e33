"""Counting how often queries read each table of a database."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping

from sqlglot import exp

from specbridge_pipeline.catalogue.profiles import Run
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.sql.parsing import parse_query


class CountedScans:
    """Runs queries and counts how often each table is a source of rows in one of them.

    A table that one query names twice counts twice. One that is only looked up by a key counts
    too, and so does one of which only the first rows are read: the count is an upper bound of the
    passes over the whole table.

    Args:
        run: Runs a query on the database.
        engine: The engine that it is for.
    """

    def __init__(self, run: Run, engine: Engine = Engine.SQLITE) -> None:
        self._run = run
        self._engine = engine
        self._lock = threading.Lock()
        self._scans: Counter[str] = Counter()

    def __call__(self, sql: str) -> Outcome:
        """Run a query and count its sources; any thread may call it."""
        sources = sources_of(sql, self._engine)
        with self._lock:
            self._scans.update(sources)
        return self._run(sql)

    @property
    def scans(self) -> Mapping[str, int]:
        """How often each table was read so far, by its name in lower case, sorted by name."""
        with self._lock:
            return dict(sorted(self._scans.items()))


def sources_of(sql: str, engine: Engine = Engine.SQLITE) -> list[str]:
    """Return the tables that a query names as sources of rows, each as often as it does.

    Args:
        sql: The query.
        engine: The engine that it is for.

    Returns:
        Names in lower case; steps of the query itself are left out.

    Raises:
        UnusableReferenceError: The query cannot be parsed.
    """
    tree = parse_query(sql, engine)
    steps = {each.alias.lower() for each in tree.find_all(exp.CTE)}
    names = [each.name.lower() for each in tree.find_all(exp.Table)]
    return [name for name in names if name not in steps]
