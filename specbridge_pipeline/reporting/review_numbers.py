"""Numbers of the review of an edition: what was read and kept, and how far reviewers agree.

Each comes with the query of the warehouse that lists the rows behind it; tracing runs that query,
so that it is counted twice.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from specbridge_pipeline.request_sets.human_review.decisions import (
    Decision,
    RejectionReason,
    Verdict,
)
from specbridge_pipeline.request_sets.human_review.merging import Standing, pair_agreements
from specbridge_pipeline.statistics.agreement import Agreement

Row = Mapping[str, Any]

READ_SCOPE, KEPT_SCOPE = "review=read", "review=kept"
"""The scopes of statistics over the sets that people have judged, and that they keep."""

_SCOPE_TITLES = {
    READ_SCOPE: "Sets that were judged in review",
    KEPT_SCOPE: "Sets that the review keeps",
}

READ, KEPT = "review/read", "review/kept"

PASSES, REVIEWERS = "passes", "reviewers"
"""Between what an agreement is: two readings of one person, or two people."""

_STANDINGS = {
    Standing.KEPT: "Sets that every reviewer accepts",
    Standing.REJECTED: "Sets rejected",
    Standing.DISAGREEMENT: "Sets left out because verdicts differ",
}
_FROM = "FROM edition_verdicts"


def reviewed_ids(verdicts: Iterable[Row]) -> dict[str, frozenset[str]]:
    """Return scope of statistics → ids of the sets that it covers; empty without a verdict.

    Args:
        verdicts: Rows of EDITION_VERDICTS.
    """
    standings = {row["set_id"]: row["standing"] for row in verdicts}
    if not standings:
        return {}
    kept = (name for name, standing in standings.items() if standing == Standing.KEPT)
    return {READ_SCOPE: frozenset(standings), KEPT_SCOPE: frozenset(kept)}


def shown_scopes(counts: Mapping[str, int], sets: int) -> list[tuple[str, str]]:
    """Return the scopes that a headline table shows besides all sets, with their titles.

    Where all sets were judged, those that were judged are no scope of their own.

    Args:
        counts: Scope → how many sets it covers.
        sets: How many sets the edition has.
    """
    return [
        (scope, title)
        for scope, title in _SCOPE_TITLES.items()
        if counts.get(scope) and (scope != READ_SCOPE or counts[scope] < sets)
    ]


def review_numbers(verdicts: Sequence[Row], edition: str, sets: int) -> list[dict[str, Any]]:
    """Count a review.

    Args:
        verdicts: Rows of EDITION_VERDICTS.
        edition: Id of the edition.
        sets: How many sets it has.

    Returns:
        Rows of REVIEW_NUMBERS; none without a verdict.
    """
    if not verdicts:
        return []
    standings = {row["set_id"]: row["standing"] for row in verdicts}
    numbers = [
        _count(
            READ, "Sets that were judged", len(standings), sets, f"SELECT DISTINCT set_id {_FROM}"
        )
    ]
    numbers += [
        _count(
            f"review/{standing.value}",
            label,
            sum(found == standing for found in standings.values()),
            len(standings),
            f"SELECT DISTINCT set_id {_FROM} WHERE standing = '{standing.value}'",
        )
        for standing, label in _STANDINGS.items()
    ]
    given = Counter(
        reason
        for _, reason in {
            (row["set_id"], row["reason"])
            for row in verdicts
            if row["final"] and not row["accepted"]
        }
    )
    numbers += [
        _count(
            f"review/reason={reason.value.replace(' ', '_')}",
            f"Sets that somebody rejects: {reason.value}",
            given[reason.value],
            len(standings),
            f"SELECT DISTINCT set_id {_FROM} "
            f"WHERE final AND NOT accepted AND reason = '{reason.value}'",
        )
        for reason in RejectionReason
        if given[reason.value]
    ]
    for pair in pair_agreements([_decision(row) for row in verdicts]):
        between = PASSES if pair.of_one_person else REVIEWERS
        apart = "as first decided" if pair.of_one_person else "each without knowing of the other"
        agreed = [("apart", apart, pair.first_pass, "pass = 1")]
        if any(row["pass"] > 1 and row["reviewer"] in pair.reviewers for row in verdicts):
            agreed.append(("in_the_end", "after the second pass", pair.final, "final"))
        numbers += [
            _agreement(pair.reviewers, between, name, words, found, condition)
            for name, words, found, condition in agreed
        ]
    return [{"edition": edition, "place": i, **number} for i, number in enumerate(numbers)]


def _count(
    number_id: str, label: str, numerator: int, denominator: int, formula: str
) -> dict[str, Any]:
    return {
        "number_id": number_id,
        "label": label,
        "between": "",
        "first": "",
        "second": "",
        "numerator": numerator,
        "denominator": denominator,
        "kappa": math.nan,
        "formula": formula,
    }


def _agreement(
    pair: tuple[str, str],
    between: str,
    name: str,
    words: str,
    found: Agreement,
    condition: str,
) -> dict[str, Any]:
    sides = [
        f"(SELECT set_id, accepted AS {side}, reason AS reason_of_{side} {_FROM} "
        f"WHERE reviewer = {_quoted(reviewer)} AND {condition})"
        for side, reviewer in zip(("one", "other"), pair, strict=True)
    ]
    return {
        "number_id": f"review/agreement/{pair[0]}-and-{pair[1]}/{name}",
        "label": f"Agreement between {between}, {words}",
        "between": between,
        "first": pair[0],
        "second": pair[1],
        "numerator": round(found.raw * found.items),
        "denominator": found.items,
        "kappa": found.kappa,
        "formula": f"SELECT * FROM {sides[0]} JOIN {sides[1]} USING (set_id)",
    }


def _quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _decision(row: Row) -> Decision:
    return Decision(
        set_id=row["set_id"],
        digest="",
        reviewer=row["reviewer"],
        pass_number=row["pass"],
        verdict=Verdict.ACCEPT if row["accepted"] else Verdict.REJECT,
        reason=RejectionReason(row["reason"]) if row["reason"] else None,
    )
