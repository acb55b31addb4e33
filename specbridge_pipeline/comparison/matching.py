"""Whether rows can be paired one to one, asked as one maximum flow.

Both sides are groups of rows of which an exact number, the group's quota, takes part. A candidate
is one group that takes part as a whole; a reference has a group for the rows that every answer
holds and one for each block of ties that a cut goes through. Rows that can be equal are joined by
an edge, and the pairing exists if and only if the flow from the groups of one side to the groups
of the other fills every quota.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from specbridge_pipeline.comparison.cells import (
    ColumnTolerance,
    canonical_number,
    cells_agree,
    cells_agree_but_for_format,
)
from specbridge_pipeline.databases.results import Cell, Row

MAXIMUM_EDGES = 2_000_000
"""Over so many pairs of different rows that can be equal the question is left undecided."""
MAXIMUM_TRIALS = 5_000_000
"""Over so many pairs of different rows that have to be looked at, too."""

_CellTest: TypeAlias = Callable[[Cell, ColumnTolerance | None, Cell, ColumnTolerance | None], bool]
_Key: TypeAlias = tuple[object, ...]

_NUMBER = object()
_NAN = object()


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows of which exactly `quota` belong to the result.

    Attributes:
        rows: The rows.
        quota: How many of them take part.
    """

    rows: tuple[Row, ...]
    quota: int

    @property
    def whole(self) -> bool:
        """Whether every row takes part."""
        return self.quota == len(self.rows)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pairing.

    Attributes:
        groups: Its rows.
        tolerances: The tolerance of each column for a reference, None for a candidate.
    """

    groups: tuple[RowGroup, ...]
    tolerances: tuple[ColumnTolerance, ...] | None = None

    @property
    def quota(self) -> int:
        """How many rows take part in all."""
        return sum(group.quota for group in self.groups)


@dataclass(frozen=True, slots=True)
class Pairing:
    """The answer to whether two sides can be paired.

    Attributes:
        possible: Whether they can; False too where it is not decided.
        decided: Whether the question was decided below the caps.
        lonely_left: Rows of the left side that no row on the right can be equal to.
        lonely_right: Rows of the right side likewise.
    """

    possible: bool
    decided: bool = True
    lonely_left: tuple[Row, ...] = ()
    lonely_right: tuple[Row, ...] = ()


@dataclass(slots=True)
class _RowClass:
    """Identical rows of one group."""

    group: int
    row: Row
    count: int = 1


class _OverCapError(Exception):
    """The pairing is too large to be decided."""


def pair(left: Side, right: Side, width: int, *, allow_format: bool = False) -> Pairing:
    """Decide whether the rows of two sides can be paired one to one.

    Args:
        left: One side.
        right: The other side.
        width: How many columns the rows of both sides have.
        allow_format: Whether a number may stand against its canonical numeral as text.

    Returns:
        Whether every quota can be filled with pairs of rows whose cells all agree.
    """
    if left.quota != right.quota:
        return Pairing(False)
    if left.quota == 0:
        return Pairing(True)
    approximate = _approximate_columns(left, right, width, allow_format)
    if all(group.whole for side in (left, right) for group in side.groups):
        counted_left, counted_right = _counted(left), _counted(right)
        if counted_left == counted_right:
            return Pairing(True)
        if not any(approximate):
            return Pairing(
                False,
                lonely_left=tuple(row for row in counted_left if row not in counted_right),
                lonely_right=tuple(row for row in counted_right if row not in counted_left),
            )
    left_classes, right_classes = _classes(left), _classes(right)
    test: _CellTest = cells_agree_but_for_format if allow_format else cells_agree
    try:
        edges = _edges(left, left_classes, right, right_classes, approximate, test)
    except _OverCapError:
        return Pairing(False, decided=False)
    joined_left = {edge[0] for edge in edges}
    joined_right = {edge[1] for edge in edges}
    lonely_left = _lonely(left, left_classes, joined_left)
    lonely_right = _lonely(right, right_classes, joined_right)
    if lonely_left or lonely_right:
        return Pairing(False, lonely_left=lonely_left, lonely_right=lonely_right)
    flow = _maximum_flow(left, left_classes, right, right_classes, edges)
    return Pairing(flow == left.quota)


def rows_agree(left: Row, right: Row, sides: tuple[Side, Side], *, allow_format: bool) -> bool:
    """Say whether two rows of the given sides can be equal.

    Args:
        left: A row of the first side.
        right: A row of the second side, of the same width.
        sides: The sides, for their tolerances.
        allow_format: Whether a number may stand against its canonical numeral as text.

    Returns:
        Whether all their cells agree.
    """
    test: _CellTest = cells_agree_but_for_format if allow_format else cells_agree
    return _agree(left, sides[0].tolerances, right, sides[1].tolerances, test)


def _agree(
    left: Row,
    left_tolerances: tuple[ColumnTolerance, ...] | None,
    right: Row,
    right_tolerances: tuple[ColumnTolerance, ...] | None,
    test: _CellTest,
) -> bool:
    for index, cell in enumerate(left):
        left_tolerance = left_tolerances[index] if left_tolerances else None
        right_tolerance = right_tolerances[index] if right_tolerances else None
        if not test(cell, left_tolerance, right[index], right_tolerance):
            return False
    return True


def _approximate_columns(
    left: Side, right: Side, width: int, allow_format: bool
) -> tuple[bool, ...]:
    """Say in which columns equality is more than Python's own equality of values."""
    if allow_format:
        return (True,) * width
    approximate = [False] * width
    for side in (left, right):
        for group in side.groups:
            for row in group.rows:
                for index, cell in enumerate(row):
                    if isinstance(cell, float) and (side.tolerances or cell != cell):
                        approximate[index] = True
    return tuple(approximate)


