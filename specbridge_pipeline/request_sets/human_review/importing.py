"""Importing decisions into a project: checked as a whole, then written as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.records.files import write_text
from specbridge_pipeline.request_sets import human_verdicts
from specbridge_pipeline.request_sets.human_review.decisions import (
    Decision,
    ReadDecision,
    csv_text,
    decisions_csv,
)
from specbridge_pipeline.request_sets.human_review.merging import (
    final_decisions,
    merge_decisions,
)
from specbridge_pipeline.request_sets.human_review.reading import read_decisions
from specbridge_pipeline.settings import Project

VERDICTS_FILE = "imported.csv"
"""The file of verdicts that imports write, beside those that people write by hand."""


@dataclass(frozen=True, slots=True)
class ReviewImport:
    """What an import comes to.

    Attributes:
        decisions: All decisions, of this import and of those before it.
        read: How many decisions the files hold.
        added: How many of them were not known.
        replaced: How many took the place of another one.
    """

    decisions: tuple[Decision, ...]
    read: int
    added: int
    replaced: int


def recorded_decisions(project: Project) -> list[Decision]:
    """Return the decisions of all imports before, both passes of each.

    Raises:
        HumanVerdictsError: The file that holds them cannot be used.
    """
    path = _record(project)
    return [each.decision for each in read_decisions([path])] if path.exists() else []


def plan_import(
    project: Project, paths: Sequence[Path], digests: Mapping[str, str], *, replace: bool = False
) -> ReviewImport:
    """Say what importing files would come to; nothing is written.

    Args:
        project: Where to.
        paths: The files.
        digests: Set id → digest of the set as it is now.
        replace: Whether a decision takes the place of another one that was imported before.

    Raises:
        HumanVerdictsError: A file has faults, contradicts an import before, or holds a verdict
            that stands in a file that people wrote by hand. The error names all such places.
    """
    new = read_decisions(paths, digests)
    planned = import_of(recorded_decisions(project), new, replace=replace)
    _refuse_twice_told(project, planned.decisions)
    return planned


def import_of(
    recorded: Sequence[Decision],
    new: Sequence[ReadDecision],
    *,
    replace: bool = False,
    noun: str = "set",
) -> ReviewImport:
    """Say what adding decisions to those that are there would come to.

    Args:
        recorded: What is there.
        new: What is added.
        replace: Whether a decision takes the place of another one that is there.
        noun: One of what is decided on.

    Raises:
        HumanVerdictsError: They cannot be merged.
    """
    merged = merge_decisions(recorded, new, replace=replace, noun=noun)
    before = {each.key: each for each in recorded}
    known = [before.get(each.decision.key) for each in new]
    return ReviewImport(
        decisions=tuple(merged),
        read=len(new),
        added=known.count(None),
        replaced=sum(
            old is not None and old != each.decision for old, each in zip(known, new, strict=True)
        ),
    )


def write_import(project: Project, planned: ReviewImport) -> Path:
    """Write the decisions, and the verdicts that follow from them where `human_verdicts` looks.

    The decisions come first: whatever stops it between the two, the same import mends.

    Returns:
        The file of verdicts.
    """
    write_text(_record(project), decisions_csv(planned.decisions))
    path = project.reviews / VERDICTS_FILE
    write_text(
        path,
        csv_text(
            human_verdicts.COLUMNS,
            (
                (
                    each.set_id,
                    each.reviewer,
                    each.verdict.value,
                    each.reason.value if each.reason else "",
                    each.comment,
                )
                for each in final_decisions(planned.decisions)
            ),
        ),
    )
    return path


def _record(project: Project) -> Path:
    return project.review_passes / VERDICTS_FILE


def _refuse_twice_told(project: Project, decisions: Sequence[Decision]) -> None:
    """Refuse what would make the project's verdicts unreadable: one in two files."""
    ours = {(each.set_id, each.reviewer) for each in decisions}
    others = human_verdicts.read_verdicts(
        path for path in project.reviews.glob("*.csv") if path.name != VERDICTS_FILE
    )
    problems = tuple(
        f"{each.file}:{each.line}: {each.reviewer!r} has a verdict on set {each.set_id} here "
        "already; take one of the two away"
        for each in others
        if (each.set_id, each.reviewer) in ours
    )
    if problems:
        raise HumanVerdictsError(problems)
