"""Keeping a set, its one revision, and the rows in which both are stored."""

from itertools import product

import pytest

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.request_sets.construction import RequestReview, Requests, Written
from specbridge_pipeline.request_sets.construction_records import SET_REVIEWS
from specbridge_pipeline.request_sets.records import (
    Interpretation,
    Interpretations,
    RequestKind,
    RequestSet,
    Side,
)
from specbridge_pipeline.request_sets.reviewing_by_reading import ReadingReviewer
from specbridge_pipeline.request_sets.reviewing_by_requirements import RequirementsReviewer
from specbridge_pipeline.request_sets.reviews import (
    Draft,
    ReviewRound,
    keeps,
    review_rows,
    review_sets,
    review_single_request,
    with_texts,
)
from specbridge_pipeline_tests.request_sets.writing_cases import SETS, catalogue, plan_of

REVIEWERS = (RequirementsReviewer(), ReadingReviewer())
GOOD = {
    RequestKind.SPECIFIC_A: (True, False, True),
    RequestKind.SPECIFIC_B: (False, True, True),
    RequestKind.OPEN: (True, True, True),
}


def _reviews(**changed):
    """Return the reviews of a reviewer that keeps a set, some of them changed."""
    return tuple(
        RequestReview(kind, *changed.get(kind.value, GOOD[kind]), ()) for kind in RequestKind
    )


def test_a_set_is_kept_when_all_that_equation_4_asks_for_holds():
    assert keeps(True, {"one": _reviews(), "two": _reviews()})
    assert not keeps(False, {"one": _reviews(), "two": _reviews()})


@pytest.mark.parametrize("accepts", product((True, False), repeat=2))
@pytest.mark.parametrize("reviewer", ["one", "two"])
def test_each_reviewer_must_accept_a_specific_request_for_its_own_side_alone(reviewer, accepts):
    reviews = {"one": _reviews(), "two": _reviews()}
    reviews[reviewer] = _reviews(specific_a=(*accepts, True))
    assert keeps(True, reviews) == (accepts == (True, False))
    reviews[reviewer] = _reviews(specific_b=(*accepts, True))
    assert keeps(True, reviews) == (accepts == (False, True))


@pytest.mark.parametrize("first", product((True, False), repeat=2))
@pytest.mark.parametrize("second", product((True, False), repeat=2))
def test_one_reviewer_must_accept_the_open_request_for_both_sides(first, second):
    """One for A and the other for B is not enough."""
    reviews = {"one": _reviews(open=(*first, True)), "two": _reviews(open=(*second, True))}
    assert keeps(True, reviews) == ((True, True) in (first, second))


@pytest.mark.parametrize("reviewer", ["one", "two"])
@pytest.mark.parametrize("kind", list(RequestKind))
def test_each_reviewer_must_find_all_requirements_in_all_requests(reviewer, kind):
    reviews = {"one": _reviews(), "two": _reviews()}
    reviews[reviewer] = _reviews(**{kind.value: (*GOOD[kind][:2], False)})
    assert not keeps(True, reviews)


def test_who_has_not_judged_all_three_requests_keeps_nothing():
    assert not keeps(True, {})
    assert not keeps(True, {"one": _reviews(), "two": _reviews()[:2]})
    assert not keeps(True, {"one": _reviews(), "two": (*_reviews()[:2], _reviews()[0])})


class _Reviser:
    """A writer that returns one text, and remembers what it was told."""

    name = "scripted"

    def __init__(self, requests):
        self.requests, self.told = requests, []

    def write_all(self, tasks, catalogue, *, where):
        self.told.extend(task.notes for task in tasks)
        return [Written(self.requests, "" if self.requests else "no JSON") for _ in tasks]


@pytest.fixture
def case():
    """An approved set, by its first appearance: its plan, catalogue and texts."""
    position = next(at for at, each in enumerate(SETS) if each["choice"] == "ties")
    given = SETS[position]
    texts = Requests(*(given[name].strip() for name in ("a", "b", "open")))
    return plan_of(position), catalogue(given["database"]), texts


def _review_set(case, draft, writer, check=lambda *_: ()):
    plan, known, _ = case
    [rounds] = review_sets(
        [Draft(plan, draft, {Side.A: "", Side.B: ""})],
        known,
        writer=writer,
        reviewers=REVIEWERS,
        check=check,
        where=known.database,
    )
    return rounds


def test_a_good_draft_is_kept_without_a_revision(case):
    writer = _Reviser(case[2])
    (only,) = _review_set(case, case[2], writer)
    assert (only.revision, only.keep, only.problems) == (0, True, ())
    assert list(only.reviews) == ["rules/requirements", "rules/reading"]
    assert writer.told == []