def _counted(side: Side) -> Counter[Row]:
    counted: Counter[Row] = Counter()
    for group in side.groups:
        counted.update(group.rows)
    return counted


def _classes(side: Side) -> list[_RowClass]:
    """Collapse identical rows; 1 and 1.0 stay apart, since only one of them has a tolerance."""
    classes: dict[tuple[int, Row, tuple[type, ...]], _RowClass] = {}
    for number, group in enumerate(side.groups):
        if group.quota == 0:
            continue
        for row in group.rows:
            key = (number, row, tuple(map(type, row)))
            found = classes.get(key)
            if found is None:
                classes[key] = _RowClass(number, row)
            else:
                found.count += 1
    return list(classes.values())


def _number(cell: Cell) -> int | float | None:
    """Return the finite number that a cell is or, as a canonical numeral, may stand for."""
    if isinstance(cell, str):
        return canonical_number(cell)
    if isinstance(cell, int | float) and abs(cell) < float("inf"):
        return cell
    return None


def _block_key(row: Row, approximate: tuple[bool, ...], allow_format: bool) -> _Key:
    """Return what rows that can be equal have in common."""
    key: list[object] = []
    for cell, rough in zip(row, approximate, strict=True):
        if not rough or cell is None or isinstance(cell, bytes):
            key.append(cell)
        elif isinstance(cell, str):
            numeral = allow_format and canonical_number(cell) is not None
            key.append(_NUMBER if numeral else cell)
        elif cell != cell:
            key.append(_NAN)
        else:
            key.append(_NUMBER if abs(cell) < float("inf") else cell)
    return tuple(key)


