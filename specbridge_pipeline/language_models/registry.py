"""The registry of models: data/models.yaml."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from specbridge_pipeline.configuration_files import StrictModel, read_entries
from specbridge_pipeline.errors import ModelUnavailableError
from specbridge_pipeline.settings import SLUG, Project

_NOT_FOR_SAMPLING = frozenset(
    {"api_base", "api_key", "base_url", "max_retries", "messages", "model", "timeout"}
)


class Role(StrEnum):
    """What a model does in the pipeline."""

    EVALUATED = "evaluated"
    WRITER = "writer"
    REVIEWER = "reviewer"
    PROPOSER = "proposer"
    DIAGNOSER = "diagnoser"
    JUDGE = "judge"
    CATALOGUER = "cataloguer"


class Price(StrictModel):
    """US dollars per million tokens, for models whose price the client library does not know."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class ModelEntry(StrictModel):
    """One entry of the registry: a model behind an address, or a whole system under test."""

    id: str = Field(pattern=SLUG)
    """Partition key: lower-case letters, digits, '_', '.', '-'."""
    title: str = ""
    """Name in tables and charts; the id where it is empty."""
    model: str | None = None
    """The model in litellm's syntax, such as 'openai/gpt-6-luna'."""
    callable: str | None = None
    """A system under test as 'package.module:function': (messages, parameters) -> reply text."""
    endpoint_env: str | None = None
    """A system under test behind HTTP: the environment variable that holds its address."""
    revision: str = ""
    """What tells two states of the model apart: a date, a checksum of its weights."""
    roles: tuple[Role, ...] = (Role.EVALUATED,)
    api_base: str | None = None
    """Address of an OpenAI-compatible server; never part of an archive key."""
    api_base_env: str | None = None
    """Environment variable that holds the address; goes before `api_base`."""
    api_key_env: str | None = None
    """Environment variable that holds the key. The key itself never stands in a file."""
    parameters: dict[str, JsonValue] = Field(default={"temperature": 0})
    """Sampling parameters, passed on as they are and part of the archive key."""
    structured_output: Literal["json_schema", "text"] = "json_schema"
    """Whether the server can be held to a JSON schema, or is only asked to write JSON."""
    concurrency: int = Field(default=4, ge=1)
    """Calls under way at once."""
    timeout_seconds: float = Field(default=300, gt=0)
    price: Price | None = None
    retired: bool = False
    """A retired model keeps its rows and is asked nothing more."""

    @field_validator("parameters")
    @classmethod
    def _sampling_only(cls, parameters: dict[str, JsonValue]) -> dict[str, JsonValue]:
        # They are part of keys and recordings, where no address and no secret may stand.
        for name in parameters:
            if name in _NOT_FOR_SAMPLING:
                raise ValueError(f"'{name}' is no sampling parameter")
        return parameters

    @model_validator(mode="after")
    def _one_way_to_ask(self) -> ModelEntry:
        ways = [self.model, self.callable, self.endpoint_env]
        if sum(way is not None for way in ways) != 1:
            raise ValueError("give exactly one of 'model', 'callable', 'endpoint_env'")
        return self

    @property
    def name(self) -> str:
        """Name in tables and charts."""
        return self.title or self.id

    @property
    def identity(self) -> str:
        """What stands for the model in archive keys: never an address."""
        if self.model is not None:
            return self.model
        return f"python:{self.callable}" if self.callable is not None else f"http:{self.id}"

    @property
    def request_configuration(self) -> dict[str, Any]:
        """The part of the entry that a reply depends on; a change of it makes replies stale."""
        return {
            "model": self.identity,
            "revision": self.revision,
            "parameters": self.parameters,
            "structured_output": self.structured_output,
        }

    def address(self) -> str | None:
        """Return the server's address, or None for the provider's own.

        Raises:
            ModelUnavailableError: The environment variable that holds it is not set.
        """
        if self.endpoint_env is not None:
            return self._required(self.endpoint_env)
        if self.api_base_env is not None and os.environ.get(self.api_base_env):
            return os.environ[self.api_base_env]
        if self.api_base is None and self.api_base_env is not None:
            return self._required(self.api_base_env)
        return self.api_base

    def key(self) -> str | None:
        """Return the API key from the environment, or None where the entry names none.

        Raises:
            ModelUnavailableError: The environment variable that holds it is not set.
        """
        return None if self.api_key_env is None else self._required(self.api_key_env)

    def _required(self, variable: str) -> str:
        value = os.environ.get(variable)
        if not value:
            raise ModelUnavailableError(
                f"environment variable {variable} is not set",
                where=f"model {self.id}",
                advice="set it, or run in replay mode",
            )
        return value


def read_models(project: Project) -> dict[str, ModelEntry]:
    """Read the registry of models.

    Returns:
        The entries by id, in registry order.

    Raises:
        ConfigurationError: The first fault, with file and line.
    """
    return {entry.id: entry for entry, _ in read_entries(project.models_file, "models", ModelEntry)}


def evaluated_models(project: Project) -> dict[str, ModelEntry]:
    """Return the models that are measured: role `evaluated` and not retired."""
    return {
        name: entry
        for name, entry in read_models(project).items()
        if Role.EVALUATED in entry.roles and not entry.retired
    }
