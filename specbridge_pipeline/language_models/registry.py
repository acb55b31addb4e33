"""The registry of models: data/models.yaml."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal

import yaml
from pydantic import Field, JsonValue, field_validator, model_validator

from specbridge_pipeline.configuration_files import StrictModel, read_entries
from specbridge_pipeline.errors import ConfigurationError, ModelUnavailableError
from specbridge_pipeline.records.files import write_text
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


class ImportedReplies(StrictModel):
    """Where the replies of a respondent come from that was asked elsewhere."""

    edition: str = Field(pattern=SLUG)
    """The edition whose requests they answer; in any other one the respondent has no part."""
    file: str
    """Name of the file that they were read from."""
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of that file."""
    replies: dict[str, int]
    """Database → number of replies to requests on it."""


class ModelEntry(StrictModel):
    """One entry of the registry: a model behind an address, a whole system, or imported replies."""

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
    imported: ImportedReplies | None = None
    """Replies that were made elsewhere and imported; such a respondent is never asked."""
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
        ways = [self.model, self.callable, self.endpoint_env, self.imported]
        if sum(way is not None for way in ways) != 1:
            raise ValueError("give exactly one of 'model', 'callable', 'endpoint_env', 'imported'")
        if self.imported is not None and self.roles != (Role.EVALUATED,):
            raise ValueError("who is never asked can have no other role than 'evaluated'")
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
        if self.imported is not None:
            return f"imported:{self.id}"
        return f"python:{self.callable}" if self.callable is not None else f"http:{self.id}"

    @property
    def request_configuration(self) -> dict[str, Any]:
        """The part of the entry that a reply depends on; a change of it makes replies stale."""
        values: dict[str, Any] = {
            "model": self.identity,
            "revision": self.revision,
            "parameters": self.parameters,
            "structured_output": self.structured_output,
        }
        if self.imported is not None:
            values["imported"] = self.imported.model_dump()
        return values

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
    """Read the registry of models, and the local one of respondents that were imported.

    Returns:
        The entries by id, in registry order.

    Raises:
        ConfigurationError: The first fault, with file and line.
    """
    entries = {
        entry.id: entry for entry, _ in read_entries(project.models_file, "models", ModelEntry)
    }
    for entry, line in _local_entries(project):
        if entry.id in entries:
            raise ConfigurationError(
                f"id '{entry.id}' is already taken in {project.models_file.name}",
                path=project.local_models_file,
                line=line,
                advice="give each model its own id",
            )
        entries[entry.id] = entry
    return entries


def put_imported(project: Project, entries: Sequence[ModelEntry]) -> None:
    """Write respondents to the local registry; those that it has under their ids are replaced.

    Raises:
        ConfigurationError: The registry is not valid, or an id is taken in the other one. Nothing
            is written then.
    """
    new = {entry.id: entry for entry in entries}
    others = {entry.id for entry, _ in read_entries(project.models_file, "models", ModelEntry)}
    for name in new:
        if name in others:
            raise ConfigurationError(
                f"id '{name}' is already taken", path=project.models_file, advice="choose another"
            )
    kept = [entry for entry, _ in _local_entries(project) if entry.id not in new]
    values = [
        entry.model_dump(mode="json", exclude_defaults=True) for entry in [*kept, *new.values()]
    ]
    write_text(
        project.local_models_file,
        yaml.safe_dump({"models": values}, sort_keys=False, allow_unicode=True),
    )


def _local_entries(project: Project) -> list[tuple[ModelEntry, int]]:
    path = project.local_models_file
    return read_entries(path, "models", ModelEntry) if path.exists() else []


def evaluated_models(project: Project) -> dict[str, ModelEntry]:
    """Return the models that are measured: role `evaluated` and not retired."""
    return {
        name: entry
        for name, entry in read_models(project).items()
        if Role.EVALUATED in entry.roles and not entry.retired
    }
