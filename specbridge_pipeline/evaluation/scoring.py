"""Scoring by execution: every query of a response against both interpretations of its set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from specbridge_pipeline.comparison.column_mapping import compare_allowing_columns
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.repeats import find_varying, nondeterministic
from specbridge_pipeline.comparison.verdict import Verdict, VerdictKind, compare
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.many_queries import AT_ONCE, for_each
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.errors import WorkerError
from specbridge_pipeline.request_sets.checks import references
from specbridge_pipeline.request_sets.records import RequestSet, Side

MAIN = "main"

FAILED = frozenset({VerdictKind.CANDIDATE_ERROR, VerdictKind.TIMEOUT, VerdictKind.TOO_LARGE})
"""Verdicts of a query that gave no result: it does not run."""


@dataclass(frozen=True, slots=True)
class ScoredQuery:
    """A query of a response, and what it is worth for one interpretation.

    Attributes:
        response_id: The response.
        query: main, alternative_1 or alternative_2.
        side: The interpretation.
        verdict: The verdict by position of columns.
        allowing_columns: The verdict that allows extra or reordered columns.
    """

    response_id: str
    query: str
    side: Side
    verdict: Verdict
    allowing_columns: Verdict

    @property
    def score_id(self) -> str:
        """The key of its row."""
        return f"{self.response_id}/{self.query}/{self.side}"


def query_names(count: int) -> list[str]:
    """Return the names of a response's queries: main first, then alternative_1 and on."""
    return [MAIN, *(f"alternative_{number}" for number in range(1, count))]


def score_responses(
    run_many: Callable[[Sequence[str]], Sequence[Outcome]],
    sets: Mapping[str, RequestSet],
    responses: Sequence[Mapping[str, Any]],
    engine: Engine = Engine.SQLITE,
    *,
    run_reference: Callable[[str], Outcome] | None = None,
) -> list[ScoredQuery]:
    """Run every query of some responses and compare it with both interpretations of its set.

    A query that reads the clock, or that neither interpretation of a set accepts, is run again:
    one whose result is not always the same is nondeterministic for both.

    Args:
        run_many: Runs queries on the one database that all the sets are on; keeps their order.
        sets: The sets by id.
        responses: Rows of the stage `responses`.
        engine: The engine of the sets' database.
        run_reference: Runs a query that serves to know a set's references, from several threads
            at a time; by default `run_many` does.

    Returns:
        One score a query and interpretation, in the order of the responses.

    Raises:
        UnusableReferenceError: A set's query does not determine its result.
        WorkerError: A query could not be run for a reason of ours; nothing is scored then.
    """

    def run(sql: str) -> Outcome:
        return run_many([sql])[0]

    needed = sorted({response["set_id"] for response in responses})
    extensions = dict(
        for_each(
            needed,
            lambda name: [(name, references(run_reference or run, sets[name], engine))],
            description="references",
            progress=None,
            at_once=AT_ONCE if run_reference is not None else 1,
        )
    )
    queries = [(response, _queries(response)) for response in responses]
    texts = sorted({sql for _, listed in queries for sql in listed if sql.strip()})
    outcomes = dict(zip(texts, run_many(texts), strict=True))
    scores: list[tuple[str, tuple[ScoredQuery, ...]]] = []
    for response, listed in queries:
        request_set = sets[response["set_id"]]
        for name, sql in zip(query_names(len(listed)), listed, strict=True):
            outcome = outcomes.get(sql) or _nothing_to_run(response)
            of_sides = tuple(
                _score(
                    response,
                    name,
                    side,
                    extensions[request_set.id][side],
                    outcome,
                    ordered=request_set.ordered,
                )
                for side in Side
            )
            scores.append((sql, of_sides))
    refused = {sql for sql, of_sides in scores if not _accepted(of_sides)}
    varying = find_varying(run_many, outcomes, outcomes.keys() - refused, engine)
    return [
        _varies(score, varying[sql]) if sql in varying else score
        for sql, of_sides in scores
        for score in of_sides
    ]


def _accepted(of_sides: Sequence[ScoredQuery]) -> bool:
    return any(score.verdict.kind is VerdictKind.EQUAL for score in of_sides)


def _varies(score: ScoredQuery, reason: str) -> ScoredQuery:
    verdict = nondeterministic(reason)
    return replace(score, verdict=verdict, allowing_columns=verdict)


def _queries(response: Mapping[str, Any]) -> list[str]:
    return [response["sql"], *response["alternative_sql"]]


def _nothing_to_run(response: Mapping[str, Any]) -> QueryFailure:
    problem = response["problem"]
    return QueryFailure(
        FailureKind.ERROR, f"malformed reply: {problem}" if problem else "the reply has no SQL"
    )


def _score(
    response: Mapping[str, Any],
    query: str,
    side: Side,
    reference: ReferenceExtension,
    outcome: Outcome,
    *,
    ordered: bool,
) -> ScoredQuery:
    verdict = compare(reference, outcome, ordered=ordered)
    if verdict.kind is VerdictKind.INFRASTRUCTURE:
        raise WorkerError(
            f"a query could not be run: {verdict.reason}",
            where=f"response {response['response_id']}",
            advice="run again; nothing was scored",
        )
    relaxed = verdict
    if verdict.kind is not VerdictKind.EQUAL and isinstance(outcome, QueryResult):
        relaxed = compare_allowing_columns(reference, outcome)
    return ScoredQuery(response["response_id"], query, side, verdict, relaxed)
