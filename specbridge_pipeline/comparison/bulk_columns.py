"""The columns of two sides as arrays that can be compared in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from specbridge_pipeline.comparison.cells import FLOOR_UNITS, RELATIVE_TOLERANCE
from specbridge_pipeline.comparison.row_groups import Side
from specbridge_pipeline.comparison.row_pairs import is_approximate
from specbridge_pipeline.databases.columnar_rows import (
    IS_INTEGER,
    IS_NULL,
    CodedColumn,
    Column,
    ColumnarRows,
    MixedColumn,
    NumberColumn,
)
from specbridge_pipeline.databases.results import Cell, Row

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float64]
    Integers: TypeAlias = NDArray[numpy.int64]
    Hashes: TypeAlias = NDArray[numpy.uint64]
    Booleans: TypeAlias = NDArray[numpy.bool_]

_LARGEST_EXACT_INTEGER = 2**53
_MANY_TEXTS = 20_000
"""Over so many different texts a dictionary of them is slower than a join of frames."""

# Odd, with as many ones as zeros, and of no meaning beyond that.
_SPREADING = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
_HALF_OF_THE_BITS = 32

_NULL, _NAN, _INFINITE, _MINUS_INFINITE = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers of one side, to which tolerances apply.

    Attributes:
        values: The numbers; 0 for those that are not finite, and for NULL.
        reaches: How far each reaches; 0 for a candidate's.
        relative: No reach is larger than this part of its number,
        floor: or, where it is, than this.
        special: For each cell which of NULL, NaN and the infinities it is, 0 for a number; None
            where all are numbers.
    """

    values: Floats
    reaches: Floats
    relative: float
    floor: float
    special: Integers | None


@dataclass(frozen=True, slots=True)
class Table:
    """One side, ready to be compared in bulk.

    Attributes:
        codes: For each column without tolerances, numbers that are the same for two cells of
            either side if and only if these are equal; and likewise what is no number elsewhere.
        keys: For each row a number that its codes lead to: other rows seldom have the same.
        numbers: The columns of numbers that tolerances apply to.
    """

    codes: tuple[Integers, ...]
    keys: Hashes
    numbers: tuple[Numbers, ...]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.keys)


def tables(left: Side, right: Side, width: int) -> tuple[Table, Table] | None:
    """Return two sides whose groups all take part as a whole, ready to be compared in bulk.

    Args:
        left: One side.
        right: The other.
        width: How many columns both have.

    Returns:
        Both; None where tolerances apply to cells of other kinds than floats, integers of at most
        53 bits, and NULL.
    """
    sides = (left, right)
    magnitudes = [[each for group in side.groups for each in group.magnitudes] for side in sides]
    for side, sizes in zip(sides, magnitudes, strict=True):
        if sizes and not all(group.magnitudes for group in side.groups):
            return None
    codes: list[tuple[Integers, Integers]] = []
    numbers: list[tuple[Numbers, Numbers]] = []
    both = [ColumnarRows.of(side.all_rows(), width).columns for side in sides]
    for index, columns in enumerate(zip(*both, strict=True)):
        if not is_approximate(sides, columns):
            codes += _codes(*columns)
            continue
        first, second = (
            _numbers(column, sizes, index, side.widen)
            for column, sizes, side in zip(columns, magnitudes, sides, strict=True)
        )
        if first is None or second is None:
            return None
        numbers.append((first, second))
        if first.special is not None or second.special is not None:
            codes.append((_special(first), _special(second)))
    return _table(0, left.quota, codes, numbers), _table(1, right.quota, codes, numbers)


def place_of(row: Row, rows: Sequence[Row]) -> int:
    """Return the first place at which a row, or one equal to it, is found.

    Args:
        row: One of the rows.
        rows: The rows.
    """
    if not isinstance(rows, ColumnarRows):
        equal = (at for at, other in enumerate(rows) if other is row or other == row)
        return next(equal, 0)
    import numpy

    found = numpy.ones(len(rows), dtype=bool)
    for cell, column in zip(row, rows.columns, strict=True):
        found &= _holds(column, cell)
    return int(found.argmax())


