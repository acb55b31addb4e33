"""A part of an edition: which sets are put to models where not all are."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.request_sets.edition_sample import drawn_from, sample_line
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.settings import Project, starter_root

EDITION = read_edition(Project(starter_root()), "generated-1")


def strata(edition):
    return Counter(
        (each.database, edition.tier_of(each), each.choice_type) for each in edition.sets
    )


@given(count=st.integers(1, len(EDITION.sets)), seed=st.integers(0, 5))
def test_each_stratum_gets_its_share_to_within_one_set(count, seed):
    drawn = drawn_from(EDITION, count, seed)
    assert len(drawn.sets) == count
    found = strata(drawn)
    for stratum, size in strata(EDITION).items():
        assert abs(found[stratum] - count * size / len(EDITION.sets)) < 1


def test_the_same_seed_draws_the_same_sets_and_another_seed_others():
    draws = {seed: [each.id for each in drawn_from(EDITION, 20, seed).sets] for seed in range(4)}
    assert [each.id for each in drawn_from(EDITION, 20, 0).sets] == draws[0]
    assert len({tuple(ids) for ids in draws.values()}) > 1


def test_the_drawn_sets_stand_as_in_the_file_and_the_edition_is_named_as_before():
    drawn = drawn_from(EDITION, 15, 1)
    places = [EDITION.sets.index(each) for each in drawn.sets]
    assert places == sorted(places)
    assert drawn.record == EDITION.record


@pytest.mark.parametrize("more", [0, 1, 1000])
def test_an_edition_that_has_no_more_is_taken_whole(more):
    assert drawn_from(EDITION, len(EDITION.sets) + more, 1) is EDITION


def test_the_sentence_says_how_many_of_how_many_and_by_which_seed():
    said = sample_line(12, EDITION, 20261003)
    assert "12 of the edition's 40 sets" in said
    assert "20261003" in said
    assert not sample_line(40, EDITION, 20261003)
