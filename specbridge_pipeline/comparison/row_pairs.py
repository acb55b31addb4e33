"""Which rows of one side can be equal to which rows of the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from operator import itemgetter, ne
from typing import TypeAlias

from specbridge_pipeline.comparison.cells import (
    cells_agree,
    cells_agree_but_for_format,
    is_finite_number,
    moment_text,
    reach_of,
    written_number,
)
from specbridge_pipeline.comparison.row_groups import Side
from specbridge_pipeline.databases.columnar_rows import (
    Column,
    ColumnarRows,
    MixedColumn,
    NumberColumn,
)
from specbridge_pipeline.databases.results import Cell, Row

MAXIMUM_EDGES = 2_000_000
"""Over so many pairs of different rows that can be equal the question is left undecided."""
MAXIMUM_TRIALS = 5_000_000
"""Over so many pairs of different rows that have to be looked at, too."""

CellTest: TypeAlias = Callable[[Cell, float | None, Cell, float | None], bool]
Reaches: TypeAlias = tuple[float, ...] | None
_Key: TypeAlias = tuple[object, ...]

_NUMBER = object()
_NAN = object()


class OverCapError(Exception):
    """The pairing is too large to be decided."""


@dataclass(slots=True)
class RowClass:
    """Rows of one group that are alike, their tolerances included.

    Attributes:
        group: The place of their group.
        row: Any of them.
        reaches: How far their cells reach; None for a candidate's.
        count: How many they are.
    """

    group: int
    row: Row
    reaches: Reaches
    count: int = 1


def cell_test(*, allow_format: bool) -> CellTest:
    """Return the test for two cells.

    Args:
        allow_format: Whether a number or date may stand against itself written as text.
    """
    return cells_agree_but_for_format if allow_format else cells_agree


def rows_agree(
    left: Row, left_reaches: Reaches, right: Row, right_reaches: Reaches, test: CellTest
) -> bool:
    """Say whether all cells of two rows agree.

    Args:
        left: A row.
        left_reaches: How far its cells reach; None for a candidate's.
        right: A row of the same width.
        right_reaches: How far its cells reach; None for a candidate's.
        test: The test for two cells.
    """
    for index, cell in enumerate(left):
        left_reach = left_reaches[index] if left_reaches else None
        right_reach = right_reaches[index] if right_reaches else None
        if not test(cell, left_reach, right[index], right_reach):
            return False
    return True


def approximate_columns(left: Side, right: Side, width: int) -> tuple[bool, ...]:
    """Say in which columns equality is more than Python's own equality of values.

    Args:
        left: One side.
        right: The other.
        width: How many columns both have.
    """
    columns = [(side_column(left, index), side_column(right, index)) for index in range(width)]
    return tuple(is_approximate((left, right), column) for column in columns)


def side_column(side: Side, index: int) -> Column:
    """Return one column of a side, rows of all groups in order.

    Args:
        side: The side.
        index: The column's place.
    """
    if len(side.groups) == 1:
        rows = side.groups[0].rows
        if isinstance(rows, ColumnarRows):
            return rows.columns[index]
    return MixedColumn(list(map(itemgetter(index), side.rows())))


def is_approximate(sides: tuple[Side, Side], columns: tuple[Column, Column]) -> bool:
    """Say whether equality in a column is more than Python's own equality of values.

    Args:
        sides: The two sides.
        columns: The column on each of them.
    """
    both = all(side.widen is not None for side in sides)
    kinds = tuple(column.kinds for column in columns)
    for side, own, other in zip(sides, kinds, reversed(kinds), strict=True):
        if side.widen is None:
            continue
        # Two references reach each other's decimals by way of a float between them.
        if float in own or (Decimal in own and (float in other or both)):
            return True
    # NaN is unequal to itself.
    return any(
        float in own and _holds_nan(column) for own, column in zip(kinds, columns, strict=True)
    )


def _holds_nan(column: Column) -> bool:
    if isinstance(column, NumberColumn):
        import numpy

        return bool(numpy.isnan(numpy.frombuffer(column.numbers)).any())
    cells = column.cells()
    return any(map(ne, cells, cells))


def row_classes(side: Side) -> list[RowClass]:
    """Collapse alike rows of a side; 1 and 1.0 stay apart, since only one has a tolerance.

    Args:
        side: The side.

    Returns:
        The classes, in the order in which they first occur.
    """
    classes: dict[tuple[object, ...], RowClass] = {}
    for number, group in enumerate(side.groups):
        if group.quota == 0:
            continue
        for place, row in enumerate(group.rows):
            magnitudes = group.magnitudes[place] if group.magnitudes else ()
            key = (number, row, tuple(map(type, row)), magnitudes)
            found = classes.get(key)
            if found is None:
                classes[key] = RowClass(number, row, side.reaches(number, place))
            else:
                found.count += 1
    return list(classes.values())


def possible_pairs(
    left: list[RowClass],
    right: list[RowClass],
    approximate: tuple[bool, ...],
    *,
    allow_format: bool,
) -> list[tuple[int, int]]:
    """Find the classes whose rows can be equal.

    Args:
        left: The classes of one side.
        right: Those of the other.
        approximate: In which columns equality is more than Python's own.
        allow_format: Whether a number or date may stand against itself written as text.

    Returns:
        Pairs of places in the two lists.

    Raises:
        OverCapError: Too many pairs would have to be looked at, or were found.
    """
    test = cell_test(allow_format=allow_format)
    if allow_format:
        approximate = (True,) * len(approximate)
    blocks: dict[_Key, tuple[list[int], list[int]]] = {}
    for side, classes in enumerate((left, right)):
        for index, row_class in enumerate(classes):
            key = _block_key(row_class.row, approximate, allow_format)
            blocks.setdefault(key, ([], []))[side].append(index)
    pairs: list[tuple[int, int]] = []
    trials = 0
    for key, (lefts, rights) in blocks.items():
        rough = [index for index, part in enumerate(key) if part is _NUMBER]
        for one, other in _neighbours(left, lefts, right, rights, rough):
            trials += 1
            if trials > MAXIMUM_TRIALS:
                raise OverCapError
            first, second = left[one], right[other]
            if rows_agree(first.row, first.reaches, second.row, second.reaches, test):
                pairs.append((one, other))
                if len(pairs) > MAXIMUM_EDGES:
                    raise OverCapError
    return pairs


def _block_key(row: Row, approximate: tuple[bool, ...], allow_format: bool) -> _Key:
    """Return what rows that can be equal have in common."""
    return tuple(
        _common_part(cell, allow_format) if rough else cell
        for cell, rough in zip(row, approximate, strict=True)
    )


def _common_part(cell: Cell, allow_format: bool) -> object:
    if isinstance(cell, int | float | Decimal):
        if cell != cell:
            return _NAN
        return _NUMBER if is_finite_number(cell) else cell
    if allow_format:
        if isinstance(cell, str) and written_number(cell) is not None:
            return _NUMBER
        moment = moment_text(cell)
        return cell if moment is None else moment
    return cell


def _neighbours(
    left: list[RowClass],
    lefts: list[int],
    right: list[RowClass],
    rights: list[int],
    rough: list[int],
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a block that lie near enough in its most telling column of numbers."""
    if not rough or not lefts or not rights:
        yield from ((one, other) for one in lefts for other in rights)
        return
    pivot = max(rough, key=lambda index: len({right[other].row[index] for other in rights}))

    def placed(row_class: RowClass) -> tuple[float, float]:
        cell = row_class.row[pivot]
        number = written_number(cell) if isinstance(cell, str) else cell
        assert isinstance(number, int | float | Decimal), "a block's rough column holds numbers"
        # A little more than the tolerance, and than what a large integer loses here: the exact
        # test comes after.
        reach = 0.0
        if row_class.reaches:
            reach = reach_of(number) if isinstance(cell, str) else row_class.reaches[pivot]
        value = float(number)
        return value, reach * 1.000001 + abs(value) * 1e-15

    ordered = sorted(((*placed(right[other]), other) for other in rights), key=lambda e: e[0])
    values = [entry[0] for entry in ordered]
    widest = max(entry[1] for entry in ordered)
    for one in lefts:
        value, reach = placed(left[one])
        first = bisect_left(values, value - reach - widest)
        last = bisect_right(values, value + reach + widest)
        for entry in ordered[first:last]:
            yield one, entry[2]
