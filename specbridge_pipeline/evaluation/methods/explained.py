"""The method `explained`: one call that asks for SQL, its assumptions, and other interpretations.

The paper, Section 4.1: by default a model answers in one call, with a prompt that asks for SQL, for
a brief statement of any consequential assumption that request and context do not settle, and for
SQL of any other supported interpretation, without inventing alternatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from specbridge_pipeline.evaluation.context import DatabaseContext
from specbridge_pipeline.evaluation.responses import Alternative, Response
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import Message, ModelReply, ModelRequest
from specbridge_pipeline.language_models.structured import (
    StructuredReply,
    ask_structured,
    read_reply,
)

NAME = "explained"
PROMPT = "explained.txt"

MOST_ALTERNATIVES = 2
LONGEST_SQL = 2_000
LONGEST_EXPLANATION = 600
LONGEST_INTERPRETATION = 300


class AlternativeReply(BaseModel):
    """A further interpretation in a model's reply."""

    model_config = ConfigDict(extra="ignore")

    interpretation: str = ""
    sql: str


class ExplainedReply(BaseModel):
    """A model's reply. Read with more tolerance than the schema that the model is held to."""

    model_config = ConfigDict(extra="ignore")

    sql: str
    explanation: str = ""
    alternatives: list[AlternativeReply] = Field(default_factory=list)


REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sql": {"type": "string", "maxLength": LONGEST_SQL},
        "explanation": {"type": "string", "maxLength": LONGEST_EXPLANATION},
        "alternatives": {
            "type": "array",
            "maxItems": MOST_ALTERNATIVES,
            "items": {
                "type": "object",
                "properties": {
                    "interpretation": {"type": "string", "maxLength": LONGEST_INTERPRETATION},
                    "sql": {"type": "string", "maxLength": LONGEST_SQL},
                },
                "required": ["interpretation", "sql"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["sql", "explanation", "alternatives"],
    "additionalProperties": False,
}
"""The JSON schema that replies are held to. Part of every archive key: it does not change."""


def build_request(
    context: DatabaseContext, request: str, entry: ModelEntry, *, round: str
) -> ModelRequest:
    """Return what the method asks a model.

    Args:
        context: The database.
        request: The words of the request.
        entry: The model.
        round: The round of evaluation.
    """
    return ModelRequest(
        model=entry.identity,
        revision=entry.revision,
        # The schema comes first, so that a server can reuse it for all requests of a database.
        messages=(Message("system", context.render(PROMPT)), Message("user", request)),
        parameters=entry.parameters,
        response_schema=REPLY_SCHEMA,
        round=round,
    )


def answer(
    gateway: Gateway,
    entry: ModelEntry,
    context: DatabaseContext,
    requests: Sequence[str],
    *,
    round: str,
    where: str,
) -> list[Response]:
    """Have a model answer requests on one database.

    Args:
        gateway: How models are asked.
        entry: The model.
        context: The database.
        requests: The words of each request.
        round: The round of evaluation.
        where: The cell that needs the answers, for messages.

    Returns:
        One response a request, in order.

    Raises:
        MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
    """
    asked = [build_request(context, request, entry, round=round) for request in requests]
    replies = ask_structured(gateway, entry, asked, ExplainedReply, where=where)
    return [_response(reply) for reply in replies]


def read_response(replies: Sequence[ModelReply]) -> Response:
    """Read a response again from its archived replies, the repair last.

    Args:
        replies: The replies of the response's calls, in order.
    """
    read = read_reply(replies[-1], ExplainedReply)
    return _response(replace(read, calls=tuple(reply.key for reply in replies)))


def _response(reply: StructuredReply[ExplainedReply]) -> Response:
    if reply.value is None:
        return Response("", (), "", reply.problem, reply.calls)
    return Response(
        sql=reply.value.sql,
        alternatives=tuple(
            Alternative(each.interpretation, each.sql)
            for each in reply.value.alternatives[:MOST_ALTERNATIVES]
        ),
        explanation=reply.value.explanation,
        problem="",
        calls=reply.calls,
    )
