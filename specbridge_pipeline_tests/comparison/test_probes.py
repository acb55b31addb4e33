from __future__ import annotations

from functools import partial
from pathlib import Path

import apsw
import pytest

from specbridge_pipeline.comparison.determinacy.findings import Reason
from specbridge_pipeline.comparison.determinacy.probes import probe_determinacy
from specbridge_pipeline.comparison.reference import ReferenceExtension, build_reference
from specbridge_pipeline.comparison.row_groups import RowGroup
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.shuffled_copies import write_shuffled_copy
from specbridge_pipeline.errors import WorkerError


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("probes") / "scores.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute(
        "CREATE TABLE s (id INTEGER PRIMARY KEY, team INT, score INT, ratio REAL);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)"
        "INSERT INTO s SELECT i, i % 7, i % 20, 1.0 / i FROM n"
    )
    connection.close()
    return path


@pytest.fixture(scope="module")
def copies(database: Path) -> list[Path]:
    found = []
    for seed in range(3):
        found.append(database.with_name(f"copy-{seed}.sqlite"))
        write_shuffled_copy(database, found[-1], seed=seed)
    return found


def as_it_came_out(result: Outcome) -> ReferenceExtension:
    """Take what one run gave for all that a query allows, as a scorer without analysis does."""
    assert isinstance(result, QueryResult)
    groups = (RowGroup(result.rows, len(result.rows)),)
    return ReferenceExtension(result.columns, groups, None, "none")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM s ORDER BY score DESC LIMIT 5",
        "SELECT team, AVG(ratio), SUM(ratio) FROM s GROUP BY team",
        "SELECT MIN(score) FROM (SELECT id, score FROM s ORDER BY score DESC LIMIT 5)",
        "SELECT id, RANK() OVER (ORDER BY score) FROM s",
    ],
)
def test_a_determined_reference_agrees_with_all_copies(
    sql: str, database: Path, copies: list[Path]
) -> None:
    with QueryRunner(workers=1) as runner:
        reference = build_reference(partial(runner.run, database), sql)
        assert probe_determinacy(reference, [partial(runner.run, c) for c in copies], sql) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT MIN(id) FROM (SELECT id, score FROM s ORDER BY score DESC LIMIT 5)",
        "SELECT team, id FROM s GROUP BY team",
        "SELECT GROUP_CONCAT(id) FROM s",
        "SELECT id, ROW_NUMBER() OVER (ORDER BY score) FROM s",
    ],
)
def test_a_copy_shows_what_is_open(sql: str, database: Path, copies: list[Path]) -> None:
    with QueryRunner(workers=1) as runner:
        reference = as_it_came_out(runner.run(database, sql))
        finding = probe_determinacy(reference, [partial(runner.run, c) for c in copies], sql)
    assert finding is not None
    assert finding.reason is Reason.SHUFFLED_COPY
    assert "shuffled copy" in finding.explanation


@pytest.mark.parametrize("kind", [FailureKind.TOO_MANY_STEPS, FailureKind.TIMEOUT])
def test_what_is_too_slow_without_indexes_is_undecided(kind: FailureKind, database: Path) -> None:
    sql = "SELECT COUNT(*) FROM s"
    with QueryRunner(workers=1) as runner:
        reference = build_reference(partial(runner.run, database), sql)
    finding = probe_determinacy(reference, [lambda _: QueryFailure(kind, "too slow")], sql)
    assert finding is not None
    assert finding.reason is Reason.UNDECIDED
    assert "too slow" in finding.explanation


def test_a_lost_worker_says_nothing(database: Path) -> None:
    sql = "SELECT COUNT(*) FROM s"
    with QueryRunner(workers=1) as runner:
        reference = build_reference(partial(runner.run, database), sql)

    def lost(_: str) -> Outcome:
        return QueryFailure(FailureKind.WORKER_LOST, "gone")

    with pytest.raises(WorkerError):
        probe_determinacy(reference, [lost], sql)
