"""Whether a proposed choice is open: asked of who reads sets, about the open request."""

import pytest

from specbridge_pipeline.choices.opportunities import find_opportunities
from specbridge_pipeline.choices.proposals import propose
from specbridge_pipeline.request_sets.construction import RequestReview
from specbridge_pipeline.request_sets.open_choices import OpenRequestReviewer
from specbridge_pipeline.request_sets.records import RequestKind
from specbridge_pipeline.request_sets.rule_reviewers import RULE_REVIEWERS
from specbridge_pipeline_tests.choices.test_proposals import BUYERS, PLACES, queries


class Saying:
    """Accepts the specific requests, and says of every open one what it is told to say."""

    name = "somebody"

    def __init__(self, accepts_a, accepts_b, *notes):
        self.open = RequestReview(RequestKind.OPEN, accepts_a, accepts_b, True, notes)
        self.shown = []

    def review_all(self, subjects, *, where):
        self.shown += [each.requests.open for each in subjects]
        return [
            (
                RequestReview(RequestKind.SPECIFIC_A, True, False, True, ()),
                RequestReview(RequestKind.SPECIFIC_B, False, True, True, ()),
                self.open,
            )
            for _ in subjects
        ]


def proposals(shop, reviewer, *statements):
    rows = queries(*statements)
    found = find_opportunities(rows, shop.schema, shop.catalogue, shop.run)
    reader = OpenRequestReviewer(reviewer, shop.schema, shop.catalogue)
    return propose(rows, found, shop.schema, shop.catalogue, shop.run, seed=1, reviewer=reader)


@pytest.mark.parametrize("reviewer", RULE_REVIEWERS, ids=lambda reviewer: reviewer.name)
def test_rules_find_open_what_rules_write(make_shop, reviewer):
    rows = proposals(make_shop(), reviewer, BUYERS, PLACES)
    assert [row["found_open"] for row in rows] == [True, True]
    assert {row["reviewer"] for row in rows} == {reviewer.name}
    assert all(row["selected"] for row in rows)


@pytest.mark.parametrize(
    ("verdict", "problem"),
    [
        ((True, False, "It says buyers."), "It says buyers."),
        ((False, True), "The reviewer does not find the choice open."),
        ((None, None, "the reply cannot be read"), "the reply cannot be read"),
    ],
    ids=["one side", "no note", "unread"],
)
def test_a_request_that_fits_one_side_alone_is_no_open_choice(make_shop, verdict, problem):
    reviewer = Saying(*verdict)
    [row] = proposals(make_shop(), reviewer, BUYERS)
    assert (row["found_open"], row["selected"], row["problem"]) == (False, False, problem)
    # What it was shown is a request in words.
    [shown] = reviewer.shown
    assert "SELECT" not in shown
    assert "number of customers" in shown


def test_a_lost_requirement_is_left_to_the_reviews_of_the_set(make_shop):
    reviewer = Saying(True, True, "lost or changed: the product")
    [row] = proposals(make_shop(), reviewer, BUYERS)
    assert row["found_open"]
