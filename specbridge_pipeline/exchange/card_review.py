"""What a data card says of the people who have read the sets, and of what kind their review is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from specbridge_pipeline.reporting.formatting import counted
from specbridge_pipeline.reporting.report_review import (
    ReviewCount,
    ReviewView,
    arrange_review,
    review_line,
)
from specbridge_pipeline.reporting.review_numbers import review_numbers
from specbridge_pipeline.request_sets.human_review.decisions import (
    COLUMNS,
    FIRST_PASS,
    QUESTION,
    person_of,
)
from specbridge_pipeline.request_sets.human_review.edition_reviews import FOLDER, LABELS_FILE
from specbridge_pipeline.request_sets.human_review.edition_verdicts import SEALED

Row = Mapping[str, Any]

_NOT_SAID = "it is not said what kind of review this is"
"""Stands for a missing label, so that nobody takes such a review for an independent one."""


def people_line(verdicts: Sequence[Row], sets: int) -> str:
    """Say who of people has read how many of an edition's sets, and what kind of review that is.

    Args:
        verdicts: Rows of EDITION_VERDICTS.
        sets: How many sets the edition has.

    Returns:
        For instance "48 of 156 request sets were judged by ann in 2 passes (the builders' own
        review, not an independent one); 15 are kept. No person has judged the other 108."; empty
        where there is no verdict.
    """
    line = review_line(_with_labels(verdicts), sets)
    others = sets - len({row["set_id"] for row in verdicts})
    if line and others:
        line += (
            f" No person has judged the other {others}."
            if others > 1
            else (" No person has judged the other one.")
        )
    return line


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
    view = arrange_review(labelled, review_numbers(labelled, edition, sets))
    if view is None:
        return ""
    parts = ["## Who has read the sets", _said_of_reading(labelled), _counts(view)]
    parts.append(_reviewers(view))
    if view.agreements:
        parts += [_agreements(view.agreements), _said_of_agreement(labelled)]
    parts.append(_said_of_rows(labelled))
    if review:
        parts.append(
            f"`{FOLDER}/` holds the verdicts that ship with the edition as files, a line a "
            f"verdict, with the columns {', '.join(f'`{name}`' for name in COLUMNS)} (`digest` "
            "says what the reviewer saw: the set's content and that of its database); "
            f"`{FOLDER}/{LABELS_FILE}` says of each person what their review is."
        )
    return "\n" + "\n\n".join(parts) + "\n"


def _with_labels(verdicts: Sequence[Row]) -> list[Row]:
    """Return verdicts of which each says what kind of review it is, or that this is not said."""
    known = {person_of(row["reviewer"]): row["label"] for row in verdicts if row["label"]}
    return [
        row
        if row["reviewer"] == SEALED
        else {**row, "label": known.get(person_of(row["reviewer"]), _NOT_SAID)}
        for row in verdicts
    ]


def _said_of_reading(verdicts: Sequence[Row]) -> str:
    readers = {row["reviewer"] for row in verdicts}
    several = " by everybody, in every reading," if len(readers) > 1 else ""
    return (
        f"The question to a person is: *{QUESTION}* A set is kept when it is accepted{several} in "
        "the end. Sets that nobody has judged are neither kept nor rejected."
    )


def _counts(view: ReviewView) -> str:
    lines = ["| what | sets | share |", "|---|---|---|"]
    lines += [f"| {each.label} | {each.text} | {each.share} |" for each in view.counts]
    return "\n".join(lines)


def _reviewers(view: ReviewView) -> str:
    lines = [
        "| who | what kind of review it is | judged | accepted | why others were rejected |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {_cell(each.reviewer)} | {_cell(each.label)} | {counted(each.judged, 'set')} | "
        f"{each.accepted} | {_cell(each.reasons)} |"
        for each in view.reviewers
    ]
    return "\n".join(lines)


def _agreements(agreements: Sequence[ReviewCount]) -> str:
    lines = ["| agreement | of | same verdict | share | Cohen's κ |", "|---|---|---|---|---|"]
    lines += [
        f"| {each.label} | {_cell(each.who)} | {each.text} | {each.share} | {each.kappa} |"
        for each in agreements
    ]
    return "\n".join(lines)


def _said_of_agreement(verdicts: Sequence[Row]) -> str:
    readings: dict[str, set[str]] = {}
    for row in verdicts:
        readings.setdefault(person_of(row["reviewer"]), set()).add(row["reviewer"])
    twice = sorted(person for person, names in readings.items() if len(names) > 1)
    if not twice:
        return "Each decided without knowing of the other before a second pass, if there was one."
    names = sorted(readings[twice[0]])
    return (
        f"`{names[0]}` and `{names[1]}` are two readings by `{twice[0]}`. Their agreement says how "
        "steady that judgement is; it does not say that anybody else would agree."
    )


def _said_of_rows(verdicts: Sequence[Row]) -> str:
    again = any(row["pass"] > FIRST_PASS for row in verdicts)
    last = ", of each reviewer the one with the highest `pass_number`," if again else ""
    return (
        "Each row has its verdicts in `human_verdicts`. The sets that are kept are those with at "
        f"least one verdict there and all of them{last} `accept`."
    )


def _cell(text: str) -> str:
    """Return a text that stays in its cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
