"""A database in memory to which rows of results are given, so that they can be queried again.

For the project's own statements on results that it has: none of a user's files is opened, and
nothing that a model wrote is run here.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from specbridge_pipeline.databases.results import (
    FailureKind,
    Outcome,
    QueryFailure,
    QueryResult,
    Row,
)


class Scratch:
    """A private SQLite database in memory, in the same engine that runs queries on files.

    Values keep their storage class, since its columns have no type. Rows are scanned in the order
    in which they were given.
    """

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self._tables = 0

    def keep(self, rows: Sequence[Row], width: int) -> str:
        """Take rows.

        Args:
            rows: The rows, of integers, floats, texts and NULL.
            width: The number of their columns.

        Returns:
            The name of the table that has them; its columns are c0, c1 and so on.
        """
        name = f"kept_{self._tables}"
        self._tables += 1
        columns = ", ".join(f"c{position}" for position in range(width))
        places = ", ".join("?" * width)
        with self._connection:
            self._connection.execute(f"CREATE TABLE {name} ({columns})")
            self._connection.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
        return name

    def drop(self, name: str) -> None:
        """Forget a table that `keep` made."""
        self._connection.execute(f"DROP TABLE {name}")

    def run(self, sql: str) -> Outcome:
        """Run a query on what was kept.

        Args:
            sql: A statement that the project wrote.

        Returns:
            Its result, without column names where it has no rows; or the engine's own refusal.
        """
        cursor = self._connection.cursor()
        try:
            rows = tuple(cursor.execute(sql))
        except apsw.Error as error:
            return QueryFailure(FailureKind.ERROR, str(error))
        return QueryResult((), (), rows, 0.0)
