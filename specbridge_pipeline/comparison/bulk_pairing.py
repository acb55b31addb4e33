"""Settling the easy part of a large pairing at once, so that only the rest is looked at row by row.

Rows fall into clusters between which no two rows can be equal: rows whose exact cells differ, or
whose numbers lie further apart than any tolerance reaches. Each cluster is a question of its own.
A cluster of one row on each side is settled by comparing the two, and of such clusters large
results consist almost wholly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from specbridge_pipeline.comparison.cells import FLOOR_UNITS, RELATIVE_TOLERANCE
from specbridge_pipeline.comparison.row_groups import RowGroup, Side
from specbridge_pipeline.comparison.row_pairs import ColumnCells, column_cells, is_approximate

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float64]
    Integers: TypeAlias = NDArray[numpy.int64]
    Booleans: TypeAlias = NDArray[numpy.bool_]

MINIMUM_ROWS = 1_000
"""Below so many rows a side, looking at them one by one is as quick."""

_LARGEST_EXACT_INTEGER = 2**53
_LARGEST_KEY = 2**62
_SAMPLE_ROWS = 10_000
_MARGIN = 1.001


@dataclass(frozen=True, slots=True)
class _Numbers:
    """A column of numbers of one side.

    Attributes:
        values: The numbers; 0 for NULL.
        reaches: How far each reaches; 0 for a candidate's.
        relative: No reach is larger than this part of its number,
        floor: or, where it is, than this.
        nulls: Which cells are NULL; None where none is.
    """

    values: Floats
    reaches: Floats
    relative: float
    floor: float
    nulls: Booleans | None


@dataclass(frozen=True, slots=True)
class _Table:
    """One side, ready to be compared in bulk.

    Attributes:
        side: The side.
        keys: For each row a number that says what its exact cells are and which of its numbers
            are NULL: rows of either side have the same one if and only if these are equal.
        numbers: The columns of numbers that tolerances apply to.
    """

    side: Side
    keys: Integers
    numbers: tuple[_Numbers, ...]


def narrowed_down(left: Side, right: Side, width: int) -> tuple[Side, Side] | None:
    """Take out of two sides the rows that are settled, whose groups all take part as a whole.

    Args:
        left: One side.
        right: The other.
        width: How many columns both have.

    Returns:
        The rows that are left, which can be paired if and only if all can; both sides empty where
        all are paired. None where the rows are of a kind that is not looked at in bulk: where
        tolerances apply, only columns of floats, integers of at most 53 bits and NULL are.
    """
    tables = _tables(left, right, width)
    if tables is None:
        return None
    if _all_paired_in_order(*tables):
        return _without_settled(left, []), _without_settled(right, [])
    places = _unsettled(*tables)
    return _without_settled(left, places[0]), _without_settled(right, places[1])


def _without_settled(side: Side, places: Iterable[int]) -> Side:
    kept = list(places)
    if not kept:
        return Side((), side.widen)
    rows = list(side.rows())
    magnitudes = [each for group in side.groups for each in group.magnitudes]
    group = RowGroup(
        tuple(rows[place] for place in kept),
        len(kept),
        tuple(magnitudes[place] for place in kept) if magnitudes else (),
    )
    return Side((group,), side.widen)


def _tables(left: Side, right: Side, width: int) -> tuple[_Table, _Table] | None:
    sides = (left, right)
    magnitudes = [[each for group in side.groups for each in group.magnitudes] for side in sides]
    for side, sizes in zip(sides, magnitudes, strict=True):
        if sizes and not all(group.magnitudes for group in side.groups):
            return None
    parts: list[tuple[Integers, Integers]] = []
    numbers: list[tuple[_Numbers, _Numbers]] = []
    for index in range(width):
        columns = (column_cells(left, index), column_cells(right, index))
        if not is_approximate(sides, columns):
            parts.append(_codes(columns))
            continue
        found = [
            _numbers(column, sizes, index, side.widen)
            for column, sizes, side in zip(columns, magnitudes, sides, strict=True)
        ]
        first, second = found
        if first is None or second is None:
            return None
        numbers.append((first, second))
        if first.nulls is not None or second.nulls is not None:
            parts.append((_as_codes(first), _as_codes(second)))
    keys = _combined(parts, left.quota, right.quota)
    return (
        _Table(left, keys[0], tuple(pair[0] for pair in numbers)),
        _Table(right, keys[1], tuple(pair[1] for pair in numbers)),
    )


def _codes(columns: tuple[ColumnCells, ColumnCells]) -> tuple[Integers, Integers]:
    """Number the cells of a column, equal ones of either side alike."""
    import numpy

    if columns[0].kinds == columns[1].kinds == {int}:
        try:
            return (
                numpy.array(columns[0].cells, dtype=numpy.int64),
                numpy.array(columns[1].cells, dtype=numpy.int64),
            )
        except OverflowError:
            pass
    known: dict[Any, int] = dict.fromkeys(columns[0].cells, 0)
    known.update(dict.fromkeys(columns[1].cells, 0))
    numbered = dict(zip(known, range(len(known)), strict=True))

    def codes(cells: list[Any]) -> Integers:
        return numpy.fromiter(map(numbered.__getitem__, cells), dtype=numpy.int64, count=len(cells))

    return codes(columns[0].cells), codes(columns[1].cells)


def _as_codes(numbers: _Numbers) -> Integers:
    import numpy

    if numbers.nulls is None:
        return numpy.zeros(len(numbers.values), dtype=numpy.int64)
    return numbers.nulls.astype(numpy.int64)


def _combined(
    parts: list[tuple[Integers, Integers]], left: int, right: int
) -> tuple[Integers, Integers]:
    """Return one number for all codes of a row."""
    import numpy

    keys = numpy.zeros(left + right, dtype=numpy.int64)
    size = 1
    for part in parts:
        codes = numpy.concatenate(part)
        lowest, highest = int(codes.min()), int(codes.max())
        if (highest - lowest + 1) * size > _LARGEST_KEY:
            codes = _compressed(codes)
            keys = _compressed(keys)
            lowest, highest = 0, int(codes.max())
            size = int(keys.max()) + 1
        width = highest - lowest + 1
        keys = keys * width + (codes - lowest)
        size *= width
    return keys[:left], keys[left:]


def _compressed(codes: Integers) -> Integers:
    import numpy

    return numpy.unique(codes, return_inverse=True)[1].astype(numpy.int64)


def _numbers(
    column: ColumnCells, magnitudes: list[tuple[float, ...]], index: int, widen: float | None
) -> _Numbers | None:
    import numpy

    cells, kinds = column.cells, column.kinds
    if not kinds <= {float, int, type(None)}:
        return None
    nulls = None
    if type(None) in kinds:
        nulls = numpy.fromiter((cell is None for cell in cells), dtype=bool, count=len(cells))
        cells = [0 if cell is None else cell for cell in cells]
    try:
        values = numpy.array(cells, dtype=numpy.float64)
    except OverflowError:
        return None
    if not numpy.isfinite(values).all():
        return None
    sizes = numpy.abs(values)
    if int in kinds and (sizes > _LARGEST_EXACT_INTEGER).any():
        return None
    if widen is None or float not in kinds:
        return _Numbers(values, numpy.zeros(len(cells)), 0.0, 0.0, nulls)
    floors = FLOOR_UNITS * numpy.spacing(sizes)
    if magnitudes:
        behind = numpy.fromiter(
            map(itemgetter(index), magnitudes), dtype=numpy.float64, count=len(cells)
        )
        measured = FLOOR_UNITS * numpy.spacing(behind)
        floors = numpy.maximum(floors, numpy.where(numpy.isfinite(behind), measured, 0.0))
    reaches = widen * numpy.maximum(RELATIVE_TOLERANCE * sizes, floors)
    if len(kinds) > 1:
        floats = numpy.fromiter(
            (type(cell) is float for cell in cells), dtype=bool, count=len(cells)
        )
        reaches = numpy.where(floats, reaches, 0.0)
    floor = widen * float(floors.max(initial=0.0))
    return _Numbers(values, reaches, widen * RELATIVE_TOLERANCE, floor, nulls)


def _all_paired_in_order(first: _Table, second: _Table) -> bool:
    """Say whether the rows agree one by one once both sides are sorted, which is enough."""
    import numpy

    if len(first.keys) != len(second.keys):
        return False
    if not first.numbers:
        return numpy.array_equal(numpy.sort(first.keys), numpy.sort(second.keys))
    return any(
        numpy.array_equal(first.keys[one], second.keys[other])
        and bool(_agree(first, one, second, other).all())
        for one, other in _orders(first, second)
    )


def _orders(first: _Table, second: _Table) -> Iterator[tuple[Integers, Integers]]:
    """Yield ways to sort both sides, the quicker ones first."""
    import numpy

    by_key = numpy.argsort(first.keys)
    sorted_keys = first.keys[by_key]
    if (sorted_keys[1:] != sorted_keys[:-1]).all():
        yield by_key, numpy.argsort(second.keys)
        return
    pivot = _most_telling(first)
    one, other = first.numbers[pivot].values, second.numbers[pivot].values
    yield numpy.argsort(one), numpy.argsort(other)
    yield numpy.lexsort((one, first.keys)), numpy.lexsort((other, second.keys))


def _most_telling(table: _Table) -> int:
    import numpy

    return max(
        range(len(table.numbers)),
        key=lambda index: len(numpy.unique(table.numbers[index].values[:_SAMPLE_ROWS])),
    )


def _agree(first: _Table, places: Integers, second: _Table, others: Integers) -> Booleans:
    """Say for pairs of rows whether all their numbers agree."""
    import numpy

    agree = numpy.ones(len(places), dtype=bool)
    for one, other in zip(first.numbers, second.numbers, strict=True):
        distance = numpy.abs(one.values[places] - other.values[others])
        agree &= distance <= one.reaches[places] + other.reaches[others]
    return agree


def _unsettled(first: _Table, second: _Table) -> tuple[list[int], list[int]]:
    """Return the places of the rows that are not settled."""
    import numpy

    count = len(first.keys)
    order, starts = _clusters(first, second)
    cluster = numpy.cumsum(starts) - 1
    is_first = order < count
    sizes = numpy.bincount(cluster)
    firsts = numpy.bincount(cluster, weights=is_first).astype(numpy.int64)
    seconds = sizes - firsts
    # Without numbers, rows of one key are alike and any of them can be paired.
    simple = firsts == seconds if not first.numbers else (firsts == 1) & (seconds == 1)
    in_simple = simple[cluster]
    places = order[in_simple & is_first]
    others = order[in_simple & ~is_first] - count
    agree = _agree(first, places, second, others)
    left = numpy.concatenate((order[~in_simple & is_first], places[~agree]))
    right = numpy.concatenate((order[~in_simple & ~is_first] - count, others[~agree]))
    return sorted(left.tolist()), sorted(right.tolist())


def _clusters(first: _Table, second: _Table) -> tuple[Integers, Booleans]:
    """Sort the rows of both sides and say at which of them a cluster begins."""
    import numpy

    keys = numpy.concatenate((first.keys, second.keys))
    if not first.numbers:
        order = numpy.argsort(keys, kind="stable")
        return order, _first_of_each(keys[order])
    pivot = _most_telling(first)
    one, other = first.numbers[pivot], second.numbers[pivot]
    values = numpy.concatenate((one.values, other.values))
    order = numpy.lexsort((values, keys))
    values, keys = values[order], keys[order]
    # Kept apart are neighbours with more between them than both could reach with the largest
    # floor. Nothing beyond them reaches across: a reach grows by a tiny part of the distance only.
    widest = (one.relative + other.relative) * numpy.abs(values)
    widest = _MARGIN * numpy.maximum(widest, one.floor + other.floor)
    starts = _first_of_each(keys)
    starts[1:] |= values[1:] - values[:-1] > widest[1:] + widest[:-1]
    return order, starts


def _first_of_each(keys: Integers) -> Booleans:
    import numpy

    starts = numpy.ones(len(keys), dtype=bool)
    starts[1:] = keys[1:] != keys[:-1]
    return starts
