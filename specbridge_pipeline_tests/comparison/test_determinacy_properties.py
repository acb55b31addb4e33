"""What is called determined gives one bag of rows whatever the order in which rows are stored."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.comparison.determinacy.analysis import determinacy
from specbridge_pipeline.databases.results import (
    Outcome,
    QueryResult,
    Row,
)
from specbridge_pipeline_tests.support.in_process_engine import runner_on

NAMES = st.sampled_from(["a", "b", "c", "A"])
NUMBERS = st.sampled_from([1, 2, None])
ROWS = st.lists(st.tuples(NAMES, NUMBERS, NUMBERS), min_size=2, max_size=4)
COLUMNS = st.sampled_from(["x", "y", "z"])
ORDERS = st.sampled_from(
    ["", "ORDER BY x", "ORDER BY y DESC", "ORDER BY y, x", "ORDER BY y, z, x", "ORDER BY -z"]
)
CUTS = st.sampled_from(["LIMIT 1", "LIMIT 2", "LIMIT 1 OFFSET 1", "LIMIT 3"])
COMPARISONS = st.sampled_from(["= 1", "= 2", "<= 1", "<= 2", "> 1", "BETWEEN 2 AND 3"])
NUMBERINGS = st.sampled_from(["ROW_NUMBER()", "NTILE(2)", "LAG(x)", "LEAD(y)", "RANK()"])
FRAMED = st.sampled_from(["SUM(y)", "COUNT(*)", "FIRST_VALUE(x)", "LAST_VALUE(z)", "MAX(x)"])
FRAMES = st.sampled_from(
    [
        "",
        "ROWS UNBOUNDED PRECEDING",
        "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        "RANGE UNBOUNDED PRECEDING EXCLUDE CURRENT ROW",
    ]
)
AGGREGATES = st.sampled_from(
    ["COUNT(*)", "SUM(y)", "MAX(y)", "MIN(x)", "GROUP_CONCAT(x)", "GROUP_CONCAT(x ORDER BY y)"]
)


def database(rows: list[Row], others: list[Row], collation: str) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    for table, content in (("t", rows), ("u", others)):
        connection.execute(f"CREATE TABLE {table} (x TEXT COLLATE {collation}, y, z)")
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", content)
    return connection


@st.composite
def statements(draw: st.DrawFn) -> str:
    one, other = draw(COLUMNS), draw(COLUMNS)
    order, cut = draw(ORDERS), draw(CUTS)
    inner = f"SELECT x, y, z FROM t {order} {cut}"
    over = f"OVER ({draw(st.sampled_from(['', 'PARTITION BY z ']))}{order}"
    return draw(
        st.sampled_from(
            [
                f"SELECT {one} FROM ({inner})",
                f"SELECT MIN({one}) FROM ({inner}) WHERE {other} IS NOT NULL",
                f"SELECT COUNT(*) FROM ({inner})",
                f"SELECT x FROM u WHERE {one} IN (SELECT {other} FROM t {order} {cut})",
                f"SELECT x FROM u WHERE {one} = (SELECT {one} FROM t {order} {cut})",
                f"SELECT u.y, (SELECT t.{one} FROM t WHERE t.z = u.z {order} LIMIT 1) FROM u",
                f"SELECT u.y, (SELECT t.{one} FROM t WHERE t.z = u.z) FROM u",
                f"WITH c AS ({inner}) SELECT c.{one}, u.{other} FROM c JOIN u ON c.z = u.z",
                f"WITH c AS ({inner}) SELECT DISTINCT {one} FROM c UNION SELECT {other} FROM u",
                f"SELECT {one} FROM t {cut}",
                f"SELECT {one}, {draw(NUMBERINGS)} {over}) FROM t",
                f"SELECT {one} FROM (SELECT *, ROW_NUMBER() {over}) AS n FROM t) "
                f"WHERE n {draw(COMPARISONS)}",
                f"SELECT {one} FROM (SELECT {one}, {other}, ROW_NUMBER() {over}) AS n FROM t) "
                f"WHERE n {draw(COMPARISONS)} AND n {draw(COMPARISONS)}",
                f"SELECT {one}, {draw(FRAMED)} {over} {draw(FRAMES)}) FROM t",
                f"SELECT {one}, {draw(FRAMED)} OVER (ORDER BY {other} GROUPS 1 PRECEDING) FROM t",
                f"SELECT {one}, {draw(AGGREGATES)} FROM t GROUP BY {other}",
                f"SELECT {one}, {draw(AGGREGATES)} FROM t",
                f"SELECT {one} FROM t GROUP BY {other} HAVING {draw(COLUMNS)} = 1",
                f"SELECT {draw(AGGREGATES)} FROM (SELECT {one} AS x, y FROM t GROUP BY {other})",
                f"SELECT COUNT(*), {one} FROM (SELECT x, y, z FROM t GROUP BY {other} "
                f"ORDER BY {one} {cut})",
                f"SELECT DISTINCT {one} FROM t",
                f"SELECT {one} FROM t UNION SELECT {other} FROM u",
                f"SELECT {one} FROM t INTERSECT SELECT {other} FROM u",
                f"SELECT {one} FROM t EXCEPT SELECT {other} FROM u WHERE y = 1",
                f"SELECT COUNT(*) FROM (SELECT DISTINCT {one} FROM t {order} {cut})",
                f"SELECT MAX(x) FROM (SELECT DISTINCT {one} AS x FROM t ORDER BY {other} {cut})",
            ]
        )
    )


def bag(outcome: Outcome) -> Counter[str]:
    assert isinstance(outcome, QueryResult), outcome
    return Counter(map(repr, outcome.rows))


@settings(max_examples=300, deadline=None)
@given(rows=ROWS, sql=statements(), collation=st.sampled_from(["BINARY", "NOCASE"]))
def test_what_is_determined_is_the_same_in_every_stored_order(
    rows: list[Row], sql: str, collation: str
) -> None:
    connection = database(rows, rows, collation)
    if determinacy(runner_on(connection), sql) is not None:
        return
    expected = bag(runner_on(connection)(sql))
    for order in permutations(rows):
        shuffled = database(list(order), list(order[::2] + order[1::2]), collation)
        for reversed_scans in (0, 1):
            shuffled.pragma("reverse_unordered_selects", reversed_scans)
            assert bag(runner_on(shuffled)(sql)) == expected
