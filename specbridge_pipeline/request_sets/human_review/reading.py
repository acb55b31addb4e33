"""Reading files of decisions, CSV or JSON Lines, with every fault named by file and line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.request_sets.human_review.decisions import (
    FIRST_PASS,
    SECOND_PASS,
    SETS,
    Decision,
    ReadDecision,
    ReviewKind,
    Verdict,
    one_kind_of_break,
)
from specbridge_pipeline.request_sets.review_text import csv_rows, review_text, shown

_PASSES = {"": FIRST_PASS, str(FIRST_PASS): FIRST_PASS, str(SECOND_PASS): SECOND_PASS}

Values = dict[str, str]


def read_decisions(
    paths: Iterable[Path],
    digests: Mapping[str, str] | None = None,
    kind: ReviewKind = SETS,
) -> list[ReadDecision]:
    """Read files of decisions, all of them or none.

    A line without verdict, reason and comment is of a set that is still to be decided, and is
    passed over.

    Args:
        paths: Files in UTF-8; one whose name ends in .jsonl has a JSON object a line, any other
            one is CSV with a header line.
        digests: Set id → digest of the set as it is now, for all sets that can be decided; None
            where that is not to be asked, since the decisions were imported before.
        kind: What is reviewed; "set" stands for one of it here.

    Returns:
        The decisions in the order of files and lines, with where they stand.

    Raises:
        HumanVerdictsError: A file cannot be read or has unknown or missing columns; a line is of
            an unknown set, or of one that has changed since it was exported; names no reviewer;
            has an unknown verdict, reason or pass, or a reason that does not belong to its
            verdict; or decides what a line before it has decided. The error names all such places.
    """
    problems: list[str] = []
    lines = (line for path in paths for line in _lines(path, problems, kind))
    found = stated_decisions(lines, problems, digests, kind)
    if problems:
        raise HumanVerdictsError(tuple(problems))
    return found


def stated_decisions(
    lines: Iterable[tuple[str, Mapping[str, str]]],
    problems: list[str],
    digests: Mapping[str, str] | None = None,
    kind: ReviewKind = SETS,
) -> list[ReadDecision]:
    """Return the decisions that lines state, held to the same rules wherever they are from.

    Args:
        lines: Where each stands, and its values by column; a column that is left out is empty.
        problems: What is wrong is added here, a sentence each, with where it stands.
        digests: As for `read_decisions`.
        kind: What is reviewed.

    Returns:
        The good ones in order.
    """
    found: list[ReadDecision] = []
    first: dict[tuple[str, str, int], str] = {}
    spelled: dict[str, str] = {}
    for where, stated in lines:
        values = _normal(stated, kind)
        if not (values["verdict"] or values["reason"] or values["comment"]):
            continue
        faults = _faults(values, digests, kind)
        name = spelled.setdefault(values["reviewer"].casefold(), values["reviewer"])
        if name != values["reviewer"]:
            faults.append(
                f"the reviewer {shown(values['reviewer'])} is written {shown(name)} elsewhere; "
                "one person has one spelling"
            )
        if faults:
            problems.extend(f"{where}: {fault}" for fault in faults)
            continue
        decision = _decision(values, kind)
        if decision.key in first:
            problems.append(
                f"{where}: {decision.reviewer!r} has already decided {kind.noun} "
                f"{decision.set_id} in pass {decision.pass_number}, at {first[decision.key]}"
            )
            continue
        first[decision.key] = where
        found.append(ReadDecision(decision, where))
    return found


def _lines(path: Path, problems: list[str], kind: ReviewKind) -> Iterator[tuple[str, Values]]:
    """Yield where each line of a file stands, and its values by column."""
    try:
        text = review_text(path)
    except (OSError, ValueError) as error:
        problems.append(f"{path.name}: cannot be read: {error}")
        return
    read = _json_lines if path.suffix.lower() == ".jsonl" else _csv_lines
    for line, values in read(text, path.name, problems, kind):
        yield f"{path.name}:{line}", values


def _normal(values: Mapping[str, str], kind: ReviewKind) -> Values:
    """Return the values of all the kind's columns, without what makes no difference."""
    stripped = {name: one_kind_of_break(values.get(name, "")).strip() for name in kind.columns}
    stripped["reviewer"] = " ".join(stripped["reviewer"].split())
    lower = ("digest", "verdict", "reason")
    for name in (*lower, "set_id") if kind is SETS else lower:
        stripped[name] = stripped[name].lower()
    return stripped


