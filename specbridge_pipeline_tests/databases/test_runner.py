from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from specbridge_pipeline.databases.columnar_rows import ColumnarRows
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import (
    FailureKind,
    Outcome,
    QueryFailure,
    QueryResult,
)
from specbridge_pipeline.databases.runner import QueryRunner, engine_version
from specbridge_pipeline.databases.worker_process import WorkerProcess
from specbridge_pipeline.errors import DatabaseUnavailableError, WorkerError
from specbridge_pipeline.progress import Task
from specbridge_pipeline_tests.support.outcomes import kind, rows

Build: TypeAlias = Callable[[Path, str], Path]

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"


def kill_during_query(runner: QueryRunner, times: int) -> threading.Thread:
    """Kill the only worker a moment after each of the next `times` ones is up."""

    def work() -> None:
        killed: set[int] = set()
        while len(killed) < times:
            for process in set(runner.worker_ids) - killed:
                time.sleep(0.2)
                os.kill(process, signal.SIGKILL)
                killed.add(process)
            time.sleep(0.01)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_every_kind_of_value_arrives_unchanged(
    build: Build, runner: QueryRunner, tmp_path: Path
) -> None:
    path = build(
        tmp_path / "values.db",
        """
        CREATE TABLE v (a, b TEXT);
        INSERT INTO v VALUES
          (NULL, 'ß😀'), (9007199254740993, ''), (-9223372036854775808, 'a' || char(0) || 'b'),
          (9e999, CAST(x'ff41' AS TEXT)), (-9e999, CAST(x'eda080' AS TEXT)),
          (0.1 + 0.2, 'x'), (10.0, 'y'), (x'00ff', 'z'), (5e-324, '1');
        """,
    )

    outcome = runner.run(path, "SELECT a, b FROM v ORDER BY rowid;")
    many = runner.run(
        path,
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 500) "
        "SELECT a, b FROM n, v ORDER BY n, v.rowid",
    )

    expected = (
        (None, "ß😀"),
        (9007199254740993, ""),
        (-9223372036854775808, "a\0b"),
        (float("inf"), b"\xffA"),
        (float("-inf"), b"\xed\xa0\x80"),
        (0.30000000000000004, "x"),
        (10.0, "y"),
        (b"\x00\xff", "z"),
        (5e-324, "1"),
    )
    assert rows(outcome) == expected
    assert [list(map(type, row)) for row in rows(outcome)] == [
        list(map(type, row)) for row in expected
    ]
    assert isinstance(outcome, QueryResult)
    assert (outcome.columns, outcome.declared_types) == (("a", "b"), (None, "TEXT"))
    assert isinstance(many, QueryResult)
    assert isinstance(many.contents, ColumnarRows)
    assert many.row_count == 500 * len(expected)
    assert [[(type(cell), cell) for cell in row] for row in many.rows] == [
        [(type(cell), cell) for cell in row] for row in expected * 500
    ]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT b FROM v ORDER BY a DESC LIMIT 2", ((b"\xff2",), ("1",))),
        (
            ";; WITH w AS (SELECT * FROM v) SELECT w.b, a FROM w WHERE a > 1; -- end",
            ((b"\xff2", 2),),
        ),
        ("VALUES (CAST(x'ff' AS TEXT)), ('a'), (x'ff')", ((b"\xff",), ("a",), (b"\xff",))),
        ("SELECT b, b, 1.5, NULL FROM main.v WHERE a = 2", ((b"\xff2", b"\xff2", 1.5, None),)),
        ("SELECT upper(b) FROM v ORDER BY b", (("1",), (b"\xff2",))),
    ],
)
def test_text_that_is_not_utf8_comes_back_as_bytes_in_its_place(
    sql: str,
    expected: tuple[tuple[object, ...], ...],
    build: Build,
    runner: QueryRunner,
    tmp_path: Path,
) -> None:
    path = build(
        tmp_path / "bytes.db",
        "CREATE TABLE v (a, b); INSERT INTO v VALUES (1, '1'), (2, CAST(x'ff32' AS TEXT))",
    )

    assert rows(runner.run(path, sql)) == expected


