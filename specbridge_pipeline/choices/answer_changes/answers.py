"""The answers of a reference and of its other interpretation, compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from specbridge_pipeline.choices.answer_changes.moves import Moved, measure_move
from specbridge_pipeline.choices.conventions.proving import Run
from specbridge_pipeline.comparison.disjointness import disjoint
from specbridge_pipeline.comparison.reference import ReferenceExtension, build_reference
from specbridge_pipeline.comparison.side_by_side import side_by_side
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import (
    FailureKind,
    Outcome,
    QueryFailure,
    QueryResult,
)
from specbridge_pipeline.errors import UndeterminedReferenceError, UnusableReferenceError


class Effect(StrEnum):
    """What the other interpretation does to an answer; the value is the name in stored rows."""

    CHANGED = "changed"
    """No result is right by both queries."""
    SAME = "same"
    """The other interpretation's result is one that the reference allows."""
    FORMAT_ONLY = "format only"
    """The same but for numbers or dates that are text in one of both."""
    UNDETERMINED = "undetermined"
    """One of both does not determine its result, or a result could be right by both."""
    UNDECIDED = "undecided"
    """Too many rows could be paired."""
    LIMIT = "limit"
    """One of both takes too long, or its result is too large."""
    FAILED = "failed"
    """One of both gives no result for another reason."""
    NOT_PROVED = "not proved"
    """No edit passed all gates."""
    NOT_EDITED = "not edited"
    """Code cannot edit the choice."""
    NO_DATABASE = "no database"
    """The database is not at hand."""


COMPARED = (Effect.CHANGED, Effect.SAME, Effect.FORMAT_ONLY)
"""What is said of an answer that could be compared."""

_LIMITS = frozenset(
    {
        FailureKind.TOO_MANY_STEPS,
        FailureKind.TIMEOUT,
        FailureKind.TOO_MANY_ROWS,
        FailureKind.TOO_MANY_BYTES,
    }
)


@dataclass(frozen=True, slots=True)
class AnswerComparison:
    """What comparing the answers of two interpretations shows.

    Attributes:
        effect: What becomes of the answer.
        reason: Why nothing can be said, without anything of the query; empty where something is.
        comparison: The verdict on the other result; None where it was not compared.
        differs_as_run: Whether the rows as they came differ; None where one gave no result.
        moved: How far the answer moves; None where it does not.
        reference_rows: How many rows the reference gives; None for none to count.
        other_rows: How many the other interpretation gives.
        rows_lost: How many rows of the reference have no counterpart.
        rows_gained: How many rows of the other one have none.
    """

    effect: Effect
    reason: str = ""
    comparison: VerdictKind | None = None
    differs_as_run: bool | None = None
    moved: Moved | None = None
    reference_rows: int | None = None
    other_rows: int | None = None
    rows_lost: int | None = None
    rows_gained: int | None = None


def compare_answers(
    run: Run, reference: str, other: str, engine: Engine = Engine.SQLITE
) -> AnswerComparison:
    """Run a reference and its other interpretation, and compare what they answer.

    An answer changes where the other result is none that the reference allows, and no result
    could be right by both: an answer that ties or tolerances leave open has not changed.

    Args:
        run: Runs a query on the database.
        reference: The reference.
        other: The query that takes the other side of a choice.
        engine: The engine of the database.

    Returns:
        The comparison.

    Raises:
        WorkerError: A worker was lost, which says nothing about the queries.
    """
    before, after = run(reference), run(other)
    if isinstance(before, QueryFailure) or isinstance(after, QueryFailure):
        return _failed(before, after)
    differs = Counter(before.rows) != Counter(after.rows)

    def said(
        effect: Effect, reason: str = "", verdict: VerdictKind | None = None
    ) -> AnswerComparison:
        return AnswerComparison(
            effect, reason, verdict, differs, None, before.row_count, after.row_count
        )

    extensions: list[ReferenceExtension] = []
    for name, sql in (("reference", reference), ("other interpretation", other)):
        try:
            extensions.append(build_reference(run, sql, engine))
        except UndeterminedReferenceError as error:
            return said(Effect.UNDETERMINED, f"{name}: {error.reason}")
        except UnusableReferenceError:
            return said(Effect.UNDETERMINED, f"{name}: its ties cannot be found out")
    verdict = compare(extensions[0], after)
    if verdict.kind is VerdictKind.EQUAL:
        return said(Effect.SAME, verdict=verdict.kind)
    if verdict.kind is VerdictKind.FORMAT_ONLY:
        return said(Effect.FORMAT_ONLY, verdict=verdict.kind)
    if verdict.kind is not VerdictKind.NOT_EQUAL:
        return said(Effect.UNDECIDED, "too many rows could be paired", verdict.kind)
    apart = disjoint(*extensions)
    if not apart.decided:
        return said(Effect.UNDECIDED, "too many rows could be paired", verdict.kind)
    if not apart.disjoint:
        return said(Effect.UNDETERMINED, "one result could be right by both", verdict.kind)
    differences = side_by_side(extensions[0], after, ordered=False, most=0)
    return AnswerComparison(
        Effect.CHANGED,
        "",
        verdict.kind,
        differs,
        measure_move(before, after),
        before.row_count,
        after.row_count,
        differences.missing,
        differences.extra,
    )


def _failed(before: Outcome, after: Outcome) -> AnswerComparison:
    name, failure = (
        ("reference", before)
        if isinstance(before, QueryFailure)
        else ("other interpretation", after)
    )
    assert isinstance(failure, QueryFailure)
    effect = Effect.LIMIT if failure.kind in _LIMITS else Effect.FAILED
    rows = [each.row_count if isinstance(each, QueryResult) else None for each in (before, after)]
    return AnswerComparison(
        effect,
        f"{name}: {failure.kind.value.replace('_', ' ')}",
        reference_rows=rows[0],
        other_rows=rows[1],
    )
