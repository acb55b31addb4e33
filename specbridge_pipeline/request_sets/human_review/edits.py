"""Review of edits of benchmark questions: their ids, what was seen, and what becomes of counts.

Files of verdicts hold ids and no text of a benchmark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specbridge_pipeline.choices.answer_changes.answers import Effect
from specbridge_pipeline.choices.answer_changes.counts import ANY, PUBLISHED, PUBLISHED_TYPES
from specbridge_pipeline.choices.answer_changes.study import AnswerChange
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.records.files import write_text
from specbridge_pipeline.request_sets.human_review.decisions import (
    EDITS,
    Decision,
    decisions_csv,
)
from specbridge_pipeline.request_sets.human_review.importing import ReviewImport, import_of
from specbridge_pipeline.request_sets.human_review.merging import Standing, reviewed_sets
from specbridge_pipeline.request_sets.human_review.reading import read_decisions
from specbridge_pipeline.settings import Project

Row = Mapping[str, Any]

FILE = "imported.csv"
_SEEN = (
    *("form", "other_form", "effect", "move", "relative_move"),
    *("reference_rows", "other_rows", "rows_lost", "rows_gained"),
)
_REST = 8


@dataclass(frozen=True, slots=True)
class ConfirmedCount:
    """Answers that change, and how many of them people confirm.

    Attributes:
        changed: Questions whose answer changes.
        judged: Those of these whose edit was judged.
        confirmed: Those of these whose edit everybody accepts who judged it.
    """

    changed: int
    judged: int
    confirmed: int


def edit_id(row: Row) -> str:
    """Return the id of an edit: benchmark, source, question id and choice type."""
    return "/".join(
        str(row[name]) for name in ("benchmark", "source", "question_id", "choice_type")
    )


def edit_digest(change: AnswerChange) -> str:
    """Return the digest of what a reviewer sees of an edit: texts, queries, and how answers differ.

    It begins with the fingerprint of the reference, by which counts tell that the question still
    has the query that was judged.
    """
    assert change.edit is not None
    seen = {
        "texts": [change.reference.question, change.reference.evidence],
        "queries": [change.reference.sql, change.edit.sql],
        "answers": {name: change.row[name] for name in _SEEN},
    }
    return f"d{change.row['query']}-{content_hash(seen)[:_REST]}".lower()


def reviewable(changes: Iterable[AnswerChange]) -> list[AnswerChange]:
    """Return the changes of which there is something to review: the answer changes by an edit."""
    return [
        each
        for each in changes
        if each.edit is not None and each.row["effect"] == Effect.CHANGED.value
    ]


def drawn_edits(
    changes: Iterable[AnswerChange], seed: int, count: int | None = None
) -> list[AnswerChange]:
    """Return edits in an order that a seed decides; a smaller draw begins a larger one."""

    def place(each: AnswerChange) -> tuple[str, str]:
        name = edit_id(each.row)
        return hashlib.sha256(f"{seed} {name}".encode()).hexdigest(), name

    return sorted(changes, key=place)[:count]


def recorded_edit_decisions(project: Project) -> list[Decision]:
    """Return the decisions on edits of all imports before.

    Raises:
        HumanVerdictsError: The file that holds them cannot be used.
    """
    path = project.answer_change_verdicts / FILE
    if not path.exists():
        return []
    return [each.decision for each in read_decisions([path], kind=EDITS)]


def plan_edit_import(
    project: Project, paths: Sequence[Path], digests: Mapping[str, str], *, replace: bool = False
) -> ReviewImport:
    """Say what importing decisions on edits would come to; nothing is written.

    Args:
        project: Where to.
        paths: The files.
        digests: Edit id → digest of the edit as it is now.
        replace: Whether a decision takes the place of another one that was imported before.

    Raises:
        HumanVerdictsError: A file has faults, or contradicts an import before.
    """
    new = read_decisions(paths, digests, EDITS)
    return import_of(recorded_edit_decisions(project), new, replace=replace, noun=EDITS.noun)


def write_edit_import(project: Project, planned: ReviewImport) -> Path:
    """Write the decisions, apart from those on sets.

    Returns:
        The file.
    """
    path = project.answer_change_verdicts / FILE
    write_text(path, decisions_csv(planned.decisions, EDITS))
    return path


def confirmed_counts(
    rows: Sequence[Row], decisions: Iterable[Decision]
) -> dict[str, ConfirmedCount]:
    """Count answers that change with and without people's verdicts.

    A verdict on a query that the question has no longer does not count.

    Args:
        rows: Rows of ANSWER_CHANGES.
        decisions: Decisions on edits.

    Returns:
        Choice type, PUBLISHED or ANY → count; by the last two each question once, confirmed where
        one of its edits is.
    """
    standing = {
        each.set_id: (each.standing, {decision.digest for decision in each.decisions})
        for each in reviewed_sets(decisions)
    }
    changed = [row for row in rows if row["effect"] == Effect.CHANGED]

    def judged(row: Row) -> bool:
        found = standing.get(edit_id(row))
        mark = f"d{row['query']}-".lower()
        return found is not None and all(each.startswith(mark) for each in found[1])

    def count(chosen: Sequence[Row]) -> ConfirmedCount:
        read = [row for row in chosen if judged(row)]
        kept = [row for row in read if standing[edit_id(row)][0] is Standing.KEPT]
        return ConfirmedCount(
            *(len({_question(row) for row in each}) for each in (chosen, read, kept))
        )

    found = {
        each.value: count([row for row in changed if row["choice_type"] == each])
        for each in ChoiceType
        if any(row["choice_type"] == each for row in changed)
    }
    if not found:
        return {}
    five = [row for row in changed if row["choice_type"] in PUBLISHED_TYPES]
    return {**found, PUBLISHED: count(five), ANY: count(changed)}


def _question(row: Row) -> tuple[str, str, str]:
    return row["benchmark"], row["source"], row["question_id"]
