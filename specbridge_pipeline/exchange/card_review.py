"""What a data card says of the people who have read the sets, and of what kind their review is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from specbridge_pipeline.reporting.formatting import counted, kappa_text, percent
from specbridge_pipeline.reporting.report_review import ReviewView, arrange_review, judges
from specbridge_pipeline.reporting.review_numbers import (
    KEPT,
    KEPT_SCOPE,
    PASSES,
    READ,
    READ_SCOPE,
    review_numbers,
    reviewed_ids,
)
from specbridge_pipeline.request_sets.human_review.decisions import (
    COLUMNS,
    FIRST_PASS,
    QUESTION,
    RejectionReason,
    person_of,
)
from specbridge_pipeline.request_sets.human_review.edition_reviews import FOLDER, LABELS_FILE
from specbridge_pipeline.request_sets.human_review.edition_verdicts import SEALED

Row = Mapping[str, Any]

_NOT_SAID = "it is not said what kind of review this is"
"""Stands for a missing label, so that nobody takes such a review for an independent one."""

_COUNTED = {
    READ: "Read",
    KEPT: "Accepted in every reading, and so kept",
    "review/rejected": "Rejected",
    "review/disagreement": "Accepted in one reading and rejected in another, and so not kept",
}
"""What is counted, in the words of the card: two readings by one person are not two reviewers."""

_ACTIVE = re.compile(r"[\\`*_\[\]<>&#~$]")
"""What Markdown, and pages made from it, do not show as it stands; `|` counts in tables alone."""

_REASONS = {
    RejectionReason.WORDING_FAVOURS_ONE: "a word of the open request speaks for A or for B",
    RejectionReason.CONVENTION_SETTLES_IT: "whoever works with such data would take one of them "
    "without a thought",
    RejectionReason.REQUESTS_DIFFER_IN_MORE: "requests or queries differ in something besides the "
    "choice, or a request does not ask for what its query computes",
    RejectionReason.UNNATURAL: "nobody would ask this, or not in these words",
    RejectionReason.OTHER: "anything else; the comment says what",
}


def people_line(verdicts: Sequence[Row], sets: int) -> str:
    """Say who of people has read how many of an edition's sets, and what kind of review that is.

    Args:
        verdicts: Rows of EDITION_VERDICTS.
        sets: How many sets the edition has.

    Returns:
        For instance "48 of 156 request sets were read in review, by ann in 2 readings (the
        builders' own review, not an independent one). 22 of these 48 were accepted in every
        reading. ann/1 accepted 28 of 48 and ann/2 22 of 48; the two readings gave the same verdict
        on 42 of 48 (Cohen's κ 0.75). The other 108 have not been read in review."; empty where
        there is no verdict.
    """
    scopes = reviewed_ids(verdicts)
    if not scopes:
        return ""
    read, kept = len(scopes[READ_SCOPE]), len(scopes[KEPT_SCOPE])
    accepted = (
        f"{kept} of these {read} {_were(kept)} accepted in every reading."
        if read > 1
        else f"It was {'' if kept else 'not '}accepted in every reading."
    )
    line = (
        f"{read} of {counted(sets, 'request set')} {_were(read)} read in review, by "
        f"{judges(_with_labels(verdicts), 'readings')}. {accepted}{_agreement_line(verdicts)}"
    )
    others = sets - read
    have = "has" if others == 1 else "have"
    return f"{line} The other {others} {have} not been read in review." if others else line


def people_section(
    verdicts: Sequence[Row], edition: str, sets: int, review: Sequence[str] = ()
) -> str:
    """Return the section of a card on who has read the sets, with its heading.

    Args:
        verdicts: Rows of EDITION_VERDICTS.
        edition: The edition's id.
        sets: How many sets it has.
        review: Names of the files of verdicts that are exported with it.

    Returns:
        The section; empty where there is no verdict.
    """
    labelled = _with_labels(verdicts)
    numbers = review_numbers(labelled, edition, sets)
    view = arrange_review(labelled, numbers)
    if view is None:
        return ""
    agreements = [row for row in numbers if row["between"]]
    parts = [
        "## Who has read the sets",
        f"A reader answers one question of each set: *{QUESTION}* A set is kept when every "
        "reading of it ends with accept. One that was not read is neither kept nor rejected.",
        _counts(numbers),
        _readings(view),
        _reasons(labelled),
        *([_agreements(agreements), _said_of_agreement(labelled)] if agreements else []),
        _said_of_rows(labelled),
    ]
    if review:
        parts.append(
            f"`{FOLDER}/` holds the verdicts that ship with the edition as they are, a line a "
            f"verdict, with the columns {', '.join(f'`{name}`' for name in COLUMNS)}; `digest` "
            "says what the reviewer saw, the set's content and that of its database. "
            f"`{FOLDER}/{LABELS_FILE}` says of each reader what kind of review that is. They are "
            "no part of what the edition's digest is over, so that it can be reviewed later."
        )
    return "\n" + "\n\n".join(filter(None, parts)) + "\n"


def table_cell(text: str) -> str:
    """Return a text that stays in its cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def _plain(text: str) -> str:
    """Return what somebody wrote so that Markdown shows it as it stands."""
    return _ACTIVE.sub(r"\\\g<0>", text)


def _with_labels(verdicts: Sequence[Row]) -> list[Row]:
    """Return verdicts as a card names them.

    Each says what kind of review it is, or that this is not said.
    """
    known = {person_of(row["reviewer"]): row["label"] for row in verdicts if row["label"]}
    return [
        row
        if row["reviewer"] == SEALED
        else {
            **row,
            "reviewer": _plain(row["reviewer"]),
            "label": _plain(known.get(person_of(row["reviewer"]), _NOT_SAID)),
        }
        for row in verdicts
    ]


def _agreement_line(verdicts: Sequence[Row]) -> str:
    """Say how far two readings agree, with a blank before; empty where there are not just two."""
    labelled = _with_labels(verdicts)
    numbers = review_numbers(labelled, "", 0)
    view = arrange_review(labelled, numbers)
    agreements = [row for row in numbers if row["between"]]
    if view is None or len(view.reviewers) != 2 or not agreements:
        return ""
    one, other = view.reviewers
    # The one before a second pass, when neither knew of the other.
    row = agreements[0]
    who = "the two readings" if row["between"] == PASSES else "they"
    first = ", as first decided," if len(agreements) > 1 else ""
    return (
        f" {one.reviewer} accepted {one.accepted} of {one.judged} and {other.reviewer} "
        f"{other.accepted} of {other.judged}; {who} gave the same verdict{first} on "
        f"{row['numerator']} of {row['denominator']} (Cohen's κ {kappa_text(row['kappa'])})."
    )


def _counts(numbers: Sequence[Row]) -> str:
    lines = ["| sets | number | share |", "|---|---|---|"]
    lines += [
        f"| {_COUNTED[row['number_id']]} | {_share(row)} |"
        for row in numbers
        # What was given as reason stands with the readings.
        if row["number_id"] in _COUNTED
    ]
    return "\n".join(lines)


def _readings(view: ReviewView) -> str:
    lines = [
        "| reading | what kind of review it is | read | accepted | why the others were rejected |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {table_cell(each.reviewer)} | {table_cell(each.label)} | {each.judged} | "
        f"{each.accepted} | {table_cell(each.reasons)} |"
        for each in view.reviewers
    ]
    return "\n".join(lines)


def _reasons(verdicts: Sequence[Row]) -> str:
    given = {row["reason"] for row in verdicts if row["final"]}
    return "\n".join(
        f"- *{reason.value}*: {words}" for reason, words in _REASONS.items() if reason in given
    )


def _agreements(numbers: Sequence[Row]) -> str:
    lines = ["| of | same verdict | share | Cohen's κ |", "|---|---|---|---|"]
    for row in numbers:
        kind = "two readings by the same reader" if row["between"] == PASSES else "two readers"
        words = row["label"].partition(", ")[2]
        pair = table_cell(f"{row['first']} and {row['second']}")
        lines.append(f"| {pair} ({kind}), {words} | {_share(row)} | {kappa_text(row['kappa'])} |")
    return "\n".join(lines)


def _said_of_agreement(verdicts: Sequence[Row]) -> str:
    readings: dict[str, set[str]] = {}
    for row in verdicts:
        readings.setdefault(person_of(row["reviewer"]), set()).add(row["reviewer"])
    if all(len(names) == 1 for names in readings.values()):
        return ""
    return (
        "How far two readings by the same reader agree says how steady that judgement is. It does "
        "not say that anybody else would agree."
    )


def _said_of_rows(verdicts: Sequence[Row]) -> str:
    again = any(row["pass"] > FIRST_PASS for row in verdicts)
    last = ", of each reading the one with the highest `pass_number`," if again else ""
    return (
        "Each row has its verdicts in `human_verdicts`. The sets that are kept are those with at "
        f"least one verdict there, and all of them{last} `accept`."
    )


def _share(row: Row) -> str:
    """Return a share as two cells, counted and in percent."""
    part, whole = row["numerator"], row["denominator"]
    return f"{part} of {whole} | {percent(part, whole)}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"
