from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.language_models.registry import ModelEntry
from specbridge_pipeline.language_models.requests import Message, ModelRequest

BASE = ModelRequest(
    model="openai/m",
    revision="2026-01",
    messages=(Message("system", "Write SQL."), Message("user", "How many players?")),
    parameters={
        "temperature": 0,
        "seed": 1,
        "stop": ["\n\n", ";"],
        "extra_body": {"top_k": 1, "guided": {"regex": "a|b"}},
    },
    response_schema={"type": "object", "properties": {"sql": {"type": "string"}}},
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
requests = st.builds(
    ModelRequest,
    model=st.text(),
    revision=st.text(),
    messages=st.lists(st.builds(Message, st.text(), st.text()), max_size=3).map(tuple),
    parameters=st.dictionaries(st.text(), json_values, max_size=4),
    response_schema=st.none() | st.dictionaries(st.text(), json_values, max_size=3),
    sample_index=st.integers(0, 5),
    round=st.text(),
)


def with_parameters(**changes: Any) -> ModelRequest:
    return replace(BASE, parameters=BASE.parameters | changes)


def without_parameter(name: str) -> ModelRequest:
    return replace(BASE, parameters={k: v for k, v in BASE.parameters.items() if k != name})


@pytest.mark.parametrize(
    "changed",
    [
        replace(BASE, model="openai/n"),
        replace(BASE, revision="2026-02"),
        replace(BASE, revision=""),
        replace(BASE, messages=BASE.messages[::-1]),
        replace(BASE, messages=BASE.messages[1:]),
        replace(BASE, messages=(Message("user", "Write SQL."), BASE.messages[1])),
        replace(BASE, messages=(BASE.messages[0], Message("user", "How many players? "))),
        replace(BASE, messages=(*BASE.messages, Message("user", ""))),
        with_parameters(temperature=1),
        with_parameters(seed=None),
        with_parameters(top_p=1),
        with_parameters(stop=[";", "\n\n"]),
        with_parameters(extra_body={"top_k": 2, "guided": {"regex": "a|b"}}),
        with_parameters(extra_body={"top_k": 1, "guided": {"regex": "a|c"}}),
        with_parameters(extra_body={"top_k": 1, "guided": {}}),
        without_parameter("temperature"),
        without_parameter("extra_body"),
        replace(BASE, response_schema=None),
        replace(BASE, response_schema={"type": "object", "properties": {"sql": {}}}),
        replace(BASE, sample_index=1),
        replace(BASE, round="2026-10-03"),
    ],
)
def test_every_field_changes_the_key(changed: ModelRequest) -> None:
    assert changed.key != BASE.key


def test_the_order_of_keys_does_not_change_the_key() -> None:
    reordered = replace(
        BASE,
        parameters={
            "extra_body": {"guided": {"regex": "a|b"}, "top_k": 1},
            "stop": ["\n\n", ";"],
            "seed": 1,
            "temperature": 0,
        },
        response_schema={"properties": {"sql": {"type": "string"}}, "type": "object"},
    )
    assert reordered.key == BASE.key


@given(requests, requests)
def test_equal_keys_mean_equal_requests(one: ModelRequest, other: ModelRequest) -> None:
    def text(request: ModelRequest) -> str:
        return json.dumps(request.canonical(), sort_keys=True)

    assert (one.key == other.key) == (text(one) == text(other))


@given(requests)
def test_the_key_survives_storage_as_json(request: ModelRequest) -> None:
    stored = json.loads(json.dumps(request.canonical()))
    again = ModelRequest(
        **(stored | {"messages": tuple(Message(*message) for message in stored["messages"])})
    )
    assert again.key == request.key


def test_the_form_of_the_key_does_not_change() -> None:
    # Recordings of real models are found by these keys: a failure here makes all of them useless.
    assert BASE.key == "645d783699adfee6a30a144b8607a534a842f214ff78001c36340901cad02657"


def test_address_and_secret_are_no_part_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    def key(entry: ModelEntry) -> str:
        return ModelRequest(
            entry.identity, entry.revision, BASE.messages, dict(entry.parameters)
        ).key

    monkeypatch.setenv("KEY", "secret")
    monkeypatch.setenv("ADDRESS", "http://elsewhere/v1")
    plain = ModelEntry(id="m", model="openai/m", revision="1")
    placed = ModelEntry(
        id="another-id",
        title="M",
        model="openai/m",
        revision="1",
        api_base="http://127.0.0.1:1/v1",
        api_base_env="ADDRESS",
        api_key_env="KEY",
        concurrency=9,
        timeout_seconds=1,
    )
    assert key(plain) == key(placed)
    assert plain.request_configuration == placed.request_configuration
