"""The lines of files of decisions, CSV or JSON Lines: cells by column, as they stand there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from specbridge_pipeline.request_sets.human_review.decisions import (
    KINDS,
    ReviewKind,
)
from specbridge_pipeline.request_sets.review_text import csv_rows, review_text, shown

JSON_LINES = ".jsonl"

Values = dict[str, str]


class _Members(list[tuple[str, object]]):
    """The members of a JSON object, also those of one name."""


def decision_lines(
    path: Path, file: str, problems: list[str], kind: ReviewKind
) -> Iterator[tuple[int, Values]]:
    """Yield the number of each line of a file and its cells, of the kind's columns only.

    Args:
        path: The file; one whose name ends in .jsonl has a JSON object a line, any other one is
            CSV with a header line.
        file: What it is called in a problem.
        problems: What is wrong with the file, or the form of a line, is added here.
        kind: What is decided on.
    """
    text = review_text(path, file, problems)
    if text is None:
        return
    read = _json_lines if path.suffix.lower() == JSON_LINES else _csv_lines
    yield from read(text, file, problems, kind)


def _csv_lines(
    text: str, file: str, problems: list[str], kind: ReviewKind
) -> Iterator[tuple[int, Values]]:
    if text.lstrip().startswith("<"):
        problems.append(f"{file}: is a page, and not the file that the page downloads")
        return
    rows = ((line, cells) for line, cells in csv_rows(text, file, problems) if any(cells))
    header = next(rows, None)
    if header is None:
        return
    line, names = header[0], [name.strip().lower() for name in header[1]]
    faults = _header_faults(names, kind)
    problems.extend(f"{file}:{line}: {fault}" for fault in faults)
    if faults:
        return
    for line, cells in rows:
        stripped = [cell.strip() for cell in cells]
        if not any(stripped):
            continue
        fault = _row_fault(stripped, names)
        if fault:
            problems.append(f"{file}:{line}: {fault}")
            continue
        yield line, dict(zip(names, cells, strict=False))


def _row_fault(cells: Sequence[str], names: Sequence[str]) -> str:
    """Say what is wrong with the form of a row; empty where nothing is."""
    if len(cells) > len(names):
        return (
            f"there are {len(cells)} cells for {len(names)} columns; quote a text that holds commas"
        )
    if [cell.lower() for cell in cells] == names:
        return "the header line stands here again; leave it out where files are joined"
    # A spreadsheet may leave out cells at the end that are empty, but a verdict is none.
    reviewer = names.index("reviewer")
    if len(cells) <= names.index("verdict") and any(cells[reviewer : reviewer + 1]):
        return "the line ends before its verdict; the file may have been cut off"
    return ""


def _json_lines(
    text: str, file: str, problems: list[str], kind: ReviewKind
) -> Iterator[tuple[int, Values]]:
    first = True
    # Not splitlines, which also cuts at characters that may stand inside a JSON text.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            value = json.loads(line, object_pairs_hook=_Members)
        except (ValueError, RecursionError):
            problems.append(f"{where}: is not JSON")
            if first:
                # A file of another kind is not wrong line by line.
                return
            continue
        finally:
            first = False
        if not isinstance(value, _Members):
            problems.append(f"{where}: is no JSON object; a line holds one")
            continue
        names = [name for name, _ in value]
        faults = _other_kind(names, kind) or _column_faults(names, kind)
        values: Values = {}
        for name, cell in value:
            if name not in kind.columns:
                continue
            if name == "pass" and type(cell) is int:
                cell = str(cell)
            if not isinstance(cell, str | None):
                faults.append(f"'{name}' is no text")
            elif cell and any("\ud800" <= character <= "\udfff" for character in cell):
                faults.append(f"'{name}' holds half a character, which no file can")
            elif cell and "\0" in cell:
                faults.append(f"'{name}' holds a NUL character")
            else:
                values[name] = cell or ""
        problems.extend(f"{where}: {fault}" for fault in faults)
        if not faults:
            yield number, values


def _header_faults(names: list[str], kind: ReviewKind) -> list[str]:
    if not set(names) & {*kind.columns, *kind.reading_columns}:
        for sign, called in ((";", "semicolons"), ("\t", "tabs")):
            if kind.id_column in names[0].split(sign):
                return [f"the columns are separated by {called}, and not by commas"]
        if names[0].startswith(("{", "[")):
            return [f"is JSON, and no CSV; let the file's name end in {JSON_LINES}"]
        return _other_kind(names, kind) or [f"the header line is missing: {','.join(kind.columns)}"]
    return _other_kind(names, kind) or _column_faults(names, kind)


def _other_kind(names: Sequence[str], kind: ReviewKind) -> list[str]:
    """Say that a file is about something else, which is one fault and not one a column."""
    if kind.id_column in names:
        return []
    return [
        f"these are verdicts on {other.noun}s, and not on {kind.noun}s; "
        f"`{other.command}` imports them"
        for other in KINDS
        if other is not kind and other.id_column in names
    ]


def _column_faults(names: list[str], kind: ReviewKind) -> list[str]:
    faults = [
        f"unknown column {shown(name)}; columns: {', '.join(kind.columns)}"
        if name
        else f"column {place} has no name"
        for place, name in enumerate(names, start=1)
        if name not in kind.columns and name not in kind.reading_columns
    ]
    faults += [f"column '{name}' is missing" for name in kind.required_columns if name not in names]
    faults += [f"column '{name}' stands twice" for name in kind.columns if names.count(name) > 1]
    return faults
