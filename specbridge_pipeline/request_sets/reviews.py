"""Reviews of a set: code checks and reviewers on the draft, one revision, one recheck."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.request_sets.construction import (
    RequestPlan,
    RequestReview,
    Requests,
    Reviewer,
    ReviewSubject,
    Writer,
    WritingTask,
)
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet, Side

CodeChecks = Callable[[RequestPlan, Requests, Catalogue], tuple[str, ...]]
"""What code finds wrong with three requests; empty where nothing is."""


class SingleReviewer(Protocol):
    """Who reads one request against one query."""

    name: str
    """A model's id, or 'rules/…'."""

    def review_single(
        self, request: str, structure: Structure, description: str, catalogue: Catalogue
    ) -> tuple[str, ...]:
        """Say what is missing, changed or added; empty where the query answers the request."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A set as it is read.

    Attributes:
        plan: What the requests must say.
        requests: The three requests.
        descriptions: Side → exact description of its query.
    """

    plan: RequestPlan
    requests: Requests
    descriptions: Mapping[Side, str]


@dataclass(frozen=True, slots=True)
class ReviewRound:
    """One round of reading a set.

    Attributes:
        revision: 0 for the draft, 1 for its one revision.
        requests: The texts that were read.
        problems: What the code checks found.
        reviews: Reviewer's name → its reviews, in RequestKind's order.
        keep: Whether the set is kept with these texts.
    """

    revision: int
    requests: Requests
    problems: tuple[str, ...]
    reviews: Mapping[str, tuple[RequestReview, ...]]
    keep: bool

    def notes(self) -> tuple[str, ...]:
        """Return what the writer is told: first what code found, then each reviewer's notes."""
        said = [*self.problems]
        for reviews in self.reviews.values():
            for review in reviews:
                said.extend(f"{review.kind.value}: {note}" for note in review.notes)
        return tuple(dict.fromkeys(said))


@dataclass(frozen=True, slots=True)
class SingleReview:
    """What became of one request for one query.

    Attributes:
        request: The text that was read last.
        revision: 0 for the first text, 1 for its one revision.
        problems: What code or a reviewer finds wrong with it; empty where all accept it.
    """

    request: str
    revision: int
    problems: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.problems


def keeps(code_checks_passed: bool, reviews: Mapping[str, Sequence[RequestReview]]) -> bool:
    """Decide whether a set is kept (the paper, Appendix E, Equation 4).

    It is when the code checks pass, every reviewer finds all requirements kept and accepts each
    specific request for its own interpretation alone, and at least one reviewer accepts the open
    request for both interpretations.

    Args:
        code_checks_passed: Whether code found nothing wrong.
        reviews: Reviewer's name → its reviews of the three requests. A reviewer that has not judged
            each of them once accepts nothing.
    """
    accepted = [_accepted(given) for given in reviews.values()]
    return (
        code_checks_passed
        and all(specific for specific, _ in accepted)
        and any(open_for_both for _, open_for_both in accepted)
    )


def review_sets(
    drafts: Sequence[Draft],
    catalogue: Catalogue,
    *,
    writer: Writer,
    reviewers: Sequence[Reviewer],
    check: CodeChecks,
    where: str,
) -> list[tuple[ReviewRound, ...]]:
    """Read drafts, and have those that are not kept revised once and read once more.

    All are read together, then all that need it revised: a model is asked about many at a time.

    Args:
        drafts: The sets as first written.
        catalogue: The database.
        writer: Revises, with all that code and reviewers noted.
        reviewers: Each reads all three requests of each set.
        check: The code checks.
        where: The cell that needs them, for messages.

    Returns:
        The rounds of each set: one, or two when the draft was not kept. There is no second where a
        model's revision cannot be read.
    """
    first = _rounds(0, drafts, catalogue, reviewers, check, f"{where}, reviewing")
    poor = [at for at, each in enumerate(first) if not each.keep]
    revisions = writer.write_all(
        [WritingTask(drafts[at].plan, drafts[at].requests, first[at].notes()) for at in poor],
        catalogue,
        where=f"{where}, revising",
    )
    revised = {
        at: replace(drafts[at], requests=each.requests)
        for at, each in zip(poor, revisions, strict=True)
        if each.requests is not None
    }
    again = _rounds(
        1, list(revised.values()), catalogue, reviewers, check, f"{where}, reviewing revisions"
    )
    second = dict(zip(revised, again, strict=True))
    return [(each, second[at]) if at in second else (each,) for at, each in enumerate(first)]


