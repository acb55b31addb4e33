"""The rows in which a candidate differs from a reference, each beside the nearest other one.

For a reader: the verdict is the matching's, and is not found here.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from specbridge_pipeline.comparison.cells import cell_equal, floor_of
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.row_groups import RowGroup
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


@dataclass(frozen=True, slots=True)
class _Expected:
    """A row of the reference, the magnitudes behind its cells, and whether it is tied at a cut."""

    row: Row
    magnitudes: tuple[float, ...]
    tied: bool


@dataclass(slots=True)
class _Block:
    """Rows of the reference of which so many still lack a counterpart."""

    rows: list[_Expected]
    quota: int


@dataclass(slots=True)
class _Left:
    """What is left of both sides of a block when equal rows are taken away."""

    candidate: list[tuple[int, Row]]
    reference: list[_Expected]


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
    parts = [_left(reference.groups, everything)]
    wrong_rows = parts[0].candidate or parts[0].reference
    if ordered and not wrong_rows and reference.ordered_blocks is not None:
        parts = []
        start = 0
        for block in reference.ordered_blocks:
            places = everything[start : start + block.quota]
            parts.append(_left((block,), places))
            start += block.quota
    rows: list[RowDifference] = []
    for part in parts:
        if len(rows) < most:
            rows += _paired(part, most - len(rows))
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


def _left(groups: tuple[RowGroup, ...], candidate: tuple[tuple[int, Row], ...]) -> _Left:
    """Take equal rows away: first those that are the same, then those within tolerance."""
    rows = list(candidate)
    left = [_Block(_expected(group), group.quota) for group in groups]
    for key in (_same, _nearly_the_same, _same_but_for_numbers):
        trials = _MOST_PAIRED
        at_key: dict[Row, list[tuple[int, Row]]] = {}
        # The last of a list is taken at no cost, and the first place is wanted first.
        for place, row in reversed(rows):
            at_key.setdefault(key(row), []).append((place, row))
        taken: set[int] = set()
        for block in left:
            kept: list[_Expected] = []
            for expected in block.rows:
                looked_at = block.quota and trials > 0
                found = at_key.get(key(expected.row), []) if looked_at else []
                for index in range(len(found) - 1, -1, -1):
                    if not _unequal(expected, found[index][1]):
                        taken.add(found.pop(index)[0])
                        block.quota -= 1
                        break
                    trials -= 1
                else:
                    kept.append(expected)
            block.rows = kept
        rows = [(place, row) for place, row in rows if place not in taken]
    needed = [expected for block in left for expected in block.rows[: block.quota]]
    return _Left(rows, needed)


def _expected(group: RowGroup) -> list[_Expected]:
    magnitudes = group.magnitudes or ((),) * len(group.rows)
    return [
        _Expected(row, behind, not group.whole)
        for row, behind in zip(group.rows, magnitudes, strict=True)
    ]


def _same(row: Row) -> Row:
    return row


def _nearly_the_same(row: Row) -> Row:
    """Return what rows that are equal within tolerance most often have in common."""
    return tuple(f"{cell:.7g}" if isinstance(cell, float) else cell for cell in row)


def _same_but_for_numbers(row: Row) -> Row:
    """Return what rows that are equal within tolerance always have in common."""
    return tuple("" if isinstance(cell, int | float | Decimal) else cell for cell in row)


def _paired(part: _Left, most: int) -> list[RowDifference]:
    """Put what is left of the candidate beside the nearest of what is left of the reference."""
    rows = part.candidate[:most]
    cells = sum(len(row) for _, row in rows)
    others = part.reference[: max(most, _MOST_PAIRED // max(1, cells))]
    distances = sorted(
        (len(columns), at, index, columns)
        for at, (_, row) in enumerate(rows)
        for index, expected in enumerate(others)
        for columns in (_unequal(expected, row),)
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
        found.append(RowDifference(place, others[index].row, row, columns, others[index].tied))
    # While rows of the candidate are not shown, what is left here may belong beside them.
    if len(rows) == len(part.candidate):
        found += [
            RowDifference(None, expected.row, None, (), expected.tied)
            for index, expected in enumerate(others)
            if index not in used
        ]
    return found[:most]


def _unequal(expected: _Expected, candidate: Row) -> tuple[int, ...]:
    floors = map(floor_of, expected.magnitudes or (0.0,) * len(expected.row))
    return tuple(
        column
        for column, (cell, other, floor) in enumerate(
            zip(expected.row, candidate, floors, strict=True)
        )
        if not cell_equal(cell, other, floor)
    )
