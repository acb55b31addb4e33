"""A server, an archive and a model that the tests of this folder share."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.gateway import Gateway
from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import Message, ModelReply, ModelRequest
from specbridge_pipeline.settings import Budget, Mode
from specbridge_pipeline_tests.language_models.chat_server import ChatServer


@pytest.fixture
def server() -> Iterator[ChatServer]:
    server = ChatServer()
    yield server
    server.close()


@pytest.fixture
def archive_path(tmp_path: Path) -> Path:
    return tmp_path / "archive" / "responses.sqlite"


@pytest.fixture
def archive(archive_path: Path) -> Iterator[ResponseArchive]:
    with ResponseArchive(archive_path) as archive:
        yield archive


@pytest.fixture(scope="session")
def litellm() -> Any:
    """Take the seconds that importing it costs before the first test that asks a model."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("litellm")


@pytest.fixture
def entry(server: ChatServer, litellm: Any) -> ModelEntry:
    return ModelEntry(id="m", model="openai/m", api_base=server.address, timeout_seconds=30)


@pytest.fixture
def gateway(archive: ResponseArchive) -> Callable[..., Gateway]:
    """Return a maker of gateways that do not wait long between attempts."""

    def make(mode: Mode = Mode.AUTO, **budget: Any) -> Gateway:
        return Gateway(archive, mode=mode, budget=Budget(**budget), pause_seconds=0.002)

    return make


@pytest.fixture
def ask_for() -> Callable[..., ModelRequest]:
    """Return a maker of requests with one question each."""

    def make(question: str, **fields: Any) -> ModelRequest:
        fields = {"model": "openai/m", "revision": "1", "parameters": {"temperature": 0}} | fields
        return ModelRequest(messages=(Message("user", question),), **fields)

    return make


@pytest.fixture
def reply_to() -> Callable[..., ModelReply]:
    """Return a maker of replies as a transport would give them."""

    def make(request: ModelRequest, text: str = "yes", **fields: Any) -> ModelReply:
        values: dict[str, Any] = {
            "finish_reason": "stop",
            "input_tokens": 10,
            "output_tokens": 5,
            "cost_usd": 0.25,
            "latency_seconds": 1.5,
            "raw": '{"choices":[]}',
            "asked_at": "2026-10-03T12:00:00+00:00",
        }
        return ModelReply(key=request.key, text=text, **(values | fields))

    return make
