from __future__ import annotations

from pathlib import Path

import pytest

from specbridge_pipeline.errors import ConfigurationError, ModelUnavailableError
from specbridge_pipeline.language_models.registry import (
    ModelEntry,
    Role,
    evaluated_models,
    read_models,
)
from specbridge_pipeline.settings import Project

VALID = """\
# A comment above.
models:
  - id: small-1.5b
    title: Small
    model: openai/small
    revision: q4
    api_base_env: SMALL
    parameters: {temperature: 0, stop: [";"], extra_body: {top_k: 1}}
    price: {input: 0.5, output: 2}

  - id: assistant
    callable: our.package:answer
    roles: [evaluated, judge]
  - id: service
    endpoint_env: SERVICE
    roles: [judge]
  - id: old
    model: openai/old
    retired: true
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "data").mkdir()
    return Project(tmp_path)


def test_the_registry_is_read_in_its_order(project: Project) -> None:
    project.models_file.write_text(VALID)
    models = read_models(project)
    assert list(models) == ["small-1.5b", "assistant", "service", "old"]
    assert [entry.name for entry in models.values()] == ["Small", "assistant", "service", "old"]
    assert models["small-1.5b"].parameters == {
        "temperature": 0,
        "stop": [";"],
        "extra_body": {"top_k": 1},
    }
    assert models["assistant"].roles == (Role.EVALUATED, Role.JUDGE)
    assert list(evaluated_models(project)) == ["small-1.5b", "assistant"]


def test_identities_are_distinct_and_hold_no_address(project: Project) -> None:
    project.models_file.write_text(VALID)
    assert [entry.identity for entry in read_models(project).values()] == [
        "openai/small",
        "python:our.package:answer",
        "http:service",
        "openai/old",
    ]


def test_a_registry_without_entries(project: Project) -> None:
    project.models_file.write_text("models:\n")
    assert read_models(project) == {}


@pytest.mark.parametrize(
    ("entries", "line", "message"),
    [
        ("- id: a\n  model: m\n  modle: x\n", 4, "unknown key 'modle'"),
        ("- id: a\n  model: m\n  price: {input: 1, output: 1, cached: 1}\n", 4, "price.cached"),
        ("- id: a\n  model: m\n- id: b\n  model: m\n- id: a\n  model: n\n", 6, "line 2"),
        ("- id: a\n  model: m\n  callable: p:f\n", 2, "exactly one of"),
        ("- id: a\n  model: m\n  endpoint_env: E\n", 2, "exactly one of"),
        ("- id: a\n", 2, "exactly one of"),
        ("- model: m\n", 2, "'id' is missing"),
        ("- id: Upper\n  model: m\n", 2, "id: "),
        ("- id: a|b\n  model: m\n", 2, "id: "),
        ("- id: a,b\n  model: m\n", 2, "id: "),
        ("- id: -a\n  model: m\n", 2, "id: "),
        ('- id: "a\\n"\n  model: m\n', 2, "id: "),
        ('- id: ""\n  model: m\n', 2, "id: "),
        ("- id: 7\n  model: m\n", 2, "id: "),
        ("- id: a\n  model: m\n  roles: [boss]\n", 4, "roles.0: "),
        ("- id: a\n  model: m\n  concurrency: 0\n", 4, "concurrency: "),
        ("- id: a\n  model: m\n  timeout_seconds: 0\n", 4, "timeout_seconds: "),
        ("- id: a\n  model: m\n  price: {input: -1, output: 1}\n", 4, "price.input: "),
        ("- id: a\n  model: m\n  structured_output: xml\n", 4, "structured_output: "),
        # Parameters are part of keys: what JSON cannot hold cannot be one, nor can a secret.
        ("- id: a\n  model: m\n  parameters: {stop: 2026-10-03}\n", 4, "parameters"),
        ("- id: a\n  model: m\n  parameters:\n    api_key: sk-1\n", 4, "'api_key' is no sampling"),
        ("- id: a\n  model: m\n  parameters:\n    api_base: x\n", 4, "'api_base' is no sampling"),
        ("- id: a\n  model: m\n  model: n\n", 4, "stands twice"),
        ("- a\n", 2, "expected a mapping"),
        ("- {id: a\n", 3, "is not YAML"),
    ],
)
def test_a_fault_is_given_with_file_and_line(
    entries: str, line: int, message: str, project: Project
) -> None:
    project.models_file.write_text(f"models:\n{entries}")
    with pytest.raises(ConfigurationError) as caught:
        read_models(project)
    assert message in str(caught.value)
    assert caught.value.where == f"{project.models_file}:{line}"


@pytest.mark.parametrize("content", ["", "models: {}\n", "model: []\n", "[]", "models: []\nx: 1\n"])
def test_a_file_of_another_form(content: str, project: Project) -> None:
    project.models_file.write_text(content)
    with pytest.raises(ConfigurationError, match=r"models\.yaml"):
        read_models(project)


def test_no_file(project: Project) -> None:
    with pytest.raises(ConfigurationError, match=r"models\.yaml: no such file"):
        read_models(project)


def test_the_address_in_the_environment_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ModelEntry(id="m", model="openai/m", api_base="http://file", api_base_env="WHERE")
    monkeypatch.delenv("WHERE", raising=False)
    assert entry.address() == "http://file"
    monkeypatch.setenv("WHERE", "http://environment")
    assert entry.address() == "http://environment"
    assert ModelEntry(id="m", model="openai/m").address() is None


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE", "")
    monkeypatch.setenv("KEY", "")
    entry = ModelEntry(id="m", model="openai/m", api_base_env="WHERE", api_key_env="KEY")
    with pytest.raises(ModelUnavailableError, match=r"model m: .*WHERE is not set"):
        entry.address()
    with pytest.raises(ModelUnavailableError, match=r"model m: .*KEY is not set"):
        entry.key()


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ({"model": "openai/n"}, True),
        ({"revision": "2"}, True),
        ({"parameters": {"temperature": 1}}, True),
        ({"structured_output": "text"}, True),
        ({"title": "Another title"}, False),
        ({"api_base": "http://elsewhere"}, False),
        ({"api_key_env": "KEY"}, False),
        ({"concurrency": 9}, False),
        ({"timeout_seconds": 9}, False),
        ({"retired": True}, False),
    ],
)
def test_replies_go_stale_with_what_they_depend_on(change: dict[str, object], stale: bool) -> None:
    entry = ModelEntry(id="m", model="openai/m", revision="1")
    changed = entry.model_copy(update=change)
    assert (changed.request_configuration != entry.request_configuration) is stale
