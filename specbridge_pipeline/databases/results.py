"""What running a query gives: a typed result, or one of the named failures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeAlias

from specbridge_pipeline.databases.columnar_rows import ColumnarRows

Cell: TypeAlias = (
    int
    | float
    | str
    | bytes
    | Decimal
    | date
    | datetime
    | time
    | timedelta
    | tuple[Any, ...]
    | None
)
"""One value of a result: SQLite's five storage classes, and what DuckDB has besides.

A truth value is the integer 1 or 0 with both engines; a list is a tuple of its elements, a struct
or map a tuple of pairs. A point in time with a time zone is in UTC. An interval that has months is
the pairs of its months, days and microseconds, since no timedelta says the same. A date or time
that Python does not have (infinite, before the year 1 or after 9999, with nanoseconds) is the
engine's text of it, and so are UUIDs, bit strings and members of an enumeration."""

Row: TypeAlias = tuple[Cell, ...]


class FailureKind(StrEnum):
    """Why a query gave no result."""

    ERROR = "error"
    """The engine refused or failed the statement."""
    REFUSED = "refused"
    """A guard refused it: it writes, attaches, sets something, or is no single SELECT."""
    TOO_MANY_STEPS = "too_many_steps"
    """It took more steps of SQLite than allowed: the same on every machine."""
    TIMEOUT = "timeout"
    """It ran longer than the deadline, twice."""
    TOO_MANY_ROWS = "too_many_rows"
    TOO_MANY_BYTES = "too_many_bytes"
    """Its result, or the memory it needed, is over the cap."""
    WORKER_LOST = "worker_lost"
    """The worker process died under it: ours, not the query's author's."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows of a query that ran.

    Attributes:
        columns: Output column names as the engine gives them; may repeat.
        declared_types: The declared type of each output column, or None for an expression; with
            DuckDB, which has a type for every expression, that type.
        contents: The rows in the order the engine returned them; by column where they are many.
        seconds: Elapsed time of execution and fetching inside the worker.
    """

    columns: tuple[str, ...]
    declared_types: tuple[str | None, ...]
    contents: tuple[Row, ...] | ColumnarRows
    seconds: float

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows in the order the engine returned them, made when they are first asked for."""
        contents = self.contents
        return contents.as_tuple() if isinstance(contents, ColumnarRows) else contents

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.contents)


@dataclass(frozen=True, slots=True)
class QueryFailure:
    """A query that gave no result.

    Attributes:
        kind: Which kind of failure.
        message: The engine's or guard's own words; never a path.
    """

    kind: FailureKind
    message: str


Outcome: TypeAlias = QueryResult | QueryFailure
