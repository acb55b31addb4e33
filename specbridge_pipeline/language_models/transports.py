"""The ways to get one reply from a model: litellm, a Python callable, an HTTP endpoint."""

from __future__ import annotations

import importlib
import json
import os
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from specbridge_pipeline.errors import ConfigurationError, ModelUnavailableError
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import ModelReply, ModelRequest

System = Callable[[list[dict[str, str]], dict[str, Any]], str]

_USAGE_LIMIT = re.compile(
    r"usage limit|rate limit|quota (?:is )?exceeded|too many requests|credit balance is too low",
    re.IGNORECASE,
)
_LONGEST_LIMIT_NOTICE = 300


class TransientFailureError(Exception):
    """A failure that says nothing about the model: it is worth asking again later."""


def ask_once(entry: ModelEntry, request: ModelRequest) -> ModelReply:
    """Ask a model once.

    Args:
        entry: Where and how to ask.
        request: What to ask.

    Returns:
        The reply, not yet archived.

    Raises:
        TransientFailureError: Rate limit, server error, timeout or a usage-limit notice.
        ModelUnavailableError: The request was refused for good: key, address, model name, size.
    """
    asked_at = datetime.now(UTC).isoformat(timespec="seconds")
    start = time.monotonic()
    if entry.model is not None:
        answer = _litellm(entry, request)
    elif entry.callable is not None:
        answer = _callable(entry, request)
    else:
        answer = _endpoint(entry, request)
    text = str(answer["text"])
    # Some providers send the notice as an ordinary short reply; it must not become an answer.
    if len(text) < _LONGEST_LIMIT_NOTICE and "{" not in text and _USAGE_LIMIT.search(text):
        raise TransientFailureError(text)
    return ModelReply(
        key=request.key,
        text=text,
        finish_reason=str(answer.get("finish_reason") or "stop"),
        input_tokens=answer.get("input_tokens"),
        output_tokens=answer.get("output_tokens"),
        cost_usd=answer.get("cost_usd"),
        latency_seconds=round(time.monotonic() - start, 3),
        raw=answer.get("raw") or "",
        asked_at=asked_at,
    )


def _litellm(entry: ModelEntry, request: ModelRequest) -> dict[str, Any]:
    # Without it litellm fetches a price list from the network when it is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm
    from litellm import exceptions as failures

    litellm.suppress_debug_info = True
    options: dict[str, Any] = dict(request.parameters)
    if request.response_schema is not None and entry.structured_output == "json_schema":
        options["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": request.response_schema, "strict": True},
        }
    address = entry.address()
    try:
        response = litellm.completion(
            model=entry.model,
            messages=_plain(request),
            api_base=address,
            # Servers without keys still need the header that the client insists on sending.
            api_key=entry.key() or ("none" if address else None),
            timeout=entry.timeout_seconds,
            max_retries=0,
            **options,
        )
    except (
        failures.RateLimitError,
        failures.Timeout,
        failures.APIConnectionError,
        failures.InternalServerError,
        failures.ServiceUnavailableError,
    ) as error:
        raise TransientFailureError(_first_line(error)) from error
    except Exception as error:
        raise ModelUnavailableError(
            _first_line(error),
            where=f"model {entry.id}",
            advice="check its entry in data/models.yaml",
        ) from error
    choice = response.choices[0]
    usage = getattr(response, "usage", None)
    read = getattr(usage, "prompt_tokens", None)
    written = getattr(usage, "completion_tokens", None)
    return {
        "text": choice.message.content or "",
        "finish_reason": choice.finish_reason,
        "input_tokens": read,
        "output_tokens": written,
        "cost_usd": _cost(entry, response, read, written),
        "raw": response.model_dump_json(exclude_none=True),
    }


def _cost(entry: ModelEntry, response: Any, read: int | None, written: int | None) -> float | None:
    if entry.price is not None:
        return ((read or 0) * entry.price.input + (written or 0) * entry.price.output) / 1e6
    import litellm

    try:
        return float(litellm.completion_cost(completion_response=response))
    except Exception:  # litellm raises its base class for a model without a known price
        return None


def _callable(entry: ModelEntry, request: ModelRequest) -> dict[str, Any]:
    assert entry.callable is not None
    system = load_callable(entry)
    return {"text": system(_plain(request), dict(request.parameters))}


def load_callable(entry: ModelEntry) -> System:
    """Return the Python callable that a registry entry names.

    Raises:
        ConfigurationError: It cannot be imported.
    """
    module, _, name = (entry.callable or "").partition(":")
    try:
        found: System = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError(
            f"callable '{entry.callable}' of model '{entry.id}' cannot be imported: {error}",
            advice="write it as package.module:function, importable from the project root",
        ) from None
    return found


def _endpoint(entry: ModelEntry, request: ModelRequest) -> dict[str, Any]:
    import httpx

    key = entry.key()
    try:
        response = httpx.post(
            entry.address() or "",
            json={
                "messages": _plain(request),
                "parameters": request.parameters,
                "response_schema": request.response_schema,
            },
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=entry.timeout_seconds,
        )
    except httpx.TransportError as error:
        raise TransientFailureError(_first_line(error)) from error
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
        raise TransientFailureError(f"HTTP status {response.status_code}")
    try:
        answer = response.raise_for_status().json()
        return {"text": answer["text"], "raw": json.dumps(answer, ensure_ascii=False)}
    except (httpx.HTTPStatusError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailableError(
            f"the endpoint's reply is not a JSON object with 'text': {_first_line(error)}",
            where=f"model {entry.id}",
        ) from error


def _plain(request: ModelRequest) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:500]
