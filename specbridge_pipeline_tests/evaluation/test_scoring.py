from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import apsw
import pytest

from specbridge_pipeline.comparison.verdict import VerdictKind
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.errors import UnusableReferenceError, WorkerError
from specbridge_pipeline.evaluation.scoring import ScoredQuery, query_names, score_responses
from specbridge_pipeline.request_sets.records import RequestSet, Side

TOYS = """
    CREATE TABLE toys (child TEXT, kind TEXT);
    INSERT INTO toys VALUES ('ann', 'ball'), ('ann', 'ball'), ('ann', 'kite'), ('bob', 'top');
"""
A = "SELECT child, COUNT(*) AS n FROM toys GROUP BY child"
B = "SELECT child, COUNT(DISTINCT kind) AS n FROM toys GROUP BY child"
WIDE_A = "SELECT 1 AS extra, COUNT(*) AS n, child FROM toys GROUP BY child"


class Engine:
    """Runs queries in memory, and counts how often each was run."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        list(self._connection.execute(TOYS))
        self.runs: Counter[str] = Counter()
        self.failures: dict[str, FailureKind] = {}

    def run_many(self, queries: Sequence[str]) -> list[Outcome]:
        return [self._run(sql) for sql in queries]

    def _run(self, sql: str) -> Outcome:
        self.runs[sql] += 1
        if sql in self.failures:
            return QueryFailure(self.failures[sql], "as it was told")
        names: list[str] = []

        def describe(cursor: apsw.Cursor, *_: object) -> bool:
            names[:] = [column[0] for column in cursor.get_description()]
            return True

        cursor = self._connection.cursor()
        cursor.exec_trace = describe
        try:
            rows = tuple(cursor.execute(sql))
        except apsw.Error as error:
            return QueryFailure(FailureKind.ERROR, str(error))
        return QueryResult(tuple(names), (None,) * len(names), rows, 0.0)


@pytest.fixture
def engine() -> Engine:
    return Engine()


def request_set(name: str = "s", *, a: str = A, b: str = B) -> RequestSet:
    words = "words that are long enough"
    return RequestSet.model_validate(
        {
            "id": name,
            "database": "toys",
            "choice_type": "counting_unit",
            "step_depth": 1,
            "arithmetic_depth": 0,
            "open_request": words,
            "interpretations": {
                side: {"meaning": words, "request": words, "sql": sql}
                for side, sql in (("a", a), ("b", b))
            },
        }
    )


def response(name: str, sql: str, *alternatives: str, problem: str = "") -> dict[str, Any]:
    return {
        "response_id": name,
        "set_id": "s",
        "sql": sql,
        "alternative_sql": list(alternatives),
        "problem": problem,
    }


def score(engine: Engine, *responses: dict[str, Any]) -> list[ScoredQuery]:
    return score_responses(engine.run_many, {"s": request_set()}, responses)


def kinds(scores: Sequence[ScoredQuery]) -> dict[str, VerdictKind]:
    return {each.score_id: each.verdict.kind for each in scores}


def test_every_query_is_scored_against_both_interpretations(engine: Engine) -> None:
    equal, unequal = VerdictKind.EQUAL, VerdictKind.NOT_EQUAL
    assert kinds(score(engine, response("r", A, B, "SELECT 'ann', 1"))) == {
        "r/main/a": equal,
        "r/main/b": unequal,
        "r/alternative_1/a": unequal,
        "r/alternative_1/b": equal,
        "r/alternative_2/a": unequal,
        "r/alternative_2/b": unequal,
    }


def test_the_reference_as_prediction_is_right_and_the_other_one_wrong(engine: Engine) -> None:
    for sql, side in ((A, Side.A), (B, Side.B)):
        found = {each.side: each.verdict.kind for each in score(engine, response("r", sql))}
        assert found == {side: VerdictKind.EQUAL, side.other: VerdictKind.NOT_EQUAL}


@pytest.mark.parametrize(
    "sql", ["", "   \n", "SELECT nothing FROM toys", "SELEKT", "SELECT child FROM toys WHERE"]
)
def test_a_query_that_cannot_run_is_the_models_own_error(sql: str, engine: Engine) -> None:
    scores = score(engine, response("r", sql))
    assert {each.side for each in scores} == set(Side)
    assert {each.verdict.kind for each in scores} == {VerdictKind.CANDIDATE_ERROR}
    assert {each.allowing_columns.kind for each in scores} == {VerdictKind.CANDIDATE_ERROR}
    assert all(each.verdict.reason for each in scores)


def test_a_malformed_reply_is_the_models_own_error_for_both(engine: Engine) -> None:
    scores = score(engine, response("r", "", problem="it holds no JSON object"))
    assert kinds(scores) == {
        "r/main/a": VerdictKind.CANDIDATE_ERROR,
        "r/main/b": VerdictKind.CANDIDATE_ERROR,
    }
    assert {each.verdict.reason for each in scores} == {"malformed reply: it holds no JSON object"}


def test_an_empty_alternative_does_not_spoil_the_others(engine: Engine) -> None:
    found = kinds(score(engine, response("r", A, "", B)))
    assert found["r/main/a"] is found["r/alternative_2/b"] is VerdictKind.EQUAL
    assert found["r/alternative_1/a"] is VerdictKind.CANDIDATE_ERROR


@pytest.mark.parametrize(
    ("failure", "verdict"),
    [
        (FailureKind.REFUSED, VerdictKind.CANDIDATE_ERROR),
        (FailureKind.TIMEOUT, VerdictKind.TIMEOUT),
        (FailureKind.TOO_MANY_ROWS, VerdictKind.TOO_LARGE),
        (FailureKind.TOO_MANY_BYTES, VerdictKind.TOO_LARGE),
    ],
)
def test_a_limit_reached_is_the_models(
    failure: FailureKind, verdict: VerdictKind, engine: Engine
) -> None:
    engine.failures["SELECT 1"] = failure
    assert set(kinds(score(engine, response("r", "SELECT 1"))).values()) == {verdict}


@pytest.mark.parametrize("lost", ["SELECT 1", A, B])
def test_a_lost_worker_is_ours_and_nothing_is_scored(lost: str, engine: Engine) -> None:
    engine.failures[lost] = FailureKind.WORKER_LOST
    with pytest.raises(WorkerError):
        score(engine, response("fine", A, B), response("lost", B, "SELECT 1"))


def test_a_lost_worker_names_the_response(engine: Engine) -> None:
    engine.failures["SELECT 1"] = FailureKind.WORKER_LOST
    with pytest.raises(WorkerError, match=r"response lost.*nothing was scored"):
        score(engine, response("fine", A), response("lost", "SELECT 1"))


def test_the_same_text_runs_once_and_once_more_where_nobody_accepts_it(engine: Engine) -> None:
    right = A.replace("AS n", "AS number")
    scores = score(
        engine,
        response("one", right, "SELECT 2", right),
        response("two", "SELECT 2"),
        response("three", right),
    )
    assert engine.runs[right] == 1
    assert engine.runs["SELECT 2"] == 2
    assert len(scores) == 2 * 5
    assert len({each.score_id for each in scores}) == len(scores)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT random()",
        "SELECT child, random() AS n FROM toys GROUP BY child",
        "SELECT strftime('%Y', 'now') - 1990",
        "SELECT child, CURRENT_DATE FROM toys GROUP BY child",
        # Right today, and not for ever.
        A + " HAVING CURRENT_TIMESTAMP < '2060-01-01'",
    ],
)
def test_a_result_that_is_not_always_the_same_is_nondeterministic(sql: str, engine: Engine) -> None:
    scores = score(engine, response("r", sql), response("fine", A))
    found = {each.score_id: (each.verdict.kind, each.allowing_columns.kind) for each in scores}
    both = (VerdictKind.NONDETERMINISTIC, VerdictKind.NONDETERMINISTIC)
    assert found["r/main/a"] == found["r/main/b"] == both
    assert found["fine/main/a"] == (VerdictKind.EQUAL, VerdictKind.EQUAL)


def test_a_clock_that_changes_nothing_does_no_harm(engine: Engine) -> None:
    sql = A.replace(" GROUP", " WHERE '2001-01-01' < date('now') GROUP")
    assert kinds(score(engine, response("r", sql)))["r/main/a"] is VerdictKind.EQUAL


def test_a_worker_lost_in_the_second_run_is_ours(engine: Engine) -> None:
    def run_many(queries: Sequence[str]) -> list[Outcome]:
        outcomes = engine.run_many(queries)
        lost = QueryFailure(FailureKind.WORKER_LOST, "gone")
        return [lost if engine.runs["SELECT 2"] == 2 else outcome for outcome in outcomes]

    with pytest.raises(WorkerError, match="nothing was scored"):
        score_responses(run_many, {"s": request_set()}, [response("r", "SELECT 2")])


def test_scores_come_in_the_order_of_the_responses(engine: Engine) -> None:
    names = ["z", "a", "m"]
    scores = score(engine, *(response(name, A) for name in names))
    assert [each.response_id for each in scores] == [name for name in names for _ in Side]


def test_extra_columns_count_for_the_second_score_alone(engine: Engine) -> None:
    found = {each.side: each for each in score(engine, response("r", WIDE_A))}
    assert found[Side.A].verdict.kind is VerdictKind.NOT_EQUAL
    assert found[Side.A].allowing_columns.kind is VerdictKind.EQUAL
    assert found[Side.B].allowing_columns.kind is VerdictKind.NOT_EQUAL


def test_a_set_whose_query_does_not_run_is_named(engine: Engine) -> None:
    sets = {"s": request_set(b="SELECT nothing FROM toys")}
    with pytest.raises(UnusableReferenceError, match="set s, interpretation B"):
        score_responses(engine.run_many, sets, [response("r", A)])


def test_nothing_to_score(engine: Engine) -> None:
    assert score(engine) == []
    assert not engine.runs


@pytest.mark.parametrize(
    ("count", "names"),
    [(1, ["main"]), (3, ["main", "alternative_1", "alternative_2"])],
)
def test_names_of_queries(count: int, names: list[str]) -> None:
    assert query_names(count) == names