def _holds(column: Column, cell: Cell) -> Booleans:
    """Say for each cell of a column whether it is equal to one of them."""
    import numpy

    if isinstance(column, MixedColumn):
        equal = (own is cell or own == cell for own in column.values)
        return numpy.fromiter(equal, dtype=bool, count=len(column.values))
    holds: Booleans
    if isinstance(column, CodedColumn):
        holds = numpy.frombuffer(column.codes, dtype=numpy.int32) == column.distinct.index(cell)
        return holds
    if cell is None:
        return _nulls(column)
    numbers = _array(column)
    holds = numpy.isnan(numbers) if cell != cell else numbers == cell
    return holds & ~_nulls(column)


def _table(
    side: int,
    count: int,
    codes: Sequence[tuple[Integers, Integers]],
    numbers: Sequence[tuple[Numbers, Numbers]],
) -> Table:
    own = tuple(pair[side] for pair in codes)
    return Table(own, _keys(own, count), tuple(pair[side] for pair in numbers))


def _keys(codes: Sequence[Integers], count: int) -> Hashes:
    import numpy

    keys = numpy.zeros(count, dtype=numpy.uint64)
    for each in codes:
        # In place: arrays of a million numbers are made anew more slowly than reckoned with.
        keys *= numpy.uint64(_SPREADING[0])
        keys += each.view(numpy.uint64)
        keys *= numpy.uint64(_SPREADING[1])
        keys ^= keys >> numpy.uint64(_HALF_OF_THE_BITS)
    return keys


def _codes(first: Column, second: Column) -> list[tuple[Integers, Integers]]:
    """Number the cells of a column, equal ones of either side alike."""
    found = None
    if isinstance(first, NumberColumn) and isinstance(second, NumberColumn):
        found = _codes_of_numbers(first, second)
    elif isinstance(first, CodedColumn) and isinstance(second, CodedColumn):
        found = [_codes_in_common(first, second)]
    return [_codes_of_any(first.cells(), second.cells())] if found is None else found


def _codes_of_numbers(
    first: NumberColumn, second: NumberColumn
) -> list[tuple[Integers, Integers]] | None:
    import numpy

    values: list[Integers] = []
    for column in (first, second):
        if first.are_integers and second.are_integers:
            values.append(_array(column))
            continue
        floats = _as_floats(column)
        if floats is None:
            return None
        # The two zeros are equal; all other floats are that have the same bits.
        values.append((floats + 0.0).view(numpy.int64))
    found = [(values[0], values[1])]
    if first.marks is not None or second.marks is not None:
        nulls = [_nulls(column).astype(numpy.int64) for column in (first, second)]
        found.append((nulls[0], nulls[1]))
    return found


def _codes_in_common(first: CodedColumn, second: CodedColumn) -> tuple[Integers, Integers]:
    import numpy

    own = numpy.frombuffer(first.codes, dtype=numpy.int32).astype(numpy.int64)
    other = numpy.frombuffer(second.codes, dtype=numpy.int32).astype(numpy.int64)
    if first.distinct == second.distinct:
        return own, other
    found = _places_among(first.distinct, second.distinct)
    new = len(first.distinct) + numpy.arange(len(found))
    return own, numpy.where(found < 0, new, found)[other]


def _places_among(known: tuple[Cell, ...], cells: tuple[Cell, ...]) -> Integers:
    """Return the place of each cell among known ones that differ; -1 where it is none of them."""
    import numpy

    if len(known) >= _MANY_TEXTS:
        found = _places_among_texts(known, cells)
        if found is not None:
            return found
    places = dict(zip(known, range(len(known)), strict=True))
    return numpy.fromiter(map(places.get, cells, repeat(-1)), dtype=numpy.int64, count=len(cells))


