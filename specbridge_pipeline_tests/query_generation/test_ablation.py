"""Every attempt of every configuration is in one class, and the whole generator's are sound."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.query_generation.ablation import (
    CONFIGURATIONS,
    ablation_rows,
    configuration_words,
    counts_by_class,
    shares_of,
)
from specbridge_pipeline.query_generation.attempt_classes import AttemptClass
from specbridge_pipeline.query_generation.mechanisms import Mechanisms
from specbridge_pipeline.query_generation.study_records import GENERATION_ABLATION

ATTEMPTS = {1: 6, 2: 3}


@pytest.fixture(scope="module")
def rows(request, tmp_path_factory):
    from specbridge_pipeline_tests.support.tiny_databases import SALES, catalogued

    catalogue, run = catalogued(tmp_path_factory.mktemp("sales"), "sales", SALES)
    return list(ablation_rows(catalogue, run, attempts=ATTEMPTS)), catalogue, run


def test_there_is_a_configuration_for_each_mechanism_one_for_all_and_one_for_none():
    assert list(CONFIGURATIONS) == [
        "all",
        *(f"without_{name}" for name in Mechanisms.names()),
        "none",
    ]
    for name, mechanisms in CONFIGURATIONS.items():
        off = [each for each in Mechanisms.names() if not getattr(mechanisms, each)]
        expected = {"all": [], "none": list(Mechanisms.names())}
        assert off == expected.get(name, [name.removeprefix("without_")])


def test_every_attempt_is_in_one_class(rows):
    made = Counter()
    for row in rows[0]:
        made[row["configuration"], row["seed"]] += row["attempts"]
    assert made == {(name, seed): n for name in CONFIGURATIONS for seed, n in ATTEMPTS.items()}
    assert len(rows[0]) == len(CONFIGURATIONS) * len(ATTEMPTS) * len(AttemptClass)
    GENERATION_ABLATION.frame({"source": "test", **row} for row in rows[0])


def test_with_all_mechanisms_nothing_is_off_target_invalid_or_twice(rows):
    classes = counts_by_class(rows[0])["all"]
    for each in (AttemptClass.OFF_TARGET, AttemptClass.INVALID, AttemptClass.DUPLICATE):
        assert classes[each] == 0
    assert classes[AttemptClass.SOUND] > 0


def test_without_the_look_ahead_attempts_miss_their_target(rows):
    counts = counts_by_class(rows[0])
    assert counts["without_look_ahead"][AttemptClass.OFF_TARGET] > 0
    assert counts["none"][AttemptClass.SOUND] < counts["all"][AttemptClass.SOUND]


def test_the_same_seeds_give_the_same_counts(rows):
    first, catalogue, run = rows
    chosen = ("all", "none")
    again = ablation_rows(catalogue, run, attempts=ATTEMPTS, configurations=chosen)
    assert list(again) == [row for row in first if row["configuration"] in chosen]


def test_counts_are_added_up_over_databases_and_seeds():
    def row(database, seed, attempt_class, attempts):
        return {
            "database": database,
            "configuration": "all",
            "seed": seed,
            "attempt_class": attempt_class.value,
            "attempts": attempts,
        }

    sound, twice = AttemptClass.SOUND, AttemptClass.DUPLICATE
    given_rows = [row("a", 1, sound, 4), row("a", 2, twice, 1), row("b", 1, sound, 2)]
    counts = counts_by_class(given_rows)
    assert set(counts) == {"all"}
    assert counts["all"] == {each: {sound: 6, twice: 1}.get(each, 0) for each in AttemptClass}


def test_configurations_have_the_figure_s_words():
    assert [configuration_words(name) for name in ("all", "without_look_ahead", "none")] == [
        "all mechanisms",
        "− look-ahead",
        "none (naive)",
    ]


@given(st.integers(0, 5_000), st.integers(1, 60))
def test_attempts_are_split_evenly(total, parts):
    shares = shares_of(total, parts)
    assert sum(shares) == total
    assert len(shares) == parts
    assert max(shares) - min(shares) <= 1
