"""What people say of request sets: verdicts read from CSV files that they filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.request_sets.records import ID_LENGTH
from specbridge_pipeline.request_sets.review_text import csv_rows, review_text, shown

COLUMNS = ("set_id", "reviewer", "verdict", "reason", "comment")
"""The columns of a file, in any order; reason and comment may be missing."""

_REQUIRED = COLUMNS[:3]
_VERDICTS = {"accept": True, "reject": False}
_SET_ID = re.compile(rf"[0-9a-f]{{{ID_LENGTH}}}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One person's verdict on one set.

    Attributes:
        file: Name of the file that it stands in, without its folder.
        line: The line on which it begins, from 1.
        set_id: Content id of the set.
        reviewer: Who judged.
        accepted: Whether a reasonable analyst could mean either interpretation.
        reason: Why not, in a word or two; may be empty.
        comment: Anything else; may be empty.
    """

    file: str
    line: int
    set_id: str
    reviewer: str
    accepted: bool
    reason: str
    comment: str


def read_verdicts(paths: Iterable[Path]) -> list[Verdict]:
    """Read files of verdicts, all of them or none.

    Args:
        paths: CSV files in UTF-8 with a header line; a byte order mark is allowed.

    Returns:
        The verdicts by file name and line.

    Raises:
        HumanVerdictsError: A file cannot be read or has unknown or missing columns, a line has no
            set id, no reviewer or another verdict than accept and reject, or a reviewer has judged
            a set twice, in one file or in two. The error names every such place.
    """
    problems: list[str] = []
    verdicts: list[Verdict] = []
    first: dict[tuple[str, str], Verdict] = {}
    for path in sorted(paths, key=lambda path: (path.name, path)):
        for verdict in _verdicts(path, problems):
            key = (verdict.set_id, verdict.reviewer)
            if key in first:
                other = first[key]
                problems.append(
                    f"{verdict.file}:{verdict.line}: {verdict.reviewer!r} has already judged set "
                    f"{verdict.set_id}, at {other.file}:{other.line}"
                )
                continue
            first[key] = verdict
            verdicts.append(verdict)
    if problems:
        raise HumanVerdictsError(tuple(problems))
    return verdicts


def verdict_rows(verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """Return verdicts as rows of HUMAN_VERDICTS."""
    return [
        {
            "file": each.file,
            "line": each.line,
            "set_id": each.set_id,
            "reviewer": each.reviewer,
            "accepted": each.accepted,
            "reason": each.reason,
            "comment": each.comment,
        }
        for each in verdicts
    ]


def human_decision(verdicts: Sequence[Verdict]) -> bool | None:
    """Return what people decide of one set.

    Args:
        verdicts: The verdicts on it.

    Returns:
        True where all accept it, False where anybody rejects it, None where nobody has judged it.
    """
    return all(each.accepted for each in verdicts) if verdicts else None


def _verdicts(path: Path, problems: list[str]) -> Iterator[Verdict]:
    """Yield the good lines of a file and add what is wrong with it to the problems."""
    text = review_text(path, path.name, problems)
    if text is None:
        return
    rows = csv_rows(text, path.name, problems)
    header = next(rows, None)
    if header is None:
        problems.append(f"{path.name}:1: the header line is missing: {','.join(COLUMNS)}")
        return
    line, names = header[0], [name.strip().lower() for name in header[1]]
    faults = _header_faults(names)
    problems.extend(f"{path.name}:{line}: {fault}" for fault in faults)
    if faults:
        return
    for line, cells in rows:
        cells = [cell.strip() for cell in cells]
        if not any(cells):
            continue
        where = f"{path.name}:{line}"
        if len(cells) > len(names):
            problems.append(
                f"{where}: there are {len(cells)} cells for {len(names)} columns; "
                "quote a text that holds commas"
            )
            continue
        values = dict.fromkeys(COLUMNS, "") | dict(zip(names, cells, strict=False))
        faults = _row_faults(values)
        problems.extend(f"{where}: {fault}" for fault in faults)
        if not faults:
            yield Verdict(
                file=path.name,
                line=line,
                set_id=values["set_id"].lower(),
                reviewer=values["reviewer"],
                accepted=_VERDICTS[values["verdict"].lower()],
                reason=values["reason"],
                comment=values["comment"],
            )


def _header_faults(names: Sequence[str]) -> list[str]:
    faults = [
        f"unknown column {shown(name)}; columns: {', '.join(COLUMNS)}"
        for name in names
        if name not in COLUMNS
    ]
    faults += [f"column '{name}' is missing" for name in _REQUIRED if name not in names]
    faults += [f"column '{name}' stands twice" for name in COLUMNS if names.count(name) > 1]
    return faults


def _row_faults(values: dict[str, str]) -> list[str]:
    faults = []
    if not values["set_id"]:
        faults.append("the set id is missing")
    elif not _SET_ID.fullmatch(values["set_id"].lower()):
        faults.append(
            f"{shown(values['set_id'])} is no set id: {ID_LENGTH} digits 0-9 and a-f (a "
            "spreadsheet may have taken it for a number)"
        )
    if not values["reviewer"]:
        faults.append("the reviewer is missing")
    if values["verdict"].lower() not in _VERDICTS:
        faults.append(f"the verdict is {shown(values['verdict'])}, not accept or reject")
    return faults
