"""Which sets all gates keep, with which texts."""

import pytest

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.errors import ConfigurationError, StaleRecordError
from specbridge_pipeline.request_sets.acceptance import (
    ReferenceCounts,
    ReferenceShares,
    accepted_rows,
    convention_share,
    qualifies,
    read_reference_shares,
)
from specbridge_pipeline.request_sets.construction_records import ACCEPTED_REQUEST_SETS
from specbridge_pipeline.request_sets.records import RequestKind

REVIEWERS = ("rules/requirements", "rules/reading")


def _set(proposal="p1", choice_type="ties", convention="a"):
    return {
        "database": "clinic",
        "proposal_id": proposal,
        "query_id": f"q-{proposal}",
        "set_id": f"{proposal}-0",
        "choice_type": choice_type,
        "tier": "short",
        "step_depth": 1,
        "arithmetic_depth": 0,
        "ordered": False,
        "convention": convention,
        "meaning_a": "One.",
        "meaning_b": "All.",
        "request_a": "draft of a",
        "request_b": "draft of b",
        "request_open": "draft of open",
        "sql_a": "SELECT 1",
        "sql_b": "SELECT 2",
        "plan": "{}",
        "writer": "rules",
        "passed": True,
        "problems": [],
    }


def _reviews(*kept, proposal="p1"):
    """Return the rows of a set's rounds, of which each is kept or not."""
    return [
        {
            "database": "clinic",
            "proposal_id": proposal,
            "set_id": f"{proposal}-{revision}",
            "revision": revision,
            "reviewer": reviewer,
            "request_kind": kind.value,
            "request": f"{kind.value} in revision {revision}",
            "keep": keep,
        }
        for revision, keep in enumerate(kept)
        for reviewer in REVIEWERS
        for kind in RequestKind
    ]


def _verdict(set_id, accepted, reviewer="Ada"):
    return {"set_id": set_id, "reviewer": reviewer, "accepted": accepted}


def _accepted(sets, reviews, verdicts=(), *, human_required=False, shares=None):
    rows = accepted_rows(sets, reviews, verdicts, human_required=human_required, shares=shares)
    # The rows are of the form that is stored.
    ACCEPTED_REQUEST_SETS.frame(rows)
    return rows


def test_a_kept_draft_is_accepted_with_its_texts():
    (row,) = _accepted([_set()], _reviews(True))
    assert (row["set_id"], row["request_b"]) == ("p1-0", "specific_b in revision 0")
    assert row["reviewers"] == sorted(REVIEWERS)
    assert (row["human_verdict"], row["human_reviewers"]) == (None, [])


def test_a_kept_revision_is_accepted_with_the_revised_texts():
    (row,) = _accepted([_set()], _reviews(False, True))
    assert (row["set_id"], row["request_open"]) == ("p1-1", "open in revision 1")


def test_a_set_that_no_revision_keeps_or_nobody_reviewed_is_left_out():
    assert _accepted([_set()], _reviews(False, False)) == []
    assert _accepted([_set()], []) == []
    assert _accepted([_set("p2")], _reviews(True, proposal="p1")) == []


def test_people_can_reject_what_code_keeps():
    verdicts = [_verdict("p1-0", True), _verdict("p1-0", False, "Ben")]
    assert _accepted([_set()], _reviews(True), verdicts) == []
    (row,) = _accepted([_set()], _reviews(True), verdicts[:1])
    assert (row["human_verdict"], row["human_reviewers"]) == (True, ["Ada"])


def test_a_verdict_is_on_the_texts_that_were_read():
    """What was said of the draft does not count for its revision."""
    (row,) = _accepted([_set()], _reviews(False, True), [_verdict("p1-0", False)])
    assert row["human_verdict"] is None


def test_a_verdict_of_people_can_be_required():
    assert _accepted([_set()], _reviews(True), human_required=True) == []
    accepted = _accepted([_set()], _reviews(True), [_verdict("p1-0", True)], human_required=True)
    assert [row["set_id"] for row in accepted] == ["p1-0"]


def test_a_type_on_which_references_agree_is_left_out():
    assert _accepted([_set(choice_type="population_scope")], _reviews(True)) == []
    own = ReferenceShares(
        source="own",
        types={ChoiceType.POPULATION_SCOPE: ReferenceCounts(usual=99, other=1)},
    )
    assert len(_accepted([_set(choice_type="population_scope")], _reviews(True), shares=own)) == 1
    assert _accepted([_set(choice_type="ties")], _reviews(True), shares=own) == []


def test_reviews_that_contradict_each_other_are_an_error():
    reviews = _reviews(True)
    reviews[0] = reviews[0] | {"keep": False}
    with pytest.raises(StaleRecordError, match="contradict"):
        _accepted([_set()], reviews)


def test_the_types_that_qualify_are_those_of_the_paper():
    """The paper, Table S1: those with a share of 1% or more, and the ones its sets are of."""
    assert {each for each in ChoiceType if qualifies(each)} == {
        ChoiceType.AGGREGATION_LEVEL,
        ChoiceType.QUANTIFIER,
        ChoiceType.COUNTING_UNIT,
        ChoiceType.MISSING_VALUES,
        ChoiceType.NEGATION,
        ChoiceType.STRICT_CUTOFF,
        ChoiceType.TIES,
    }


def test_the_shares_are_those_that_the_paper_prints():
    shares = read_reference_shares()
    printed = {each.value: counts.share for each, counts in shares.types.items()}
    assert {name: round(100 * share, 1) for name, share in printed.items()} == {
        "aggregation_level": 5.8,
        "calculation": 0.2,
        "condition_linkage": 0.0,
        "counting_unit": 8.6,
        "missing_values": 1.6,
        "negation": 1.1,
        "population_scope": 0.0,
        "quantifier": 46.7,
        "relationship_role": 0.0,
        "strict_cutoff": 1.6,
        "ties": 12.3,
        "time_scope": 0.4,
        "value_matching": 0.2,
    }


@pytest.mark.parametrize(
    ("usual", "other", "expected"),
    [(99, 1, True), (100, 1, False), (1, 99, True), (1, 100, False), (0, 5, False), (0, 0, False)],
)
def test_the_rarer_side_needs_one_in_a_hundred_whichever_it_is(usual, other, expected):
    counts = ReferenceCounts(usual=usual, other=other)
    shares = ReferenceShares(source="own", types={ChoiceType.TIES: counts})
    assert shares.qualifies(ChoiceType.TIES) is expected
    assert not shares.qualifies(ChoiceType.NEGATION)


def test_a_file_of_shares_that_cannot_be_used_names_its_line(tmp_path):
    path = tmp_path / "shares.yaml"
    path.write_text("source: own\ntypes:\n  ties: {usual: 3, others: 1}\n")
    with pytest.raises(ConfigurationError) as caught:
        read_reference_shares(path)
    assert caught.value.line == 3


def test_the_share_of_conventions_on_side_a_is_that_of_ties_and_counts():
    rows = [
        _set("p1", "ties", "a"),
        _set("p2", "ties", "b"),
        _set("p3", "counting_unit", "a"),
        _set("p4", "counting_unit", None),
        _set("p5", "aggregation_level", None),
    ]
    assert convention_share(rows) == pytest.approx(2 / 3)
    assert convention_share(rows[3:]) is None
