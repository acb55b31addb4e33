from __future__ import annotations

import subprocess
import sys

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


_MANY_THREADS = """
import sys, threading
from specbridge_pipeline.sql.parsing import parse_query

STATEMENTS = [
    "SELECT `a (b)` / `c d` FROM t WHERE `x y` = 'z' AND `a (b)` / `c d` IS NOT NULL ORDER BY 1",
    "SELECT u.a FROM t INNER JOIN u ON t.b = u.b WHERE t.`Name` = 'z' AND t.`c (d/e)` = 1",
] * 8
sys.setswitchinterval(1e-6)
start = threading.Barrier(len(STATEMENTS))
failed = []

def parse(sql):
    start.wait()
    try:
        parse_query(sql)
    except Exception as error:
        failed.append(str(error))

threads = [threading.Thread(target=parse, args=(sql,)) for sql in STATEMENTS]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit("\\n".join(failed) or 0)
"""


@pytest.mark.slow
def test_the_first_statements_of_a_process_may_come_from_many_threads():
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", _MANY_THREADS], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
