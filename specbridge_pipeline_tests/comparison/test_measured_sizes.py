"""What was added up to make a float decides how far it reaches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
import yaml

from specbridge_pipeline.comparison.reference import build_reference
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.results import Outcome, QueryFailure, QueryResult
from specbridge_pipeline_tests.support.in_process_engine import runner_on

CASES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("measured_sizes.yaml").read_text()
)


def engine(rows: list[list[Any]]) -> Callable[[str], Outcome]:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (k TEXT, x REAL, y REAL)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    return runner_on(connection)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_how_far_a_float_reaches(case: dict[str, Any]) -> None:
    run = engine(case["rows"])
    reference = build_reference(run, case["reference"])
    original = run(case["reference"])
    assert not isinstance(original, QueryFailure)
    first, *others = original.rows

    def verdict(off: float) -> VerdictKind:
        value = first[-1]
        assert isinstance(value, float)
        rows = ((*first[:-1], value + off), *others)
        return compare(
            reference, QueryResult(original.columns, original.declared_types, rows, 0.0)
        ).kind

    assert {off: verdict(off) for off in case["equal"]} == dict.fromkeys(
        case["equal"], VerdictKind.EQUAL
    )
    assert {off: verdict(off) for off in case["unequal"]} == dict.fromkeys(
        case["unequal"], VerdictKind.NOT_EQUAL
    )


def test_keys_that_differ_by_the_noise_of_their_sums_are_tied() -> None:
    run = engine([["a", 0.1, 0.3], ["a", 0.2, 0.0], ["b", 0.3, 0.3], ["c", 0.1, 0.9]])
    sql = "SELECT k FROM t GROUP BY k ORDER BY SUM(x) - SUM(y) DESC LIMIT 1"
    reference = build_reference(run, sql)
    for name in "ab":
        found = QueryResult(("k",), (None,), ((name,),), 0.0)
        assert compare(reference, found).kind is VerdictKind.EQUAL
    assert compare(reference, QueryResult(("k",), (None,), (("c",),), 0.0)).kind is (
        VerdictKind.NOT_EQUAL
    )
