"""A result's rows in the message that brings them: few by row, many by column.

For use inside a worker process too: it imports nothing heavy.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from specbridge_pipeline.databases.columnar_rows import (
    MINIMUM_ROWS,
    CodedColumn,
    Column,
    ColumnarRows,
    MixedColumn,
    NumberColumn,
)
from specbridge_pipeline.databases.frames import ARRAYS, FrameError, Message
from specbridge_pipeline.databases.results import Row


def with_packed_rows(reply: Message) -> Message:
    """Return a worker's reply in the form in which it is sent.

    Args:
        reply: The reply; the rows of a result are a list of tuples under `rows`, which is emptied
            where they are many.

    Returns:
        The reply. Where it has many rows, there are none under `rows`, but their number under
        `row_count`, the columns under `table`, and what they are made of among the arrays.
    """
    rows = reply.get("rows")
    if rows is None or len(rows) < MINIMUM_ROWS:
        return reply
    table = ColumnarRows.of(rows, len(reply["columns"]))
    packed = {**reply, "rows": [], "row_count": len(rows), ARRAYS: []}
    # By now they are held twice.
    rows.clear()
    packed["table"] = [_packed(column, packed[ARRAYS]) for column in table.columns]
    return packed


def unpacked_rows(reply: Message) -> tuple[Row, ...] | ColumnarRows:
    """Return the rows of a reply that is a result.

    Args:
        reply: The reply as it arrived: with lists for tuples.

    Returns:
        The rows, by column where they are many.

    Raises:
        FrameError: If the reply's columns are not such as `with_packed_rows` makes.
    """
    nested = bool(reply.get("nested"))
    if "table" not in reply:
        return tuple(map(_deep_tuple if nested else tuple, reply["rows"]))
    count, arrays = reply["row_count"], reply[ARRAYS]
    columns = tuple(_unpacked(packed, arrays, nested) for packed in reply["table"])
    if not all(_is_whole(column, count) for column in columns):
        raise FrameError("columns that do not belong together")
    return ColumnarRows(columns, count)


def _packed(column: Column, arrays: list[array[Any]]) -> Message:
    if isinstance(column, NumberColumn):
        return {
            "numbers": _sent(column.numbers, arrays),
            "marks": None if column.marks is None else _sent(column.marks, arrays),
        }
    if isinstance(column, CodedColumn):
        return {"codes": _sent(column.codes, arrays), "distinct": column.distinct}
    return {"cells": column.values}


def _sent(own: array[Any], arrays: list[array[Any]]) -> int:
    arrays.append(own)
    return len(arrays) - 1


def _unpacked(packed: Message, arrays: Sequence[array[Any]], nested: bool) -> Column:
    if "numbers" in packed:
        marks = packed["marks"]
        return NumberColumn(arrays[packed["numbers"]], None if marks is None else arrays[marks])
    if "codes" in packed:
        return CodedColumn(arrays[packed["codes"]], tuple(packed["distinct"]))
    cells = packed["cells"]
    return MixedColumn(_deep_tuple(cells) if nested else cells)


def _is_whole(column: Column, count: int) -> bool:
    if isinstance(column, NumberColumn):
        marks = column.marks
        return (
            column.numbers.typecode in "qd"
            and len(column.numbers) == count
            and (marks is None or (marks.typecode == "b" and len(marks) == count))
        )
    if isinstance(column, CodedColumn):
        codes = column.codes
        known = len(column.distinct)
        return (
            codes.typecode == "i"
            and len(codes) == count
            and (not count or (min(codes) >= 0 and max(codes) < known))
        )
    return len(column.values) == count


def _deep_tuple(cells: Sequence[Any]) -> tuple[Any, ...]:
    # A frame has no tuples, and no cell is a list.
    return tuple(_deep_tuple(cell) if isinstance(cell, list) else cell for cell in cells)
