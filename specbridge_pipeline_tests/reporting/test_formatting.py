from __future__ import annotations

import math
from datetime import date
from decimal import Decimal

import pytest

from specbridge_pipeline.choices.english import listed
from specbridge_pipeline.reporting.formatting import (
    cell_text,
    counted,
    difference_text,
    p_value_text,
    percent,
    share_text,
)


@pytest.mark.parametrize(
    ("counts", "bounds", "conditional", "expected"),
    [
        ((12, 16), (0.505, 0.898), False, "12/16 75% [50–90]"),
        ((0, 0), (math.nan, math.nan), False, "n/a"),
        ((3, 7), (0.16, 0.75), True, "3/7"),
        ((3, 7), (0.16, 0.75), False, "3/7 43% [16–75]"),
        ((5, 10), (0.24, 0.76), True, "5/10 50% [24–76]"),
        ((1, 4), (math.nan, None), False, "1/4 25%"),
        ((0, 32), (0.0, 0.0), False, "0/32 0%"),
    ],
)
def test_share_text(
    counts: tuple[int, int],
    bounds: tuple[float, float | None],
    conditional: bool,
    expected: str,
) -> None:
    assert str(share_text(*counts, *bounds, conditional=conditional)) == expected


def test_half_a_percent_is_rounded_up() -> None:
    assert [percent(1, 8), percent(5, 8), percent(1, 3), percent(16, 16)] == [
        "13%",
        "63%",
        "33%",
        "100%",
    ]


def test_difference_text() -> None:
    assert str(difference_text(3, 16, math.nan, math.nan)) == "+3 of 16 +19 points"
    assert str(difference_text(-2, 16, -0.3, 0.1)) == "−2 of 16 −13 points [−30 to +10]"
    assert str(difference_text(0, 16, None, None)) == "0 of 16 0 points"
    assert str(difference_text(0, 0, None, None)) == "n/a"


def test_p_value_text() -> None:
    assert [p_value_text(p) for p in (1.0, 0.0213, 0.0001, math.nan, None)] == [
        "1.000",
        "0.021",
        "< 0.001",
        "n/a",
        "n/a",
    ]


def test_cell_text() -> None:
    assert [cell_text(c) for c in (None, 5, 0.1 + 0.2, "x", b"\xff\x00")] == [
        "NULL",
        "5",
        "0.3",
        "x",
        "x'ff00'",
    ]
    more = (Decimal("1E+2"), Decimal("1.50"), date(2020, 1, 31), (1, (None, 0.5)))
    assert [cell_text(cell) for cell in more] == ["100", "1.50", "2020-01-31", "[1, [NULL, 0.5]]"]
    assert len(cell_text("y" * 5000)) == 200
    assert cell_text(b"\x00" * 99).endswith("…'")


def test_words_for_numbers_and_lists() -> None:
    assert [counted(1, "set"), counted(1200, "set")] == ["1 set", "1,200 sets"]
    assert [listed([]), listed(["a"]), listed(["a", "b", "c"])] == ["", "a", "a, b and c"]
