"""The stages of evaluation as functions from rows to rows, for one database and one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.evaluation.context import DatabaseContext
from specbridge_pipeline.evaluation.judging import Judge, JudgeCase
from specbridge_pipeline.evaluation.methods import explained, imported
from specbridge_pipeline.evaluation.responses import Response
from specbridge_pipeline.evaluation.scoring import score_responses
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import FIRST_ROUND, ModelReply
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet

AS_WRITTEN = "as_written"
"""The variant in which requests are put to a model in the words of their set."""

METHODS: Mapping[str, ModuleType] = {explained.NAME: explained}
"""Answering methods by name."""

Row = dict[str, Any]


def answering_method(name: str) -> ModuleType:
    """Return an answering method by name.

    Raises:
        ConfigurationError: There is none of that name.
    """
    if name not in METHODS:
        raise ConfigurationError(
            f"there is no answering method '{name}'", advice=f"methods: {', '.join(METHODS)}"
        )
    return METHODS[name]


def response_reader(method: str) -> Callable[[Sequence[ModelReply]], Response]:
    """Return how the responses of a method are read again from their archived replies.

    Raises:
        ConfigurationError: There is no such method.
    """
    if method == imported.NAME:
        return imported.read_response
    reader: Callable[[Sequence[ModelReply]], Response] = answering_method(method).read_response
    return reader


def response_rows(
    gateway: Gateway,
    entry: ModelEntry,
    context: DatabaseContext,
    sets: Sequence[RequestSet],
    *,
    edition: str,
    method: str,
    rounds: Sequence[str],
) -> list[Row]:
    """Have a model answer the three requests of every set on one database, in every round.

    Args:
        gateway: How models are asked.
        entry: The model.
        context: The database.
        sets: The sets on it.
        edition: Their edition.
        method: The answering method.
        rounds: The rounds that the model has.

    Returns:
        Rows of `responses`.

    Raises:
        MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
    """
    if entry.imported is not None:
        return _imported_rows(gateway, entry, context.database, sets, edition)
    rows = []
    asked = [(each, kind) for each in sets for kind in RequestKind]
    for round in rounds:
        responses = answering_method(method).answer(
            gateway,
            entry,
            context,
            [each.request(kind) for each, kind in asked],
            round=round,
            where=f"{context.database}, round {round}",
        )
        for (each, kind), response in zip(asked, responses, strict=True):
            rows.append(response_row(each, kind, response, entry.id, edition, method, round))
    return rows


def _imported_rows(
    gateway: Gateway,
    entry: ModelEntry,
    database: str,
    sets: Sequence[RequestSet],
    edition: str,
) -> list[Row]:
    """Return the responses of an imported respondent; a request without a reply has none."""
    asked = [(each, kind) for each in sets for kind in RequestKind]
    responses = imported.answers(gateway.archive, entry, asked, where=database)
    return [
        response_row(each, kind, response, entry.id, edition, imported.NAME, FIRST_ROUND)
        for (each, kind), response in zip(asked, responses, strict=True)
        if response is not None
    ]


def response_row(
    each: RequestSet,
    kind: RequestKind,
    response: Response,
    model: str,
    edition: str,
    method: str,
    round: str,
) -> Row:
    """Return a response as a row of `responses`.

    Args:
        each: The set.
        kind: Which of its requests was answered.
        response: The response.
        model: Who answered.
        edition: The set's edition.
        method: How it was asked.
        round: The round of evaluation.
    """
    return {
        "response_id": f"{each.id}/{kind}/{model}/{method}/{round}/{AS_WRITTEN}",
        "edition": edition,
        "set_id": each.id,
        "database": each.database,
        "model": model,
        "method": method,
        "round": round,
        "variant": AS_WRITTEN,
        "request_kind": kind.value,
        "sql": response.sql,
        "alternative_sql": [other.sql for other in response.alternatives],
        "alternative_interpretations": [other.interpretation for other in response.alternatives],
        "explanation": response.explanation,
        "problem": response.problem,
        "calls": list(response.calls),
    }


def score_rows(
    run_many: Callable[[Sequence[str]], Sequence[Outcome]],
    sets: Sequence[RequestSet],
    responses: Sequence[Row],
    engine: Engine = Engine.SQLITE,
    *,
    run_reference: Callable[[str], Outcome] | None = None,
) -> list[Row]:
    """Score responses by execution.

    Args:
        run_many: Runs queries on the sets' database.
        sets: The sets.
        responses: Rows of `responses`.
        engine: The engine of the sets' database.
        run_reference: As for `score_responses`.

    Returns:
        Rows of `scores`.

    Raises:
        UnusableReferenceError, WorkerError: As `score_responses`.
    """
    origin = {row["response_id"]: _origin(row) for row in responses}
    return [
        {
            "score_id": score.score_id,
            "response_id": score.response_id,
            **origin[score.response_id],
            "query": score.query,
            "interpretation": score.side.value,
            "verdict": score.verdict.kind.value,
            "reason": score.verdict.reason,
            "allowing_columns": score.allowing_columns.kind.value,
        }
        for score in score_responses(
            run_many,
            {each.id: each for each in sets},
            responses,
            engine,
            run_reference=run_reference,
        )
    ]


def judgement_rows(
    judge: Judge, sets: Sequence[RequestSet], responses: Sequence[Row], *, where: str
) -> list[Row]:
    """Judge what responses say in words.

    Args:
        judge: Who judges.
        sets: The sets.
        responses: Rows of `responses`.
        where: The cell, for messages.

    Returns:
        Rows of `judgements`.
    """
    by_id = {each.id: each for each in sets}
    cases = [
        JudgeCase(
            choice_type=ChoiceType(by_id[row["set_id"]].choice_type),
            meanings=(
                by_id[row["set_id"]].interpretations.a.meaning,
                by_id[row["set_id"]].interpretations.b.meaning,
            ),
            request=by_id[row["set_id"]].request(RequestKind(row["request_kind"])),
            explanation=row["explanation"],
            offered=tuple(row["alternative_interpretations"]),
        )
        for row in responses
    ]
    judgements = judge.judge(cases, where=where)
    return [
        {
            "response_id": row["response_id"],
            **_origin(row),
            "judge": judge.name,
            "names_choice": judgement.names_choice,
            "evidence": judgement.evidence,
            "calls": list(judgement.calls),
        }
        for row, judgement in zip(responses, judgements, strict=True)
    ]


def _origin(row: Row) -> Row:
    names = (
        "edition", "set_id", "database", "model", "method", "round", "variant", "request_kind"
    )  # fmt: skip
    return {name: row[name] for name in names}
