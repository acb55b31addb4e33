"""Asking the database about parts of a query."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import (
    Cell,
    FailureKind,
    Outcome,
    QueryFailure,
    QueryResult,
)
from specbridge_pipeline.errors import WorkerError
from specbridge_pipeline.sql.contexts import alone, must_stay, outward, without_rows
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.places import written_names

_MISSING_COLUMN = re.compile(r"no such column: (\S.*)$|column \"?([^\" ]+)\"? not found", re.I)


class UnansweredError(Exception):
    """A question that the database does not answer.

    Args:
        message: Why, in the engine's words or ours.
    """

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)

    @property
    def missing_column(self) -> str:
        """The column that the engine did not find, in lower case; empty for other faults."""
        found = _MISSING_COLUMN.search(self.message)
        return (found.group(1) or found.group(2)).strip().lower() if found else ""


class Asker:
    """Asks questions about the parts of one query.

    Args:
        run: Runs one statement on the database.
        query: The query.
        engine: The engine of the database.
    """

    def __init__(
        self, run: Callable[[str], Outcome], query: exp.Query, engine: Engine = Engine.SQLITE
    ) -> None:
        self._run = run
        self._query = query
        self.engine = engine

    def faithful(self, sql: str, original: QueryResult | None = None) -> bool:
        """Say whether the query means the same once it is written back from its tree.

        Args:
            sql: Its own text.
            original: What that gives, where it is known.

        Returns:
            Whether both run and give the same rows.

        Raises:
            WorkerError: A worker was lost.
        """
        try:
            own = original if original is not None else self._rows(sql)
            again = self._rows(emit(self._query, self.engine))
        except UnansweredError:
            return False
        return len(own.columns) == len(again.columns) and (
            sorted(map(repr, own.rows)) == sorted(map(repr, again.rows))
        )

    @cached_property
    def has_collations(self) -> bool:
        """Whether the query or the database names a collation, under which unlike text is equal.

        Raises:
            UnansweredError: The database does not say.
            WorkerError: A worker was lost.
        """
        if any(self._query.find_all(exp.Collate)):
            return True
        question = rules_of(self.engine).collations
        return question is not None and bool(self._rows(question).rows[0][0])

    def holds(self, part: exp.Query, question: str) -> bool:
        """Ask a question about a part of the query, for all rows that it is evaluated for.

        Args:
            part: A SELECT or set operation, where it stands.
            question: A query of one number.

        Returns:
            Whether the number is other than 0 for one of the rows.

        Raises:
            UnansweredError: The question does not run, on its own or in the part's place.
            WorkerError: A worker was lost.
        """
        return bool(self.number(part, question))

    def number(self, part: exp.Query, question: str) -> Cell:
        """Ask for a number about a part of the query; the largest over the rows it is asked for.

        Args:
            part: A SELECT or set operation, where it stands.
            question: A query of one number.

        Returns:
            The number.

        Raises:
            UnansweredError: The question does not run, on its own or in the part's place.
            WorkerError: A worker was lost.
        """
        place: exp.Query = part
        failure: UnansweredError | None = None
        while True:
            if not must_stay(place):
                try:
                    rows = self._rows(alone(place, question, self.engine)).rows
                    return rows[0][0] if rows else None
                except UnansweredError as error:
                    # The first failure names what the part itself lacks.
                    failure = failure or error
            moved = outward(place, question, self.engine)
            if moved is None:
                raise failure or UnansweredError("it stands in the condition of a join")
            place, question = moved

    def names(self, part: exp.Query) -> tuple[str, ...]:
        """Return the output names of a part of the query.

        Args:
            part: A SELECT or set operation, where it stands.

        Returns:
            One per column, empty where the engine makes one up.

        Raises:
            UnansweredError: The part has a star and does not run on its own.
            WorkerError: A worker was lost.
        """
        written = written_names(part)
        return written if written is not None else self.names_outside(part, part)

    def names_outside(self, place: exp.Query, other: exp.Query) -> tuple[str, ...]:
        """Return the output names that another query would have in the place of a part.

        Args:
            place: The part, where it stands.
            other: The other query.

        Returns:
            One per column.

        Raises:
            UnansweredError: It does not run on its own.
            WorkerError: A worker was lost.
        """
        return self._rows(without_rows(place, emit(other, self.engine), self.engine)).columns

    def _rows(self, sql: str) -> QueryResult:
        outcome = self._run(sql)
        if isinstance(outcome, QueryFailure):
            if outcome.kind is FailureKind.WORKER_LOST:
                raise WorkerError(
                    f"a question about a query lost its worker: {outcome.message}",
                    advice="run it again",
                )
            raise UnansweredError(f"{outcome.kind.value}: {outcome.message}")
        return outcome
