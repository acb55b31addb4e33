from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
import yaml

from specbridge_pipeline.comparison.determinacy.analysis import determinacy, open_on_data
from specbridge_pipeline.comparison.determinacy.chance_and_clock import chance_or_clock
from specbridge_pipeline.comparison.determinacy.findings import Reason
from specbridge_pipeline.comparison.reference import build_reference
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.errors import UndeterminedReferenceError, WorkerError

MakeRunner = Callable[[str], Callable[[str], Outcome]]
FILE = Path(__file__).with_name("determinacy_cases.yaml")
DATA = yaml.safe_load(FILE.read_text(encoding="utf-8"))


def named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.mark.parametrize("case", named(DATA["cases"]))
def test_finding(case: dict[str, Any], make_runner: MakeRunner) -> None:
    finding = determinacy(make_runner(DATA["data"][case["data"]]), case["sql"])
    if case["finding"] == "determined":
        assert finding is None
        return
    assert finding is not None
    prefix = "order: " if finding.order_only else ""
    assert f"{prefix}{finding.reason}" == case["finding"], finding.explanation


def test_every_reason_that_data_can_give_has_a_case() -> None:
    seen = {case["finding"].removeprefix("order: ") for case in DATA["cases"]}
    # DuckDB alone has functions that take any value, and probes are no analysis.
    assert seen == {*Reason, "determined"} - {Reason.ANY_VALUE, Reason.SHUFFLED_COPY}


def test_a_reference_carries_the_reason(make_runner: MakeRunner) -> None:
    run = make_runner(DATA["data"]["tied"])
    with pytest.raises(UndeterminedReferenceError, match="does not determine") as caught:
        build_reference(run, "SELECT name, ROW_NUMBER() OVER (ORDER BY score) FROM s")
    assert caught.value.reason == Reason.ROW_NUMBER_TIES


def test_an_order_that_is_open_leaves_a_reference_without_one(make_runner: MakeRunner) -> None:
    run = make_runner(DATA["data"]["tied"])
    reference = build_reference(run, "SELECT team FROM s GROUP BY team ORDER BY name")
    assert reference.exact
    assert reference.ordered_blocks is None
    assert "differs within a group" in (reference.order_problem or "")
    assert build_reference(run, "SELECT team FROM s GROUP BY team ORDER BY team").ordered_blocks


def test_keys_that_distinct_can_carry_order_a_reference(make_runner: MakeRunner) -> None:
    run = make_runner(DATA["data"]["clear"])
    cut = build_reference(run, "SELECT DISTINCT team FROM t ORDER BY founded LIMIT 1")
    assert [group.rows for group in cut.groups] == [(("red",),)]
    whole = build_reference(run, "SELECT DISTINCT team FROM t ORDER BY founded DESC")
    assert [block.rows for block in whole.ordered_blocks or ()] == [(("blue",),), (("red",),)]
    lost = build_reference(run, "SELECT DISTINCT team FROM s ORDER BY score")
    assert lost.ordered_blocks is None


def test_nothing_is_asked_about_a_plain_query(make_runner: MakeRunner) -> None:
    asked: list[str] = []
    run = make_runner(DATA["data"]["clear"])

    def counting(sql: str) -> Outcome:
        asked.append(sql)
        return run(sql)

    assert determinacy(counting, "SELECT name FROM s WHERE score > 5 ORDER BY name") is None
    assert determinacy(counting, "SELECT COUNT(*) FROM s") is None
    assert asked == []


def test_what_is_not_written_back_as_it_was_is_undecided(make_runner: MakeRunner) -> None:
    run = make_runner(DATA["data"]["clear"])
    sql = "SELECT name  FROM s LIMIT 4"

    def meddled(text: str) -> Outcome:
        outcome = run(text)
        if text == sql and isinstance(outcome, QueryResult):
            return QueryResult(outcome.columns, outcome.declared_types, outcome.rows[1:], 0.0)
        return outcome

    finding = determinacy(meddled, sql)
    assert finding is not None
    assert finding.reason is Reason.UNDECIDED


@pytest.mark.parametrize("kind", [FailureKind.ERROR, FailureKind.TOO_MANY_STEPS])
def test_what_cannot_be_asked_is_undecided(kind: FailureKind, make_runner: MakeRunner) -> None:
    run = make_runner(DATA["data"]["clear"])

    def failing(text: str) -> Outcome:
        return QueryFailure(kind, "words") if "specbridge_" in text else run(text)

    for case in DATA["cases"]:
        if case["data"] == "clear":
            finding = determinacy(failing, case["sql"])
            assert finding is None or finding.reason in (
                Reason.UNDECIDED,
                Reason.RANDOM_FUNCTION,
            ), case["name"]


def test_a_lost_worker_says_nothing(make_runner: MakeRunner) -> None:
    run = make_runner(DATA["data"]["clear"])

    def losing(text: str) -> Outcome:
        lost = "specbridge_" in text
        return QueryFailure(FailureKind.WORKER_LOST, "gone") if lost else run(text)

    with pytest.raises(WorkerError):
        determinacy(losing, "SELECT name FROM s LIMIT 2")


DUCKDB_FILE = FILE.with_name("determinacy_duckdb_cases.yaml")
DUCKDB = yaml.safe_load(DUCKDB_FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", named(DUCKDB["cases"]))
def test_finding_with_duckdb(case: dict[str, Any]) -> None:
    connection = duckdb.connect()
    connection.execute(DUCKDB["data"][case["data"]])

    def run(sql: str) -> Outcome:
        try:
            cursor = connection.execute(sql)
        except duckdb.Error as error:
            return QueryFailure(FailureKind.ERROR, str(error))
        names = tuple(column[0] for column in cursor.description or ())
        return QueryResult(names, (None,) * len(names), tuple(cursor.fetchall()), 0.0)

    query = sqlglot.parse_one(case["sql"], read="duckdb")
    assert isinstance(query, sqlglot.exp.Query)
    finding = chance_or_clock(query, "duckdb") or open_on_data(run, case["sql"], query, "duckdb")
    found = "determined" if finding is None else finding.reason
    assert found == case["finding"], finding