def review_single_request(
    request: str,
    structure: Structure,
    description: str,
    catalogue: Catalogue,
    *,
    reviewers: Sequence[SingleReviewer],
    revise: Callable[[tuple[str, ...]], str],
    check: Callable[[str], tuple[str, ...]] = lambda _: (),
) -> SingleReview:
    """Have one request for one query read by all reviewers, and revised at most once.

    Args:
        request: The request as first written.
        structure: The query.
        description: Its exact description.
        catalogue: The database.
        reviewers: Each reads the request.
        revise: Writes it anew with the notes it is given.
        check: What code finds wrong with a text.
    """

    def problems(text: str) -> tuple[str, ...]:
        found = [*check(text)]
        for reviewer in reviewers:
            notes = reviewer.review_single(text, structure, description, catalogue)
            found.extend(f"{reviewer.name}: {note}" for note in notes)
        return tuple(found)

    first = problems(request)
    if not first:
        return SingleReview(request, 0, ())
    revised = revise(first)
    return SingleReview(revised, 1, problems(revised))


def with_texts(request_set: RequestSet, requests: Requests) -> RequestSet:
    """Return a set with other texts, and the content id that it has with them."""
    sides = request_set.interpretations
    changed = request_set.model_copy(
        update={
            "interpretations": sides.model_copy(
                update={
                    side.value: sides[side].model_copy(update={"request": text})
                    for side, text in ((Side.A, requests.a), (Side.B, requests.b))
                }
            ),
            "open_request": requests.open,
        }
    )
    return changed.model_copy(update={"id": changed.content_id()})


def review_rows(
    proposal_id: str, request_set: RequestSet, rounds: Iterable[ReviewRound]
) -> list[dict[str, Any]]:
    """Return the rounds of a set as rows of SET_REVIEWS.

    Args:
        proposal_id: The proposal that the set was written from.
        request_set: The set, with any texts.
        rounds: What `review_set` returned.
    """
    rows: list[dict[str, Any]] = []
    for each in rounds:
        set_id = with_texts(request_set, each.requests).id
        for reviewer, reviews in each.reviews.items():
            rows.extend(
                {
                    "database": request_set.database,
                    "proposal_id": proposal_id,
                    "set_id": set_id,
                    "revision": each.revision,
                    "reviewer": reviewer,
                    "request_kind": review.kind.value,
                    "request": each.requests[review.kind],
                    "accepts_a": review.accepts_a,
                    "accepts_b": review.accepts_b,
                    "requirements_kept": review.requirements_kept,
                    "notes": list(review.notes),
                    "code_checks_passed": not each.problems,
                    "keep": each.keep,
                }
                for review in reviews
            )
    return rows


def review_subject(draft: Draft, catalogue: Catalogue) -> ReviewSubject:
    """Return what a reviewer is shown of a set.

    Args:
        draft: The set.
        catalogue: The database.
    """
    return ReviewSubject(
        choice_type=draft.plan.choice_type,
        requests=draft.requests,
        structures={Side.A: draft.plan.structure, Side.B: draft.plan.edited},
        descriptions=dict(draft.descriptions),
        catalogue=catalogue,
        items=draft.plan.items,
    )


def _rounds(
    revision: int,
    drafts: Sequence[Draft],
    catalogue: Catalogue,
    reviewers: Sequence[Reviewer],
    check: CodeChecks,
    where: str,
) -> list[ReviewRound]:
    subjects = [review_subject(draft, catalogue) for draft in drafts]
    read = {reviewer.name: reviewer.review_all(subjects, where=where) for reviewer in reviewers}
    rounds = []
    for at, draft in enumerate(drafts):
        problems = check(draft.plan, draft.requests, catalogue)
        reviews = {name: each[at] for name, each in read.items()}
        rounds.append(
            ReviewRound(revision, draft.requests, problems, reviews, keeps(not problems, reviews))
        )
    return rounds


def _accepted(reviews: Sequence[RequestReview]) -> tuple[bool, bool]:
    """Return whether a reviewer keeps the specific requests, and the open one for both."""
    by_kind = {review.kind: review for review in reviews}
    if len(reviews) != len(RequestKind) or len(by_kind) != len(RequestKind):
        return False, False
    a, b = by_kind[RequestKind.SPECIFIC_A], by_kind[RequestKind.SPECIFIC_B]
    # A verdict that could not be read is None: it is no acceptance.
    own = a.accepts_a and not a.accepts_b and b.accepts_b and not b.accepts_a
    kept = all(review.requirements_kept for review in reviews)
    open_request = by_kind[RequestKind.OPEN]
    return bool(own and kept), bool(open_request.accepts_a and open_request.accepts_b)
