"""The verdict on a result does not depend on how its rows are held."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.comparison.column_mapping import compare_allowing_columns
from specbridge_pipeline.comparison.disjointness import disjoint
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.row_groups import RowGroup
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.columnar_rows import MINIMUM_ROWS, ColumnarRows
from specbridge_pipeline.databases.results import Cell, QueryResult, Row
from specbridge_pipeline_tests.support.cells import columns


def result(rows: list[Row]) -> QueryResult:
    return QueryResult(("a", "b"), (None, None), tuple(rows), 0.0)


def written(cell: Cell) -> Cell:
    return str(cell) if isinstance(cell, int | float | Decimal | date) else cell


def reference_of(rows: list[Row], cut: int) -> ReferenceExtension:
    """Return rows in order, of which the ones from a cut on are tied and all but one are kept."""
    kept, tied = tuple(rows[:cut]), tuple(rows[cut:])
    blocks = [RowGroup((row,), 1) for row in kept]
    groups = [RowGroup(kept, len(kept))] if kept else []
    if tied:
        last = RowGroup(tied, max(1, len(tied) - 1))
        groups, blocks = [*groups, last], [*blocks, last]
    return ReferenceExtension(("a", "b"), tuple(groups), tuple(blocks), None)


def by_column(reference: ReferenceExtension) -> ReferenceExtension:
    def held(groups: tuple[RowGroup, ...]) -> tuple[RowGroup, ...]:
        return tuple(replace(each, rows=ColumnarRows.of(each.rows, 2)) for each in groups)

    blocks = reference.ordered_blocks
    return replace(
        reference,
        groups=held(reference.groups),
        ordered_blocks=None if blocks is None else held(blocks),
    )


@settings(max_examples=500, deadline=None)
@given(data=st.data(), ordered=st.booleans())
def test_a_verdict_is_the_same_by_row_and_by_column(data: st.DataObject, ordered: bool) -> None:
    count = data.draw(st.integers(1, 5))
    rows: list[Row] = list(zip(*(data.draw(columns(count)) for _ in range(2)), strict=True))
    reference = reference_of(rows, data.draw(st.integers(0, count)))
    found: list[Row] = data.draw(st.permutations(rows))[: reference.row_count]
    if data.draw(st.booleans()):
        found[0] = tuple(map(written, found[0]))
    if data.draw(st.booleans()):
        found[0] = found[0][::-1]
    candidate = result(found)
    other = replace(candidate, contents=ColumnarRows.of(found, 2))
    for expected in (reference, by_column(reference)):
        assert compare(expected, other, ordered=ordered) == compare(
            reference, candidate, ordered=ordered
        )
        assert compare_allowing_columns(expected, other) == compare_allowing_columns(
            reference, candidate
        )
        assert disjoint(expected, reference) == disjoint(reference, reference)


@pytest.mark.parametrize(
    ("change", "kind", "reason"),
    [
        ((17, "name 17"), VerdictKind.EQUAL, ""),
        (
            (17, "no name"),
            VerdictKind.NOT_EQUAL,
            "row 18 differs: (17, 'no name') is no row of the reference, which has (17, 'name 17')",
        ),
        (
            (16, "name 16"),
            VerdictKind.NOT_EQUAL,
            "the reference's row (17, 'name 17') is missing",
        ),
        (
            ("17", "name 17"),
            VerdictKind.FORMAT_ONLY,
            "numbers or dates stand against themselves written as text",
        ),
    ],
)
def test_what_is_said_of_many_rows(change: Any, kind: VerdictKind, reason: str) -> None:
    rows: list[Row] = [(at, f"name {at}") for at in range(MINIMUM_ROWS)]
    held = ColumnarRows.of(rows, 2)
    reference = ReferenceExtension(("a", "b"), (RowGroup(held, len(held)),), None, "none")
    rows[17] = change
    verdict = compare(reference, replace(result([]), contents=ColumnarRows.of(rows, 2)))
    assert (verdict.kind, verdict.reason) == (kind, reason)


NAN = float("nan")


@pytest.mark.parametrize("odd", [NAN, 7.5, 0, None, 7, "seven", b"seven"], ids=repr)
@pytest.mark.parametrize("usual", [0.5, 5, "five", None, Decimal(5)], ids=repr)
@pytest.mark.parametrize("count", [20, MINIMUM_ROWS])
def test_the_place_of_a_row_that_differs(odd: Cell, usual: Cell, count: int) -> None:
    rows: list[Row] = [(at, usual) for at in range(count)]
    if odd is not None:
        # A NULL's place among numbers is held by a 0.
        rows[3] = (17, None)
    others = list(rows)
    others[17] = (17, odd)
    reference = by_column(reference_of(rows, count))
    candidate = replace(result([]), contents=ColumnarRows.of(others, 2))
    reason = compare(reference, candidate).reason
    if odd is usual:
        assert reason == ""
    else:
        assert reason.startswith("row 18 differs: ")
    assert reason == compare(reference_of(rows, count), result(others)).reason
