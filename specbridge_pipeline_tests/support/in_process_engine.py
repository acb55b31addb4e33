"""A tiny engine for tests that need no worker: one in-memory database, no guards."""

from __future__ import annotations

from collections.abc import Callable

import apsw
import duckdb
import pytest

from specbridge_pipeline.databases.results import (
    Cell,
    FailureKind,
    Outcome,
    QueryFailure,
    QueryResult,
)

Runner = Callable[[str], Outcome]


def runner_on(connection: apsw.Connection) -> Runner:
    """Return a function from SQL to its outcome on a database that is open."""

    def run(sql: str) -> Outcome:
        columns: list[str] = []

        def describe(cursor: apsw.Cursor, *_: object) -> bool:
            columns[:] = [entry[0] for entry in cursor.get_description()]
            return True

        cursor = connection.cursor()
        cursor.exec_trace = describe
        try:
            rows = tuple(cursor.execute(sql))
        except apsw.Error as error:
            return QueryFailure(FailureKind.ERROR, str(error))
        return QueryResult(tuple(columns), (None,) * len(columns), rows, 0.0)

    return run


@pytest.fixture
def make_runner() -> Callable[[str], Runner]:
    """Return a function from set-up SQL to a function from SQL to its outcome."""

    def make(setup: str) -> Runner:
        connection = apsw.Connection(":memory:")
        connection.execute(setup)
        return runner_on(connection)

    return make


@pytest.fixture
def make_duckdb_runner() -> Callable[[str], Runner]:
    """Return the same for DuckDB."""

    def make(setup: str) -> Runner:
        connection = duckdb.connect(":memory:", config={"threads": 1})
        connection.execute(setup)

        def run(sql: str) -> Outcome:
            try:
                cursor = connection.execute(sql)
                rows = tuple(tuple(map(_cell, row)) for row in cursor.fetchall())
            except duckdb.Error as error:
                return QueryFailure(FailureKind.ERROR, str(error))
            columns = tuple(column[0] for column in cursor.description or ())
            return QueryResult(columns, (None,) * len(columns), rows, 0.0)

        return run

    return make


def _cell(value: object) -> Cell:
    if isinstance(value, list):
        return tuple(map(_cell, value))
    return int(value) if isinstance(value, bool) else value  # type: ignore[return-value]
