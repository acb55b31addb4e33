"""The text of files that people filled in, which may hold anything."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from pathlib import Path

LARGEST_FILE = 10_000_000
"""Bytes of a file that is read."""

_SHOWN = 40
_AS_UTF_8 = "save it as CSV in UTF-8"
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How files of spreadsheet programs begin, of today and of old."""


def review_text(path: Path, file: str, problems: list[str]) -> str | None:
    """Return a file's text without a byte order mark.

    Args:
        path: The file.
        file: What it is called in a problem.
        problems: Why there is no text is added here, with the line where there is one.

    Returns:
        The text; None where the file is none, or cannot be read, or is too large.
    """
    try:
        # What has no end, or waits for a writer, must not be opened.
        if not path.is_file():
            said = "it is no regular file" if path.exists() else "there is no such file"
            problems.append(f"{file}: cannot be read: {said}")
            return None
        with path.open("rb") as opened:
            content = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        problems.append(f"{file}: cannot be read: {error.strerror or error}")
        return None
    if len(content) > LARGEST_FILE:
        problems.append(f"{file}: cannot be read: it has more than {LARGEST_FILE:,} bytes")
    elif content.startswith(_WORKBOOKS):
        problems.append(f"{file}: is a workbook of a spreadsheet program; {_AS_UTF_8}")
    elif content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        problems.append(f"{file}: is text in UTF-16; {_AS_UTF_8}")
    else:
        return _decoded(content, file, problems)
    return None


def _decoded(content: bytes, file: str, problems: list[str]) -> str | None:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problems.append(f"{file}:{line}: is not UTF-8, at byte {error.start}; {_AS_UTF_8}")
        return None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        problems.append(f"{file}:{line}: holds a NUL character: it is no text, or was damaged")
        return None
    if not text.strip():
        problems.append(f"{file}: is empty")
        return None
    return text


def csv_rows(text: str, file: str, problems: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV text, each with the line on which it begins.

    Args:
        text: The text.
        file: What its file is called in a problem.
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
            said = (
                "a quotation that begins here has no end" if "end of data" in str(error) else error
            )
            problems.append(f"{file}:{line}: is not CSV: {said}")
            return


def shown(text: str) -> str:
    """Return a text in quotes, cut short, for a message."""
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")
