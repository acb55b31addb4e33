"""The review of an edition as the report shows it: whose it is, what it keeps, who agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.choices.english import listed
from specbridge_pipeline.reporting.formatting import counted, kappa_text, percent
from specbridge_pipeline.reporting.review_numbers import (
    KEPT_SCOPE,
    READ_SCOPE,
    reviewed_ids,
)
from specbridge_pipeline.request_sets.human_review.decisions import person_of
from specbridge_pipeline.request_sets.human_review.edition_verdicts import SEALED

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReviewCount:
    """A number of the review.

    Attributes:
        id: Its number id, by which it can be traced.
        label: What it counts.
        text: "52 of 60".
        share: "87%", or empty where nothing was counted.
        kappa: Cohen's κ of an agreement; empty for a count of sets.
        who: Between whom an agreement is; empty for a count of sets.
        formula: The query that lists the rows behind it.
    """

    id: str
    label: str
    text: str
    share: str
    kappa: str
    who: str
    formula: str


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """What one reviewer decided in the end.

    Attributes:
        reviewer: Who.
        label: What the review is, where that is said.
        judged: How many sets.
        accepted: How many of them were accepted.
        reasons: Why the others were rejected: "unnatural 3, other 1".
    """

    reviewer: str
    label: str
    judged: int
    accepted: int
    reasons: str


@dataclass(frozen=True, slots=True)
class ReviewView:
    """The review of an edition.

    Attributes:
        counts: Counts of sets.
        agreements: How far every two reviewers, or passes of one, agree.
        reviewers: A row a reviewer.
    """

    counts: tuple[ReviewCount, ...]
    agreements: tuple[ReviewCount, ...]
    reviewers: tuple[ReviewerRow, ...]


def arrange_review(verdicts: Sequence[Row], numbers: Sequence[Row]) -> ReviewView | None:
    """Arrange a review into the report's tables.

    Args:
        verdicts: Rows of EDITION_VERDICTS.
        numbers: Rows of REVIEW_NUMBERS.

    Returns:
        The tables; None where there is no verdict.
    """
    if not verdicts:
        return None
    found = [_count(row) for row in sorted(numbers, key=lambda row: row["place"])]
    final = [row for row in verdicts if row["final"]]
    return ReviewView(
        counts=tuple(each for each in found if not each.who),
        agreements=tuple(each for each in found if each.who),
        reviewers=tuple(
            _reviewer(name, [row for row in final if row["reviewer"] == name])
            for name in sorted({row["reviewer"] for row in final})
        ),
    )


def review_line(verdicts: Sequence[Row], sets: int) -> str:
    """Say in a line whose verdicts there are and what they keep.

    Args:
        verdicts: Rows of EDITION_VERDICTS.
        sets: How many sets the edition has.

    Returns:
        For instance "60 of 120 request sets were judged by ann, in 2 passes (the builders' own
        review, not an independent one), and 52 are kept."; empty where there is no verdict.
    """
    scopes = reviewed_ids(verdicts)
    if not scopes:
        return ""
    read, kept = len(scopes[READ_SCOPE]), len(scopes[KEPT_SCOPE])
    was, kept_is = "was" if read == 1 else "were", "is" if kept == 1 else "are"
    of = f"{read} of {counted(sets, 'request set')}"
    return f"{of} {was} judged by {judges(verdicts)}; {kept} {kept_is} kept."


def judges(verdicts: Sequence[Row], passes: str = "passes") -> str:
    """Name the people behind verdicts, each with what kind of review theirs is.

    Args:
        verdicts: Rows of EDITION_VERDICTS.
        passes: What several readings by one person are called.

    Returns:
        For instance "ann in 2 passes (the builders' own review, not an independent one)".
    """
    people: dict[str, list[Row]] = {}
    for row in verdicts:
        people.setdefault(person_of(row["reviewer"]), []).append(row)
    return listed([_who(person, rows, passes) for person, rows in sorted(people.items())])


def review_words(verdicts: Sequence[Row]) -> str:
    """Say what people decided of one set: "accepted by ann, rejected by bea (unnatural)"."""
    said = []
    for row in verdicts:
        if row["final"]:
            verb = "accepted" if row["accepted"] else "rejected"
            reason = f" ({row['reason']})" if row["reason"] else ""
            said.append(f"{verb} by {row['reviewer']}{reason}")
    return ", ".join(said)


def _who(person: str, rows: Sequence[Row], passes: str) -> str:
    readings = len({row["reviewer"] for row in rows})
    labels = listed(sorted({row["label"] for row in rows} - {""}))
    how = f" in {readings} {passes}" if readings > 1 else ""
    name = "people whom the edition does not name" if person == SEALED else person
    return f"{name}{how}" + (f" ({labels})" if labels else "")


def _reviewer(name: str, rows: Sequence[Row]) -> ReviewerRow:
    reasons = Counter(row["reason"] for row in rows if not row["accepted"])
    return ReviewerRow(
        reviewer=name,
        label=next((row["label"] for row in rows if row["label"]), ""),
        judged=len(rows),
        accepted=sum(row["accepted"] for row in rows),
        reasons=", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items())),
    )


def _count(row: Row) -> ReviewCount:
    numerator, denominator = row["numerator"], row["denominator"]
    return ReviewCount(
        id=row["number_id"],
        label=row["label"],
        text=f"{numerator} of {denominator}",
        share=percent(numerator, denominator) if denominator else "",
        kappa=kappa_text(row["kappa"]) if row["between"] else "",
        who=f"{row['first']} and {row['second']}" if row["between"] else "",
        formula=row["formula"],
    )