def _csv_lines(
    text: str, file: str, problems: list[str], kind: ReviewKind
) -> Iterator[tuple[int, Values]]:
    rows = csv_rows(text, file, problems)
    header = next(rows, None)
    if header is None:
        problems.append(f"{file}:1: the header line is missing: {','.join(kind.columns)}")
        return
    line, names = header[0], [name.strip().lower() for name in header[1]]
    faults = _column_faults(names, kind)
    problems.extend(f"{file}:{line}: {fault}" for fault in faults)
    if faults:
        return
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(names):
            problems.append(
                f"{file}:{line}: there are {len(cells)} cells for {len(names)} columns; "
                "quote a text that holds commas"
            )
            continue
        yield line, dict(zip(names, cells, strict=False))


def _json_lines(
    text: str, file: str, problems: list[str], kind: ReviewKind
) -> Iterator[tuple[int, Values]]:
    # Not splitlines, which also cuts at characters that may stand inside a JSON text.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            problems.append(f"{where}: is not JSON")
            continue
        if not isinstance(value, dict):
            problems.append(f"{where}: is no JSON object")
            continue
        faults = _column_faults(list(value), kind)
        values: Values = {}
        for name, cell in value.items():
            if name not in kind.columns:
                continue
            if name == "pass" and type(cell) is int:
                cell = str(cell)
            if not isinstance(cell, str | None):
                faults.append(f"'{name}' is no text")
            elif cell and any("\ud800" <= character <= "\udfff" for character in cell):
                faults.append(f"'{name}' holds half a character, which no file can")
            else:
                values[name] = cell or ""
        problems.extend(f"{where}: {fault}" for fault in faults)
        if not faults:
            yield number, values


def _column_faults(names: list[str], kind: ReviewKind) -> list[str]:
    faults = [
        f"unknown column {shown(name)}; columns: {', '.join(kind.columns)}"
        for name in names
        if name not in kind.columns and name not in kind.reading_columns
    ]
    faults += [f"column '{name}' is missing" for name in kind.required_columns if name not in names]
    faults += [f"column '{name}' stands twice" for name in kind.columns if names.count(name) > 1]
    return faults


def _faults(values: Values, digests: Mapping[str, str] | None, kind: ReviewKind) -> list[str]:
    faults = []
    item, digest = values[kind.id_column], values["digest"]
    if not item:
        faults.append(f"the {kind.noun} id is missing")
    elif digests is not None and item not in digests:
        elsewhere = (
            "it is of another edition, its draft was built anew, or a spreadsheet took its id for "
            "a number"
            if kind is SETS
            else "the questions, or the choice types that were asked for, are others"
        )
        faults.append(f"there is no {kind.noun} {shown(item)}; {elsewhere}")
    if not digest:
        faults.append("the digest is missing, which says what the reviewer saw")
    elif digests is not None and digests.get(item, digest) != digest:
        faults.append(
            f"{kind.noun} {item} or its database has changed since it was exported: its digest is "
            f"{digests[item]} now and {shown(digest)} here; export it again"
        )
    if not values["reviewer"]:
        faults.append("the reviewer is missing")
    if values["pass"] not in _PASSES:
        faults.append(f"the pass is {shown(values['pass'])}, not 1 or 2")
    return faults + _verdict_faults(values["verdict"], values["reason"], kind)


def _verdict_faults(verdict: str, reason: str, kind: ReviewKind) -> list[str]:
    verdicts, reasons = list(map(str, Verdict)), list(map(str, kind.reasons))
    if verdict not in verdicts:
        return [f"the verdict is {shown(verdict)}, not {' or '.join(verdicts)}"]
    if verdict == Verdict.ACCEPT:
        return [f"it is accepted and has a reason, {shown(reason)}"] if reason else []
    if not reason:
        return [f"it is rejected without a reason; reasons: {', '.join(reasons)}"]
    if reason not in reasons:
        return [f"unknown reason {shown(reason)}; reasons: {', '.join(reasons)}"]
    return []


def _decision(values: Values, kind: ReviewKind) -> Decision:
    return Decision(
        set_id=values[kind.id_column],
        digest=values["digest"],
        reviewer=values["reviewer"],
        pass_number=_PASSES[values["pass"]],
        verdict=Verdict(values["verdict"]),
        reason=kind.reasons(values["reason"]) if values["reason"] else None,
        comment=values["comment"],
    )
