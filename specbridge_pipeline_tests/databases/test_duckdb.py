"""DuckDB behind the runner: values, limits and files."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time as clock
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from specbridge_pipeline.databases.columnar_rows import ColumnarRows
from specbridge_pipeline.databases.duckdb_values import read_interval, read_timestamp
from specbridge_pipeline.databases.engine import Engine, engine_of
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import (
    FailureKind,
    QueryFailure,
    QueryResult,
)
from specbridge_pipeline.databases.runner import QueryRunner, engine_version
from specbridge_pipeline.errors import DatabaseUnavailableError
from specbridge_pipeline_tests.support.duckdb_files import make
from specbridge_pipeline_tests.support.outcomes import kind, rows

VALUES: list[dict[str, str]] = yaml.safe_load(
    Path(__file__).with_name("duckdb_values.yaml").read_text("utf-8")
)
ENDLESS = "SELECT count(*) FROM numbers a, numbers b, numbers c, numbers d"


@pytest.fixture(scope="module")
def small(small_databases: dict[Engine, Path]) -> Path:
    return small_databases[Engine.DUCKDB]


def typed(value: Any) -> Any:
    """Return a value with the types of all its parts, since 1 equals True and 1.0."""
    if isinstance(value, tuple):
        return tuple(map(typed, value))
    zone = value.utcoffset() if isinstance(value, datetime | time) else None
    return type(value), value, zone


@pytest.mark.parametrize("case", VALUES, ids=lambda case: case["sql"])
def test_a_value_arrives_unchanged_or_not_at_all(
    case: dict[str, str], runner: QueryRunner, small: Path
) -> None:
    outcome = runner.run(small, f"SELECT {case['sql']}")

    if "refused" in case:
        assert kind(outcome) is FailureKind.ERROR
        assert isinstance(outcome, QueryFailure)
        assert f"a value of type {case['refused']} cannot be handed over" in outcome.message
        return
    scope = {
        each.__name__: each for each in (Decimal, date, datetime, time, timedelta, timezone, float)
    }
    ((value,),) = rows(outcome)
    assert typed(value) == typed(eval(case["value"], scope))
    assert isinstance(outcome, QueryResult)
    assert case.get("type", outcome.declared_types[0]) == outcome.declared_types[0]


@pytest.mark.parametrize("condition", ["n > 0", "n % 2 = 1"])
def test_every_kind_of_value_arrives_unchanged_in_many_rows(
    condition: str, runner: QueryRunner, small: Path
) -> None:
    values = [case["sql"] for case in VALUES if "refused" not in case]
    ((*alone,),) = rows(runner.run(small, f"SELECT {', '.join(values)}"))

    # Where only every other row has a value, its column holds NULL besides.
    cells = ", ".join(f"CASE WHEN {condition} THEN {value} END" for value in values)
    many = runner.run(small, f"SELECT n, {cells} FROM numbers ORDER BY n")

    assert isinstance(many, QueryResult)
    assert isinstance(many.contents, ColumnarRows)
    for at, row in enumerate(many.rows, 1):
        shown = condition == "n > 0" or at % 2 == 1
        assert typed(row) == typed((at, *(alone if shown else [None] * len(alone))))


def test_a_nan_arrives_as_one(runner: QueryRunner, small: Path) -> None:
    ((value, (inner,)),) = rows(runner.run(small, "SELECT 'nan'::DOUBLE, ['nan'::FLOAT]"))

    assert (value != value, inner != inner) == (True, True)


@given(some.integers(-1200, 1200), some.integers(-4000, 4000), some.integers(-(10**12), 10**12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_an_interval_s_text_is_read_back_whole(months: int, days: int, microseconds: int) -> None:
    with duckdb.connect() as connection:
        ((text,),) = connection.execute(
            "SELECT CAST(to_months(?) + to_days(?) + to_microseconds(?) AS VARCHAR)",
            [months, days, microseconds],
        ).fetchall()

    expected = (
        (("months", months), ("days", days), ("microseconds", microseconds))
        if months
        else timedelta(days=days, microseconds=microseconds)
    )
    assert read_interval(text) == expected


@given(some.datetimes())
def test_a_timestamp_s_text_is_read_back_whole(moment: datetime) -> None:
    assert read_timestamp(moment.isoformat(sep=" ")) == moment


def test_the_order_is_kept_where_values_are_read_as_text(runner: QueryRunner, small: Path) -> None:
    sql = "SELECT n, DATE '2024-01-01' + n AS d FROM numbers ORDER BY n % 7 DESC, n"

    found = rows(runner.run(small, sql))

    assert [row[0] for row in found] == sorted(
        range(1, 2001), key=lambda number: (-(number % 7), number)
    )
    assert all(row[1] == date(2024, 1, 1) + timedelta(days=row[0]) for row in found)  # type: ignore[arg-type]


def test_columns_may_repeat(runner: QueryRunner, small: Path) -> None:
    outcome = runner.run(small, "SELECT 1 AS a, DATE '2024-01-01' AS a, id AS a FROM people")

    assert isinstance(outcome, QueryResult)
    assert outcome.columns == ("a", "a", "a")
    assert outcome.rows == ((1, date(2024, 1, 1), 1), (1, date(2024, 1, 1), 2))


def test_rows_without_an_order_come_in_the_same_one_in_every_worker(small: Path) -> None:
    sqls = [
        "SELECT n % 10, sum(n / 7) FROM numbers GROUP BY ALL",
        "SELECT a.n FROM numbers a JOIN numbers b ON a.n % 50 = b.n % 50 LIMIT 5000",
        "SELECT sum(sin(n)), avg(n * 0.1::DOUBLE), stddev(ln(n)) FROM numbers",
        "SELECT DISTINCT n % 13 FROM numbers",
        "SELECT list(n) FROM numbers WHERE n < 50",
    ]
    found = []
    for _ in range(2):
        with QueryRunner(workers=1) as runner:
            found.append([rows(outcome) for outcome in runner.run_many([(small, s) for s in sqls])])

    assert repr(found[0]) == repr(found[1])


def test_an_engine_error_is_an_outcome_in_one_line_or_two(runner: QueryRunner, small: Path) -> None:
    outcome = runner.run(small, "SELECT absent FROM people")

    assert kind(outcome) is FailureKind.ERROR
    assert isinstance(outcome, QueryFailure)
    assert 'column "absent" not found' in outcome.message
    assert "LINE 1" not in outcome.message


@pytest.mark.parametrize("sql", ["SELECT '\ud800'", "SELECT \udcff", "SELECT '\0'"])
def test_text_that_the_engine_cannot_take_is_an_error(
    sql: str, runner: QueryRunner, small: Path
) -> None:
    assert kind(runner.run(small, sql)) is FailureKind.ERROR


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(rows=2), None),
        (Limits(rows=1), FailureKind.TOO_MANY_ROWS),
        (Limits(bytes=4 + 8 + 8), None),
        (Limits(bytes=4 + 8 + 7), FailureKind.TOO_MANY_BYTES),
        (Limits(sql_bytes=5), FailureKind.REFUSED),
    ],
)
def test_a_limit_is_reached_exactly(
    limits: Limits, expected: FailureKind | None, runner: QueryRunner, small: Path
) -> None:
    outcome = runner.run(small, "SELECT name FROM people", limits=limits)

    assert getattr(outcome, "kind", None) is expected


@pytest.mark.parametrize(
    ("expression", "size"),
    [
        ("'x' || repeat('y', 99)", 100),
        ("repeat('ß', 50)", 100),
        ("range(10)", 80),
        ("[repeat('y', 50), NULL]", 58),
        ("1234567890123456789012345678901234567.8::DECIMAL(38, 1)", 38),
        ("DATE '2024-01-01'", 8),
    ],
)
def test_what_a_cell_counts_as(
    expression: str, size: int, runner: QueryRunner, small: Path
) -> None:
    sql = f"SELECT {expression} AS c"

    assert isinstance(runner.run(small, sql, limits=Limits(bytes=size + 1)), QueryResult)
    assert kind(runner.run(small, sql, limits=Limits(bytes=size))) is FailureKind.TOO_MANY_BYTES


def test_column_names_count_as_bytes(runner: QueryRunner, small: Path) -> None:
    sql = f'SELECT 1 AS "{"x" * 100}" WHERE false'

    assert kind(runner.run(small, sql, limits=Limits(bytes=99))) is FailureKind.TOO_MANY_BYTES


def test_terms_of_a_union_are_counted(runner: QueryRunner, small: Path) -> None:
    sql = " UNION ALL ".join(["SELECT 1"] * 5)

    assert len(rows(runner.run(small, sql, limits=Limits(compound_selects=5)))) == 5
    assert kind(runner.run(small, sql, limits=Limits(compound_selects=4))) is FailureKind.ERROR


def test_a_loop_runs_out_of_time_and_the_runner_keeps_working(
    runner: QueryRunner, small: Path
) -> None:
    assert kind(runner.run(small, ENDLESS, limits=Limits(seconds=0.2))) is FailureKind.TIMEOUT
    assert rows(runner.run(small, "SELECT count(*) FROM people")) == ((2,),)


def test_a_function_that_cannot_be_interrupted_is_killed_from_outside(small: Path) -> None:
    with QueryRunner(workers=1, limits=Limits(seconds=0.2, grace_seconds=0.2)) as runner:
        runner.run(small, "SELECT 1")
        before = runner.worker_ids

        sql = "SELECT length(repeat('x', 2000000000))"
        assert kind(runner.run(small, sql)) in (FailureKind.TIMEOUT, FailureKind.TOO_MANY_BYTES)
        assert runner.worker_ids != before
    with QueryRunner(workers=1) as runner:
        assert rows(runner.run(small, "SELECT 1")) == ((1,),)


def test_a_query_whose_worker_was_killed_under_it_is_run_again(small: Path) -> None:
    sql = "SELECT count(DISTINCT md5(a.n::TEXT || b.n)) FROM numbers a, numbers b WHERE b.n < 99"
    with QueryRunner(workers=1) as runner:
        runner.run(small, "SELECT 1")
        (victim,) = runner.worker_ids
        killer = threading.Timer(0.1, os.kill, (victim, signal.SIGKILL))
        killer.start()

        assert len(rows(runner.run(small, sql))) == 1
        killer.join()
        assert rows(runner.run(small, "SELECT 2")) == ((2,),)
        assert victim not in runner.worker_ids


def test_nothing_survives_from_one_query_to_the_next(small: Path) -> None:
    with QueryRunner(workers=1) as runner:
        tight = Limits(rows=1, memory=20_000_000, bytes=1_000)
        assert kind(runner.run(small, "SELECT n FROM numbers", limits=tight)) is (
            FailureKind.TOO_MANY_ROWS
        )
        assert len(rows(runner.run(small, "SELECT n FROM numbers"))) == 2000
        # Each makes a view of the same name on its own connection.
        for number in range(3):
            found = rows(runner.run(small, f"SELECT DATE '2024-01-0{number + 1}'"))
            assert found == ((date(2024, 1, number + 1),),)
        for name in ("result to be carried", 'temp."result to be carried'):
            assert kind(runner.run(small, f'SELECT * FROM "{name}"')) is not None


def test_a_file_is_let_go_of_soon_after_the_last_query(tmp_path: Path) -> None:
    path = make(tmp_path / "d.duckdb", "CREATE TABLE t AS SELECT 1 AS x")
    with QueryRunner(workers=1) as runner:
        assert rows(runner.run(path, "SELECT x FROM t")) == ((1,),)
        for _ in range(300):
            try:
                make(path, "UPDATE t SET x = 2")
                break
            except duckdb.IOException:
                clock.sleep(0.1)

        assert rows(runner.run(path, "SELECT x FROM t")) == ((2,),)


def test_many_queries_on_both_engines_keep_their_order(
    small_databases: dict[Engine, Path],
) -> None:
    queries = [
        (small_databases[engine], f"SELECT {number}, count(*) FROM people")
        for number, engine in zip(range(20), itertools.cycle(Engine), strict=False)
    ]
    queries[3] = (small_databases[Engine.DUCKDB], "DELETE FROM people")
    with QueryRunner(workers=2) as runner:
        outcomes = runner.run_many(queries)

    assert kind(outcomes.pop(3)) is FailureKind.REFUSED
    assert [rows(outcome) for outcome in outcomes] == [
        ((number, 2),) for number in range(20) if number != 3
    ]


def test_the_engine_version_is_that_of_the_workers(runner: QueryRunner, small: Path) -> None:
    ((version,),) = rows(runner.run(small, "SELECT version()"))

    assert f"duckdb {str(version).removeprefix('v')}" == engine_version(Engine.DUCKDB)


@pytest.mark.parametrize("name", ["plain.sqlite", "o'dd \"#?*[x].duckdb", "temp.duckdb", "größe"])
def test_a_file_is_read_whatever_it_is_called(
    name: str, runner: QueryRunner, tmp_path: Path
) -> None:
    path = tmp_path / name
    made = make(tmp_path / "made.duckdb", "CREATE TABLE t AS SELECT 1 AS x")
    made.rename(path)

    assert engine_of(path) is Engine.DUCKDB
    assert rows(runner.run(path, "SELECT x FROM main.t")) == ((1,),)
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_table_may_be_named_with_its_catalog_and_schema(
    runner: QueryRunner, tmp_path: Path
) -> None:
    path = make(tmp_path / "shop.duckdb", "CREATE SCHEMA s; CREATE TABLE s.t AS SELECT 1 AS x")

    for name in ("s.t", "shop.s.t", "S.T"):
        assert rows(runner.run(path, f"SELECT x FROM {name}")) == ((1,),)
    for name in ("t", "shop.t", "other.s.t", "s.u"):
        assert kind(runner.run(path, f"SELECT x FROM {name}")) is FailureKind.ERROR


def test_changes_that_are_not_in_the_file_yet_make_it_unavailable(
    runner: QueryRunner, tmp_path: Path
) -> None:
    path = make(tmp_path / "d.duckdb", "CREATE TABLE t AS SELECT 1 AS x")
    pending = path.with_name("d.duckdb.wal")
    pending.write_bytes(b"some changes")
    before = pending.read_bytes(), path.read_bytes()

    for use in (
        lambda: runner.run(path, "SELECT 1"),
        lambda: runner.read_schema(path),
        lambda: runner.content_hash(path),
    ):
        with pytest.raises(DatabaseUnavailableError, match=r"still in its \.wal file"):
            use()
    assert (pending.read_bytes(), path.read_bytes()) == before
    pending.write_bytes(b"")
    assert rows(runner.run(path, "SELECT x FROM t")) == ((1,),)


def test_a_file_that_is_being_written_is_unavailable(runner: QueryRunner, tmp_path: Path) -> None:
    path = make(tmp_path / "d.duckdb", "CREATE TABLE t AS SELECT 1 AS x")
    program = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open'); input()"
    # Another process: one of ours that closes the file anywhere gives up its lock.
    with subprocess.Popen(
        [sys.executable, "-uc", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        with pytest.raises(DatabaseUnavailableError, match="open for writing") as caught:
            runner.run(path, "SELECT x FROM t")
        writer.stdin.close()

    assert "PID" not in str(caught.value)
    assert sys.executable not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "engine"),
    [
        (b"SQLite format 3\0" + bytes(100), Engine.SQLITE),
        (bytes(8) + b"DUCK" + bytes(100), Engine.DUCKDB),
        (b"DUCK" + bytes(100), None),
        (b"SQLite format 2\0", None),
        (b"", None),
        (b"x", None),
    ],
)
def test_the_engine_is_found_from_what_a_file_begins_with(
    content: bytes, engine: Engine | None, tmp_path: Path
) -> None:
    path = tmp_path / "named.duckdb"
    path.write_bytes(content)

    if engine is not None:
        assert engine_of(path) is engine
    else:
        with pytest.raises(DatabaseUnavailableError) as caught:
            engine_of(path)
        assert caught.value.advice
