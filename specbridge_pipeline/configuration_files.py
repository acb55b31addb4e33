"""YAML files that people write: read, validated, and every fault reported with its line."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from specbridge_pipeline.errors import ConfigurationError

Model = TypeVar("Model", bound=BaseModel)

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class StrictModel(BaseModel):
    """Base of everything that crosses a boundary: unknown keys are errors, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """A YAML file with the line of each of its values.

    Attributes:
        path: The file.
        data: Its content as plain Python values.
        node: The syntax tree, from which lines are read.
    """

    path: Path
    data: Any
    node: Any

    def line_of(self, location: Sequence[int | str]) -> int | None:
        """Return the line, from 1, of the deepest part of `location` that the file has."""
        node = self.node
        line = None if node is None else node.start_mark.line + 1
        for step in location:
            child = _child(node, step)
            if child is None:
                break
            node, line = child
        return line

    def place_of(self, location: Sequence[int | str]) -> tuple[int, int, bool]:
        """Return where the first key of the mapping at `location` stands.

        Returns:
            Line and column, both from 0, and whether the mapping is written in braces.
        """
        node = self.node
        for step in location:
            child = _child(node, step)
            if child is None:
                raise KeyError(step)
            node = child[0]
        mark = node.value[0][0].start_mark
        return mark.line, mark.column, bool(node.flow_style)

    def error(
        self, what: str, location: Sequence[int | str] = (), advice: str | None = None
    ) -> ConfigurationError:
        """Return an error that names this file and the line of `location`."""
        return ConfigurationError(what, path=self.path, line=self.line_of(location), advice=advice)

    def parse(self, model: type[Model], location: Sequence[int | str] = ()) -> Model:
        """Validate the value at `location` as `model`.

        Raises:
            ConfigurationError: The first fault, with file and line.
        """
        value = self.data
        for step in location:
            value = value[step]
        if not isinstance(value, dict):
            raise self.error(
                f"expected a mapping of keys to values, found {_kind(value)}", location
            )
        try:
            return model.model_validate(value)
        except ValidationError as error:
            raise self._explained(error, model, location) from None

    def _explained(
        self, error: ValidationError, model: type[BaseModel], location: Sequence[int | str]
    ) -> ConfigurationError:
        fault = error.errors(include_url=False)[0]
        inner = [step for step in fault["loc"] if isinstance(step, int | str)]
        name = ".".join(str(step) for step in inner)
        if fault["type"] == "extra_forbidden":
            known = ", ".join(model.model_fields) if len(inner) == 1 else ""
            return self.error(
                f"unknown key '{name}'",
                [*location, *inner],
                f"known keys: {known}" if known else "remove it or correct its spelling",
            )
        if fault["type"] == "missing":
            return self.error(f"key '{name}' is missing", [*location, *inner[:-1]], "add it")
        message = fault["msg"].removeprefix("Value error, ")
        return self.error(f"{name}: {message}" if name else message, [*location, *inner])


def read_configuration(path: Path) -> ConfigurationFile:
    """Read a YAML file.

    Args:
        path: The file.

    Returns:
        Its values and the lines they stand on.

    Raises:
        ConfigurationError: The file is missing, is not UTF-8, is not YAML, or says a key twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigurationError(
            "no such file", path=path, advice="run `specbridge init` in the project folder"
        ) from None
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigurationError(f"cannot be read: {error}", path=path) from None
    try:
        node = yaml.compose(text, Loader=_Loader)
        _check_keys(node, path)
        data = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        raise ConfigurationError(f"is not YAML: {error.problem}", path=path, line=line) from None
    except yaml.reader.ReaderError as error:
        line = 1 + text.count("\n", 0, error.position)
        raise ConfigurationError(f"is not YAML: {error.reason}", path=path, line=line) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # A ValueError comes from a value that looks like a date and is none.
        raise ConfigurationError(f"is not YAML: {error}", path=path) from None
    return ConfigurationFile(path, data, node)


def read_entries(
    path: Path, key: str, model: type[Model], *, identity: str = "id"
) -> list[tuple[Model, int]]:
    """Read a registry file: one top-level key that holds a list of entries.

    Args:
        path: The file.
        key: Its one top-level key.
        model: What each entry must be.
        identity: The field in which no two entries may agree.

    Returns:
        The entries in file order, each with its line.

    Raises:
        ConfigurationError: The first fault, with file and line.
    """
    document = read_configuration(path)
    if not isinstance(document.data, dict) or set(document.data) != {key}:
        raise document.error(f"expected the single top-level key '{key}'")
    listed = document.data[key] if document.data[key] is not None else []
    if not isinstance(listed, list):
        raise document.error(f"'{key}' must be a list of entries", [key])
    entries: list[tuple[Model, int]] = []
    seen: dict[Hashable, int] = {}
    for index in range(len(listed)):
        entry = document.parse(model, [key, index])
        line = document.line_of([key, index]) or 0
        name = getattr(entry, identity)
        if name in seen:
            raise document.error(
                f"{identity} '{name}' is already taken by the entry on line {seen[name]}",
                [key, index, identity],
                "give each entry its own",
            )
        seen[name] = line
        entries.append((entry, line))
    return entries


def _child(node: Any, step: int | str) -> tuple[Any, int] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == step:
                return value, key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step].start_mark.line + 1
    return None


def _check_keys(root: Any, path: Path) -> None:
    """Refuse keys that stand twice in a mapping or are no plain words, and endless structures."""
    done: set[int] = set()

    def check(node: Any, above: frozenset[int]) -> None:
        if not isinstance(node, yaml.CollectionNode) or id(node) in done:
            return
        if id(node) in above:
            line = node.start_mark.line + 1
            raise ConfigurationError("a value contains itself", path=path, line=line)
        seen = set()
        for item in node.value:
            key, value = item if isinstance(node, yaml.MappingNode) else (None, item)
            if key is not None:
                line = key.start_mark.line + 1
                if not isinstance(key, yaml.ScalarNode):
                    raise ConfigurationError("a key must be a plain word", path=path, line=line)
                if key.value in seen:
                    raise ConfigurationError(
                        f"key '{key.value}' stands twice", path=path, line=line
                    )
                seen.add(key.value)
            check(value, above | {id(node)})
        # Aliases can make a short text stand for an enormous structure.
        done.add(id(node))

    check(root, frozenset())


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", type(None): "nothing"}.get(
        type(value), f"a {type(value).__name__}"
    )
