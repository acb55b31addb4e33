"""Settling a large pairing in bulk gives what looking at its rows one by one gives."""

from __future__ import annotations

import random
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.comparison import bulk_columns, matching
from specbridge_pipeline.comparison.matching import Pairing, pair
from specbridge_pipeline.comparison.row_groups import RowGroup, Side
from specbridge_pipeline.databases.columnar_rows import ColumnarRows
from specbridge_pipeline.databases.results import Cell, Row
from specbridge_pipeline_tests.support.cells import columns, spelled

NUMBERS: st.SearchStrategy[Cell] = st.sampled_from(
    [None, 0, 0.0, 1, 1.0, 1.0 + 0.8e-9, 1.0 + 1.5e-9, 1.0 - 0.5e-9, 2.0, -1, -2, 1e-17, 2**60]
)
CELLS = NUMBERS | st.sampled_from(["a", "b", -1, -2, "1", b"a"])
ROWS = st.tuples(CELLS, NUMBERS, NUMBERS)
MAGNITUDES = st.tuples(*[st.sampled_from([0.0, 1.0, 1e6])] * 3)


def spelled_rows(found: Pairing) -> tuple[object, object]:
    return spelled(found.lonely_left), spelled(found.lonely_right)


def paired(left: Side, right: Side, minimum_rows: int) -> Pairing:
    with patch.object(matching, "MINIMUM_ROWS", minimum_rows):
        return pair(left, right, 3)


def by_column(side: Side) -> Side:
    """Return a side whose rows are held by column."""
    groups = (replace(group, rows=ColumnarRows.of(group.rows, 3)) for group in side.groups)
    return Side(tuple(groups), side.widen)


@st.composite
def references(draw: st.DrawFn) -> Side:
    rows = tuple(draw(st.lists(ROWS, min_size=1, max_size=7)))
    magnitudes: tuple[tuple[float, ...], ...] = ()
    if draw(st.booleans()):
        magnitudes = tuple(draw(MAGNITUDES) for _ in rows)
    return Side((RowGroup(rows, len(rows), magnitudes),), draw(st.sampled_from([1.0, 1000.0])))


def moved(row: Row, source: random.Random) -> Row:
    return tuple(
        cell * (1 + source.choice([0, 1e-10, -4e-10, 1e-9])) if isinstance(cell, float) else cell
        for cell in row
    )


@settings(max_examples=500, deadline=None)
@given(reference=references(), data=st.data())
def test_bulk_and_one_by_one_agree(reference: Side, data: st.DataObject) -> None:
    source = random.Random(data.draw(st.integers(0, 1_000)))
    rows = [moved(row, source) for row in reference.rows()]
    source.shuffle(rows)
    if data.draw(st.booleans()):
        rows[0] = data.draw(ROWS)
    other = Side((RowGroup(tuple(rows), len(rows)),))
    if data.draw(st.booleans()):
        other = Side(other.groups, 1.0)
    for left, right in ((other, reference), (reference, other)):
        bulk, plain = paired(left, right, 1), paired(left, right, 1_000)
        assert bulk.possible is plain.possible
        assert bulk.decided
        assert plain.decided
        assert paired(by_column(left), by_column(right), 1) == bulk


@settings(max_examples=700, deadline=None)
@given(data=st.data(), widen=st.sampled_from([1.0, 1000.0]))
def test_all_kinds_of_cells_by_column_and_one_by_one(data: st.DataObject, widen: float) -> None:
    count = data.draw(st.integers(1, 6))
    rows: list[Row] = list(zip(*(data.draw(columns(count)) for _ in range(3)), strict=True))
    others = [moved(row, random.Random(at)) for at, row in enumerate(rows)]
    others = data.draw(st.permutations(others))
    if data.draw(st.booleans()):
        others[0] = data.draw(st.sampled_from(rows))
    reference = Side((RowGroup(tuple(rows), count),), widen)
    for own in (None, widen):
        other = Side((RowGroup(tuple(others), count),), own)
        for left, right in ((other, reference), (reference, other)):
            plain = paired(left, right, 1_000)
            for minimum_rows in (1, 1_000):
                found = paired(by_column(left), by_column(right), minimum_rows)
                assert found.possible is plain.possible
                assert spelled_rows(found) == spelled_rows(plain)


@settings(max_examples=200, deadline=None)
@given(reference=references(), data=st.data())
def test_rows_whose_keys_coincide_are_still_told_apart(
    reference: Side, data: st.DataObject
) -> None:
    rows = data.draw(st.permutations([*reference.rows()]))
    if data.draw(st.booleans()):
        rows[0] = data.draw(ROWS)
    other = Side((RowGroup(tuple(rows), len(rows)),))
    with patch.object(bulk_columns, "_SPREADING", (0, 0)):
        assert paired(other, reference, 1).possible is paired(other, reference, 1_000).possible


