"""Reading files of decisions, CSV or JSON Lines, with every fault named by file and line."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.request_sets.human_review.decisions import (
    FIRST_PASS,
    LONGEST_COMMENT,
    LONGEST_NAME,
    SECOND_PASS,
    SETS,
    Decision,
    ReadDecision,
    ReviewKind,
    Verdict,
    one_kind_of_break,
    person_of,
)
from specbridge_pipeline.request_sets.human_review.lines import Values, decision_lines
from specbridge_pipeline.request_sets.review_text import LARGEST_FILE, shown

_PASSES = {"": FIRST_PASS, str(FIRST_PASS): FIRST_PASS, str(SECOND_PASS): SECOND_PASS}


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
        HumanVerdictsError: A file cannot be read, is given twice, has unknown or missing columns,
            or, if it is imported now, no decision; a line is of an unknown set, or of one that has
            changed since it was exported; names no reviewer, or in two spellings; has an unknown
            verdict, reason or pass, a reason that does not belong to its verdict, or a text that
            is too long; or decides what a line before it has decided. The error names all such
            places.
    """
    problems: list[str] = []
    found = stated_decisions(_lines(list(paths), problems, digests, kind), problems, digests, kind)
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
        values = _values(stated, kind)
        if not _decides(values):
            continue
        faults = _faults(values, digests, kind)
        person = person_of(values["reviewer"])
        name = spelled.setdefault(person.casefold(), person)
        if name != person:
            faults.append(
                f"the reviewer {shown(person)} is written {shown(name)} elsewhere; "
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


def _lines(
    paths: Sequence[Path],
    problems: list[str],
    digests: Mapping[str, str] | None,
    kind: ReviewKind,
) -> Iterator[tuple[str, Values]]:
    """Yield where each line of some files stands, and its values by column.

    A file that is given twice is not read again, and one that decides nothing is no file of an
    import.
    """
    seen: dict[object, str] = {}
    for path, file in zip(paths, _names(paths, digests is None), strict=True):
        same = _same_file(path, file, seen)
        if same:
            problems.append(f"{file}: {same}")
            continue
        before, decided = len(problems), False
        for line, cells in decision_lines(path, file, problems, kind):
            decided = decided or _decides(_values(cells, kind))
            yield f"{file}:{line}", cells
        if digests is not None and not decided and before == len(problems):
            problems.append(f"{file}: holds no decision: no line has a verdict")


def _decides(values: Mapping[str, str]) -> bool:
    return bool(values["verdict"] or values["reason"] or values["comment"])


def _values(cells: Mapping[str, str], kind: ReviewKind) -> Values:
    """Return the cells of a line without what makes no difference, all of the kind's columns."""
    values = {name: one_kind_of_break(cells.get(name, "")).strip() for name in kind.columns}
    values["reviewer"] = " ".join(values["reviewer"].split())
    lower = ("digest", "verdict", "reason")
    for name in (*lower, "set_id") if kind is SETS else lower:
        values[name] = values[name].lower()
    return values


def _names(paths: Sequence[Path], recorded: bool) -> list[str]:
    """Return what each file is called in a problem: its name, where that says which one it is."""
    shared = Counter(path.name for path in dict.fromkeys(paths))
    return [str(path) if recorded or shared[path.name] > 1 else path.name for path in paths]


def _same_file(path: Path, file: str, seen: dict[object, str]) -> str:
    """Say that a file, or another one with the same content, was given before; empty if not."""
    keys: list[object] = [path.resolve()]
    try:
        if path.is_file() and path.stat().st_size <= LARGEST_FILE:
            keys.append(hashlib.sha256(path.read_bytes()).digest())
    except OSError:
        # Reading it says why.
        pass
    first = next((seen[key] for key in keys if key in seen), "")
    for key in keys:
        seen.setdefault(key, file)
    if not first:
        return ""
    return "is given twice" if first == file else f"holds the same as {first}; give one of them"


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
    faults += _text_faults(values["reviewer"], values["comment"])
    if values["pass"] not in _PASSES:
        faults.append(f"the pass is {shown(values['pass'])}, not 1 or 2")
    return faults + _verdict_faults(values["verdict"], values["reason"], kind)


def _text_faults(reviewer: str, comment: str) -> list[str]:
    faults = []
    if not reviewer:
        faults.append("the reviewer is missing")
    elif len(reviewer) > LONGEST_NAME:
        faults.append(
            f"the reviewer's name has {len(reviewer):,} characters; at most {LONGEST_NAME} can be"
        )
    # Names are printed, and a terminal obeys such characters.
    if any(unicodedata.category(character) == "Cc" for character in reviewer):
        faults.append(f"the reviewer {shown(reviewer)} holds a control character")
    if len(comment) > LONGEST_COMMENT:
        faults.append(
            f"the comment has {len(comment):,} characters; at most {LONGEST_COMMENT:,} can be"
        )
    return faults


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
