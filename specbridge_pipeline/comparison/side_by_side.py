"""The rows in which a candidate differs from a reference, each beside the nearest other one.

For a reader: the verdict is the matching's, and is not found here.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from specbridge_pipeline.comparison.cells import ColumnTolerance, cell_equal
from specbridge_pipeline.comparison.matching import RowGroup
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.databases.results import QueryResult, Row

_MOST_PAIRED = 200_000
"""Pairs of rows that are looked at in each step; beyond it, rows count as without counterpart."""
_BY_PLACE = 3
"""Rows that are shown at their places where the widths differ: all of them differ."""


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row of one side that has no equal on the other, beside the nearest that is left there.

    Attributes:
        place: The candidate's row, counted from 1; None where the candidate has none to show.
        reference: The reference's row; None where the candidate has a row too many.
        candidate: The candidate's row; None where it lacks one.
        columns: The columns in which both differ; empty where there is only one row.
        tied: Whether the reference's row is one of several tied at its cut, of which another
            would do as well.
    """

    place: int | None
    reference: Row | None
    candidate: Row | None
    columns: tuple[int, ...]
    tied: bool


@dataclass(frozen=True, slots=True)
class SideBySide:
    """How the rows of a candidate differ from those of a reference.

    Attributes:
        rows: The first differences, by the place of the candidate's row; missing rows last.
        extra: How many of the candidate's rows have no counterpart.
        missing: How many rows that the reference asks for have none.
    """

    rows: tuple[RowDifference, ...]
    extra: int
    missing: int


@dataclass(slots=True)
class _Block:
    """Rows of the reference of which so many still lack a counterpart."""

    rows: list[Row]
    quota: int
    tied: bool


@dataclass(slots=True)
class _Left:
    """What is left of both sides of a block when equal rows are taken away."""

    candidate: list[tuple[int, Row]]
    reference: list[tuple[Row, bool]]


def side_by_side(
    reference: ReferenceExtension, candidate: QueryResult, *, ordered: bool, most: int = 10
) -> SideBySide:
    """Find the rows in which a candidate differs from a reference.

    Equal rows are taken away in pairs, and what is left is paired by the number of cells that
    agree. Where only the order is wrong, or the widths differ, rows are compared at their places.

    Args:
        reference: The reference.
        candidate: The candidate's result.
        ordered: Whether the order of rows counts.
        most: How many differences are wanted.

    Returns:
        The differences; none where the candidate is accepted.
    """
    if len(candidate.columns) != len(reference.columns):
        return _by_place(reference, candidate, most)
    everything = tuple(enumerate(candidate.rows, 1))
    parts = [_left(reference.groups, everything, reference.tolerances)]
    wrong_rows = parts[0].candidate or parts[0].reference
    if ordered and not wrong_rows and reference.ordered_blocks is not None:
        parts = []
        start = 0
        for block in reference.ordered_blocks:
            places = everything[start : start + block.quota]
            parts.append(_left((block,), places, reference.tolerances))
            start += block.quota
    rows: list[RowDifference] = []
    for part in parts:
        if len(rows) < most:
            rows += _paired(part, reference.tolerances, most - len(rows))
    return SideBySide(
        tuple(rows),
        sum(len(part.candidate) for part in parts),
        sum(len(part.reference) for part in parts),
    )


def _by_place(reference: ReferenceExtension, candidate: QueryResult, most: int) -> SideBySide:
    shown = [(row, not group.whole) for group in reference.groups for row in group.rows]
    rows = []
    for place in range(min(most, _BY_PLACE, max(len(shown), len(candidate.rows)))):
        row, tied = shown[place] if place < len(shown) else (None, False)
        other = candidate.rows[place] if place < len(candidate.rows) else None
        rows.append(RowDifference(place + 1 if other is not None else None, row, other, (), tied))
    return SideBySide(tuple(rows), len(candidate.rows), reference.row_count)


def _left(
    groups: tuple[RowGroup, ...],
    candidate: tuple[tuple[int, Row], ...],
    tolerances: tuple[ColumnTolerance, ...],
) -> _Left:
    """Take equal rows away: first those that are the same, then those within tolerance."""
    rows = list(candidate)
    left = [_Block(list(group.rows), group.quota, not group.whole) for group in groups]
    for key in (_same, _nearly_the_same, _same_but_for_numbers):
        trials = _MOST_PAIRED
        at_key: dict[Row, list[tuple[int, Row]]] = {}
        # The last of a list is taken at no cost, and the first place is wanted first.
        for place, row in reversed(rows):
            at_key.setdefault(key(row), []).append((place, row))
        taken: set[int] = set()
        for block in left:
            kept: list[Row] = []
            for row in block.rows:
                found = at_key.get(key(row), []) if block.quota and trials > 0 else []
                for index in range(len(found) - 1, -1, -1):
                    if not _unequal(row, found[index][1], tolerances):
                        taken.add(found.pop(index)[0])
                        block.quota -= 1
                        break
                    trials -= 1
                else:
                    kept.append(row)
            block.rows = kept
        rows = [(place, row) for place, row in rows if place not in taken]
    needed = [(row, block.tied) for block in left for row in block.rows[: block.quota]]
    return _Left(rows, needed)


def _same(row: Row) -> Row:
    return row


def _nearly_the_same(row: Row) -> Row:
    """Return what rows that are equal within tolerance most often have in common."""
    return tuple(f"{cell:.7g}" if isinstance(cell, float) else cell for cell in row)


def _same_but_for_numbers(row: Row) -> Row:
    """Return what rows that are equal within tolerance always have in common."""
    return tuple("" if isinstance(cell, int | float | Decimal) else cell for cell in row)


def _paired(part: _Left, tolerances: tuple[ColumnTolerance, ...], most: int) -> list[RowDifference]:
    """Put what is left of the candidate beside the nearest of what is left of the reference."""
    rows = part.candidate[:most]
    others = part.reference[: max(most, _MOST_PAIRED // max(1, len(rows) * len(tolerances)))]
    distances = sorted(
        (len(columns), at, index, columns)
        for at, (_, row) in enumerate(rows)
        for index, (other, _) in enumerate(others)
        for columns in (_unequal(other, row, tolerances),)
    )
    partner: dict[int, tuple[int, tuple[int, ...]]] = {}
    used: set[int] = set()
    for _, at, index, columns in distances:
        if at not in partner and index not in used:
            partner[at] = (index, columns)
            used.add(index)
    found = []
    for at, (place, row) in enumerate(rows):
        if at not in partner:
            found.append(RowDifference(place, None, row, (), False))
            continue
        index, columns = partner[at]
        other, tied = others[index]
        found.append(RowDifference(place, other, row, columns, tied))
    # While rows of the candidate are not shown, what is left here may belong beside them.
    if len(rows) == len(part.candidate):
        found += [
            RowDifference(None, other, None, (), tied)
            for index, (other, tied) in enumerate(others)
            if index not in used
        ]
    return found[:most]


def _unequal(
    reference: Row, candidate: Row, tolerances: tuple[ColumnTolerance, ...]
) -> tuple[int, ...]:
    return tuple(
        column
        for column, tolerance in enumerate(tolerances)
        if not cell_equal(reference[column], candidate[column], tolerance)
    )
