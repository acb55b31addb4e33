"""Rows that are held or sent by column are the same rows."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as some

from specbridge_pipeline.databases import reply_rows
from specbridge_pipeline.databases.columnar_rows import (
    CodedColumn,
    ColumnarRows,
    MixedColumn,
    NumberColumn,
    column_of,
)
from specbridge_pipeline.databases.frames import (
    ARRAYS,
    HEADER_BYTES,
    FrameError,
    decode_body,
    encode_frame,
)
from specbridge_pipeline.databases.reply_rows import unpacked_rows, with_packed_rows
from specbridge_pipeline.databases.results import Row
from specbridge_pipeline_tests.support.cells import columns, spelled


@some.composite
def tables(draw: some.DrawFn) -> tuple[list[Row], int]:
    """Rows, and their width."""
    count, width = draw(some.integers(0, 6)), draw(some.integers(1, 3))
    return list(zip(*(draw(columns(count)) for _ in range(width)), strict=True)), width


@given(tables())
def test_rows_by_column_are_the_same_rows(table: tuple[list[Row], int]) -> None:
    rows, width = table
    held = ColumnarRows.of(rows, width)
    assert len(held) == len(rows)
    assert spelled(tuple(held)) == spelled(tuple(rows))
    assert spelled(tuple(held[place] for place in range(len(rows)))) == spelled(tuple(rows))
    assert spelled(held.as_tuple()) == spelled(tuple(rows))
    assert spelled(held[1:]) == spelled(tuple(rows[1:]))
    if rows:
        assert spelled(held[-1]) == spelled(rows[-1])
    turned = held.of_columns(list(range(width))[::-1])
    assert spelled(turned.as_tuple()) == spelled(tuple(row[::-1] for row in rows))
    for place, column in enumerate(held.columns):
        assert column.kinds == {type(row[place]) for row in rows}


@given(tables(), some.sampled_from([1, 1_000]))
def test_rows_arrive_as_they_were_sent(table: tuple[list[Row], int], minimum_rows: int) -> None:
    rows, width = table
    reply = {"reply": "result", "columns": ["c"] * width, "rows": list(rows), "nested": True}
    with patch.object(reply_rows, "MINIMUM_ROWS", minimum_rows):
        frame = encode_frame(with_packed_rows(reply))
    arrived = unpacked_rows(decode_body(frame[HEADER_BYTES:]))
    assert isinstance(arrived, ColumnarRows) is (len(rows) >= minimum_rows)
    assert spelled(tuple(arrived)) == spelled(tuple(rows))


@pytest.mark.parametrize("place", [3, -4])
def test_there_is_no_row_beyond_the_last(place: int) -> None:
    with pytest.raises(IndexError):
        ColumnarRows.of([(1,), (2,), (3,)], 1)[place]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, 2, None], NumberColumn),
        ([1, 2.5, None], NumberColumn),
        ([2**53, 0.5], NumberColumn),
        ([2**53 + 1, 0.5], MixedColumn),
        ([-(2**53) - 1, 0.5], MixedColumn),
        ([2**63 - 1], NumberColumn),
        ([2**63], MixedColumn),
        (["a", None, b"a"], CodedColumn),
        ([None], CodedColumn),
        (["a", 1], MixedColumn),
        ([True, 1], MixedColumn),
    ],
)
def test_cells_are_held_in_the_narrowest_form(cells: list[Any], kind: type) -> None:
    column = column_of(cells)
    assert type(column) is kind
    assert spelled(tuple(column.cells())) == spelled(tuple(cells))


def packed(**changes: Any) -> Any:
    rows: list[Row] = [(at, at / 2, f"name {at % 7}", None) for at in range(2_000)]
    reply = with_packed_rows({"reply": "result", "columns": list("abcd"), "rows": rows})
    return {**reply, **changes}


def test_a_reply_whose_columns_do_not_belong_together_is_no_result() -> None:
    whole = packed()
    assert len(unpacked_rows(whole)) == 2_000
    numbers, _, text, _ = whole["table"]
    for table in (
        [{**numbers, "numbers": text["codes"]}],
        [{**numbers, "marks": text["codes"]}],
        [{**text, "codes": numbers["numbers"]}],
        [{**text, "distinct": text["distinct"][:-1]}],
        [{"cells": ["too", "few"]}],
    ):
        with pytest.raises(FrameError):
            unpacked_rows(packed(table=table))
    with pytest.raises(FrameError):
        unpacked_rows(packed(row_count=1_999))
    assert len(whole[ARRAYS]) == 4
