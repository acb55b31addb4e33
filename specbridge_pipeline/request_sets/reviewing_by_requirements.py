"""The reviewer that goes from the queries to the words: is each requirement said?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.request_sets.construction import RequestReview, ReviewSubject
from specbridge_pipeline.request_sets.records import RequestKind, Side
from specbridge_pipeline.request_sets.requirements_of_queries import (
    Requirement,
    shared_requirements,
)
from specbridge_pipeline.request_sets.searched_text import SearchedText
from specbridge_pipeline.request_sets.settling_words import settled_sides, unread_sides

_ASKS_TO_RETURN = re.compile(
    r"(?<= )(?:return|list|give|show|report|output|display|provide|present|name) "
)
_CUT = re.compile(r" (?:for|of|from|among) (?:exactly |only |just |the |top |first )*\d+ \S+ ")


class RequirementsReviewer:
    """Lists what the queries require, and looks in each request for words that say it.

    A rule-based stand-in for a reviewer model: it judges words, and does not understand them.
    """

    name = "rules/requirements"

    def review_all(
        self, subjects: Sequence[ReviewSubject], *, where: str
    ) -> list[tuple[RequestReview, ...]]:
        """Judge the requests of each set; see `construction.Reviewer`."""
        return [self.review(subject) for subject in subjects]

    def review(self, subject: ReviewSubject) -> tuple[RequestReview, ...]:
        """Judge each of the three requests against each interpretation, in RequestKind's order.

        Args:
            subject: Three requests and two queries.
        """
        kinds = list(RequestKind)
        texts = [SearchedText(subject.requests[kind], subject.catalogue) for kind in kinds]
        required = shared_requirements(
            subject.structures[Side.A], subject.structures[Side.B], subject.catalogue
        )
        settled = settled_sides(subject.choice_type, texts, subject.structures, subject.catalogue)
        unread = [
            unread_sides(subject.choice_type, text, subject.structures, subject.catalogue)
            for text in texts
        ]
        return tuple(
            _review(kind, text, required, sides, lacking)
            for kind, text, sides, lacking in zip(kinds, texts, settled, unread, strict=True)
        )

    def review_single(
        self, request: str, structure: Structure, description: str, catalogue: Catalogue
    ) -> tuple[str, ...]:
        """Say what a request for one query lacks; empty where it says all that is required.

        Args:
            request: The request.
            structure: The query.
            description: Its exact description; this reviewer does without.
            catalogue: The database.
        """
        required = shared_requirements(structure, structure, catalogue)
        return _missing(SearchedText(request, catalogue), required)


def _review(
    kind: RequestKind,
    text: SearchedText,
    required: Iterable[Requirement],
    settled: frozenset[Side],
    unread: frozenset[Side],
) -> RequestReview:
    missing = _missing(text, required)
    accepts = {side: (not settled or settled == {side}) and side not in unread for side in Side}
    notes = list(missing)
    own = kind.side
    if len(settled) > 1:
        notes.append("settles the choice for both interpretations")
    elif unread and (own is None or own in unread):
        notes.append("does not mention the groups whose values one interpretation averages")
    elif own is None and settled:
        notes.append("settles the choice that it should leave open")
    elif own is not None and not settled:
        notes.append("leaves the choice open that it should settle")
    elif own is not None and settled != {own}:
        notes.append("settles the choice for the other interpretation")
    return RequestReview(kind, accepts[Side.A], accepts[Side.B], not missing, tuple(notes))


def _missing(text: SearchedText, required: Iterable[Requirement]) -> tuple[str, ...]:
    returned = _returned(text)
    return tuple(
        requirement.note
        for requirement in required
        if not any(
            (returned if requirement.returned else text).has(way) for way in requirement.ways
        )
    )


def _returned(text: SearchedText) -> SearchedText:
    """Return the part of a request that says what is returned; all of it where none does."""
    asked = []
    for sentence in text.sentences():
        start = _ASKS_TO_RETURN.search(sentence)
        if start is None:
            continue
        listed = sentence[start.end() - 1 :]
        cut = _CUT.search(listed)
        # What follows "the codes of the ten teams" says which rows are wanted, not what of them.
        if cut is not None and cut.start() > 0:
            listed = listed[: cut.end()]
        asked.append(listed)
    return text.narrowed(" ".join(asked)) if asked else text
