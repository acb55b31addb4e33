"""What a candidate's result is worth against a reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from enum import StrEnum

from specbridge_pipeline.comparison.acceptance import accept_bag, accept_in_order
from specbridge_pipeline.comparison.bulk_columns import place_of
from specbridge_pipeline.comparison.cells import moment_text, written_number
from specbridge_pipeline.comparison.matching import Pairing
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.row_groups import RowGroup, Side
from specbridge_pipeline.comparison.row_pairs import side_column
from specbridge_pipeline.databases.columnar_rows import CodedColumn, Column
from specbridge_pipeline.databases.results import (
    Cell,
    FailureKind,
    Outcome,
    QueryFailure,
    QueryResult,
    Row,
)

_TYPED = (int, float, Decimal, date, time)
_SHOWN_CELL = 40
_SHOWN_ROW = 120
_SHOWN_MESSAGE = 200


class VerdictKind(StrEnum):
    """How a candidate's result compares with a reference."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    FORMAT_ONLY = "format_only"
    """Unequal only where a number stands against its canonical numeral as text, or a date against
    its ISO text; no credit."""
    CANDIDATE_ERROR = "candidate_error"
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"
    NONDETERMINISTIC = "nondeterministic"
    """Two runs of the candidate gave different results; given by whoever runs it twice."""
    UNDECIDED = "undecided"
    INFRASTRUCTURE = "infrastructure"
    """Our own failure: never scored."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A comparison's outcome.

    Attributes:
        kind: The outcome.
        reason: What was found, for a reader; empty for equal results.
    """

    kind: VerdictKind
    reason: str = ""


_OF_FAILURE = {
    FailureKind.ERROR: VerdictKind.CANDIDATE_ERROR,
    FailureKind.REFUSED: VerdictKind.CANDIDATE_ERROR,
    FailureKind.TOO_MANY_STEPS: VerdictKind.TIMEOUT,
    FailureKind.TIMEOUT: VerdictKind.TIMEOUT,
    FailureKind.TOO_MANY_ROWS: VerdictKind.TOO_LARGE,
    FailureKind.TOO_MANY_BYTES: VerdictKind.TOO_LARGE,
    FailureKind.WORKER_LOST: VerdictKind.INFRASTRUCTURE,
}


def compare(reference: ReferenceExtension, candidate: Outcome, *, ordered: bool = False) -> Verdict:
    """Compare a candidate's result with a reference, column by column in their positions.

    The candidate is equal if and only if it is one of the results that the reference allows: a
    one-to-one pairing exists in which every cell is equal. Column names do not count.

    Args:
        reference: The reference.
        candidate: What running the candidate gave.
        ordered: Whether the request asks for an order, so that the order of rows counts.

    Returns:
        The verdict, with the first difference as its reason.
    """
    if isinstance(candidate, QueryFailure):
        return failure_verdict(candidate)
    width, expected = len(candidate.columns), len(reference.columns)
    if width != expected:
        return _not_equal(f"{_count(width, 'column')} instead of {expected}")
    if candidate.row_count != reference.row_count:
        return _not_equal(row_count_reason(reference, candidate))
    if ordered and reference.ordered_blocks is None:
        return Verdict(
            VerdictKind.UNDECIDED, f"the reference gives no order: {reference.order_problem}"
        )
    bag, order, place = _pair(reference, candidate.contents, ordered, allow_format=False)
    if bag.possible and order.possible:
        return Verdict(VerdictKind.EQUAL)
    if not (bag.decided and order.decided):
        return Verdict(VerdictKind.UNDECIDED, "too many rows could be paired with one another")
    if _written_stands_against_typed(reference, candidate.contents):
        loose_bag, loose_order, _ = _pair(reference, candidate.contents, ordered, allow_format=True)
        if loose_bag.possible and loose_order.possible:
            return Verdict(
                VerdictKind.FORMAT_ONLY,
                "numbers or dates stand against themselves written as text",
            )
    if bag.possible:
        return _not_equal(f"the rows are right, but not their order from row {place + 1} on")
    return _not_equal(_difference(reference, candidate.contents, bag))