def test_a_refused_draft_is_revised_once_with_all_notes_and_kept(case):
    good = case[2]
    draft = Requests(good.a, good.b, good.a)
    writer = _Reviser(good)
    first, second = _review_set(
        case, draft, writer, lambda plan, texts, _: ("too long",) * (texts is draft)
    )
    assert (first.keep, second.keep) == (False, True)
    assert (first.requests, second.requests) == (draft, good)
    (told,) = writer.told
    assert told[0] == "too long"
    assert len([note for note in told if note.startswith("open: ")]) == 2


def test_there_is_no_second_revision(case):
    good = case[2]
    writer = _Reviser(Requests(good.b, good.a, good.open))
    rounds = _review_set(case, Requests(good.a, good.b, good.a), writer)
    assert [each.keep for each in rounds] == [False, False]
    assert len(writer.told) == 1


def test_sets_that_are_kept_stay_as_they_are_while_others_are_revised(case):
    plan, known, good = case
    poor = Requests(good.a, good.b, good.a)
    writer = _Reviser(good)
    sides = {Side.A: "", Side.B: ""}
    rounds = review_sets(
        [Draft(plan, texts, sides) for texts in (poor, good, poor)],
        known,
        writer=writer,
        reviewers=REVIEWERS,
        check=lambda *_: (),
        where=known.database,
    )
    assert [[each.keep for each in one] for one in rounds] == [[False, True], [True], [False, True]]
    assert [one[-1].requests for one in rounds] == [good, good, good]
    assert len(writer.told) == 2


def test_a_revision_that_cannot_be_read_is_no_round(case):
    good = case[2]
    (only,) = _review_set(case, Requests(good.a, good.b, good.a), _Reviser(None))
    assert (only.revision, only.keep) == (0, False)


def test_a_verdict_that_could_not_be_read_keeps_nothing_and_is_stored_as_none(case):
    unread = tuple(RequestReview(kind, None, None, None, ("no JSON",)) for kind in RequestKind)
    assert not keeps(True, {"one": _reviews(), "two": unread})
    assert not keeps(True, {"one": unread, "two": unread})
    reviews = {"one": _reviews(), "two": unread}
    rows = review_rows("p1", _request_set(case[2]), [ReviewRound(0, case[2], (), reviews, False)])
    stored = SET_REVIEWS.frame(rows).to_dicts()
    verdicts = ("accepts_a", "accepts_b", "requirements_kept")
    assert [[row[name] for name in verdicts] for row in stored if row["reviewer"] == "two"] == [
        [None] * 3
    ] * 3


def test_code_checks_alone_can_refuse_a_set(case):
    rounds = _review_set(case, case[2], _Reviser(case[2]), lambda *_: ("it names a table",))
    assert [each.keep for each in rounds] == [False, False]


def _request_set(texts):
    def interpretation(request):
        return Interpretation(
            meaning="It means this.", request=request, sql="SELECT name FROM teams"
        )

    return RequestSet(
        database="baseball",
        choice_type=ChoiceType.TIES,
        step_depth=1,
        arithmetic_depth=0,
        interpretations=Interpretations(a=interpretation(texts.a), b=interpretation(texts.b)),
        open_request=texts.open,
    )


def test_rows_name_the_set_that_has_the_texts_which_were_read(case):
    good = case[2]
    draft = Requests(good.a, good.b, good.a)
    rounds = _review_set(case, draft, _Reviser(good))
    rows = review_rows("p1", _request_set(draft), rounds)
    frame = SET_REVIEWS.frame(rows)
    assert frame.height == 2 * 2 * 3
    ids = {row["revision"]: row["set_id"] for row in rows}
    assert ids == {0: _request_set(draft).content_id(), 1: _request_set(good).content_id()}
    assert {row["keep"] for row in rows if row["revision"] == 1} == {True}
    assert {row["request"] for row in rows if row["request_kind"] == "open"} == {good.a, good.open}


def test_a_set_with_other_texts_is_another_set_with_the_same_queries(case):
    good = case[2]
    before = _request_set(Requests(good.b, good.a, good.open))
    after = with_texts(before, good)
    assert after.id == after.content_id() != before.content_id()
    assert [after.request(kind) for kind in RequestKind] == [good.a, good.b, good.open]
    assert after.interpretations.a.sql == before.interpretations.a.sql


def _single(case, first, revised):
    plan, known, _ = case
    told = []

    def revise(notes):
        told.append(notes)
        return revised

    review = review_single_request(
        first, plan.structure, "", known, reviewers=REVIEWERS, revise=revise
    )
    return review, told


def test_one_request_for_one_query_is_accepted_or_revised_once(case):
    good, broken = case[2].a, case[2].a.rsplit("Return ", 1)[0].strip()
    review, told = _single(case, good, broken)
    assert (review.accepted, review.revision, review.request, told) == (True, 0, good, [])
    review, told = _single(case, broken, good)
    assert (review.accepted, review.revision, review.request) == (True, 1, good)
    assert any(note.startswith("rules/reading: ") for note in told[0])
    review, told = _single(case, broken, broken)
    assert (review.accepted, review.revision, len(told)) == (False, 1, 1)
