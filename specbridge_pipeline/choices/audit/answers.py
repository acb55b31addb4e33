"""Two queries on one database: whether the second gives an answer that the first does not allow."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from specbridge_pipeline.choices.answer_changes.moves import measure_cells
from specbridge_pipeline.choices.conventions.proving import Run
from specbridge_pipeline.comparison.reference import build_reference
from specbridge_pipeline.comparison.side_by_side import RowDifference, side_by_side
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Cell, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.errors import UndeterminedReferenceError, UnusableReferenceError

_MOST_ROWS = 5


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """How the answer of another interpretation differs.

    Attributes:
        changed: Whether it is an answer that the query does not allow.
        summary: The difference in a few words: "55 instead of 2,260, 98% less", "2 rows instead
            of 1", "the same answer".
        columns: The output columns.
        rows: The first rows in which the answers differ, each beside the nearest of the other.
        rows_before: How many rows the query gives.
        rows_after: How many the other interpretation gives; None where it gives no result.
    """

    changed: bool
    summary: str
    columns: tuple[str, ...]
    rows: tuple[RowDifference, ...]
    rows_before: int
    rows_after: int | None


def show_answer(run: Run, sql: str, other: str, engine: Engine) -> ShownAnswer:
    """Run a query and another interpretation of it, and compare their answers.

    Args:
        run: Runs a query on the database.
        sql: The query; it gives a result.
        other: The other interpretation.
        engine: The engine.

    Raises:
        UnusableReferenceError: The query itself gives no result.
        WorkerError: A worker was lost.
    """
    outcome = run(other)
    try:
        reference = build_reference(run, sql, engine)
    except UnusableReferenceError as error:
        original = run(sql)
        if isinstance(original, QueryFailure):
            raise
        return _by_rows(original, outcome, error)
    if isinstance(outcome, QueryFailure):
        return ShownAnswer(
            False, _failure(outcome), reference.columns, (), reference.row_count, None
        )
    verdict = compare(reference, outcome)
    if verdict.kind in (VerdictKind.EQUAL, VerdictKind.FORMAT_ONLY, VerdictKind.UNDECIDED):
        words = "the same answer" if verdict.kind is VerdictKind.EQUAL else verdict.reason
        return ShownAnswer(
            False, words, reference.columns, (), reference.row_count, outcome.row_count
        )
    shown = side_by_side(reference, outcome, ordered=False, most=_MOST_ROWS)
    return ShownAnswer(
        True,
        _summary(reference.row_count, outcome, shown.rows, shown.extra, shown.missing),
        reference.columns,
        shown.rows,
        reference.row_count,
        outcome.row_count,
    )


def _by_rows(original: QueryResult, outcome: Outcome, error: UnusableReferenceError) -> ShownAnswer:
    """Compare two runs row by row, where the query allows answers that nobody can list."""
    if isinstance(outcome, QueryFailure):
        return ShownAnswer(False, _failure(outcome), original.columns, (), original.row_count, None)
    changed = Counter(original.rows) != Counter(outcome.rows)
    words = "another answer in one run each" if changed else "the same answer in one run each"
    why = "the query leaves its answer open"
    if not isinstance(error, UndeterminedReferenceError):
        why = "which answers the query allows is not known"
    return ShownAnswer(
        changed,
        f"{words}; {why}",
        original.columns,
        (),
        original.row_count,
        outcome.row_count,
    )


def _failure(outcome: QueryFailure) -> str:
    return f"the other interpretation gives no result: {outcome.message}"


def _summary(
    count: int, outcome: QueryResult, rows: tuple[RowDifference, ...], extra: int, missing: int
) -> str:
    if count == outcome.row_count == 1 and len(outcome.columns) == 1 and len(rows) == 1:
        before, after = rows[0].reference, rows[0].candidate
        if before is not None and after is not None:
            return _moved(before[0], after[0])
    if count != outcome.row_count:
        return f"{_rows(outcome.row_count)} instead of {count:,}"
    differing = max(extra, missing)
    return f"{differing:,} of {_rows(count)} {'differs' if differing == 1 else 'differ'}"


def _moved(before: Cell, after: Cell) -> str:
    words = f"{_shown(after)} instead of {_shown(before)}"
    relative = measure_cells(before, after).relative
    if (
        relative is None
        or not isinstance(before, int | float | Decimal)
        or not isinstance(after, int | float | Decimal)
    ):
        return words
    return f"{words}, {relative:.0%} {'more' if after > before else 'less'}"


def _shown(value: Cell) -> str:
    if value is None:
        return "no value"
    if isinstance(value, float):
        return f"{value:,.6g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, bytes):
        return f"x'{value[:8].hex()}'"
    return f"'{value}'"


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"
