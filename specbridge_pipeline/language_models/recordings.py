"""Recordings: archived replies as files that ship with an edition, so that replay needs no model.

A recording is JSON Lines, gzipped with a fixed time stamp and sorted by key, so that the same
replies give the same bytes. A line may come without its request: the request is then rebuilt from
the user's own copy of a benchmark, and its key matches.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.requests import ModelReply
from specbridge_pipeline.records.canonical import canonical_json, content_hash
from specbridge_pipeline.records.files import write_bytes

SUFFIX = ".jsonl.gz"


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
    return imported


def _rows(
    path: Path, content: bytes
) -> Iterator[tuple[ModelReply, str | None, str | None, str | None]]:
    try:
        text = gzip.decompress(content).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"is no recording: {error}", path=path) from None
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            values = json.loads(line)
            request = values.pop("request", None)
            model, round = values.pop("model"), values.pop("round")
            reply = ModelReply(raw="", **values)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigurationError(
                f"is no recorded reply: {error}", path=path, line=number
            ) from None
        if request is not None and content_hash(request) != reply.key:
            raise ConfigurationError(
                "the key is not that of the request beside it", path=path, line=number
            )
        yield reply, model, round, None if request is None else canonical_json(request)
