"""A statement taken apart into its steps and put together again."""

from __future__ import annotations

import pytest

from specbridge_pipeline.choices.statement import emit, read_statement
from specbridge_pipeline.sql.parsing import parse_query

LINES = """WITH a AS (
  SELECT
    x
  FROM t
), "of" AS (
  SELECT y FROM a
)
SELECT
  y
FROM "of" AS f"""


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "WITH a AS (SELECT (1 + 2) * 3 AS x) SELECT x FROM a",
        "WITH a AS (SELECT ')' AS x), b AS (SELECT x FROM a) SELECT x FROM b",
        LINES,
    ],
)
def test_what_is_not_edited_comes_back_to_the_letter(sql):
    assert read_statement(sql).sql() == sql


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE n AS (SELECT 1 AS x) SELECT x FROM n",
        "WITH n (x) AS (SELECT 1) SELECT x FROM n",
        "WITH n AS MATERIALIZED (SELECT 1 AS x) SELECT x FROM n",
        "WITH n AS (SELECT 1",
        "",
    ],
)
def test_other_forms_are_left_alone(sql):
    assert read_statement(sql) is None


def test_steps_are_found_by_name_in_any_case():
    statement = read_statement(LINES)
    assert statement.select("A").expressions[0].name == "x"
    assert statement.select("OF").expressions[0].name == "y"
    assert statement.select("").args["from_"].this.name == "of"
    assert statement.select("b") is None


def test_a_step_knows_who_reads_it():
    statement = read_statement(LINES)
    assert statement.readers("a") == ("of",)
    assert statement.readers("of") == ("",)
    assert statement.without("a").readers("of") == ("",)


def test_a_free_name_is_no_table_column_or_step():
    statement = read_statement(
        "WITH ranked AS (SELECT ranked_2 FROM t) SELECT ranked_2 FROM ranked"
    )
    assert statement.free_name("ranked") == "ranked_3"
    assert statement.free_name("place") == "place"


def test_presence_is_written_as_people_write_it():
    sql = """SELECT x FROM t WHERE x IS NOT NULL AND t.y IS NOT NULL AND "a b" IS NOT NULL"""
    assert emit(parse_query(sql)) == sql


def test_text_in_a_query_is_never_rewritten():
    sql = "SELECT x FROM t WHERE y = 'NOT x IS NULL' AND x IS NOT NULL"
    written = emit(parse_query(sql))
    assert "'NOT x IS NULL'" in written
    assert parse_query(written) == parse_query(sql)


def test_on_lines_each_output_and_clause_has_one():
    sql = (
        "SELECT DISTINCT x, COUNT(*) AS n FROM t JOIN u ON t.a = u.a WHERE y IS NOT NULL "
        "GROUP BY x HAVING COUNT(*) > 1 ORDER BY n DESC LIMIT 3 OFFSET 1"
    )
    assert emit(parse_query(sql), on_lines=True) == (
        "SELECT DISTINCT\n  x,\n  COUNT(*) AS n\nFROM t\nJOIN u ON t.a = u.a\nWHERE y IS NOT NULL\n"
        "GROUP BY x\nHAVING COUNT(*) > 1\nORDER BY n DESC\nLIMIT 3\nOFFSET 1"
    )


def test_a_clause_that_the_layout_does_not_know_is_kept():
    sql = "SELECT x FROM t WINDOW w AS (ORDER BY x)"
    assert "WINDOW w" in emit(parse_query(sql), on_lines=True)
