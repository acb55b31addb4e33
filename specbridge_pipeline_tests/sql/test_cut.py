from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlglot import exp

from specbridge_pipeline.databases.results import Outcome, QueryResult
from specbridge_pipeline.sql.cut import (
    MARGIN_ROWS,
    count_statement,
    extension_statement,
    literal_count,
    split_top_level,
)
from specbridge_pipeline.sql.order_keys import bind_order_keys
from specbridge_pipeline.sql.parsing import parse_query

MakeRunner = Callable[[str], Callable[[str], Outcome]]


def extension_rows(
    run: Callable[[str], Outcome], sql: str, width: int, end: int | None
) -> list[tuple[object, ...]]:
    top = split_top_level(parse_query(sql))
    keys = bind_order_keys(top.body, top.order, tuple("abcdef"[:width]))
    outcome = run(extension_statement(top, keys, width, end).sql)
    assert isinstance(outcome, QueryResult), outcome
    return list(outcome.rows)


def test_the_parts_of_a_query() -> None:
    top = split_top_level(parse_query("SELECT a FROM t ORDER BY b LIMIT 2, 3"))
    assert top.body.sql("sqlite") == "SELECT a FROM t"
    assert top.limit is not None
    assert top.offset is not None
    assert (literal_count(top.limit), literal_count(top.offset)) == (3, 2)


@pytest.mark.parametrize(("limit", "value"), [("-1", -1), ("7", 7), ("2 * 3", None), ("'5'", None)])
def test_literal_limits(limit: str, value: int | None) -> None:
    expression = split_top_level(parse_query(f"SELECT a FROM t LIMIT {limit}")).limit
    assert isinstance(expression, exp.Expr)
    assert literal_count(expression) == value


def test_a_limit_may_use_the_common_table_expressions(make_runner: MakeRunner) -> None:
    top = split_top_level(
        parse_query("WITH x AS (SELECT 4 AS n) SELECT n FROM x LIMIT (SELECT n / 2 FROM x)")
    )
    assert top.limit is not None
    outcome = make_runner("")(count_statement(top, top.limit))
    assert isinstance(outcome, QueryResult)
    assert outcome.rows == ((2,),)


def test_rows_carry_keys_and_a_rank_for_each_key(make_runner: MakeRunner) -> None:
    run = make_runner(
        "CREATE TABLE t (a TEXT, b INT, c INT);"
        "INSERT INTO t VALUES ('x', 1, 5), ('y', 1, 6), ('z', 2, 7), ('w', 1, 5)"
    )
    rows = extension_rows(run, "SELECT a FROM t ORDER BY b DESC, c", 1, None)
    assert [(row[1:3], row[3:]) for row in rows] == [
        ((2, 7), (1, 1)),
        ((1, 5), (2, 2)),
        ((1, 5), (2, 2)),
        ((1, 6), (2, 4)),
    ]


def test_the_collation_of_a_column_decides_its_ties(make_runner: MakeRunner) -> None:
    run = make_runner(
        "CREATE TABLE t (a TEXT COLLATE NOCASE, b INT);"
        "INSERT INTO t VALUES ('x', 1), ('X', 2), ('y', 3)"
    )
    for sql in (
        "SELECT b FROM t ORDER BY a",
        "SELECT a FROM t ORDER BY a",
        "SELECT a FROM t UNION ALL SELECT 'z' ORDER BY a",
    ):
        assert [row[-1] for row in extension_rows(run, sql, 1, None)][:3] == [1, 1, 3]


def test_no_more_rows_are_fetched_than_ties_and_margin_need(make_runner: MakeRunner) -> None:
    run = make_runner(
        "CREATE TABLE t (a INT);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
        "INSERT INTO t SELECT i FROM n"
    )
    assert len(extension_rows(run, "SELECT a FROM t ORDER BY a", 1, 5)) == 5 + MARGIN_ROWS + 1
    assert len(extension_rows(run, "SELECT a FROM t ORDER BY a > 4000", 1, 5)) == 4000
