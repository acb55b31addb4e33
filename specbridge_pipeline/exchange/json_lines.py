"""JSON Lines: written the same way every time, and read from files that may hold anything."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from specbridge_pipeline.request_sets.review_text import shown

LARGEST_FILE = 100_000_000
"""Bytes of the largest file that is read."""

_MOST_FAULTS = 20
"""So many faults of one file are said; a file of another kind has one a line."""


class ExchangeModel(BaseModel):
    """Base of what crosses the boundary: no unknown key, no value of another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Row = TypeVar("Row", bound=ExchangeModel)


@dataclass(frozen=True, slots=True)
class ReadRow(Generic[Row]):
    """A row of a file.

    Attributes:
        row: What it says.
        where: File and line.
    """

    row: Row
    where: str


def json_lines(rows: Iterable[BaseModel]) -> str:
    """Return rows as JSON Lines: keys in the order of their fields, text as it is."""
    return "".join(
        json.dumps(row.model_dump(mode="json"), ensure_ascii=False) + "\n" for row in rows
    )


def read_json_lines(path: Path, model: type[Row], problems: list[str]) -> list[ReadRow[Row]]:
    """Read a file of JSON Lines, with every fault of its form.

    Args:
        path: The file, in UTF-8; a byte order mark and empty lines are allowed.
        model: What each line must be.
        problems: What is wrong is added here, a sentence each, with file and line.

    Returns:
        The good lines in order.
    """
    try:
        text = _text(path)
    except (OSError, ValueError) as error:
        problems.append(f"{path.name}: cannot be read: {error}")
        return []
    rows: list[ReadRow[Row]] = []
    found: list[str] = []
    # Not splitlines, which also cuts at characters that may stand inside a JSON text.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path.name}:{number}"
        faults, row = _read(line, model)
        found += [f"{where}: {fault}" for fault in faults]
        if row is not None:
            rows.append(ReadRow(row, where))
    problems += found[:_MOST_FAULTS]
    if len(found) > _MOST_FAULTS:
        problems.append(f"{path.name}: and {len(found) - _MOST_FAULTS} more of this kind")
    if not rows and not found:
        problems.append(f"{path.name}: it is empty")
    return rows


def repeated(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Say of each row that stands twice where it stood first.

    Args:
        rows: Where a row stands, what tells it apart, and how that is said.
    """
    first: dict[str, str] = {}
    for where, key, said in rows:
        if key in first:
            yield f"{where}: {said} stands already at {first[key]}"
        else:
            first[key] = where


def _text(path: Path) -> str:
    if path.stat().st_size > LARGEST_FILE:
        raise ValueError(f"it has more than {LARGEST_FILE:,} bytes")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 at byte {error.start}") from None


def _read(line: str, model: type[Row]) -> tuple[list[str], Row | None]:
    try:
        value = json.loads(line, object_pairs_hook=_object, parse_constant=_no_constant)
        plain = json.dumps(value, ensure_ascii=False)
    except _KeyTwiceError as error:
        return [f"key {shown(str(error))} stands twice"], None
    except (ValueError, RecursionError):
        return ["is not JSON"], None
    if not isinstance(value, dict):
        return ["is no JSON object"], None
    if any("\ud800" <= character <= "\udfff" for character in plain):
        return ["it holds half a character, which no file can"], None
    try:
        return [], model.model_validate_json(plain)
    except ValidationError as error:
        return [_said(fault, model) for fault in error.errors(include_url=False)], None


class _KeyTwiceError(Exception):
    """A key stands twice in one JSON object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _KeyTwiceError(key)
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _said(fault: Any, model: type[BaseModel]) -> str:
    name = ".".join(str(step) for step in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return f"unknown field {shown(name)}; fields: {', '.join(model.model_fields)}"
    if fault["type"] == "missing":
        return f"field '{name}' is missing"
    message = fault["msg"].removeprefix("Value error, ")
    return f"{name}: {message}" if name else message
