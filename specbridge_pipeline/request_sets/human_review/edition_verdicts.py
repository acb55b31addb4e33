"""Every verdict on the sets of an edition, wherever it stands, and what follows for each set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.request_sets.editions import Edition
from specbridge_pipeline.request_sets.human_review.decisions import (
    FIRST_PASS,
    Decision,
    RejectionReason,
    Verdict,
    person_of,
)
from specbridge_pipeline.request_sets.human_review.edition_reviews import FOLDER, EditionReview
from specbridge_pipeline.request_sets.human_review.importing import VERDICTS_FILE
from specbridge_pipeline.request_sets.human_review.merging import final_decisions, reviewed_sets

SEALED = "sealed with the edition"
"""Who decided where an edition says that people accepted a set, and not who they were."""

_Found = tuple[Decision, str, str]
"""A decision, what its review is, and where it stands."""


def edition_verdict_rows(
    edition: Edition,
    shipped: EditionReview,
    imported: Sequence[Decision],
    written: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return the verdicts on an edition's sets.

    Args:
        edition: The edition, or a drawn part of it.
        shipped: The verdicts that ship with it, on any of its sets.
        imported: The decisions that were imported into the project, on any sets.
        written: Rows of HUMAN_VERDICTS, on any sets; those that an import wrote are among them,
            and are passed over.

    Returns:
        Rows of EDITION_VERDICTS.

    Raises:
        HumanVerdictsError: Somebody decides the same in two places, and not alike.
    """
    here = {each.id for each in edition.sets}
    found: list[_Found] = [
        (each.decision, shipped.labels[person_of(each.decision.reviewer)], f"{FOLDER}/{each.where}")
        for each in shipped.decisions
        if each.decision.set_id in here
    ]
    found += [(each, "", VERDICTS_FILE) for each in imported if each.set_id in here]
    found += [
        (_decision(row), "", f"{row['file']}:{row['line']}")
        for row in written
        if row["set_id"] in here and row["file"] != VERDICTS_FILE
    ]
    judged = {decision.set_id for decision, _, _ in found}
    found += [
        (_sealed(each.id, each.provenance.human_verdict), "", SEALED)
        for each in edition.sets
        if each.id not in judged and each.provenance.human_verdict is not None
    ]
    once = _once(found)
    decisions = [decision for decision, _, _ in once]
    standings = {each.set_id: each.standing.value for each in reviewed_sets(decisions)}
    final = {each.key for each in final_decisions(decisions)}
    return [
        {
            "verdict_id": f"{decision.set_id}/{decision.reviewer}/{decision.pass_number}",
            "edition": edition.id,
            "set_id": decision.set_id,
            "reviewer": decision.reviewer,
            "pass": decision.pass_number,
            "accepted": decision.accepted,
            "reason": decision.reason.value if decision.reason else "",
            "comment": decision.comment,
            "label": label,
            "origin": origin,
            "final": decision.key in final,
            "standing": standings[decision.set_id],
        }
        for decision, label, origin in once
    ]


def _once(found: Sequence[_Found]) -> list[_Found]:
    """Return the decisions by key, one that stands in two places once."""
    kept: dict[tuple[str, str, int], _Found] = {}
    problems = []
    for decision, label, origin in found:
        before = kept.setdefault(decision.key, (decision, label, origin))
        if before[0].verdict is not decision.verdict:
            problems.append(
                f"{origin}: {decision.reviewer!r} decides set {decision.set_id} in pass "
                f"{decision.pass_number} otherwise than at {before[2]}"
            )
    if problems:
        raise HumanVerdictsError(tuple(problems))
    return [kept[key] for key in sorted(kept)]


def _decision(row: Mapping[str, Any]) -> Decision:
    reasons = {each.value: each for each in RejectionReason}
    accepted, reason = row["accepted"], row["reason"]
    # Whoever writes a file by hand may give a reason in words of their own.
    words = "" if accepted or reason in reasons else reason
    return Decision(
        set_id=row["set_id"],
        digest="",
        reviewer=row["reviewer"],
        pass_number=FIRST_PASS,
        verdict=Verdict.ACCEPT if accepted else Verdict.REJECT,
        reason=None if accepted else reasons.get(reason, RejectionReason.OTHER),
        comment=": ".join(filter(None, (words, row["comment"]))),
    )


def _sealed(set_id: str, accepted: bool | None) -> Decision:
    verdict = Verdict.ACCEPT if accepted else Verdict.REJECT
    reason = None if accepted else RejectionReason.OTHER
    return Decision(set_id, "", SEALED, FIRST_PASS, verdict, reason)