def failure_verdict(failure: QueryFailure) -> Verdict:
    """Return the verdict on a candidate that gave no result.

    Args:
        failure: The failure.

    Returns:
        Whose failure it is; a lost worker is ours.
    """
    return Verdict(_OF_FAILURE[failure.kind], _clip(failure.message, _SHOWN_MESSAGE))


def row_count_reason(reference: ReferenceExtension, candidate: QueryResult) -> str:
    """Say that a candidate has another number of rows than a reference.

    Args:
        reference: The reference.
        candidate: The candidate's result.

    Returns:
        The reason.
    """
    return f"{_count(candidate.row_count, 'row')} instead of {reference.row_count}"


def _pair(
    reference: ReferenceExtension, rows: Sequence[Row], ordered: bool, *, allow_format: bool
) -> tuple[Pairing, Pairing, int]:
    bag = accept_bag(reference.groups, rows, len(reference.columns), allow_format=allow_format)
    if not ordered or not bag.possible or reference.ordered_blocks is None:
        return bag, Pairing(True), 0
    order, place = accept_in_order(
        reference.ordered_blocks, rows, len(reference.columns), allow_format=allow_format
    )
    return bag, order, place


def _written_stands_against_typed(reference: ReferenceExtension, rows: Sequence[Row]) -> bool:
    """Say whether looking for differences in format can help: the loose pairing is a costly one."""
    expected, candidate = Side(reference.groups), Side((RowGroup(rows, len(rows)),))
    for index in range(len(reference.columns)):
        ours, theirs = side_column(expected, index), side_column(candidate, index)
        for one, other in ((ours, theirs), (theirs, ours)):
            typed = any(issubclass(kind, _TYPED) for kind in one.kinds)
            if typed and _holds_written(other):
                return True
    return False


def _holds_written(column: Column) -> bool:
    """Say whether a column holds a number or date that is written as text."""
    if str not in column.kinds:
        return False
    cells = column.distinct if isinstance(column, CodedColumn) else column.cells()
    return any(isinstance(cell, str) and _is_written(cell) for cell in cells)


def _is_written(text: str) -> bool:
    return written_number(text) is not None or moment_text(text) is not None


def _difference(reference: ReferenceExtension, rows: Sequence[Row], bag: Pairing) -> str:
    if bag.lonely_left:
        odd = bag.lonely_left[0]
        place = place_of(odd, rows)
        text = f"row {place + 1} differs: {show_row(odd)} is no row of the reference"
        if bag.lonely_right:
            text += f", which has {show_row(bag.lonely_right[0])}"
        return text
    if bag.lonely_right:
        return f"the reference's row {show_row(bag.lonely_right[0])} is missing"
    have = Counter(rows)
    allowed = Counter(row for group in reference.groups for row in group.rows)
    for row, count in have.items():
        if row in allowed and count > allowed[row]:
            times = _count(count, "time")
            return f"the row {show_row(row)} occurs {times} instead of {allowed[row]}"
    needed = Counter(row for group in reference.groups if group.whole for row in group.rows)
    for row, count in needed.items():
        if row in have and have[row] < count:
            times = _count(have[row], "time")
            return f"the row {show_row(row)} occurs {times} instead of {count}"
    if not reference.exact:
        return "other numbers of the rows tied at the reference's cut than it leaves room for"
    return "each row has a counterpart, but not all of them at once"


def show_row(row: Row) -> str:
    """Return a row as it is shown in a reason, its values capped in length.

    Args:
        row: The row.

    Returns:
        Its text.
    """
    return _clip(f"({', '.join(_show_cell(cell) for cell in row)})", _SHOWN_ROW)


def _show_cell(cell: Cell) -> str:
    return "NULL" if cell is None else _clip(repr(cell), _SHOWN_CELL)


def _clip(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _not_equal(reason: str) -> Verdict:
    return Verdict(VerdictKind.NOT_EQUAL, reason)
