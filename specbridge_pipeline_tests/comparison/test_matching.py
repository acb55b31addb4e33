from __future__ import annotations

import random
from datetime import date, datetime
from decimal import Decimal

import pytest

from specbridge_pipeline.comparison import row_pairs
from specbridge_pipeline.comparison.acceptance import accept_bag
from specbridge_pipeline.comparison.disjointness import disjoint
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.row_groups import RowGroup
from specbridge_pipeline.databases.results import Row


def test_pairing_is_no_greedy_choice() -> None:
    # 1.0 reaches both candidates, 1.0 + 1.5e-9 only the further one.
    near, far = (1.0 + 0.8e-9,), (1.0 - 0.5e-9,)
    groups = (RowGroup(((1.0,), (1.0 + 1.5e-9,)), 2),)
    for rows in ((near, far), (far, near)):
        assert accept_bag(groups, rows, 1).possible


def test_quotas_of_two_groups_that_hold_the_same_rows() -> None:
    head = RowGroup((("a", 1), ("b", 1)), 1)
    tail = RowGroup((("b", 1), ("c", 1)), 1)
    assert accept_bag((head, tail), (("b", 1), ("b", 1)), 2).possible
    assert accept_bag((head, tail), (("a", 1), ("c", 1)), 2).possible
    assert not accept_bag((head, tail), (("a", 1), ("a", 1)), 2).possible


def test_many_rows_that_differ_in_the_last_bits() -> None:
    source = random.Random(7)
    rows = tuple((f"group {at % 50}", source.random() * 1e3) for at in range(30_000))
    noisy = [(name, value * (1 + 1e-13)) for name, value in rows]
    source.shuffle(noisy)
    group = RowGroup(rows, len(rows))
    assert accept_bag((group,), tuple(noisy), 2).possible
    noisy[5] = (noisy[5][0], noisy[5][1] + 1e-3)
    found = accept_bag((group,), tuple(noisy), 2)
    assert not found.possible
    assert found.lonely_left == (noisy[5],)


def test_over_the_cap_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_pairs, "MAXIMUM_EDGES", 50)
    rows = tuple(("x", 1.0 + at * 1e-12) for at in range(20))
    others = tuple(("x", 1.0 + (at + 0.5) * 1e-12) for at in range(20))
    found = accept_bag((RowGroup(rows, 20),), others, 2)
    assert not found.decided
    assert not found.possible


DAY = date(2020, 1, 2)


@pytest.mark.parametrize(
    ("reference", "candidate", "equal", "in_format"),
    [
        ((DAY, 1), (DAY, 1), True, True),
        ((DAY, 1), ("2020-01-02", 1), False, True),
        ((datetime(2020, 1, 2, 3), 1), ("2020-01-02T03:00:00", 1), False, True),
        ((Decimal("1.50"), 1), ("1.50", 1), False, True),
        ((Decimal("1.50"), 1), (1.5 + 1e-12, 1), True, True),
        ((Decimal("1.50"), 1), (Decimal("1.51"), 1), False, False),
        ((0.1, Decimal(2)), (Decimal("0.1"), 2), True, True),
        (("1.50", 1), (Decimal("1.50"), 1), False, True),
        (("1.50", 1), (Decimal("1.5"), 1), False, False),
        ((DAY, 1), (datetime(2020, 1, 2), 1), False, False),
    ],
)
@pytest.mark.parametrize("others", [0, 2_000])
def test_the_types_that_only_some_engines_have(
    reference: Row, candidate: Row, equal: bool, in_format: bool, others: int
) -> None:
    more: tuple[Row, ...] = tuple((f"row {at}", at) for at in range(others))
    groups = (RowGroup((*more, reference), others + 1),)
    rows = (candidate, *more)
    assert accept_bag(groups, rows, 2).possible is equal
    assert accept_bag(groups, rows, 2, allow_format=True).possible is in_format


def test_two_references_reach_one_anothers_decimals_through_a_float() -> None:
    a = ReferenceExtension(("a",), (RowGroup(((Decimal("0.1"),),), 1),), None, "none")
    b = ReferenceExtension(("a",), (RowGroup(((Decimal("0.10000000001"),),), 1),), None, "none")
    c = ReferenceExtension(("a",), (RowGroup(((Decimal("0.2"),),), 1),), None, "none")
    assert not disjoint(a, b).disjoint
    assert disjoint(a, c).disjoint
