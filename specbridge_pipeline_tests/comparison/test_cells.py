from __future__ import annotations

import math

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
    ],
)
def test_format_only(reference: Cell, candidate: Cell, expected: bool) -> None:
    assert format_only(reference, candidate, FLOOR) is expected


@pytest.mark.parametrize("text", ["", "-0", "+1", "1.", ".5", "1e5", "nan", "inf", "0x1", "1_0"])
def test_what_is_no_canonical_numeral(text: str) -> None:
    assert canonical_number(text) is None
