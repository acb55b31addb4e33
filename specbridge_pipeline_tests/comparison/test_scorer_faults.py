"""What other scorers get wrong and this one gets right, by running both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from specbridge_pipeline.comparison.statements import compare_statements
from specbridge_pipeline.comparison.verdict import VerdictKind
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline_tests.support.other_scorers import RULES, rows_of
from specbridge_pipeline_tests.support.scorer_faults import (
    PAGE,
    FaultCase,
    read_cases,
    with_table,
)

CASES = [pytest.param(case, id=case.name) for case in read_cases()]
CHECKED = [param for param in CASES if param.values[0].checked]


@pytest.fixture(scope="module")
def runner() -> Iterator[QueryRunner]:
    with QueryRunner(workers=1, limits=Limits(steps=300_000)) as runner:
        yield runner


def database_file(case: FaultCase, folder: Path) -> Path:
    path = folder / "case.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute(case.setup)
    connection.close()
    return path


@pytest.mark.parametrize("case", CASES)
def test_this_scorer_is_right(case: FaultCase, runner: QueryRunner, tmp_path: Path) -> None:
    path = database_file(case, tmp_path)
    before = path.read_bytes()
    try:
        found = compare_statements(
            lambda sql: runner.run(path, sql), case.reference, case.candidate, ordered=case.ordered
        )
        verdict = found.verdict.kind.value
    except UnusableReferenceError:
        verdict = "no_reference"
    assert verdict == case.verdict
    assert path.read_bytes() == before


@pytest.mark.parametrize("case", CHECKED)
def test_the_others_are_wrong_where_the_file_says_so_and_nowhere_else(case: FaultCase) -> None:
    right = case.verdict == VerdictKind.EQUAL
    wrong = {
        name: "accepts" if accepts else "rejects"
        for name, accepts in case.verdicts_of_others().items()
        if accepts is not right
    }
    assert wrong == case.wrong


def test_each_scorer_and_each_case_counts() -> None:
    cases = read_cases()
    assert len(cases) >= 30
    assert len({case.name for case in cases}) == len(cases)
    assert all(case.wrong and case.why for case in cases)
    times = Counter(name for case in cases if case.checked for name in case.wrong)
    assert times.keys() == RULES.keys()
    assert min(times.values()) >= 4


def test_a_prediction_that_drops_a_table_empties_the_database_of_the_others() -> None:
    [case] = [case for case in read_cases() if case.candidate == "DROP TABLE racer"]
    database = case.database()
    assert rows_of(database, "SELECT name FROM racer")
    assert RULES["spider"](database, case.reference, case.candidate, False)
    assert rows_of(database, "SELECT name FROM racer") is None


def test_the_table_in_the_documentation_is_current() -> None:
    page = PAGE.read_text("utf-8")
    assert with_table(page) == page
