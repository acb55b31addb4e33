"""Durable files: written beside their place, synced, renamed over it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Write a file so that a reader sees the old content or the new, never a part.

    Args:
        path: The file; its folder is made where it is missing.
        write: Writes the new content to the path that it is given.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        # mkstemp makes private files; the result should be as readable as its neighbours.
        temporary.chmod(0o644)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text durably."""
    write_atomically(path, lambda target: _write_bytes(target, text.encode()))


def write_bytes(path: Path, content: bytes) -> None:
    """Write bytes durably."""
    write_atomically(path, lambda target: _write_bytes(target, content))


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
