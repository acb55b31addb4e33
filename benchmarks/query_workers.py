"""How fast the sandboxed workers are, against the engines in process without any guard.

Run it with `make bench`. Each figure is a median of several rounds; ratios are taken within the
same run, since machines differ and drift. The same queries run on the same rows in an SQLite file,
with Python's own sqlite3 as the floor, and in a DuckDB file, with its own driver.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias

import duckdb
from timing import median_seconds

from specbridge_pipeline.databases.runner import QueryRunner

Run: TypeAlias = Callable[[list[str]], None]

ROUNDS = 5
ROWS = 30_000
CASES = {
    "point lookups": ("SELECT name FROM item WHERE id = {i}", 400),
    "groups of 30,000 rows": (
        "SELECT kind, COUNT(*), SUM(price) FROM item WHERE id <> {i} GROUP BY kind",
        20,
    ),
    "150,000 cells returned": ("SELECT id, name, kind, price, {i} FROM item LIMIT 30000", 4),
}


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, QueryRunner() as runner:
        for path, make, floor in (
            (Path(folder) / "items.sqlite", _make_sqlite, _sqlite),
            (Path(folder) / "items.duckdb", _make_duckdb, _duckdb),
        ):
            make(path)
            print(f"{path.suffix[1:]:<26}{'in process':>14}{'workers':>14}{'ratio':>8}")
            _measure(runner, path, floor)


def _measure(
    runner: QueryRunner, path: Path, floor: Callable[[Path], AbstractContextManager[Run]]
) -> None:
    def workers(queries: list[str]) -> None:
        runner.run_many([(path, sql) for sql in queries])

    workers(["SELECT 1", "SELECT 2"])
    for name, (template, count) in CASES.items():
        queries = [template.format(i=i) for i in range(count)]
        with floor(path) as in_process:
            direct = median_seconds(partial(in_process, queries), ROUNDS)
        sandboxed = median_seconds(partial(workers, queries), ROUNDS)
        rates = [f"{count / seconds:,.0f}/s" for seconds in (direct, sandboxed)]
        print(f"{name:<26}{rates[0]:>14}{rates[1]:>14}{sandboxed / direct:>8.1f}")


def _rows() -> Iterator[tuple[int, str, int, float]]:
    return ((i, f"item {i}", i % 37, i * 0.5) for i in range(ROWS))


def _make_sqlite(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name, kind, price)")
        connection.executemany("INSERT INTO item VALUES (?, ?, ?, ?)", _rows())
    connection.close()


def _make_duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE item AS SELECT i::INTEGER AS id, 'item ' || i AS name, "
            f"(i % 37)::INTEGER AS kind, i * 0.5::DOUBLE AS price FROM range({ROWS}) r(i)"
        )
        connection.execute("CREATE UNIQUE INDEX item_id ON item (id)")


@contextmanager
def _sqlite(path: Path) -> Iterator[Run]:
    def run(queries: list[str]) -> None:
        for sql in queries:
            # One for each query, as the workers do: nothing survives from one to the next.
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            connection.execute(sql).fetchall()
            connection.close()

    yield run


@contextmanager
def _duckdb(path: Path) -> Iterator[Run]:
    # The workers, too, keep a file open from one query to the next, and nothing else.
    with duckdb.connect(str(path), read_only=True) as opened:

        def run(queries: list[str]) -> None:
            for sql in queries:
                with opened.cursor() as connection:
                    connection.execute(sql).fetchall()

        yield run


if __name__ == "__main__":
    main()
