"""Recordings: archived replies as files that ship with an edition, so that replay needs no model.

A recording is JSON Lines, gzipped with a fixed time stamp and sorted by key, so that the same
replies give the same bytes. A line may come without its request: the request is then rebuilt from
the user's own copy of a benchmark, and its key matches.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.requests import ModelReply
from specbridge_pipeline.records.canonical import canonical_json, content_hash
from specbridge_pipeline.records.files import write_bytes

SUFFIX = ".jsonl.gz"
ROUNDS_FILE = "rounds.json"
"""Beside the recordings: the rounds after the first, by subject."""

_LARGEST_COUNT = 2**63 - 1


class _Line(BaseModel):
    """One line of a recording: a reply without its raw form, and what it answers."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    text: str
    finish_reason: str
    input_tokens: int | None = Field(ge=0, le=_LARGEST_COUNT)
    output_tokens: int | None = Field(ge=0, le=_LARGEST_COUNT)
    cost_usd: float | None
    latency_seconds: float
    asked_at: str
    model: str | None
    round: str | None
    request: Any = None

    def reply(self) -> ModelReply:
        return ModelReply(raw="", **self.model_dump(exclude={"model", "round", "request"}))


def export_recording(
    archive: ResponseArchive, keys: Iterable[str], path: Path, *, with_requests: bool = True
) -> int:
    """Write the replies of the given keys as a recording.

    Args:
        archive: Where they are.
        keys: Their keys.
        path: The file to write.
        with_requests: Whether the requests, prompts included, ship too.

    Returns:
        The number of replies written.
    """
    lines = []
    for reply, model, round, request in archive.export(sorted(set(keys))):
        line = asdict(reply) | {"model": model, "round": round}
        # The raw reply repeats text and usage, which stand in fields of their own.
        line.pop("raw")
        if with_requests and request is not None:
            line["request"] = json.loads(request)
        lines.append(canonical_json(line))
    content = "".join(f"{line}\n" for line in lines).encode()
    write_bytes(path, gzip.compress(content, compresslevel=9, mtime=0))
    return len(lines)


def export_rounds(archive: ResponseArchive, subjects: Iterable[str], folder: Path) -> None:
    """Write which rounds after the first the recorded replies belong to; no file where none are."""
    rounds = {subject: list(archive.rounds(subject)[1:]) for subject in sorted(subjects)}
    later = {subject: names for subject, names in rounds.items() if names}
    if later:
        write_bytes(folder / ROUNDS_FILE, (json.dumps(later, indent=1) + "\n").encode())
    else:
        (folder / ROUNDS_FILE).unlink(missing_ok=True)


def import_recordings(archive: ResponseArchive, folder: Path) -> int:
    """Import every recording of a folder that was not imported before.

    Args:
        archive: Where to.
        folder: The folder; it may not exist.

    Returns:
        The number of files imported.

    Raises:
        ConfigurationError: A file is damaged; with its line.
    """
    imported = 0
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if not archive.has_recording(digest):
            archive.add_recording(path.name, digest, list(_rows(path, content)))
            imported += 1
    for subject, name in _rounds(folder / ROUNDS_FILE):
        archive.open_round(subject, name)
    return imported


def check_recordings(folder: Path) -> None:
    """Read every recording of a folder without importing it.

    Raises:
        ConfigurationError: There is none, or one is damaged; with its line.
    """
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    if not paths:
        raise ConfigurationError(f"there is no recording here (*{SUFFIX})", path=folder)
    for path in paths:
        for _ in _rows(path, path.read_bytes()):
            pass
    _rounds(folder / ROUNDS_FILE)


def copy_recordings(source: Path, folder: Path) -> int:
    """Copy the recordings of a folder, and which rounds they belong to, as they are.

    Returns:
        The number of recordings.
    """
    paths = sorted(source.glob(f"*{SUFFIX}"))
    rounds = source / ROUNDS_FILE
    for path in [*paths, *([rounds] if rounds.is_file() else [])]:
        write_bytes(folder / path.name, path.read_bytes())
    return len(paths)


def _rounds(path: Path) -> list[tuple[str, str]]:
    """Return the rounds that a file lists: subject and name; none where there is no file."""
    if not path.is_file():
        return []
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
        return [(str(subject), str(name)) for subject, names in listed.items() for name in names]
    except (ValueError, AttributeError, TypeError) as error:
        raise ConfigurationError(f"lists no rounds: {error}", path=path) from None


def _rows(
    path: Path, content: bytes
) -> Iterator[tuple[ModelReply, str | None, str | None, str | None]]:
    try:
        if not content:
            raise EOFError("it is empty")
        text = gzip.decompress(content).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ConfigurationError(f"is no recording: {error}", path=path) from None
    # Not splitlines(): replies may hold U+2028 and its like, which JSON does not escape.
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], start=1):
        try:
            parsed = json.loads(line)
            canonical_json(parsed).encode()  # half a surrogate pair cannot be stored
            values = _Line.model_validate(parsed)
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(
                f"is no recorded reply: {_fault(error)}",
                path=path,
                line=number,
                advice="take the file from the edition again",
            ) from None
        if values.request is not None and content_hash(values.request) != values.key:
            raise ConfigurationError(
                "the key is not that of the request beside it", path=path, line=number
            )
        request = None if values.request is None else canonical_json(values.request)
        yield values.reply(), values.model, values.round, request


def _fault(error: Exception) -> str:
    if isinstance(error, ValidationError):
        fault = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(str(step) for step in fault['loc'])}: {fault['msg']}"
    return str(error)
