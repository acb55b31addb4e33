"""What several reviewers decide together: merged, compared, and brought to one end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from specbridge_pipeline.errors import HumanVerdictsError
from specbridge_pipeline.request_sets.human_review.decisions import (
    FIRST_PASS,
    SECOND_PASS,
    Decision,
    ReadDecision,
    person_of,
)
from specbridge_pipeline.statistics.agreement import Agreement, cohens_kappa


class Standing(StrEnum):
    """What reviewers have decided of a set by now."""

    KEPT = "kept"
    REJECTED = "rejected"
    DISAGREEMENT = "disagreement"


@dataclass(frozen=True, slots=True)
class ReviewedSet:
    """A set that people decided on.

    Attributes:
        set_id: Its content id.
        decisions: Everything that was decided of it, by reviewer and pass.
        standing: What follows.
    """

    set_id: str
    decisions: tuple[Decision, ...]
    standing: Standing

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Who has decided on it."""
        return tuple(sorted({each.reviewer for each in self.decisions}))


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two reviewers agree on the sets that both decided on.

    Attributes:
        reviewers: The two, by name.
        first_pass: Their agreement where each decided without knowing of the other.
        final: Their agreement after the second pass, as far as it was done.
    """

    reviewers: tuple[str, str]
    first_pass: Agreement
    final: Agreement

    @property
    def of_one_person(self) -> bool:
        """Whether the two are readings of one person, so that they tell how steady it is."""
        one, other = map(person_of, self.reviewers)
        return one == other


def merge_decisions(
    recorded: Iterable[Decision],
    new: Sequence[ReadDecision],
    *,
    replace: bool = False,
    noun: str = "set",
) -> list[Decision]:
    """Add decisions to those that were imported before.

    A decision that is there already is no fault: a reviewer may hand in a file that has grown.

    Args:
        recorded: What was imported before, one a set, reviewer and pass.
        new: What is imported now, likewise.
        replace: Whether a new decision takes the place of another one that was recorded.
        noun: One of what is decided on.

    Returns:
        All decisions by set, reviewer and pass.

    Raises:
        HumanVerdictsError: A decision contradicts a recorded one; a reviewer is known in another
            spelling; or somebody decides in the second pass who has not in the first. The error
            names all such places.
    """
    problems = []
    merged = {each.key: each for each in recorded}
    known = {person_of(each.reviewer) for each in merged.values()}
    spelled = {person.casefold(): person for person in known}
    for each in new:
        decision = each.decision
        person = person_of(decision.reviewer)
        name = spelled.get(person.casefold(), person)
        if name != person:
            problems.append(
                f"{each.where}: the reviewer {person!r} was imported as {name!r}; one person has "
                "one spelling"
            )
        before = merged.get(decision.key)
        if before not in (None, decision) and not replace:
            problems.append(
                f"{each.where}: {decision.reviewer!r} has already decided {noun} {decision.set_id} "
                f"in pass {decision.pass_number}, otherwise, in a file imported before; "
                "--replace lets the new decision stand"
            )
        merged[decision.key] = decision
    problems.extend(
        f"{each.where}: {each.decision.reviewer!r} decides {noun} {each.decision.set_id} in the "
        "second pass and has not in the first"
        for each in new
        if each.decision.pass_number == SECOND_PASS
        and (each.decision.set_id, each.decision.reviewer, FIRST_PASS) not in merged
    )
    if problems:
        raise HumanVerdictsError(tuple(problems))
    return [merged[key] for key in sorted(merged)]


def final_decisions(decisions: Iterable[Decision]) -> list[Decision]:
    """Return what each reviewer decided last of each set, by set and reviewer."""
    last: dict[tuple[str, str], Decision] = {}
    for each in sorted(decisions, key=lambda decision: decision.key):
        last[each.set_id, each.reviewer] = each
    return [last[key] for key in sorted(last)]


def reviewed_sets(decisions: Iterable[Decision]) -> list[ReviewedSet]:
    """Return what people decided, set by set.

    A set is kept where all its reviewers accept it, in the end. Where they disagree it is open
    until each of them has decided again, and rejected if they then still do.

    Args:
        decisions: The decisions, one a set, reviewer and pass.

    Returns:
        The sets by id.
    """
    by_set: dict[str, list[Decision]] = {}
    for each in sorted(decisions, key=lambda decision: decision.key):
        by_set.setdefault(each.set_id, []).append(each)
    return [
        ReviewedSet(set_id, tuple(found), _standing(final_decisions(found)))
        for set_id, found in sorted(by_set.items())
    ]


def pair_agreements(decisions: Sequence[Decision]) -> list[PairAgreement]:
    """Return the agreement of every two reviewers who share a set, by their names."""
    first = [each for each in decisions if each.pass_number == FIRST_PASS]
    final = final_decisions(decisions)
    found = []
    for pair in combinations(sorted({each.reviewer for each in decisions}), 2):
        before = _agreement(first, pair)
        if before.items:
            found.append(PairAgreement(pair, before, _agreement(final, pair)))
    return found


def _standing(final: Sequence[Decision]) -> Standing:
    accepted = {each.accepted for each in final}
    if accepted == {True}:
        return Standing.KEPT
    if accepted == {False} or all(each.pass_number == SECOND_PASS for each in final):
        return Standing.REJECTED
    return Standing.DISAGREEMENT


def _agreement(decisions: Iterable[Decision], pair: tuple[str, str]) -> Agreement:
    verdicts: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for each in decisions:
        if each.reviewer in pair:
            verdicts[pair.index(each.reviewer)][each.set_id] = each.verdict.value
    one, other = verdicts
    shared = sorted(one.keys() & other.keys())
    return cohens_kappa([one[each] for each in shared], [other[each] for each in shared])
