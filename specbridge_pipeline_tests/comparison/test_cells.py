from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pytest

from specbridge_pipeline.comparison.cells import (
    canonical_number,
    cell_equal,
    floor_of,
    format_only,
)
from specbridge_pipeline.databases.results import Cell

FLOOR = floor_of(1.0)


@pytest.mark.parametrize(
    ("reference", "candidate", "equal"),
    [
        (10, 10.0, True),
        (10, 10.0000001, False),
        (10.0, 10, True),
        (10.0, 10.000000001, True),
        (10.0, 10.0000001, False),
        (0.0, 64 * math.ulp(1.0), True),
        (0.0, 65 * math.ulp(1.0), False),
        (2**53 + 1, float(2**53), False),
        (math.nan, math.nan, True),
        (math.nan, None, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
        (math.inf, 1e308, False),
        (None, None, True),
        (None, 0, False),
        (0, None, False),
        ("", None, False),
        ("a", "a", True),
        ("é", "e\u0301", False),
        (b"a", "a", False),
        (b"a", b"a", True),
        (1, "1", False),
        (Decimal("10.50"), Decimal("10.5"), True),
        (Decimal("10.50"), 10.5, True),
        (Decimal(10), 10, True),
        (10, Decimal("10.0"), True),
        (10, Decimal("10.1"), False),
        (Decimal("0.1"), 0.1, True),
        (Decimal("0.1"), 0.1 + 1e-8, False),
        (Decimal("0.1"), Decimal("0.10000000001"), False),
        (Decimal(3), 3.0000000001, True),
        (0.1, Decimal("0.10000000001"), True),
        (date(2020, 1, 2), date(2020, 1, 2), True),
        (date(2020, 1, 2), datetime(2020, 1, 2), False),
        (date(2020, 1, 2), "2020-01-02", False),
        (datetime(2020, 1, 2, 3), datetime(2020, 1, 2, 3), True),
        (time(1, 2), time(1, 2, 1), False),
        (timedelta(days=1), timedelta(hours=24), True),
        (timedelta(days=1), 1, False),
        ((1, "a"), (1, "a"), True),
        ((1, "a"), "(1, 'a')", False),
    ],
)
def test_cell_equality(reference: Cell, candidate: Cell, equal: bool) -> None:
    assert cell_equal(reference, candidate, FLOOR) is equal


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        (10, "10", True),
        ("10", 10, True),
        (10.0, "10.0", True),
        (1 / 3, "0.333333333333333", True),
        (1e20, "1.0e+20", True),
        (-5, "-5", True),
        (7, "007", False),
        (1000, "1,000", False),
        (10, " 10", False),
        (10.5, "10.50", False),
        (10, "11", False),
        (10, 10, False),
        ("10", "10.0", False),
        (None, "", False),
        ("9" * 5_000, 1, False),
        (Decimal("10.50"), "10.50", True),
        ("10.50", Decimal("10.50"), True),
        (Decimal("10.50"), "10.5", True),
        (Decimal("10.50"), "10.51", False),
        (date(2020, 1, 2), "2020-01-02", True),
        ("2020-01-02", date(2020, 1, 2), True),
        (date(2020, 1, 2), "2020-1-2", False),
        (date(2020, 1, 2), "02.01.2020", False),
        (datetime(2020, 1, 2, 3, 4, 5), "2020-01-02 03:04:05", True),
        (datetime(2020, 1, 2, 3, 4, 5), "2020-01-02T03:04:05", True),
        (datetime(2020, 1, 2), "2020-01-02", False),
        (time(1, 2, 3), "01:02:03", True),
        (date(2020, 1, 2), 20200102, False),
    ],
)
def test_format_only(reference: Cell, candidate: Cell, expected: bool) -> None:
    assert format_only(reference, candidate, FLOOR) is expected


@pytest.mark.parametrize("text", ["", "-0", "+1", "1.", ".5", "1e5", "nan", "inf", "0x1", "1_0"])
def test_what_is_no_canonical_numeral(text: str) -> None:
    assert canonical_number(text) is None
