"""The rows of a large result, held by column: a number takes eight bytes, a text is held once.

Nothing is lost by it: the rows come back cell by cell as they were, in value and in type. For use
inside a worker process too: it imports nothing heavy.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import repeat
from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias, overload

if TYPE_CHECKING:
    from specbridge_pipeline.databases.results import Cell, Row

MINIMUM_ROWS = 2_000
"""From so many rows on a result comes by column; a smaller one is as quick by row."""

IS_NULL = 1
IS_INTEGER = 2
"""What a mark says of a cell among numbers; 0 that it is the number as it stands."""

_LARGEST_EXACT_INTEGER = 2**53
_NUMBERS = frozenset({float, int, NoneType})
_ALIKE_IF_EQUAL = frozenset({str, bytes, date, NoneType})
"""Kinds of cells of which equal ones are the same in all respects: 1 and 1.0 are not."""


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """Integers of 64 bits, or floats among which there may be integers; and NULL.

    Attributes:
        numbers: The numbers, of type code ``q`` or ``d``; 0 for NULL.
        marks: What else there is to say of each, of type code ``b``: `IS_NULL`; `IS_INTEGER`, of a
            float that stands for the integer of its value. None where there is nothing.
    """

    numbers: array[Any]
    marks: array[int] | None = None

    @property
    def are_integers(self) -> bool:
        """Whether every number is an integer."""
        return self.numbers.typecode == "q"

    @property
    def kinds(self) -> frozenset[type]:
        """The Python types of the cells."""
        present = {0} if self.marks is None else set(self.marks.tobytes())
        own: type = int if self.are_integers else float
        types = {0: own, IS_NULL: NoneType, IS_INTEGER: int}
        return frozenset(types[mark] for mark in present)

    def cell(self, place: int) -> Cell:
        """Return one cell."""
        return _number(self.numbers[place], self.marks[place] if self.marks is not None else 0)

    def cells(self) -> list[Cell]:
        """Return all cells in order."""
        if self.marks is None:
            return self.numbers.tolist()
        return list(map(_number, self.numbers, self.marks))


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """Text, bytes, dates and NULL, each different one held once.

    Attributes:
        codes: For each cell its place among the different ones, of type code ``i``.
        distinct: The different cells, in the order in which they first occur.
    """

    codes: array[int]
    distinct: tuple[Cell, ...]

    @property
    def kinds(self) -> frozenset[type]:
        """The Python types of the cells."""
        return frozenset(map(type, self.distinct))

    def cell(self, place: int) -> Cell:
        """Return one cell."""
        return self.distinct[self.codes[place]]

    def cells(self) -> list[Cell]:
        """Return all cells in order."""
        return list(map(self.distinct.__getitem__, self.codes))


@dataclass(frozen=True, slots=True)
class MixedColumn:
    """Cells of any types.

    Attributes:
        values: The cells.
    """

    values: Sequence[Cell]

    @property
    def kinds(self) -> frozenset[type]:
        """The Python types of the cells."""
        return frozenset(map(type, self.values))

    def cell(self, place: int) -> Cell:
        """Return one cell."""
        return self.values[place]

    def cells(self) -> list[Cell]:
        """Return all cells in order."""
        return list(self.values)


Column: TypeAlias = NumberColumn | CodedColumn | MixedColumn


class ColumnarRows(Sequence["Row"]):
    """Rows that are held by column; to be read as a sequence of rows, or column by column.

    Args:
        columns: The columns, each of as many cells as there are rows.
        count: How many rows there are.
    """

    __slots__ = ("_count", "_rows", "columns")

    def __init__(self, columns: tuple[Column, ...], count: int) -> None:
        self.columns = columns
        self._count = count
        self._rows: tuple[Row, ...] | None = None

    @classmethod
    def of(cls, rows: Sequence[Row], width: int) -> ColumnarRows:
        """Return rows by column.

        Args:
            rows: The rows.
            width: How many cells each of them has.
        """
        if isinstance(rows, ColumnarRows):
            return rows
        return cls(
            tuple(column_of(list(map(itemgetter(index), rows))) for index in range(width)),
            len(rows),
        )

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        if self._rows is not None:
            return iter(self._rows)
        if not self.columns:
            return repeat((), self._count)
        return zip(*(column.cells() for column in self.columns), strict=True)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(place, slice):
            return self.as_tuple()[place]
        if self._rows is not None:
            return self._rows[place]
        if not -self._count <= place < self._count:
            raise IndexError(place)
        return tuple(column.cell(place) for column in self.columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ColumnarRows):
            return NotImplemented
        return self._count == other._count and self.columns == other.columns

    def __hash__(self) -> int:
        return hash((len(self.columns), self._count))

    def __repr__(self) -> str:
        return f"ColumnarRows({self._count} rows of {len(self.columns)})"

    def as_tuple(self) -> tuple[Row, ...]:
        """Return the rows, which are made when they are first asked for."""
        if self._rows is None:
            self._rows = tuple(self)
        return self._rows

    def of_columns(self, places: Sequence[int]) -> ColumnarRows:
        """Return the rows with only some columns, in the given order.

        Args:
            places: The places of the columns.
        """
        return ColumnarRows(tuple(self.columns[place] for place in places), self._count)


def by_column_if_many(rows: tuple[Row, ...], width: int) -> tuple[Row, ...] | ColumnarRows:
    """Return rows in the form that suits their number.

    Args:
        rows: The rows.
        width: How many cells each of them has.
    """
    return rows if len(rows) < MINIMUM_ROWS else ColumnarRows.of(rows, width)


def column_of(cells: list[Cell]) -> Column:
    """Return cells as a column of the narrowest kind that loses nothing.

    Args:
        cells: The cells.
    """
    kinds = frozenset(map(type, cells))
    if kinds <= _ALIKE_IF_EQUAL:
        known = dict.fromkeys(cells)
        places = dict(zip(known, range(len(known)), strict=True))
        return CodedColumn(array("i", map(places.__getitem__, cells)), tuple(known))
    if kinds <= _NUMBERS:
        return _numbers(cells, kinds) or MixedColumn(cells)
    return MixedColumn(cells)


def _numbers(cells: list[Any], kinds: frozenset[type]) -> NumberColumn | None:
    floats = float in kinds
    marks = None
    if len(kinds) > 1:
        own = {float: 0, int: IS_INTEGER if floats else 0, NoneType: IS_NULL}
        marks = array("b", map(own.__getitem__, map(type, cells)))
        cells = [0 if cell is None else cell for cell in cells] if NoneType in kinds else cells
    if floats and int in kinds:
        # A float has to say the integer exactly.
        integers = [cell for cell in cells if type(cell) is int]
        if max(integers, default=0) > _LARGEST_EXACT_INTEGER:
            return None
        if min(integers, default=0) < -_LARGEST_EXACT_INTEGER:
            return None
    try:
        return NumberColumn(array("d" if floats else "q", cells), marks)
    except OverflowError:
        return None


def _number(number: int | float, mark: int) -> Cell:
    if mark == IS_NULL:
        return None
    return int(number) if mark == IS_INTEGER else number
