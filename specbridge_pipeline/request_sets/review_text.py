"""The text of files that people filled in, which may hold anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

_LARGEST_FILE = 10_000_000
_SHOWN = 40


def review_text(path: Path) -> str:
    """Return a file's text without a byte order mark.

    Raises:
        OSError: It cannot be read.
        ValueError: It is too large or not UTF-8.
    """
    if path.stat().st_size > _LARGEST_FILE:
        raise ValueError(f"it has more than {_LARGEST_FILE:,} bytes")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 at byte {error.start}") from None


def csv_rows(text: str, file: str, problems: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV text, each with the line on which it begins.

    Args:
        text: The text.
        file: The name of its file.
        problems: What ends the reading early is added here.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # What follows an unfinished quotation cannot be told apart from what is in it.
            problems.append(f"{file}:{line}: is not CSV: {error}")
            return


def shown(text: str) -> str:
    """Return a text in quotes, cut short, for a message."""
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")
