from __future__ import annotations

import pytest

from specbridge_pipeline.reporting.clause_lines import clause_lines
from specbridge_pipeline_tests.support.sample_databases import all_sets


def test_a_query_has_a_line_a_clause_and_inner_queries_are_indented() -> None:
    sql = (
        "WITH x AS (SELECT a FROM t WHERE a > 1) SELECT a, RANK() OVER (PARTITION BY a ORDER BY a)"
        " FROM x NATURAL LEFT OUTER JOIN y INNER JOIN z ON z.a = (SELECT MAX(a) FROM t)"
        " WHERE a = 'kept FROM  here' GROUP BY a HAVING COUNT(*) > 1 ORDER BY a LIMIT 1"
    )
    assert clause_lines(sql).split("\n") == [
        "WITH x AS (",
        "  SELECT a",
        "  FROM t",
        "  WHERE a > 1)",
        "SELECT a, RANK() OVER (PARTITION BY a ORDER BY a)",
        "FROM x",
        "NATURAL LEFT OUTER JOIN y",
        "INNER JOIN z ON z.a = (",
        "  SELECT MAX(a)",
        "  FROM t)",
        "WHERE a = 'kept FROM  here'",
        "GROUP BY a",
        "HAVING COUNT(*) > 1",
        "ORDER BY a",
        "LIMIT 1",
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a\nFROM t",
        "SELECT a FROM t -- FROM here",
        "SELECT a /* no */ FROM t",
        "SELECT 'open FROM t",
        "",
    ],
)
def test_what_cannot_be_broken_safely_stays_as_it_is(sql: str) -> None:
    assert clause_lines(sql) == sql


def test_nothing_but_blanks_changes() -> None:
    for each in all_sets():
        for side in (each.interpretations.a, each.interpretations.b):
            line = " ".join(side.sql.split())
            broken = clause_lines(line)
            assert broken.count("\n") >= 1
            assert "".join(broken.split()) == "".join(line.split())
