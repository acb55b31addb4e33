"""The words that settle a choice are heard, and words that only look like them are not."""

from collections import Counter

import pytest
import yaml

from specbridge_pipeline.choices.registry import CHOICES
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline_tests.support.projects import FIXTURES

SENTENCES = [
    (ChoiceType(name), text, frozenset({side} - {"open"}))
    for name, sides in yaml.safe_load((FIXTURES / "choice_cues.yaml").read_text("utf-8")).items()
    for side, texts in sides.items()
    for text in texts
]


@pytest.mark.parametrize(("kind", "text", "sides"), SENTENCES)
def test_a_sentence_settles_what_a_reader_says_it_settles(kind, text, sides):
    assert CHOICES[kind].settled_by(text) == sides


@pytest.mark.parametrize(("kind", "text", "sides"), SENTENCES)
def test_a_sentence_about_one_choice_settles_no_other(kind, text, sides):
    for other, module in CHOICES.items():
        assert other is kind or not module.settled_by(text), other


def test_every_type_has_open_sentences_and_sentences_for_each_side():
    counts = Counter((kind, each) for kind, _, sides in SENTENCES for each in sides or {"open"})
    for kind, module in CHOICES.items():
        assert sum(found for (named, _), found in counts.items() if named is kind) >= 20
        assert counts[kind, "open"] >= 8
        assert all(counts[kind, side] >= 6 for side in module.sides)
