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

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)
_LONGEST_QUOTE = 4000


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
    candidates = [text, fenced.group(1) if fenced else "", text[text.find("{") :]]
    for candidate in candidates:
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(candidate.strip())
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    raise ValueError("it holds no JSON object")


def read_reply(reply: ModelReply, model: type[Model]) -> StructuredReply[Model]:
    """Read an archived reply as the model that it should be."""
    calls = (reply.key,)
    if reply.finish_reason == "length":
        return StructuredReply(None, "it was cut off at the token limit", calls)
    try:
        return StructuredReply(model.model_validate(read_json(reply.text)), "", calls)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in fault["loc"])
        return StructuredReply(None, f"{place}: {fault['msg']}", calls)
    except (ValueError, RecursionError) as error:
        return StructuredReply(None, str(error)[:200], calls)