def test_an_engine_error_is_an_outcome(runner: QueryRunner, small_database: Path) -> None:
    outcome = runner.run(small_database, "SELECT absent FROM people")

    assert outcome == QueryFailure(FailureKind.ERROR, "no such column: absent")


@pytest.mark.parametrize("sql", ["SELECT '\ud800'", "SELECT \udcff", "SELECT '\0'"])
def test_text_that_the_engine_cannot_take_is_an_error(
    sql: str, runner: QueryRunner, small_database: Path
) -> None:
    assert kind(runner.run(small_database, sql)) is FailureKind.ERROR


def test_a_million_rows_are_too_many(runner: QueryRunner, small_database: Path) -> None:
    outcome = runner.run(
        small_database, "SELECT a.n FROM numbers a, numbers b LIMIT 1000000; -- a million"
    )

    assert kind(outcome) is FailureKind.TOO_MANY_ROWS


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
    limits: Limits, expected: FailureKind | None, runner: QueryRunner, small_database: Path
) -> None:
    outcome = runner.run(small_database, "SELECT name FROM people", limits=limits)

    assert getattr(outcome, "kind", None) is expected


def test_column_names_count_as_bytes(runner: QueryRunner, small_database: Path) -> None:
    sql = f'SELECT 1 AS "{"x" * 100}" WHERE 0'

    assert kind(runner.run(small_database, sql, limits=Limits(bytes=99))) is (
        FailureKind.TOO_MANY_BYTES
    )


def test_a_loop_runs_out_of_time_and_the_runner_keeps_working(
    runner: QueryRunner, small_database: Path
) -> None:
    limits = Limits(seconds=0.2)

    assert kind(runner.run(small_database, ENDLESS, limits=limits)) is FailureKind.TIMEOUT
    assert rows(runner.run(small_database, "SELECT count(*) FROM people")) == ((2,),)


def test_an_opcode_that_cannot_be_interrupted_is_killed_from_outside(
    small_database: Path,
) -> None:
    sql = "SELECT instr(hex(zeroblob(20000000)), hex(zeroblob(9000000)) || '1')"
    with QueryRunner(workers=1, limits=Limits(seconds=0.2, grace_seconds=0.2)) as runner:
        runner.run(small_database, "SELECT 1")
        before = runner.worker_ids

        assert kind(runner.run(small_database, sql)) is FailureKind.TIMEOUT
        assert rows(runner.run(small_database, "SELECT 1")) == ((1,),)
        assert runner.worker_ids != before


def test_nothing_survives_from_one_query_to_the_next(
    runner: QueryRunner, small_database: Path
) -> None:
    tight = Limits(rows=1, memory=5_000_000, bytes=1_000)

    assert kind(runner.run(small_database, "SELECT n FROM numbers", limits=tight)) is (
        FailureKind.TOO_MANY_ROWS
    )
    assert len(rows(runner.run(small_database, "SELECT n FROM numbers"))) == 2000


def test_a_killed_idle_worker_is_replaced(small_database: Path) -> None:
    with QueryRunner(workers=1) as runner:
        runner.run(small_database, "SELECT 1")
        (victim,) = runner.worker_ids
        os.kill(victim, signal.SIGKILL)

        assert rows(runner.run(small_database, "SELECT 2")) == ((2,),)
        assert victim not in runner.worker_ids


def test_a_query_whose_worker_was_killed_under_it_is_run_again(small_database: Path) -> None:
    sql = (
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3000000) "
        "SELECT count(*) FROM c"
    )
    with QueryRunner(workers=1) as runner:
        killer = kill_during_query(runner, 1)

        assert rows(runner.run(small_database, sql)) == ((3_000_000,),)
        killer.join()


def test_a_worker_lost_twice_is_said_to_be_lost(small_database: Path) -> None:
    with QueryRunner(workers=1) as runner:
        killer = kill_during_query(runner, 2)

        assert kind(runner.run(small_database, ENDLESS)) is FailureKind.WORKER_LOST
        killer.join()
        assert rows(runner.run(small_database, "SELECT 1")) == ((1,),)


