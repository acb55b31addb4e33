from __future__ import annotations

from pathlib import Path

import apsw
import pytest
import yaml

from specbridge_pipeline.comparison.clock import at_other_times, calls_clock

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


@pytest.mark.parametrize("sql", CASES["found_only"])
def test_what_no_literal_can_stand_for(sql: str) -> None:
    assert calls_clock(sql)
    assert at_other_times(sql) == ()


@pytest.mark.parametrize("field", "YmdHMSwj")
def test_the_other_times_have_no_field_in_common(field: str) -> None:
    one, other = at_other_times(f"SELECT strftime('%{field}', 'now')")
    connection = apsw.Connection(":memory:")
    assert list(connection.execute(one)) != list(connection.execute(other))