def _edges(
    left: Side,
    left_classes: list[_RowClass],
    right: Side,
    right_classes: list[_RowClass],
    approximate: tuple[bool, ...],
    test: _CellTest,
) -> list[tuple[int, int]]:
    allow_format = test is cells_agree_but_for_format
    blocks: dict[_Key, tuple[list[int], list[int]]] = {}
    for side, classes in enumerate((left_classes, right_classes)):
        for index, row_class in enumerate(classes):
            key = _block_key(row_class.row, approximate, allow_format)
            blocks.setdefault(key, ([], []))[side].append(index)
    edges: list[tuple[int, int]] = []
    trials = 0
    for key, (lefts, rights) in blocks.items():
        rough = [index for index, part in enumerate(key) if part is _NUMBER]
        left_rows = {index: left_classes[index].row for index in lefts}
        right_rows = {index: right_classes[index].row for index in rights}
        pairs = _neighbours(left, left_rows, right, right_rows, rough)
        for left_index, right_index in pairs:
            trials += 1
            if trials > MAXIMUM_TRIALS:
                raise _OverCapError
            if _agree(
                left_rows[left_index],
                left.tolerances,
                right_rows[right_index],
                right.tolerances,
                test,
            ):
                edges.append((left_index, right_index))
                if len(edges) > MAXIMUM_EDGES:
                    raise _OverCapError
    return edges


def _neighbours(
    left: Side,
    left_rows: dict[int, Row],
    right: Side,
    right_rows: dict[int, Row],
    rough: list[int],
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a block that lie near enough in its most telling column of numbers."""
    if not rough or not left_rows or not right_rows:
        yield from ((one, other) for one in left_rows for other in right_rows)
        return
    pivot = max(rough, key=lambda index: len({row[index] for row in right_rows.values()}))

    def placed(side: Side, row: Row) -> tuple[int | float, float]:
        value = _number(row[pivot])
        assert value is not None, "a block's rough column holds finite numbers only"
        return value, side.tolerances[pivot].of(value) if side.tolerances else 0.0

    ordered = sorted(
        ((*placed(right, row), index) for index, row in right_rows.items()),
        key=lambda entry: entry[0],
    )
    values = [entry[0] for entry in ordered]
    widest = max(entry[1] for entry in ordered)
    for index, row in left_rows.items():
        value, tolerance = placed(left, row)
        # A little more than the tolerance: the exact test comes after.
        reach = (tolerance + widest) * 1.000001
        first = bisect_left(values, min(value, value - reach) if reach else value)
        last = bisect_right(values, max(value, value + reach) if reach else value)
        for entry in ordered[first:last]:
            yield index, entry[2]


def _lonely(side: Side, classes: list[_RowClass], joined: set[int]) -> tuple[Row, ...]:
    """Return rows that have to take part and have no counterpart."""
    return tuple(
        row_class.row
        for index, row_class in enumerate(classes)
        if index not in joined and side.groups[row_class.group].whole
    )


def _maximum_flow(
    left: Side,
    left_classes: list[_RowClass],
    right: Side,
    right_classes: list[_RowClass],
    edges: list[tuple[int, int]],
) -> int:
    import numpy
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_flow

    left_group = 2
    right_group = left_group + len(left.groups)
    left_class = right_group + len(right.groups)
    right_class = left_class + len(left_classes)
    size = right_class + len(right_classes)
    arcs: list[tuple[int, int, int]] = []
    arcs += [(0, left_group + at, group.quota) for at, group in enumerate(left.groups)]
    arcs += [
        (left_group + found.group, left_class + at, found.count)
        for at, found in enumerate(left_classes)
    ]
    arcs += [
        (
            left_class + one,
            right_class + other,
            min(left_classes[one].count, right_classes[other].count),
        )
        for one, other in edges
    ]
    arcs += [
        (right_class + at, right_group + found.group, found.count)
        for at, found in enumerate(right_classes)
    ]
    arcs += [(right_group + at, 1, group.quota) for at, group in enumerate(right.groups)]
    table = numpy.array(arcs, dtype=numpy.int32)
    graph = csr_matrix((table[:, 2], (table[:, 0], table[:, 1])), shape=(size, size))
    return int(maximum_flow(graph, 0, 1).flow_value)
