"""From a query to its description and back: does the query that is read from the text agree?"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from specbridge_pipeline.comparison.reference import ReferenceExtension, build_reference
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.results import FailureKind, QueryFailure, QueryResult
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import (
    UndescribableQueryError,
    UnreadableDescriptionError,
    UnusableReferenceError,
    WorkerError,
)
from specbridge_pipeline.exact_description.describing import Description, describe
from specbridge_pipeline.exact_description.proofs.mutation_testing import Run
from specbridge_pipeline.exact_description.way_back.reading_back import query_from_text

_ANY_NAME = "   - (any name): "
_ITEM = "   - "
_NAMED = re.compile(r"^   - (?:`(?:[^`]|``)*`|\w+): ")


class Arrival(StrEnum):
    """How a query came back."""

    SAME_RESULT = "same_result"
    """The query that was read from the text gives the result of the original."""
    SAME_TEXT = "same_text"
    """It has the same description, which is all there is to see where the original has no result
    to compare with: its database is not at hand, it does not run, it returns no row, or its result
    is open."""
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """What became of one query on its way there and back.

    Attributes:
        arrival: How it came back.
        reason: Why it was lost; empty where it was not.
    """

    arrival: Arrival
    reason: str = ""

    @property
    def goes_back(self) -> bool:
        """Whether it came back."""
        return self.arrival is not Arrival.LOST


def round_trip(run: Run | None, sql: str, schema: Schema, description: Description) -> RoundTrip:
    """Read a query's description back and compare what comes of it with the query.

    Results are compared as answers are scored, columns of a given name by their names too, and
    rows in order where the query gives one.

    Args:
        run: Runs a statement on the database; None without one.
        sql: The query.
        schema: The tables that it reads.
        description: Its description.

    Returns:
        What became of it.

    Raises:
        WorkerError: A worker was lost.
    """
    try:
        back = query_from_text(description.text, schema)
    except UnreadableDescriptionError as error:
        return RoundTrip(Arrival.LOST, f"its text cannot be read: {error.what}")
    if run is None:
        return _by_text(back, schema, description)
    original = run(sql, None)
    if isinstance(original, QueryFailure):
        return _by_text(back, schema, description)
    outcome = run(back, None)
    if isinstance(outcome, QueryFailure):
        if outcome.kind is FailureKind.WORKER_LOST:
            raise WorkerError(
                f"a query read back lost its worker: {outcome.message}", advice="run it again"
            )
        return RoundTrip(Arrival.LOST, f"the query read back gives no result: {outcome.kind.value}")
    names = description.query.steps[-1].names
    if not len(original.columns) == len(outcome.columns) == len(names) or any(
        name and not name == before == after
        for name, before, after in zip(names, original.columns, outcome.columns, strict=True)
    ):
        return RoundTrip(Arrival.LOST, "the columns are called something else")
    if not original.rows and not outcome.rows:
        # Many queries have no rows in common.
        return _by_text(back, schema, description)
    try:
        reference = build_reference(lambda each: run(each, None), sql, schema.engine)
    except UnusableReferenceError:
        if Counter(map(repr, original.rows)) == Counter(map(repr, outcome.rows)):
            return RoundTrip(Arrival.SAME_RESULT)
        return _by_text(back, schema, description)
    return _compared(reference, outcome)


def _compared(reference: ReferenceExtension, outcome: QueryResult) -> RoundTrip:
    verdict = compare(reference, outcome, ordered=reference.ordered_blocks is not None)
    if verdict.kind is VerdictKind.EQUAL:
        return RoundTrip(Arrival.SAME_RESULT)
    return RoundTrip(Arrival.LOST, "the result is another one")


def _by_text(back: str, schema: Schema, description: Description) -> RoundTrip:
    try:
        text = describe(back, schema).text
    except (UndescribableQueryError, UnusableReferenceError):
        return RoundTrip(Arrival.LOST, "the query read back cannot be described")
    if _same_text(description.text, text):
        return RoundTrip(Arrival.SAME_TEXT)
    return RoundTrip(Arrival.LOST, "the query read back has another description")


def _same_text(text: str, other: str) -> bool:
    """Say whether two texts are the same but for the names of columns whose name is free."""
    lines, others = text.split("\n"), other.split("\n")
    return len(lines) == len(others) and all(
        line == after
        or (
            line.startswith(_ANY_NAME)
            and line.removeprefix(_ANY_NAME) in (after.removeprefix(_ITEM), _NAMED.sub("", after))
        )
        for line, after in zip(lines, others, strict=True)
    )