def large(source: random.Random, count: int) -> list[Row]:
    return [
        (source.randrange(50), f"name {source.randrange(900)}", source.random() * 1e3)
        for _ in range(count)
    ]


def test_a_large_shuffled_result_with_noise_is_accepted() -> None:
    source = random.Random(11)
    rows = large(source, 20_000)
    noisy = [(*row[:2], row[2] * (1 + 1e-13)) for row in rows]  # type: ignore[operator]
    source.shuffle(noisy)
    reference = Side((RowGroup(tuple(rows), len(rows)),), 1.0)
    assert pair(Side((RowGroup(tuple(noisy), len(noisy)),)), reference, 3).possible


def test_the_one_wrong_row_of_a_large_result_is_named() -> None:
    source = random.Random(12)
    rows = large(source, 20_000)
    others = list(rows)
    others[5] = (*others[5][:2], others[5][2] + 1e-3)  # type: ignore[operator]
    source.shuffle(others)
    reference = Side((RowGroup(tuple(rows), len(rows)),), 1.0)
    found = pair(Side((RowGroup(tuple(others), len(others)),)), reference, 3)
    assert not found.possible
    assert found.lonely_right == (rows[5],)


def test_a_dropped_and_a_doubled_row_are_seen_among_many() -> None:
    rows = large(random.Random(13), 20_000)
    others = [*rows[1:], rows[-1]]
    reference = Side((RowGroup(tuple(rows), len(rows)),), 1.0)
    assert not pair(Side((RowGroup(tuple(others), len(others)),)), reference, 3).possible


def test_rows_with_equal_hashes_are_still_told_apart() -> None:
    # In Python -1 and -2 have the same hash.
    rows = tuple((-1, at) for at in range(3_000))
    others = (*rows[:-1], (-2, 2_999))
    reference = Side((RowGroup(rows, len(rows)),), 1.0)
    assert not pair(Side((RowGroup(others, len(others)),)), reference, 2).possible
    assert pair(Side((RowGroup(rows[::-1], len(rows)),)), reference, 2).possible


@pytest.mark.parametrize("odd", ["", "\ud800", b"x", None], ids=repr)
def test_many_different_texts(odd: Cell) -> None:
    rows: list[Row] = [(f"text {at}", at % 3) for at in range(25_000)]
    rows[7] = (odd, 1)
    others = list(rows)
    random.Random(14).shuffle(others)
    reference = Side((RowGroup(tuple(rows), len(rows)),), 1.0)
    assert pair(Side((RowGroup(tuple(others), len(others)),)), reference, 2).possible
    others[others.index((odd, 1))] = ("another", 1)
    found = pair(Side((RowGroup(tuple(others), len(others)),)), reference, 2)
    assert (found.lonely_left, found.lonely_right) == ((("another", 1),), ((odd, 1),))


@pytest.mark.parametrize(
    ("expected", "found", "equal"),
    [
        (0, -0.0, True),
        (0.0, -0.0, True),
        (10, 10.0, True),
        (2**53, 2.0**53, True),
        (2**53 + 1, 2.0**53, False),
        (2**63 - 1, 2.0**63, False),
        (2**53 + 1, 2**53, False),
        (1, 1.0 + 5e-10, False),
        (1.0, 1.0 + 5e-10, True),
        (1.0, 1.0 + 2e-9, False),
        (1.0, 1, True),
        (None, 0, False),
        (None, 0.0, False),
        (0, None, False),
        (None, None, True),
        (float("nan"), float("nan"), True),
        (float("nan"), 0.0, False),
        (float("inf"), float("inf"), True),
        (float("inf"), float("-inf"), False),
        (float("inf"), 1e308, False),
        (float("inf"), 0, False),
        (-1, -2, False),
        ("1", 1, False),
        (b"1", "1", False),
        ("a", "A", False),
    ],
)
@pytest.mark.parametrize("usual", [5, 0.5, None, "five"], ids=repr)
def test_one_cell_among_many(expected: Cell, found: Cell, equal: bool, usual: Cell) -> None:
    rows: list[Row] = [(at % 3, usual) for at in range(2_000)]
    reference = RowGroup((*rows, (1, expected)), len(rows) + 1)
    candidate = RowGroup(((1, found), *rows), len(rows) + 1)
    for form in (RowGroup.of_columns, held_by_column):
        left, right = (form(group, [0, 1]) for group in (candidate, reference))
        paired_up = pair(Side((left,)), Side((right,), 1.0), 2)
        assert paired_up.possible is equal
        assert bool(paired_up.lonely_left or paired_up.lonely_right) is not equal


def held_by_column(group: RowGroup, columns: list[int]) -> RowGroup:
    return replace(group, rows=ColumnarRows.of(group.rows, len(columns)))
