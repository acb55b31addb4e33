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

from specbridge_pipeline.errors import ConfigurationError, ModelUnavailableError, SpecBridgeError
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import ModelReply, ModelRequest

System = Callable[[list[dict[str, str]], dict[str, Any]], str]

_USAGE_LIMIT = re.compile(
    r"usage limit|rate limit|quota (?:is )?exceeded|exceeded your (?:\w+ )?quota"
    r"|(?:hit|reached) your (?:\w+ )?limit|too many requests|credit balance is too low",
    re.IGNORECASE,
)
_LONGEST_LIMIT_NOTICE = 300
_ERROR_OBJECT = re.compile(r'\s*\{\s*"(?:error|type"\s*:\s*"error)"')

_SURROGATE = re.compile("[\ud800-\udfff]")

# Beside 5xx: request timeout, conflict (a lock of the server's), too early, too many requests.
_TRANSIENT_STATUS = frozenset({408, 409, 425, 429})
_FIRST_SERVER_ERROR = 500
_LARGEST_COUNT = 2**63 - 1


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
    text = _storable(answer["text"])
    if _is_limit_notice(text):
        raise TransientFailureError(text)
    return ModelReply(
        key=request.key,
        text=text,
        finish_reason=str(answer.get("finish_reason") or "stop"),
        input_tokens=answer.get("input_tokens"),
        output_tokens=answer.get("output_tokens"),
        cost_usd=answer.get("cost_usd"),
        latency_seconds=round(time.monotonic() - start, 3),
        raw=_storable(answer.get("raw") or ""),
        asked_at=asked_at,
    )


def _litellm(entry: ModelEntry, request: ModelRequest) -> dict[str, Any]:
    # Without it litellm fetches a price list from the network when it is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.suppress_debug_info = True
    options: dict[str, Any] = dict(request.parameters)
    if request.response_schema is not None and entry.structured_output == "json_schema":
        options["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": request.response_schema, "strict": True},
        }
    # Servers without keys still need the header that the client insists on sending.
    address = entry.address()
    key = entry.key() or ("none" if address else None)
    try:
        response = litellm.completion(
            model=entry.model,
            messages=_plain(request),
            api_base=address,
            api_key=key,
            timeout=entry.timeout_seconds,
            max_retries=0,
            **options,
        )
    except Exception as error:
        # Timeouts and lost connections come with a status too: litellm gives them 408 and 500.
        status = getattr(error, "status_code", None)
        if _is_transient(status) or _USAGE_LIMIT.search(str(error)):
            raise TransientFailureError(_first_line(error)) from error
        raise ModelUnavailableError(
            _first_line(error),
            where=f"model {entry.id}",
            advice="check its entry in data/models.yaml",
        ) from error
    try:
        choice = response.choices[0]
        usage = getattr(response, "usage", None)
        read = _count(getattr(usage, "prompt_tokens", None))
        written = _count(getattr(usage, "completion_tokens", None))
        return {
            "text": choice.message.content or "",
            "finish_reason": choice.finish_reason,
            "input_tokens": read,
            "output_tokens": written,
            "cost_usd": _cost(entry, response, read, written),
            # Not pydantic's own JSON, which refuses text with half a surrogate pair in it.
            "raw": json.dumps(
                response.model_dump(exclude_none=True), ensure_ascii=False, default=str
            ),
        }
    except Exception as error:  # what a broken server can send is not ours to list
        raise TransientFailureError(f"no readable reply: {_first_line(error)}") from error


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
    try:
        text = system(_plain(request), dict(request.parameters))
    except SpecBridgeError:
        raise
    except (TimeoutError, ConnectionError) as error:
        raise TransientFailureError(_first_line(error)) from error
    except Exception as error:
        raise ModelUnavailableError(
            f"callable '{entry.callable}' failed with {type(error).__name__}: {_first_line(error)}",
            where=f"model {entry.id}",
            advice="mend the system under test; replies so far are kept",
        ) from error
    if not isinstance(text, str):
        raise ModelUnavailableError(
            f"callable '{entry.callable}' returned a {type(text).__name__}",
            where=f"model {entry.id}",
            advice="it must return the reply's text",
        )
    return {"text": text}


def load_callable(entry: ModelEntry) -> System:
    """Return the Python callable that a registry entry names.

    Raises:
        ConfigurationError: It cannot be imported.
    """
    module, _, name = (entry.callable or "").partition(":")
    try:
        found: System = getattr(importlib.import_module(module), name)
        if not callable(found):
            raise TypeError("it is not callable")
    except Exception as error:  # importing it runs code of the user's
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
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise ModelUnavailableError(
            f"environment variable {entry.endpoint_env} holds no HTTP address: "
            f"{_first_line(error)}",
            where=f"model {entry.id}",
            advice="set it to an address that begins with http:// or https://",
        ) from error
    except httpx.RequestError as error:
        raise TransientFailureError(_first_line(error)) from error
    if _is_transient(response.status_code):
        raise TransientFailureError(f"HTTP status {response.status_code}")
    try:
        answer = response.raise_for_status().json()
        text = answer["text"]
        if not isinstance(text, str):
            raise TypeError(f"'text' is a {type(text).__name__}")
        return {"text": text, "raw": json.dumps(answer, ensure_ascii=False)}
    except (httpx.HTTPStatusError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelUnavailableError(
            f"the endpoint's reply is not a JSON object with 'text': {_first_line(error)}",
            where=f"model {entry.id}",
            advice="see what the endpoint answers; replies so far are kept",
        ) from error


def _is_transient(status: object) -> bool:
    return isinstance(status, int) and (
        status in _TRANSIENT_STATUS or status >= _FIRST_SERVER_ERROR
    )


def _is_limit_notice(text: str) -> bool:
    # Some providers send the notice as an ordinary short reply; it must not become an answer.
    return (
        len(text) < _LONGEST_LIMIT_NOTICE
        and ("{" not in text or _ERROR_OBJECT.match(text) is not None)
        and _USAGE_LIMIT.search(text) is not None
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= _LARGEST_COUNT else None


def _storable(text: str) -> str:
    """Return the text with each half of a surrogate pair replaced: no file can hold one."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def _plain(request: ModelRequest) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:500]
