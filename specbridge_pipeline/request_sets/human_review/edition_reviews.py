"""Reviews that ship with an edition: files of decisions beside its sets, and whose they are."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from specbridge_pipeline.configuration_files import StrictModel, read_configuration
from specbridge_pipeline.errors import ConfigurationError, HumanVerdictsError
from specbridge_pipeline.records.files import write_text
from specbridge_pipeline.request_sets.editions import Edition
from specbridge_pipeline.request_sets.human_review.decisions import (
    Decision,
    ReadDecision,
    decisions_csv,
    person_of,
)
from specbridge_pipeline.request_sets.human_review.drawing import review_digest
from specbridge_pipeline.request_sets.human_review.importing import ReviewImport, import_of
from specbridge_pipeline.request_sets.human_review.merging import merge_decisions
from specbridge_pipeline.request_sets.human_review.reading import read_decisions
from specbridge_pipeline.request_sets.review_text import LARGEST_FILE, shown

FOLDER = "verdicts"
"""Where they lie in the folder of the edition. They are no part of what is sealed."""

LABELS_FILE = "reviewers.yaml"

LONGEST_LABEL = 300
"""Characters of what a review is; a report's first line repeats it."""

_ENDINGS = (".csv", ".jsonl")


class ReviewLabels(StrictModel):
    """The file that says whose verdicts an edition's are."""

    reviewers: dict[str, str]
    """Person → what their review is, such as "an independent review by the authors of …"."""


@dataclass(frozen=True, slots=True)
class EditionReview:
    """The verdicts that ship with an edition.

    Attributes:
        decisions: The decisions in the order of files and lines, with where they stand.
        labels: Person → what their review is.
    """

    decisions: tuple[ReadDecision, ...]
    labels: Mapping[str, str]


NO_REVIEW: Final = EditionReview((), {})
"""What ships with an edition that nobody has reviewed."""


def review_folder(edition: Edition) -> Path:
    """Return where the verdicts that ship with an edition lie."""
    return edition.folder / FOLDER


def review_files(edition: Edition) -> list[Path]:
    """Return the files of verdicts that ship with an edition, by name."""
    return verdict_files(review_folder(edition))


def verdict_files(folder: Path) -> list[Path]:
    """Return the files of verdicts in a folder, by name; none where there is no folder."""
    return sorted(path for ending in _ENDINGS for path in folder.glob(f"*{ending}"))


def one_line(label: str) -> str:
    """Return a label without what makes no difference: it stands in one line wherever it is."""
    return " ".join(label.split())


def label_fault(label: str) -> str:
    """Say what is wrong with the label of a review, as it goes on after "the review of ann"."""
    if not label:
        return "has no label"
    if len(label) > LONGEST_LABEL:
        return f"has a label of {len(label):,} characters; at most {LONGEST_LABEL} can be"
    # Labels are printed, and a terminal obeys such characters.
    if any(unicodedata.category(character) == "Cc" for character in label):
        return f"has a label with a control character, {shown(label)}"
    return ""


def edition_digests(edition: Edition) -> dict[str, str]:
    """Return set id → digest of the set on the database that the edition was checked on."""
    return {
        each.id: review_digest(each, edition.record.databases[each.database].content_hash)
        for each in edition.sets
    }


def read_edition_review(edition: Edition) -> EditionReview:
    """Read the verdicts that ship with an edition, all of them or none.

    Raises:
        HumanVerdictsError: As `read_review`.
        ConfigurationError: As `read_review`.
    """
    return read_review(review_folder(edition), edition_digests(edition))


def read_review(folder: Path, digests: Mapping[str, str]) -> EditionReview:
    """Read a folder of verdicts with the file that says whose they are, all of them or none.

    Args:
        folder: The folder.
        digests: Set id → digest of the set, for all sets that the verdicts can be on.

    Returns:
        The verdicts; none where there is no file of them.

    Raises:
        HumanVerdictsError: A file has faults, or is no file of verdicts; the error names all of
            them.
        ConfigurationError: The folder is none or cannot be read; or the file that says whose they
            are is missing or not valid, or leaves out a person.
    """
    _require_only_verdicts(folder)
    files = verdict_files(folder)
    if not files:
        return NO_REVIEW
    found = read_decisions(files, digests)
    merge_decisions([], found)
    path = folder / LABELS_FILE
    if not os.path.lexists(path):
        raise ConfigurationError(
            "it is not said whose verdicts these are",
            path=path,
            advice="write 'reviewers:' with a line a person, name and what the review is",
        )
    if not path.is_file():
        raise ConfigurationError("is no regular file", path=path)
    if path.stat().st_size > LARGEST_FILE:
        raise ConfigurationError(f"has more than {LARGEST_FILE:,} bytes", path=path)
    document = read_configuration(path)
    stated = document.parse(ReviewLabels).reviewers
    labels = {name: one_line(label) for name, label in stated.items()}
    for name, label in labels.items():
        fault = label_fault(label)
        if fault:
            raise document.error(f"the review of {shown(name)} {fault}", ["reviewers", name])
    unnamed = sorted({person_of(each.decision.reviewer) for each in found} - labels.keys())
    if unnamed:
        raise document.error(
            f"it is not said what the review of '{unnamed[0]}' is",
            ["reviewers"],
            "add a line with the name and what the review is",
        )
    return EditionReview(tuple(found), labels)


