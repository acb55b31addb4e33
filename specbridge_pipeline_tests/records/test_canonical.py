"""Cells of results keep apart in JSON what is apart in the engine."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import combinations

from specbridge_pipeline.records.canonical import canonical_json, plain_cell

DIFFERENT = [
    None,
    0,
    "0",
    b"0",
    Decimal("0.5"),
    "0.5",
    date(2020, 1, 31),
    datetime(2020, 1, 31),
    "2020-01-31",
    time(0, 0),
    timedelta(0),
    timedelta(days=-1, microseconds=1),
    (),
    (1, 2),
    ((1,), 2),
    Decimal("123456789012345678901234567890.12345678"),
    Decimal("123456789012345678901234567890.12345679"),
]


def test_different_cells_have_different_texts() -> None:
    texts = [canonical_json(plain_cell(cell)) for cell in DIFFERENT]
    assert not [pair for pair in combinations(texts, 2) if pair[0] == pair[1]]


def test_a_decimal_is_one_value_however_many_places_it_is_written_with() -> None:
    assert plain_cell(Decimal("1.50")) == plain_cell(Decimal("1.5"))
    assert plain_cell(Decimal("100")) == plain_cell(Decimal("1E+2")) == {"decimal": "100"}


def test_what_json_holds_stays_as_it_is() -> None:
    assert [plain_cell(cell) for cell in (None, 1, 2.5, "x")] == [None, 1, 2.5, "x"]
