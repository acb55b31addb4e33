from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.comparison.reference import build_reference
from specbridge_pipeline.comparison.side_by_side import side_by_side
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.results import Outcome, QueryResult, Row

MakeRunner = Callable[[str], Callable[[str], Outcome]]
DATA = yaml.safe_load(Path(__file__).with_name("verdict_cases.yaml").read_text(encoding="utf-8"))
CASES = [pytest.param(case, id=case["name"]) for case in DATA["cases"]]


@pytest.mark.parametrize("case", CASES)
def test_differences_are_shown_where_rows_differ_and_nowhere_else(
    case: dict[str, Any], make_runner: MakeRunner
) -> None:
    run = make_runner(DATA["setups"][case["setup"]])
    reference = build_reference(run, case["reference"])
    candidate = run(case["candidate"])
    if not isinstance(candidate, QueryResult):
        return
    ordered = case.get("ordered", False)
    verdict = compare(reference, candidate, ordered=ordered).kind
    if verdict is VerdictKind.UNDECIDED:
        return
    found = side_by_side(reference, candidate, ordered=ordered)
    if len(reference.columns) == len(candidate.columns):
        assert bool(found.extra or found.missing) is (verdict is not VerdictKind.EQUAL)
        assert found.extra - found.missing == len(candidate.rows) - reference.row_count
    for row in found.rows:
        assert row.reference is not None or row.candidate is not None
        if row.candidate is not None:
            assert row.place is not None
            assert candidate.rows[row.place - 1] == row.candidate
        for column in row.columns:
            assert row.reference is not None
            assert row.candidate is not None
            assert repr(row.reference[column]) != repr(row.candidate[column])


def result(rows: tuple[Row, ...]) -> QueryResult:
    return QueryResult(("a", "b"), (None, None), rows, 0.0)


CELLS = st.sampled_from([None, 0, 1, "a", "1"])
ROWS = st.lists(st.tuples(CELLS, CELLS), max_size=6).map(tuple)


@settings(deadline=None)
@given(ours=ROWS, theirs=ROWS)
def test_what_is_left_on_each_side_is_the_difference_of_the_bags(
    ours: tuple[Row, ...], theirs: tuple[Row, ...]
) -> None:
    reference = build_reference(lambda _: result(ours), "SELECT a, b FROM t")
    found = side_by_side(reference, result(theirs), ordered=False)
    assert Counter(row.candidate for row in found.rows if row.candidate is not None) == Counter(
        theirs
    ) - Counter(ours)
    assert Counter(row.reference for row in found.rows if row.reference is not None) == Counter(
        ours
    ) - Counter(theirs)


def test_noise_is_no_difference(make_runner: MakeRunner) -> None:
    run = make_runner("CREATE TABLE t (n INT); INSERT INTO t VALUES (1), (2), (3)")
    reference = build_reference(run, "SELECT n, n / 10.0 AS v FROM t")
    candidate = run("SELECT n, CASE n WHEN 2 THEN 5 ELSE n * 0.1 + 1e-14 END AS v FROM t")
    assert isinstance(candidate, QueryResult)
    found = side_by_side(reference, candidate, ordered=False)
    assert (found.extra, found.missing) == (1, 1)
    assert [(row.place, row.columns) for row in found.rows] == [(2, (1,))]


def test_a_row_stands_beside_the_nearest(make_runner: MakeRunner) -> None:
    run = make_runner("CREATE TABLE t (a, b, c); INSERT INTO t VALUES (1, 2, 3), (4, 5, 6)")
    reference = build_reference(run, "SELECT a, b, c FROM t")
    candidate = run("SELECT a, b + (a = 1), c FROM t WHERE a = 1 UNION ALL SELECT 4, 5, 7")
    assert isinstance(candidate, QueryResult)
    found = side_by_side(reference, candidate, ordered=False)
    pairs = [(row.reference, row.candidate, row.columns) for row in found.rows]
    assert pairs == [((1, 2, 3), (1, 3, 3), (1,)), ((4, 5, 6), (4, 5, 7), (2,))]


def test_no_more_rows_than_wanted(make_runner: MakeRunner) -> None:
    run = make_runner("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3), (4)")
    reference = build_reference(run, "SELECT a FROM t")
    candidate = run("SELECT a + 10 FROM t")
    assert isinstance(candidate, QueryResult)
    found = side_by_side(reference, candidate, ordered=False, most=2)
    assert (len(found.rows), found.extra, found.missing) == (2, 4, 4)
