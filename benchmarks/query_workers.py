"""How fast the sandboxed workers are, against Python's own sqlite3 in process.

Run it with `make bench`. Each figure is a median of several rounds; ratios are taken within the
same run, since machines differ and drift.
"""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

from timing import median_seconds

from specbridge_pipeline.databases.runner import QueryRunner

ROUNDS = 5
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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.sqlite"
        _make(path)
        print(f"{'work':<26}{'in process':>14}{'workers':>14}{'ratio':>8}")
        with QueryRunner() as runner:
            runner.run(path, "SELECT 1")
            for name, (template, count) in CASES.items():
                queries = [template.format(i=i) for i in range(count)]
                direct = median_seconds(lambda q=queries: _in_process(path, q), ROUNDS)
                sandboxed = median_seconds(
                    lambda q=queries: runner.run_many([(path, s) for s in q]), ROUNDS
                )
                rates = [f"{count / seconds:,.0f}/s" for seconds in (direct, sandboxed)]
                print(f"{name:<26}{rates[0]:>14}{rates[1]:>14}{sandboxed / direct:>8.1f}")


def _make(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name, kind, price)")
        rows = ((i, f"item {i}", i % 37, i * 0.5) for i in range(30_000))
        connection.executemany("INSERT INTO item VALUES (?, ?, ?, ?)", rows)
    connection.close()


def _in_process(path: Path, queries: list[str]) -> None:
    for sql in queries:
        # A connection for each query, as the workers do: nothing survives from one to the next.
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        connection.execute(sql).fetchall()
        connection.close()


if __name__ == "__main__":
    main()
