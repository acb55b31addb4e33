from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from specbridge_pipeline.reporting.differences import (
    Piece,
    RowStatus,
    cells_agree,
    line_differences,
    result_differences,
    word_differences,
)


def marked(pieces: tuple[Piece, ...]) -> str:
    return "".join(f"[{piece.text}]" if piece.differs else piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("first", "second", "expected", "other"),
    [
        ("the same", "the same", "the same", "the same"),
        ("", "new words", "", "[new words]"),
        ("count rows once", "count players once", "count [rows] once", "count [players] once"),
        ("all  of it", "all\nof it", "all  of it", "all\nof it"),
        ("above 2.5, or so", "above 2.75, or so", "above [2.5], or so", "above [2.75], or so"),
        (
            "each team's mean",
            "each team's total sum",
            "each team's [mean]",
            "each team's [total sum]",
        ),
    ],
)
def test_word_differences(first: str, second: str, expected: str, other: str) -> None:
    left, right = word_differences(first, second)
    assert (marked(left), marked(right)) == (expected, other)


def test_pieces_join_to_the_text_again() -> None:
    first, second = "a b  c\nd e", "b c d  x e f"
    left, right = word_differences(first, second)
    assert "".join(piece.text for piece in left) == first
    assert "".join(piece.text for piece in right) == second


def test_line_differences_mark_only_what_differs() -> None:
    first = "SELECT a, COUNT(*)\nFROM t\nGROUP BY a"
    second = "SELECT a, COUNT(DISTINCT b)\n  FROM   t\nGROUP BY a\nLIMIT 1"
    left, right = line_differences(first, second)
    assert [marked(line.pieces) for line in left] == [
        "SELECT a, COUNT([*])",
        "FROM t",
        "GROUP BY a",
    ]
    assert [line.differs for line in right] == [True, False, False, True]
    assert marked(right[0].pieces) == "SELECT a, COUNT([DISTINCT b])"
    assert "\n".join("".join(p.text for p in line.pieces) for line in right) == second


def test_indentation_is_not_marked() -> None:
    left, _ = line_differences("WITH x AS (\n  SELECT 1\n)", "")
    assert [marked(line.pieces) for line in left] == ["[WITH x AS (]", "  [SELECT 1]", "[)]"]


def statuses(first: list[tuple[object, ...]], second: list[tuple[object, ...]]) -> list[list[str]]:
    return [[row.status.value for row in rows] for rows in result_differences(first, second)]


def test_rows_of_one_side_only() -> None:
    assert statuses([("x",), ("y",)], [("y",), ("z",)]) == [
        ["only_here", "same"],
        ["same", "only_here"],
    ]


def test_duplicates_are_paired_once_each() -> None:
    assert statuses([("x",), ("x",)], [("x",)]) == [["same", "only_here"], ["same"]]


def test_rows_with_a_common_key_are_compared_cell_by_cell() -> None:
    left, right = result_differences(
        [("AL", 5, 0.5), ("NL", 4, 0.25)], [("NL", 3, 0.25), ("AL", 5, 0.5)]
    )
    assert [row.status for row in left] == [RowStatus.SAME, RowStatus.CHANGED]
    assert left[1].differing == {1}
    assert right[0].differing == {1}


def test_a_key_of_two_columns() -> None:
    first = [("AL", 2010, 1.5), ("AL", 2011, 2.5), ("NL", 2010, 3.5)]
    second = [(league, year, value + 1) for league, year, value in first]
    assert statuses(first, second) == [["changed"] * 3] * 2


def test_a_measure_is_no_key() -> None:
    assert statuses([("x", 0.5), ("y", 0.25)], [("v", 0.5), ("w", 0.25)]) == [["only_here"] * 2] * 2


def test_two_single_rows_are_compared() -> None:
    left, _ = result_differences([(10, 0.5)], [(12, 0.5)])
    assert left[0].status is RowStatus.CHANGED
    assert left[0].differing == {0}


def test_results_of_other_width_or_without_rows() -> None:
    assert statuses([("x", 1)], [("x",)]) == [["only_here"], ["only_here"]]
    assert statuses([], [("x",)]) == [[], ["only_here"]]


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        (10, 10.0, True),
        (0.1 + 0.2, 0.3, True),
        (float("nan"), float("nan"), True),
        (1, 1.001, False),
        (None, None, True),
        (None, 0, False),
        ("1", 1, False),
        (b"x", "x", False),
        (Decimal("1.50"), 1.5, True),
        (Decimal("1.50"), Decimal("1.51"), False),
        (date(2020, 1, 31), date(2020, 1, 31), True),
        (date(2020, 1, 31), "2020-01-31", False),
    ],
)
def test_cells_agree(first: object, second: object, agree: bool) -> None:
    assert cells_agree(first, second) is agree