def _require_only_verdicts(folder: Path) -> None:
    """Refuse a folder with a file that would be passed over, as if nobody had said anything."""
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise ConfigurationError("is no folder", path=folder, advice="files of verdicts lie in it")
    try:
        listed = sorted(folder.iterdir())
    except OSError as error:
        raise ConfigurationError(
            f"cannot be read: {error.strerror or error}", path=folder
        ) from None
    strays = [
        path.name
        for path in listed
        # Hidden files are what systems leave behind, or a file that is being written.
        if not path.name.startswith(".")
        and path.name != LABELS_FILE
        and path.suffix not in _ENDINGS
    ]
    if strays:
        raise HumanVerdictsError(
            tuple(
                f"{name}: is no file of verdicts: one ends in {' or '.join(_ENDINGS)}; rename it, "
                "save it as one, or move it elsewhere"
                for name in strays
            )
        )


def plan_attachment(
    edition: Edition, paths: Sequence[Path], label: str, *, replace: bool = False
) -> tuple[ReviewImport, dict[str, str]]:
    """Say what it would come to if files shipped with an edition; nothing is written.

    Args:
        edition: The edition.
        paths: The files.
        label: What the review of the people in them is.
        replace: Whether a decision takes the place of another one that ships already.

    Returns:
        The import, and person → label.

    Raises:
        HumanVerdictsError: A file has faults, or contradicts one that ships.
        ConfigurationError: What ships already cannot be used; or the label is empty or another one
            than a person in the files has.
    """
    shipped = read_edition_review(edition)
    new = read_decisions(paths, edition_digests(edition))
    planned = import_of([each.decision for each in shipped.decisions], new, replace=replace)
    label = one_line(label)
    if not label:
        raise ConfigurationError(
            "it is not said what this review is",
            advice="--label TEXT, which the report's first line repeats",
        )
    if fault := label_fault(label):
        raise ConfigurationError(f"the review {fault}", advice="give another --label")
    labels = dict(shipped.labels)
    for person in sorted({person_of(each.decision.reviewer) for each in new}):
        if labels.get(person, label) != label and not replace:
            raise ConfigurationError(
                f"the review of '{person}' ships as '{labels[person]}'",
                advice="give that label, or --replace",
            )
        labels[person] = label
    return planned, labels


def write_attachment(edition: Edition, planned: ReviewImport, labels: Mapping[str, str]) -> Path:
    """Write the verdicts beside the edition's sets, a file a reviewer.

    Returns:
        The folder.
    """
    folder = review_folder(edition)
    texts = review_texts(planned.decisions, labels)
    for name, text in texts.items():
        write_text(folder / name, text)
    # Files that came here under other names would say the same once more.
    for path in review_files(edition):
        if path.name not in texts:
            path.unlink()
    return folder


def review_texts(decisions: Iterable[Decision], labels: Mapping[str, str]) -> dict[str, str]:
    """Return the files of a review, a file a reviewer and one that says whose they are.

    Args:
        decisions: The decisions.
        labels: Person → what their review is.

    Returns:
        File name → text, in the order in which they are to be written.
    """
    files: dict[str, list[Decision]] = {}
    for each in decisions:
        files.setdefault(_file_name(each.reviewer), []).append(each)
    said = yaml.safe_dump({"reviewers": dict(sorted(labels.items()))}, allow_unicode=True)
    return {LABELS_FILE: said} | {
        name: decisions_csv(listed) for name, listed in sorted(files.items())
    }


def _file_name(reviewer: str) -> str:
    letters = [each if each.isalnum() else "-" for each in reviewer.lower()]
    words = "-".join(filter(None, "".join(letters).split("-")))
    return f"{words or 'reviewer'}.csv"
