"""Each engine's rules are what the engine itself does."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from math import inf, nan
from pathlib import Path

import apsw
import duckdb
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.parser import Parser

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import QueryFailure, QueryResult
from specbridge_pipeline.sql.alikeness import differ
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.duckdb import DUCKDB
from specbridge_pipeline.sql.engines.rules import ColumnKind, ZeroDivision
from specbridge_pipeline.sql.engines.sqlite import SQLITE
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline_tests.support.outcomes import rows

KINDS = yaml.safe_load(Path(__file__).with_name("declared_types.yaml").read_text("utf-8"))
ENGINES = list(Engine)


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture
def start(engine, make_runner, make_duckdb_runner):
    """Return a function from set-up SQL to a function that runs queries on the engine."""
    return make_runner if engine is Engine.SQLITE else make_duckdb_runner


def test_the_quoted_words_of_sqlite_are_its_keywords():
    for keyword in apsw.keywords:
        assert SQLITE.quoted(keyword.lower()) == f'"{keyword.lower()}"'


def test_every_word_of_duckdb_names_what_it_should_when_quoted_as_needed():
    connection = duckdb.connect()
    words = {row[0] for row in connection.execute("FROM duckdb_keywords()").fetchall()}
    assert len(words) > 400
    words |= {word.lower() for word in DuckDB.Tokenizer.KEYWORDS if word.isidentifier()}
    words |= {word.lower() for word in Parser.FUNCTIONS}
    connection.execute("CREATE TABLE one AS SELECT 1 AS x")
    for word in sorted(words):
        name = DUCKDB.quoted(word)
        connection.execute(f"CREATE TABLE {name} AS SELECT 1 AS {name}")
        for sql in (
            f"WITH {name} AS (SELECT {name} FROM {name}) "
            f"SELECT {name}.{name} AS {name} FROM {name}",
            f"SELECT {name} FROM {name} WHERE {name} = 1 "
            f"GROUP BY {name} ORDER BY {name} DESC LIMIT 1",
            f"SELECT AVG({name} / {name}) AS {name} FROM {name} JOIN one ON {name}.{name} = one.x",
        ):
            for text in (sql, parse_query(sql, Engine.DUCKDB).sql(DUCKDB.dialect)):
                found = connection.execute(text)
                assert [column[0] for column in found.description] == [word], text
                assert found.fetchall() == [(1,)], text
        connection.execute(f"DROP TABLE {name}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a_1", "a_1"), ("1a", '"1a"'), ("", '""'), ('a"b', '"a""b"'), ("größe", '"größe"')],
)
def test_an_identifier_is_quoted_when_it_would_not_be_read_as_itself(engine, name, expected):
    assert rules_of(engine).quoted(name) == expected


@pytest.mark.parametrize("case", KINDS, ids=lambda case: f"{case['engine']} {case['type']}")
def test_a_declared_type_says_what_its_values_are(case):
    rules = rules_of(Engine(case["engine"]))
    assert rules.kind_of(case["type"]) is ColumnKind[case["kind"].upper()]


def test_missing_values_come_where_the_rules_say(engine, start):
    run = start("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (NULL), (2)")
    rules = rules_of(engine)
    for word, descending in (("ASC", False), ("DESC", True)):
        first = rows(run(f"SELECT a FROM t ORDER BY a {word}"))[0][0] is None
        assert first is rules.missing_first(descending=descending)


def test_division_is_what_the_rules_say(engine, start):
    run = start("CREATE TABLE t (a INTEGER, b INTEGER); INSERT INTO t VALUES (7, 2)")
    rules = rules_of(engine)
    assert rows(run("SELECT a / b FROM t")) == ((3 if rules.drops_fractions else 3.5,),)
    assert rows(run(f"SELECT {rules.divided('a', 'b')} FROM t")) == ((3.5,),)
    zero = rows(run(f"SELECT {rules.divided('a', '(b - 2)')} FROM t"))[0][0]
    assert zero == (None if rules.zero_division is ZeroDivision.MISSING else inf)


def test_a_cast_to_a_real_type_has_eight_bytes(engine, start):
    run = start("")
    for name in rules_of(engine).real_types:
        assert rows(run(f"SELECT CAST(16777217 AS {name})")) == ((16777217.0,),)


def test_text_is_compared_by_code_points_in_upper_and_lower_case(start):
    run = start(
        "CREATE TABLE t (a VARCHAR); INSERT INTO t VALUES ('b'), ('A'), ('ä'), ('a'), ('B')"
    )
    assert rows(run("SELECT a FROM t ORDER BY a")) == (("A",), ("B",), ("a",), ("b",), ("ä",))


def test_values_that_a_collation_merges_are_told_apart(engine, start):
    run = start(
        "CREATE TABLE t (a VARCHAR COLLATE NOCASE, b INTEGER);"
        "INSERT INTO t VALUES ('x', 1), ('X', 1)"
    )
    assert rows(run(f"SELECT {differ('a', engine)}, {differ('b', engine)} FROM t")) == ((1, 0),)


def test_a_name_that_no_column_has_is_an_error_with_that_name(engine, start):
    run, rules = start("CREATE TABLE t (a INTEGER)"), rules_of(engine)
    outcome = run(f"SELECT a FROM t ORDER BY {rules.named('no such')} + 1")
    assert isinstance(outcome, QueryFailure)
    assert rules.missing_column.search(outcome.message)[1] == "no such"


def test_a_limit_below_zero_is_what_the_rules_say(engine, start):
    outcome = start("CREATE TABLE t (a INTEGER)")("SELECT a FROM t LIMIT -1")
    assert isinstance(outcome, QueryResult) is rules_of(engine).negative_limits


def test_a_column_beside_the_key_that_determines_it_is_what_the_rules_say(engine, start):
    run = start("CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER)")
    outcome = run("SELECT a, b, COUNT(*) FROM t GROUP BY a")
    # DuckDB knows what follows from a key only where it is grouped by; it takes no other column.
    assert isinstance(outcome, QueryResult) is rules_of(engine).columns_follow_keys


_NUMBERS = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text(max_size=20)
)
_MORE = st.one_of(
    st.integers(-(2**127), 2**127 - 1),
    st.decimals(-(10**12), 10**12, places=4),
    st.dates(date(1, 1, 1)),
    st.datetimes(datetime(1, 1, 1), datetime(9999, 1, 1)),
    st.times(),
    st.booleans(),
)


@given(_NUMBERS)
@settings(deadline=None)
def test_a_literal_of_sqlite_is_the_value(value):
    text = SQLITE.literal(value)
    if text is None:
        assert value in (inf, -inf) or "\x00" in value
        return
    [(found,)] = apsw.Connection(":memory:").execute(f"SELECT {text}")
    assert (type(found), found) == (type(value), value)


_DUCKDB = duckdb.connect()


@given(st.one_of(_NUMBERS, _MORE))
@settings(deadline=None)
def test_a_literal_of_duckdb_is_the_value(value):
    text = DUCKDB.literal(value)
    if text is None:
        assert "\x00" in value
        return
    [(found,)] = _DUCKDB.execute(f"SELECT {text}").fetchall()
    if isinstance(value, Decimal):
        # A decimal without a fraction is an integer of the same value.
        assert found == value
    else:
        assert (type(found), found) == (type(value), value)


def test_what_no_literal_gives_is_not_written():
    assert SQLITE.literal(b"x") is None
    assert SQLITE.literal(inf) is None
    assert SQLITE.literal(nan) is None
    assert DUCKDB.literal((1, 2)) is None
    assert DUCKDB.literal(Decimal("NaN")) is None
    assert DUCKDB.literal(time(1, tzinfo=datetime.now().astimezone().tzinfo)) is None
