from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.remembered_outcomes import RememberedOutcomes
from specbridge_pipeline.databases.results import Outcome, QueryFailure
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline_tests.support.outcomes import rows


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "things.sqlite"
    change(path, "CREATE TABLE t AS SELECT 1 AS x")
    return path


def change(path: Path, sql: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


class CountingRunner(QueryRunner):
    """A real runner that counts what it runs."""

    ran = 0

    def run(self, path: Path, sql: str, *, limits: Limits | None = None) -> Outcome:
        self.ran += 1
        return super().run(path, sql, limits=limits)


def test_a_query_runs_once_on_a_file_that_stays_as_it_is(database: Path) -> None:
    remembered = RememberedOutcomes()
    with CountingRunner(workers=1) as runner:
        for _ in range(3):
            assert rows(remembered.run(runner, database, "SELECT x FROM t")) == ((1,),)
        assert runner.ran == 1


def test_a_changed_file_is_read_again(database: Path) -> None:
    remembered = RememberedOutcomes()
    with QueryRunner(workers=1) as runner:
        assert rows(remembered.run(runner, database, "SELECT x FROM t")) == ((1,),)
        change(
            database,
            "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
            "INSERT INTO t SELECT i FROM n",
        )
        assert len(rows(remembered.run(runner, database, "SELECT x FROM t"))) == 5_000


def test_a_failure_and_a_large_result_are_not_kept(database: Path) -> None:
    remembered = RememberedOutcomes(cells=2)
    three = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"
    with CountingRunner(workers=1) as runner:
        for _ in range(2):
            assert isinstance(remembered.run(runner, database, "SELECT y FROM t"), QueryFailure)
            assert len(rows(remembered.run(runner, database, three))) == 3
        assert runner.ran == 4


def test_under_other_limits_a_query_runs_again(database: Path) -> None:
    remembered = RememberedOutcomes()
    with (
        CountingRunner(workers=1) as runner,
        CountingRunner(workers=1, limits=Limits(rows=1)) as strict,
    ):
        remembered.run(runner, database, "SELECT x FROM t")
        remembered.run(strict, database, "SELECT x FROM t")
        assert (runner.ran, strict.ran) == (1, 1)


def test_the_results_used_longest_ago_go_first(database: Path) -> None:
    remembered = RememberedOutcomes(results=2)
    with CountingRunner(workers=1) as runner:
        for number in (1, 2, 1, 3, 1, 2):
            assert rows(remembered.run(runner, database, f"SELECT {number}")) == ((number,),)
        assert runner.ran == 4
