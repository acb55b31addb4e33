"""Rows with the keys that order them: which of them are tied, and the blocks of such rows."""

from __future__ import annotations

from dataclasses import dataclass

from specbridge_pipeline.comparison.cells import cells_agree
from specbridge_pipeline.comparison.row_groups import RowGroup
from specbridge_pipeline.databases.results import Cell, Row
from specbridge_pipeline.errors import UnusableReferenceError


@dataclass(frozen=True, slots=True)
class KeyedRow:
    """A row with its ORDER BY keys.

    Attributes:
        cells: The row.
        magnitudes: The magnitude behind each of its cells.
        keys: Its keys.
        key_reaches: How far each key reaches that is a float; 0 for the others, which the engine
            orders without noise.
        ranks: For each key, the row's rank by the keys up to it.
    """

    cells: Row
    magnitudes: tuple[float, ...]
    keys: Row
    key_reaches: tuple[float, ...]
    ranks: Row


def group_of(rows: list[KeyedRow], quota: int) -> RowGroup:
    """Return rows as a group.

    Args:
        rows: The rows.
        quota: How many of them take part.
    """
    return RowGroup(tuple(row.cells for row in rows), quota, tuple(row.magnitudes for row in rows))


def cut_ties(rows: list[KeyedRow], offset: int, end: int) -> tuple[set[int], set[int]]:
    """Find the rows tied with the first and with the last row that cuts keep.

    Args:
        rows: Rows in key order.
        offset: How many rows the first cut leaves out.
        end: The place after the last row before the second cut.

    Returns:
        Their places; none where a cut parts no tied rows.

    Raises:
        UnusableReferenceError: Noise in a key and a later key leave open which rows are tied.
    """
    head: set[int] = set()
    tail: set[int] = set()
    if offset:
        _require_clear_cut(rows, offset, offset)
        head = {at for at, row in enumerate(rows) if tied(row, rows[offset])}
        if min(head) >= offset:
            head = set()
    if end < len(rows):
        _require_clear_cut(rows, end - 1, end)
        tail = {at for at, row in enumerate(rows) if tied(row, rows[end - 1])}
        if max(tail) < end:
            tail = set()
    return head, tail


def _require_clear_cut(rows: list[KeyedRow], place: int, cut: int) -> None:
    """Refuse a cut through keys that differ by noise while later keys order some of the rows.

    Such ties are no blocks: a row that may stand anywhere among two others does not make these two
    interchangeable, and no quota says so.
    """
    row = rows[place]
    for index in range(len(row.keys)):
        near = [
            at
            for at, other in enumerate(rows)
            if (index == 0 or other.ranks[index - 1] == row.ranks[index - 1])
            and _keys_agree(other, row, index)
        ]
        if near and near[0] < cut <= near[-1] and _entangled([rows[at] for at in near], index):
            raise _entangled_error()


def _entangled(rows: list[KeyedRow], index: int) -> bool:
    """Say whether one key differs by noise among rows, some of which later keys order."""
    last: dict[Cell, set[Cell]] = {}
    for row in rows:
        last.setdefault(row.ranks[index], set()).add(row.ranks[-1])
    return len(last) > 1 and any(len(ranks) > 1 for ranks in last.values())


def _entangled_error() -> UnusableReferenceError:
    return UnusableReferenceError(
        "an ORDER BY key differs by rounding noise between rows that a later key orders: which "
        "rows are tied is undecided",
        advice="order by a key that tells rows apart",
    )


def tied(one: KeyedRow, other: KeyedRow) -> bool:
    """Say whether the order of two rows is open.

    Keys that differ by noise leave it open whatever the later keys say, since the keys might as
    well differ the other way; later keys count where the earlier ones are the same.

    Args:
        one: A row.
        other: Another row of the same query.
    """
    for index in range(len(one.keys)):
        if one.ranks[index] == other.ranks[index]:
            continue
        # The rank also differs where an earlier key does, but then this line is not reached.
        return _keys_agree(one, other, index)
    return True


def _keys_agree(one: KeyedRow, other: KeyedRow, index: int) -> bool:
    """Say whether two rows that agree in the earlier keys have the same key but for noise."""
    if one.ranks[index] == other.ranks[index]:
        return True
    left, right = one.keys[index], other.keys[index]
    reach = max(one.key_reaches[index], other.key_reaches[index])
    return cells_agree(left, reach, right, None)


def blocks_of(rows: list[KeyedRow]) -> list[list[KeyedRow]]:
    """Divide rows into blocks whose rows are tied with the block's first.

    Args:
        rows: Rows in key order.

    Returns:
        The blocks, in order.

    Raises:
        UnusableReferenceError: Noise in a key and a later key leave no such blocks.
    """
    return _divide(rows, 0) if rows else []


def _divide(rows: list[KeyedRow], index: int) -> list[list[KeyedRow]]:
    if index == len(rows[0].keys):
        return [rows]
    blocks: list[list[KeyedRow]] = []
    start = 0
    for at in range(1, len(rows) + 1):
        if at < len(rows) and _keys_agree(rows[at], rows[start], index):
            continue
        part = rows[start:at]
        if part[0].ranks[index] == part[-1].ranks[index]:
            blocks += _divide(part, index + 1)
        elif _entangled(part, index):
            raise _entangled_error()
        else:
            blocks.append(part)
        start = at
    return blocks
