from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.choices.vocabulary import SPOKEN_OF, VOCABULARY
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.records import RequestSet, Side
from specbridge_pipeline.settings import Project, starter_root

EDITION = read_edition(Project(starter_root()), "handwritten-1")


def test_there_are_fourteen_types_and_words_for_each() -> None:
    assert len(ChoiceType) == 14
    assert set(VOCABULARY) == set(ChoiceType)
    assert all(kind.label == kind.value.replace("_", " ") for kind in ChoiceType)


@pytest.mark.parametrize("request_set", EDITION.sets, ids=lambda each: each.id)
def test_what_a_set_says_of_its_interpretations_speaks_of_its_choice(
    request_set: RequestSet,
) -> None:
    ideas = VOCABULARY[request_set.choice_type].ideas
    for side in Side:
        assert SPOKEN_OF in ideas(request_set.interpretations[side].meaning)
    taken = [ideas(request_set.interpretations[side].meaning) for side in Side]
    assert taken[0] != taken[1]


@given(kind=st.sampled_from(ChoiceType), text=st.text(max_size=120))
def test_a_side_is_taken_only_where_the_choice_is_spoken_of(kind: ChoiceType, text: str) -> None:
    ideas = VOCABULARY[kind].ideas(text)
    assert ideas <= {SPOKEN_OF, *VOCABULARY[kind].sides}
    assert not ideas or SPOKEN_OF in ideas
    assert VOCABULARY[kind].ideas(text) == VOCABULARY[kind].ideas(text.swapcase()) or not (
        text.isascii()
    )


@pytest.mark.parametrize("kind", ChoiceType)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "It joins the two tables and sorts the result.",
        "For each team, the number of home runs in the 2016 season.",
        "The query groups the results by carrier and returns the carrier code.",
    ],
)
def test_plain_words_speak_of_no_choice(kind: ChoiceType, text: str) -> None:
    assert not VOCABULARY[kind].ideas(text)
