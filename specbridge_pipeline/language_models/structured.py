"""Structured replies: JSON validated by a pydantic model, with one repair turn."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import Message, ModelReply, ModelRequest

Model = TypeVar("Model", bound=BaseModel)

# Neither may run back over white space: a reply can be a megabyte of it.
_FENCE = re.compile(r"```(?:json)?[^\S\n]*+\n(.*?)```", re.DOTALL)
_OBJECT = re.compile(r'\{\s*+"')
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_QUOTE = 4000
_LONGEST_PLACE = 200
_DEEPEST = 64
"""Levels of nesting. Far below what any Python can parse, since what a reply is found to say is
part of the repair's archive key and may not depend on how much of the stack is left."""


@dataclass(frozen=True, slots=True)
class StructuredReply(Generic[Model]):
    """A reply read as the model that it should be.

    Attributes:
        value: What it says, or None where it is malformed after the repair turn.
        problem: Why it is malformed; empty where it is not.
        calls: Archive keys of the calls it took, in order.
    """

    value: Model | None
    problem: str
    calls: tuple[str, ...]


def one_turn(entry: ModelEntry, text: str, schema: dict[str, Any]) -> ModelRequest:
    """Return the request that asks a model one thing and wants JSON back.

    Args:
        entry: The model.
        text: The prompt.
        schema: JSON schema of the reply.
    """
    return ModelRequest(
        model=entry.identity,
        revision=entry.revision,
        messages=(Message("user", text),),
        parameters=entry.parameters,
        response_schema=schema,
    )


def ask_structured(
    gateway: Gateway,
    entry: ModelEntry,
    requests: Sequence[ModelRequest],
    model: type[Model],
    *,
    where: str,
) -> list[StructuredReply[Model]]:
    """Ask for replies that are JSON of a given form; a malformed one gets one repair turn.

    Args:
        gateway: How models are asked.
        entry: The model.
        requests: What to ask.
        model: What each reply must be.
        where: The cell that needs them, for messages.

    Returns:
        One result a request, in order. A reply that stays malformed is the model's own failure.

    Raises:
        MissingRepliesError, ModelUnavailableError, BudgetExhaustedError: As `Gateway.ask`.
    """
    replies = gateway.ask(entry, requests, where=where)
    results = [read_reply(reply, model) for reply in replies]
    broken = [index for index, result in enumerate(results) if result.value is None]
    repairs = [
        repair_request(requests[index], replies[index], results[index].problem) for index in broken
    ]
    for index, reply in zip(
        broken, gateway.ask(entry, repairs, where=f"{where}, repairs"), strict=True
    ):
        repaired = read_reply(reply, model)
        results[index] = replace(repaired, calls=(*results[index].calls, *repaired.calls))
    return results


def repair_request(request: ModelRequest, reply: ModelReply, problem: str) -> ModelRequest:
    """Return the request of the repair turn: the conversation, the reply, and what is wrong."""
    return replace(
        request,
        messages=(
            *request.messages,
            Message("assistant", reply.text[:_LONGEST_QUOTE]),
            Message(
                "user",
                f"That reply cannot be read: {problem}. Give the same answer again as one valid "
                "JSON object of the required form and nothing else.",
            ),
        ),
    )


def read_json(text: str) -> Any:
    """Return the JSON value of a reply that may wrap it in a code fence or in prose.

    Raises:
        ValueError: There is none.
    """
    fenced = _FENCE.search(text)
    object_start = _OBJECT.search(text)
    candidates = [
        text,
        fenced.group(1) if fenced else "",
        text[text.find("{") :],
        # Prose before the object may hold a brace of its own, as in 'the set {1, 2}'.
        text[object_start.start() :] if object_start else "",
    ]
    for candidate in candidates:
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(candidate.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and _is_shallow(value):
            return value
    raise ValueError("it holds no JSON object")


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        if not inner:
            return True
        level = inner
    return False


def read_reply(reply: ModelReply, model: type[Model]) -> StructuredReply[Model]:
    """Read an archived reply as the model that it should be."""
    calls = (reply.key,)
    if reply.finish_reason == "length":
        return StructuredReply(None, "it was cut off at the token limit", calls)
    try:
        value = read_json(reply.text)
        # Escapes can spell half a surrogate pair, which no file and no request can carry on.
        if _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
            return StructuredReply(None, "it holds half a surrogate pair", calls)
        return StructuredReply(model.model_validate(value), "", calls)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in fault["loc"])[:_LONGEST_PLACE]
        return StructuredReply(None, f"{place}: {fault['msg']}", calls)
    except ValueError as error:
        return StructuredReply(None, str(error)[:200], calls)
