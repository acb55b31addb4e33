from __future__ import annotations

import pytest
from sqlglot import exp

from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.parsing import parse_query, shorten


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "SELECT 1; -- a remark after the end",
        "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
        "SELECT 1 UNION SELECT 2 ORDER BY 1",
        "SELECT 1 EXCEPT SELECT 2",
        "VALUES (1, 2), (3, 4)",
    ],
)
def test_queries_are_parsed(sql: str) -> None:
    assert isinstance(parse_query(sql), exp.Query)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("", "no statement"),
        ("-- only a remark", "no statement"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("DELETE FROM t", "no query but a Delete"),
        ("PRAGMA user_version", "no query but a Pragma"),
        ("SELECT FROM WHERE (", "cannot be parsed"),
        ("SELECT 'never ends", "cannot be parsed"),
    ],
)
def test_what_is_no_single_query_is_refused(sql: str, problem: str) -> None:
    with pytest.raises(UnusableReferenceError, match=problem):
        parse_query(sql)


def test_a_statement_is_shortened_to_one_line() -> None:
    assert shorten("SELECT\n  1") == "SELECT 1"
    assert len(shorten("x" * 500)) == 120
