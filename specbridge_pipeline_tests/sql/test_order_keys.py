from __future__ import annotations

import pytest

from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.cut import split_top_level
from specbridge_pipeline.sql.order_keys import OrderKey, bind_order_keys
from specbridge_pipeline.sql.parsing import parse_query


def bind(sql: str, names: str, substituted: str = "") -> tuple[OrderKey, ...]:
    top = split_top_level(parse_query(sql))
    return bind_order_keys(
        top.body, top.order, tuple(names.split()), frozenset(substituted.split())
    )


@pytest.mark.parametrize(
    ("sql", "names", "position"),
    [
        ("SELECT a, b FROM t ORDER BY 2", "a b", 1),
        ("SELECT a, b FROM t ORDER BY (2)", "a b", 1),
        ("SELECT -a AS a, a AS b FROM t ORDER BY A", "a b", 0),
        ("SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY count(*)", "a COUNT(*)", 1),
        ("SELECT *, a + b AS total FROM t ORDER BY total", "a b c total", 3),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY a", "a", 0),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY b", "a", 0),
        ("SELECT * FROM t UNION SELECT * FROM u ORDER BY b", "a b", 1),
    ],
)
def test_keys_that_are_output_columns(sql: str, names: str, position: int) -> None:
    (key,) = bind(sql, names)
    assert key.position == position


@pytest.mark.parametrize(
    ("sql", "substituted", "hidden"),
    [
        ("SELECT a FROM t ORDER BY b", "", "b"),
        ("SELECT -a AS a FROM t ORDER BY a + 0", "", "a + 0"),
        ("SELECT -a AS d FROM t ORDER BY d + 0", "d", "(-a) + 0"),
        ('SELECT -a AS d FROM t ORDER BY abs("d")', "", "ABS(`d`)"),
    ],
)
def test_keys_that_are_hidden_columns(sql: str, substituted: str, hidden: str) -> None:
    (key,) = bind(sql, "x", substituted)
    assert key.hidden == hidden


def test_direction_collation_and_place_of_nulls_are_kept() -> None:
    keys = bind("SELECT a FROM t ORDER BY b COLLATE NOCASE DESC NULLS FIRST, c, d DESC", "a")
    assert [key.direction for key in keys] == [
        "COLLATE NOCASE DESC NULLS FIRST",
        "ASC NULLS FIRST",
        "DESC NULLS LAST",
    ]


def test_after_distinct_a_key_is_written_over_output_columns() -> None:
    (key,) = bind("SELECT DISTINCT t.a, b FROM t ORDER BY length(a) - b", "a b")
    assert key.derived == "LENGTH(visible_1) - visible_2"


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT DISTINCT a FROM t ORDER BY b", "outside the select list"),
        ("SELECT DISTINCT a FROM t GROUP BY a ORDER BY COUNT(*)", "outside the select list"),
        ("SELECT a FROM t UNION SELECT a FROM u ORDER BY c", "names no output column"),
        ("SELECT a FROM t ORDER BY 2", "no position"),
    ],
)
def test_keys_that_cannot_be_bound(sql: str, problem: str) -> None:
    with pytest.raises(UnusableReferenceError, match=problem):
        bind(sql, "a")
