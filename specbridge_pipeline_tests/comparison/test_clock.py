from __future__ import annotations

from pathlib import Path

import apsw
import duckdb
import pytest
import yaml

from specbridge_pipeline.comparison.clock import at_other_times, calls_clock
from specbridge_pipeline.databases.engine import Engine

CASES = yaml.safe_load(Path(__file__).with_name("clock_cases.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES["moved"], ids=lambda case: case["sql"])
def test_the_clock_is_found_and_moved(case: dict[str, str]) -> None:
    assert calls_clock(case["sql"])
    one, other = at_other_times(case["sql"])
    assert one == case["moved"]
    assert other != one


@pytest.mark.parametrize("case", CASES["moved"], ids=lambda case: case["sql"])
def test_a_statement_with_the_clock_moved_runs_without_a_clock(case: dict[str, str]) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (d TEXT); INSERT INTO t VALUES ('2001-02-03')")
    list(connection.execute(case["sql"]))
    for moved in at_other_times(case["sql"]):
        assert not calls_clock(moved)
        assert len(list(connection.execute(moved))) == 1


@pytest.mark.parametrize("sql", CASES["no_clock"])
def test_what_reads_no_clock(sql: str) -> None:
    assert not calls_clock(sql)
    assert at_other_times(sql) == ()


@pytest.mark.parametrize("sql", CASES["no_clock_on_sqlite"])
def test_what_is_no_clock_of_this_engine(sql: str) -> None:
    assert not calls_clock(sql, Engine.SQLITE)


@pytest.mark.parametrize("case", CASES["moved_on_duckdb"], ids=lambda case: case["sql"])
def test_the_clock_of_the_other_engine_is_found_and_moved(case: dict[str, str]) -> None:
    one, other = at_other_times(case["sql"], Engine.DUCKDB)
    assert one == case["moved"]
    assert other != one
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (d TIMESTAMP); INSERT INTO t VALUES ('2001-02-03')")
        kinds = [str(kind) for _, kind, *_ in connection.execute(case["sql"]).description]
        for moved in (one, other):
            assert not calls_clock(moved, Engine.DUCKDB)
            assert len(connection.execute(moved).fetchall()) == 1
            assert [str(kind) for _, kind, *_ in connection.execute(moved).description] == kinds


@pytest.mark.parametrize("sql", CASES["no_clock_on_duckdb"])
def test_what_reads_no_clock_of_the_other_engine(sql: str) -> None:
    assert not calls_clock(sql, Engine.DUCKDB)
    assert at_other_times(sql, Engine.DUCKDB) == ()


@pytest.mark.parametrize("field", "YmdHMSwj")
def test_the_other_times_have_no_field_in_common(field: str) -> None:
    one, other = at_other_times(f"SELECT strftime('%{field}', 'now')")
    connection = apsw.Connection(":memory:")
    assert list(connection.execute(one)) != list(connection.execute(other))
