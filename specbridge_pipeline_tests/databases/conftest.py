"""Small databases and a runner that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import duckdb
import pytest

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.runner import QueryRunner


def run_script(path: Path, script: str) -> Path:
    """Run a script on a database file, which is made if need be; return the file."""
    connection = apsw.Connection(str(path))
    # A cursor stops at the first statement that gives rows until they are read.
    list(connection.execute(script))
    connection.close()
    return path


@pytest.fixture(scope="session")
def build() -> Callable[[Path, str], Path]:
    return run_script


@pytest.fixture(scope="session")
def small_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_script(
        tmp_path_factory.mktemp("small") / "small.db",
        """
        CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, secret TEXT);
        INSERT INTO people VALUES (1, 'Ada', 's1'), (2, 'Grace', 's2');
        CREATE VIEW adults AS SELECT id, name FROM people;
        CREATE TABLE numbers (n INTEGER);
        INSERT INTO numbers
          WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000)
          SELECT n FROM c;
        CREATE VIRTUAL TABLE notes USING fts5(body);
        """,
    )


@pytest.fixture(scope="session")
def small_databases(
    small_database: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[Engine, Path]:
    """The small database for each engine."""
    path = tmp_path_factory.mktemp("small") / "small.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            """
            CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR, secret VARCHAR);
            INSERT INTO people VALUES (1, 'Ada', 's1'), (2, 'Grace', 's2');
            CREATE VIEW adults AS SELECT id, name FROM people;
            CREATE TABLE numbers AS SELECT i::INTEGER AS n FROM range(1, 2001) r(i);
            """
        )
    return {Engine.SQLITE: small_database, Engine.DUCKDB: path}


@pytest.fixture(scope="session")
def small_limits() -> Limits:
    return Limits(
        seconds=0.4,
        grace_seconds=0.6,
        rows=10_000,
        bytes=4 * 1024 * 1024,
        memory=24 * 1024 * 1024,
    )


@pytest.fixture(scope="session")
def runner() -> Iterator[QueryRunner]:
    with QueryRunner(workers=2) as shared:
        yield shared