def _places_among_texts(known: tuple[Cell, ...], cells: tuple[Cell, ...]) -> Integers | None:
    """Do the same for texts; None where one is no text, or has code points that UTF-8 has not."""
    import polars as pl

    try:
        left = pl.DataFrame({"text": pl.Series(cells, dtype=pl.String)})
        right = pl.DataFrame({"text": pl.Series(known, dtype=pl.String)}).with_row_index("place")
    except (TypeError, UnicodeEncodeError):
        return None
    joined = left.join(right, on="text", how="left", nulls_equal=True, maintain_order="left")
    places: Integers = joined["place"].cast(pl.Int64).fill_null(-1).to_numpy()
    return places


def _codes_of_any(first: list[Any], second: list[Any]) -> tuple[Integers, Integers]:
    import numpy

    known: dict[Any, int] = dict.fromkeys(first, 0)
    known.update(dict.fromkeys(second, 0))
    numbered = dict(zip(known, range(len(known)), strict=True))

    def codes(cells: list[Any]) -> Integers:
        return numpy.fromiter(map(numbered.__getitem__, cells), dtype=numpy.int64, count=len(cells))

    return codes(first), codes(second)


def _special(numbers: Numbers) -> Integers:
    import numpy

    if numbers.special is None:
        return numpy.zeros(len(numbers.values), dtype=numpy.int64)
    return numbers.special


def _numbers(
    column: Column, magnitudes: Sequence[tuple[float, ...]], index: int, widen: float | None
) -> Numbers | None:
    import numpy

    if column.kinds == {NoneType}:
        count = len(column.cells())
        zeros = numpy.zeros(count)
        return Numbers(zeros, zeros, 0.0, 0.0, numpy.full(count, _NULL, dtype=numpy.int64))
    values = _as_floats(column) if isinstance(column, NumberColumn) else None
    if values is None:
        return None
    assert isinstance(column, NumberColumn)
    special = None
    finite = numpy.isfinite(values)
    if column.marks is not None or not finite.all():
        special = numpy.select(
            [_nulls(column), numpy.isnan(values), values == numpy.inf, values == -numpy.inf],
            [_NULL, _NAN, _INFINITE, _MINUS_INFINITE],
            0,
        ).astype(numpy.int64)
        values = numpy.where(finite, values, 0.0)
    if widen is None or column.are_integers:
        return Numbers(values, numpy.zeros(len(values)), 0.0, 0.0, special)
    sizes = numpy.abs(values)
    floors = FLOOR_UNITS * numpy.spacing(sizes)
    if magnitudes:
        behind = numpy.fromiter(
            map(itemgetter(index), magnitudes), dtype=numpy.float64, count=len(values)
        )
        measured = FLOOR_UNITS * numpy.spacing(behind)
        floors = numpy.maximum(floors, numpy.where(numpy.isfinite(behind), measured, 0.0))
    reaches = widen * numpy.maximum(RELATIVE_TOLERANCE * sizes, floors)
    if column.marks is not None:
        reaches = numpy.where(_marks(column) == IS_INTEGER, 0.0, reaches)
    if special is not None:
        reaches = numpy.where(special == 0, reaches, 0.0)
    floor = widen * float(floors.max(initial=0.0))
    return Numbers(values, reaches, widen * RELATIVE_TOLERANCE, floor, special)


def _as_floats(column: NumberColumn) -> Floats | None:
    """Return numbers as floats, or None where one cannot say them exactly."""
    import numpy

    values = _array(column)
    floats: Floats
    if not column.are_integers:
        floats = values
        return floats
    if values.max(initial=0) > _LARGEST_EXACT_INTEGER:
        return None
    if values.min(initial=0) < -_LARGEST_EXACT_INTEGER:
        return None
    floats = values.astype(numpy.float64)
    return floats


def _array(column: NumberColumn) -> Any:
    import numpy

    return numpy.frombuffer(
        column.numbers, dtype=numpy.int64 if column.are_integers else numpy.float64
    )


def _marks(column: NumberColumn) -> Any:
    import numpy

    if column.marks is None:
        return numpy.zeros(len(column.numbers), dtype=numpy.int8)
    return numpy.frombuffer(column.marks, dtype=numpy.int8)


def _nulls(column: NumberColumn) -> Booleans:
    nulls: Booleans = _marks(column) == IS_NULL
    return nulls
