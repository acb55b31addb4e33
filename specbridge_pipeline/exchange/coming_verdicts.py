"""Verdicts that ship with an edition, when its sets are imported: read, compared, taken along."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from specbridge_pipeline.errors import HumanVerdictsError, ImportFaultsError
from specbridge_pipeline.exchange.json_lines import ReadRow
from specbridge_pipeline.exchange.set_rows import SetRow, VerdictRow, known_set
from specbridge_pipeline.reporting.formatting import counted
from specbridge_pipeline.request_sets.human_review.decisions import (
    FIRST_PASS,
    Decision,
    ReadDecision,
    person_of,
)
from specbridge_pipeline.request_sets.human_review.decisions import Verdict as Decided
from specbridge_pipeline.request_sets.human_review.drawing import review_digest
from specbridge_pipeline.request_sets.human_review.edition_reviews import (
    FOLDER,
    LABELS_FILE,
    EditionReview,
    label_fault,
    one_line,
    read_review,
    review_texts,
    verdict_files,
)
from specbridge_pipeline.request_sets.human_review.importing import VERDICTS_FILE
from specbridge_pipeline.request_sets.human_review.merging import merge_decisions
from specbridge_pipeline.request_sets.human_review.reading import stated_decisions
from specbridge_pipeline.request_sets.human_verdicts import Verdict
from specbridge_pipeline.request_sets.review_text import shown

_MOST_FAULTS = 20
"""So many differences between rows and files are said; one lost file makes one a set."""


@dataclass(frozen=True, slots=True)
class ComingReview:
    """The verdicts with a label that come with a file of sets.

    Attributes:
        review: The verdicts, and what kind of review they are.
        files: The files that hold them, by name, as they are; empty where only rows do.
    """

    review: EditionReview
    files: Mapping[str, bytes]

    def on(self, sets: Collection[str]) -> EditionReview:
        """Return the verdicts on some of the sets."""
        found = tuple(each for each in self.review.decisions if each.decision.set_id in sets)
        people = {person_of(each.decision.reviewer) for each in found}
        labels = {name: said for name, said in self.review.labels.items() if name in people}
        return EditionReview(found, labels)

    def shipped_with(self, sets: Collection[str]) -> dict[str, bytes]:
        """Return the files that ship with an edition of some of the sets.

        They are those that came, to the byte, where they came and nothing of them is left out.

        Args:
            sets: Ids of its sets.

        Returns:
            Path in the edition's folder → content; empty where there is no verdict on them.
        """
        kept = self.on(sets)
        if not kept.decisions:
            return {}
        if self.files and len(kept.decisions) == len(self.review.decisions):
            files = dict(self.files)
        else:
            texts = review_texts((each.decision for each in kept.decisions), kept.labels)
            files = {name: text.encode() for name, text in texts.items()}
        return {f"{FOLDER}/{name}": content for name, content in files.items()}


def read_coming_review(
    file: Path,
    rows: Sequence[ReadRow[SetRow]],
    recorded: Sequence[Decision] = (),
    written: Sequence[Verdict] = (),
) -> ComingReview:
    """Read the verdicts with a label that come with a file of sets, all of them or none.

    They stand in the rows, in the folder `verdicts` beside the file, or in both, alike. In both
    places they are held to the rules for verdicts that ship with an edition.

    Args:
        file: The file of sets.
        rows: Its rows.
        recorded: Decisions that were imported into the project, which none may contradict.
        written: The project's verdicts of people, likewise.

    Raises:
        ImportFaultsError: A verdict has a fault, stands otherwise in the other place, or
            contradicts one that is here. The error names all such places.
        ConfigurationError: The folder is none or cannot be read; or the file that says whose they
            are is missing or not valid, or leaves out a person.
    """
    sets = [each for each in map(known_set, (read.row for read in rows)) if each is not None]
    hashes = {each.row.database: each.row.database_hash for each in rows}
    digests = {each.id: review_digest(each, hashes[each.database]) for each in sets}
    folder = file.parent / FOLDER
    in_files = _in_files(folder, digests, _not_known(file.name, len(rows) - len(sets)))
    in_rows = _in_rows(rows, digests)
    if in_files is not None and in_rows.decisions:
        if not in_files.decisions:
            _refuse([f"{FOLDER}/ holds no verdict, and the rows of {file.name} do"])
        _refuse(_differences(file.name, in_rows, in_files))
    review = in_rows if in_files is None else in_files
    _refuse(_contradictions(review, rows, recorded, written))
    if in_files is None or not in_files.decisions:
        return ComingReview(review, {})
    paths = [*verdict_files(folder), folder / LABELS_FILE]
    return ComingReview(review, {path.name: path.read_bytes() for path in paths})


def _not_known(file: str, sets: int) -> list[str]:
    """Say that no verdict can be on sets whose ids are measured only later."""
    if not sets:
        return []
    return [
        f"{file}: {counted(sets, 'set')} with no depths, from which ids follow too, so that no "
        "verdict can be told to be on them; give step_depth and arithmetic_depth"
    ]


def _in_files(
    folder: Path, digests: Mapping[str, str], not_known: Sequence[str]
) -> EditionReview | None:
    """Return what the folder of verdicts says; None where there is no such folder."""
    # A link that leads nowhere is no folder, and not the same as none.
    if not os.path.lexists(folder):
        return None
    try:
        found = read_review(folder, digests)
    except HumanVerdictsError as error:
        problems = [f"{FOLDER}/{problem}" for problem in error.problems]
        raise ImportFaultsError((*problems, *not_known)) from None
    return EditionReview(
        tuple(ReadDecision(each.decision, f"{FOLDER}/{each.where}") for each in found.decisions),
        found.labels,
    )


def _in_rows(rows: Sequence[ReadRow[SetRow]], digests: Mapping[str, str]) -> EditionReview:
    """Return the verdicts with a label that stand in rows."""
    problems: list[str] = []
    labelled = [
        (read, verdict) for read in rows for verdict in read.row.human_verdicts if verdict.label
    ]
    found = stated_decisions(
        (
            (f"{read.where}, {shown(verdict.reviewer)}", _values(read.row, verdict, digests))
            for read, verdict in labelled
        ),
        problems,
        digests,
    )
    labels: dict[str, str] = {}
    stated: dict[tuple[str, str], str] = {}
    for read, verdict in labelled:
        person, said = person_of(one_line(verdict.reviewer)), one_line(verdict.label)
        label = labels.setdefault(person, said)
        first = stated.setdefault((person, said), read.where)
        if first != read.where:
            continue
        if fault := label_fault(said):
            problems.append(f"{read.where}: the review of {shown(person)} {fault}")
        elif label != said:
            problems.append(
                f"{read.where}: the review of {shown(person)} is {said!r} here and {label!r} at "
                f"{stated[person, label]}"
            )
    problems = list(dict.fromkeys(problems))
    if not problems:
        try:
            merge_decisions([], found)
        except HumanVerdictsError as error:
            problems += error.problems
    _refuse(problems)
    return EditionReview(tuple(found), labels)


def _values(row: SetRow, verdict: VerdictRow, digests: Mapping[str, str]) -> dict[str, str]:
    """Return a verdict as a line of a file would state it."""
    set_id = row.id or ""
    return {
        "set_id": set_id,
        "digest": digests.get(set_id, ""),
        "reviewer": verdict.reviewer,
        "pass": "" if verdict.pass_number is None else str(verdict.pass_number),
        "verdict": verdict.verdict.value,
        "reason": verdict.reason,
        "comment": verdict.comment,
    }


def _differences(file: str, in_rows: EditionReview, in_files: EditionReview) -> Iterator[str]:
    """Say how rows and files differ in what they say of the same review."""
    rows, files = (
        {each.decision.key: each for each in review.decisions} for review in (in_rows, in_files)
    )
    for key, each in rows.items():
        if key not in files:
            yield f"{each.where}: the verdict stands in no file of {FOLDER}/"
        elif files[key].decision != each.decision:
            yield f"{each.where}: the verdict stands otherwise at {files[key].where}"
    for key, each in files.items():
        if key not in rows:
            yield (
                f"{each.where}: the verdict of {each.decision.reviewer!r} on set "
                f"{each.decision.set_id} does not stand in the row of the set in {file}"
            )
    for person, label in in_rows.labels.items():
        other = in_files.labels.get(person, label)
        if other != label:
            yield (
                f"{FOLDER}/{LABELS_FILE}: the review of {shown(person)} is {other!r} here "
                f"and {label!r} in {file}"
            )


def _contradictions(
    review: EditionReview,
    rows: Sequence[ReadRow[SetRow]],
    recorded: Sequence[Decision],
    written: Sequence[Verdict],
) -> Iterator[str]:
    """Say where a verdict without a label, of project or rows, is another one on the same set."""
    known = {each.key: (each.accepted, VERDICTS_FILE) for each in recorded}
    for one in written:
        # What an import wrote follows from the recorded decisions.
        if one.file != VERDICTS_FILE:
            place = (one.accepted, f"{one.file}:{one.line}")
            known.setdefault((one.set_id, one.reviewer, FIRST_PASS), place)
    for read in rows:
        for verdict in read.row.human_verdicts:
            if not verdict.label:
                place = (verdict.verdict is Decided.ACCEPT, read.where)
                known.setdefault((read.row.id or "", verdict.reviewer, FIRST_PASS), place)
    for each in review.decisions:
        accepted, where = known.get(each.decision.key, (each.decision.accepted, ""))
        if accepted != each.decision.accepted:
            yield (
                f"{each.where}: {shown(each.decision.reviewer)} has another verdict on set "
                f"{each.decision.set_id} here, at {where}"
            )


def _refuse(faults: Iterator[str] | Sequence[str]) -> None:
    found = list(faults)
    if len(found) > _MOST_FAULTS:
        found[_MOST_FAULTS:] = [f"and {len(found) - _MOST_FAULTS} more of this kind"]
    if found:
        raise ImportFaultsError(tuple(found))