def test_a_worker_ended_for_its_processor_time_is_a_timeout(small_database: Path) -> None:
    def end_it(runner: QueryRunner) -> None:
        ended: set[int] = set()
        while len(ended) < 2:
            for process in set(runner.worker_ids) - ended:
                time.sleep(0.2)
                os.kill(process, signal.SIGXCPU)
                ended.add(process)
            time.sleep(0.01)

    with QueryRunner(workers=1) as runner:
        thread = threading.Thread(target=end_it, args=(runner,), daemon=True)
        thread.start()

        assert kind(runner.run(small_database, ENDLESS)) is FailureKind.TIMEOUT
        thread.join()


class Counting:
    """Progress that remembers."""

    def __init__(self) -> None:
        self.tasks: list[tuple[str, int]] = []
        self.done = 0

    @contextmanager
    def task(self, description: str, total: int) -> Iterator[Task]:
        self.tasks.append((description, total))
        yield self

    def advance(self, count: int = 1) -> None:
        self.done += count


def test_many_queries_keep_their_order_and_equal_ones_run_once(small_database: Path) -> None:
    sqls = [f"SELECT {number % 20}" for number in range(100)]
    sqls[7] = ENDLESS
    sqls[9] = "DELETE FROM people"
    sqls[11] = ENDLESS
    progress = Counting()
    with QueryRunner(workers=2, limits=Limits(seconds=0.2)) as runner:
        outcomes = runner.run_many(
            [(small_database, sql) for sql in sqls], progress=progress, description="all"
        )

    assert kind(outcomes[7]) is FailureKind.TIMEOUT
    assert outcomes[11] is outcomes[7]
    assert kind(outcomes[9]) is FailureKind.REFUSED
    for number, outcome in enumerate(outcomes):
        if number not in (7, 9, 11):
            assert rows(outcome) == ((number % 20,),)
    assert outcomes[0] is outcomes[20]
    assert (progress.tasks, progress.done) == ([("all", 100)], 100)


def test_no_queries_give_no_outcomes(runner: QueryRunner) -> None:
    assert runner.run_many([]) == []


def test_many_queries_on_a_missing_file_say_so(runner: QueryRunner, tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnavailableError, match="no such database"):
        runner.run_many([(tmp_path / "none.db", f"SELECT {number}") for number in range(9)])


def test_a_failure_under_load_is_run_again_with_nothing_beside_it(small_database: Path) -> None:
    with QueryRunner(workers=2, limits=Limits(seconds=0.3)) as runner:
        results: list[Outcome] = []
        threads = [
            threading.Thread(target=lambda sql=sql: results.append(runner.run(small_database, sql)))
            for sql in [ENDLESS, "SELECT 1", ENDLESS + " WHERE 1", "SELECT 2", "SELECT 3"]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(results) == 5
        assert sum(isinstance(outcome, QueryFailure) for outcome in results) == 2
        assert len(runner.worker_ids) <= 2


def test_workers_end_with_the_runner(small_database: Path) -> None:
    runner = QueryRunner(workers=1)
    assert runner.worker_ids == ()
    runner.run(small_database, "SELECT 1")
    (process,) = runner.worker_ids
    runner.close()
    runner.close()

    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    with pytest.raises(WorkerError):
        runner.run(small_database, "SELECT 1")


def test_closing_under_a_query_ends_it(small_database: Path) -> None:
    runner = QueryRunner(workers=1)
    caught: list[BaseException] = []

    def work() -> None:
        try:
            runner.run(small_database, ENDLESS)
        except WorkerError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while not runner.worker_ids:
        time.sleep(0.01)
    runner.close()
    thread.join()

    assert len(caught) == 1


def test_a_worker_ends_when_its_input_does() -> None:
    worker = WorkerProcess()
    assert worker._process.stdin is not None
    worker._process.stdin.close()

    assert worker._process.wait(30) == 0
    worker.discard()


@pytest.mark.parametrize("arguments", [{"seconds": 0}, {"rows": -1}])
def test_limits_are_positive(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        Limits(**arguments)


def test_the_engine_version_is_that_of_the_workers(
    runner: QueryRunner, small_database: Path
) -> None:
    ((version,),) = rows(runner.run(small_database, "SELECT sqlite_version()"))

    assert engine_version(Engine.SQLITE) == f"sqlite {version}"
