from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from specbridge_pipeline.comparison.column_mapping import compare_allowing_columns
from specbridge_pipeline.comparison.disjointness import disjoint
from specbridge_pipeline.comparison.reference import build_reference
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.errors import UnusableReferenceError, WorkerError

MakeRunner = Callable[[str], Callable[[str], Outcome]]
DATA = yaml.safe_load(Path(__file__).with_name("verdict_cases.yaml").read_text(encoding="utf-8"))


def named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.mark.parametrize("case", named(DATA["cases"]))
def test_verdict(case: dict[str, Any], make_runner: MakeRunner) -> None:
    run = make_runner(DATA["setups"][case["setup"]])
    reference = build_reference(run, case["reference"])
    candidate = run(case["candidate"])
    verdict = compare(reference, candidate, ordered=case.get("ordered", False))
    assert verdict.kind == case["verdict"], verdict
    assert case.get("reason", "") in verdict.reason
    if "by_columns" in case:
        assert compare_allowing_columns(reference, candidate).kind == case["by_columns"]


@pytest.mark.parametrize("case", named(DATA["cases"]))
def test_every_reference_accepts_itself(case: dict[str, Any], make_runner: MakeRunner) -> None:
    run = make_runner(DATA["setups"][case["setup"]])
    reference = build_reference(run, case["reference"])
    itself = run(case["reference"])
    assert compare(reference, itself).kind is VerdictKind.EQUAL
    assert compare_allowing_columns(reference, itself).kind is VerdictKind.EQUAL
    if reference.ordered_blocks is not None:
        assert compare(reference, itself, ordered=True).kind is VerdictKind.EQUAL
    assert not disjoint(reference, reference).disjoint


@pytest.mark.parametrize("case", named(DATA["unusable"]))
def test_unusable_references(case: dict[str, Any], make_runner: MakeRunner) -> None:
    run = make_runner(DATA["setups"][case["setup"]])
    with pytest.raises(UnusableReferenceError, match=case["reason"]):
        build_reference(run, case["reference"])


@pytest.mark.parametrize(
    ("failure", "verdict"),
    [
        (FailureKind.ERROR, VerdictKind.CANDIDATE_ERROR),
        (FailureKind.REFUSED, VerdictKind.CANDIDATE_ERROR),
        (FailureKind.TIMEOUT, VerdictKind.TIMEOUT),
        (FailureKind.TOO_MANY_ROWS, VerdictKind.TOO_LARGE),
        (FailureKind.TOO_MANY_BYTES, VerdictKind.TOO_LARGE),
        (FailureKind.WORKER_LOST, VerdictKind.INFRASTRUCTURE),
    ],
)
def test_failures(failure: FailureKind, verdict: VerdictKind, make_runner: MakeRunner) -> None:
    reference = build_reference(make_runner(""), "SELECT 1")
    assert compare(reference, QueryFailure(failure, "words")).kind is verdict


def test_a_lost_worker_says_nothing_about_a_reference() -> None:
    def run(_: str) -> Outcome:
        return QueryFailure(FailureKind.WORKER_LOST, "gone")

    with pytest.raises(WorkerError):
        build_reference(run, "SELECT 1")


def test_a_rewriting_that_gives_other_rows_is_not_trusted(make_runner: MakeRunner) -> None:
    run = make_runner("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2), (3)")

    def meddled(sql: str) -> Outcome:
        outcome = run(sql)
        if "specbridge_body" not in sql or not isinstance(outcome, QueryResult):
            return outcome
        rows = tuple((row[0] + 10, *row[1:]) for row in outcome.rows)  # type: ignore[operator]
        return QueryResult(outcome.columns, outcome.declared_types, rows, 0.0)

    with pytest.raises(UnusableReferenceError, match="do not agree with its rewriting"):
        build_reference(meddled, "SELECT a FROM t ORDER BY a LIMIT 2")


def test_only_the_neighbourhood_of_the_cut_is_fetched(make_runner: MakeRunner) -> None:
    run = make_runner(
        "CREATE TABLE t (a INT);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
        "INSERT INTO t SELECT i FROM n"
    )

    def capped(sql: str) -> Outcome:
        outcome = run(sql)
        if isinstance(outcome, QueryResult) and len(outcome.rows) > 2000:
            return QueryFailure(FailureKind.TOO_MANY_ROWS, "over the cap")
        return outcome

    reference = build_reference(capped, "SELECT a FROM t ORDER BY a LIMIT 3")
    assert reference.exact
    assert reference.row_count == 3
    with pytest.raises(UnusableReferenceError, match="too_many_rows"):
        build_reference(capped, "SELECT a FROM t ORDER BY a > 19000 LIMIT 3")


def test_float_keys_tie_within_tolerance(make_runner: MakeRunner) -> None:
    run = make_runner(
        "CREATE TABLE t (a TEXT, k REAL);"
        "INSERT INTO t VALUES ('x', 0.1 + 0.2), ('y', 0.3), ('z', 0.4)"
    )
    reference = build_reference(run, "SELECT a FROM t ORDER BY k LIMIT 1")
    assert not reference.exact
    for name, kind in (("x", "equal"), ("y", "equal"), ("z", "not_equal")):
        assert compare(reference, run(f"SELECT '{name}'")).kind == kind


def test_noise_in_a_key_beside_a_later_key_is_undecided_only_at_the_cut(
    make_runner: MakeRunner,
) -> None:
    run = make_runner(
        "CREATE TABLE t (a TEXT, k REAL, l INT);"
        "INSERT INTO t VALUES ('p', 0.3, 0), ('q', 0.3, 1), ('r', 0.1 + 0.2, 0), ('s', 0.4, 0)"
    )
    with pytest.raises(UnusableReferenceError, match="a later key orders"):
        build_reference(run, "SELECT a FROM t ORDER BY k, l LIMIT 2")
    reference = build_reference(run, "SELECT a FROM t ORDER BY k, l LIMIT 3")
    same = run("SELECT a FROM t ORDER BY k, l LIMIT 3")
    assert reference.exact
    assert compare(reference, same).kind is VerdictKind.EQUAL
    assert compare(reference, same, ordered=True).kind is VerdictKind.UNDECIDED


def test_a_margin_full_of_near_ties_is_undecided(make_runner: MakeRunner) -> None:
    run = make_runner(
        "CREATE TABLE t (a INT, k REAL);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)"
        "INSERT INTO t SELECT i, 1.0 + i * 1e-14 FROM n"
    )
    with pytest.raises(UnusableReferenceError, match="undecided"):
        build_reference(run, "SELECT a FROM t ORDER BY k LIMIT 1")


def test_reasons_are_short(make_runner: MakeRunner) -> None:
    run = make_runner("")
    reference = build_reference(run, "SELECT 1")
    candidate = run("SELECT printf('%.*c', 5000, 'x')")
    assert len(compare(reference, candidate).reason) < 300
