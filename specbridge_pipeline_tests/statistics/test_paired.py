from __future__ import annotations

from fractions import Fraction
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.statistics.paired import McNemar, exact_mcnemar, paired_counts

small = st.integers(0, 60)
pairs = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=80)


def binomial_p_value(only_first: int, only_second: int) -> Fraction:
    discordant = only_first + only_second
    tail = sum(comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**discordant))


def test_six_to_none() -> None:
    # Six heads in a row, either way: 2 / 64.
    result = exact_mcnemar(10, 6, 0, 4)
    assert result.p_value == pytest.approx(0.03125)
    assert (result.discordant, result.only_first, result.only_second) == (6, 6, 0)


def test_nine_to_one() -> None:
    # (1 + 10) / 1024, twice.
    assert exact_mcnemar(0, 1, 9, 0).p_value == pytest.approx(22 / 1024)


@given(small, small, small, small)
def test_against_the_binomial_distribution(
    both: int, only_first: int, only_second: int, neither: int
) -> None:
    result = exact_mcnemar(both, only_first, only_second, neither)
    assert result.p_value == pytest.approx(float(binomial_p_value(only_first, only_second)))
    assert 0 < result.p_value <= 1
    assert result.discordant == only_first + only_second
    assert (result.only_first, result.only_second) == (only_first, only_second)


@given(small, small)
def test_concordant_pairs_and_the_order_of_the_systems_do_not_matter(
    only_first: int, only_second: int
) -> None:
    p_value = exact_mcnemar(0, only_first, only_second, 0).p_value
    assert exact_mcnemar(17, only_first, only_second, 5).p_value == p_value
    assert exact_mcnemar(0, only_second, only_first, 0).p_value == p_value


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (12, 0, 0, 3)])
def test_without_discordant_pairs_p_is_1(counts: tuple[int, int, int, int]) -> None:
    assert exact_mcnemar(*counts) == McNemar(1.0, 0, 0, 0)


def test_as_many_each_way_is_1() -> None:
    assert exact_mcnemar(0, 5, 5, 0).p_value == 1.0


def test_paired_counts_tell_the_sides_apart() -> None:
    first = [True, True, True, False, False, False, False, True, True, True]
    second = [True, False, False, True, False, False, False, True, True, True]
    assert paired_counts(first, second) == (4, 2, 1, 3)


@given(pairs)
def test_paired_counts_add_up_and_swap(rows: list[tuple[bool, bool]]) -> None:
    first, second = [one for one, _ in rows], [other for _, other in rows]
    counts = paired_counts(first, second)
    assert sum(counts) == len(rows)
    assert counts.both + counts.only_first == sum(first)
    assert counts.both + counts.only_second == sum(second)
    swapped = paired_counts(second, first)
    assert (swapped.only_first, swapped.only_second) == (counts.only_second, counts.only_first)


@given(pairs, st.randoms(use_true_random=False))
def test_order_of_pairs_does_not_matter(rows: list[tuple[bool, bool]], random: Random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)

    def outcome(of: list[tuple[bool, bool]]) -> McNemar:
        return exact_mcnemar(*paired_counts([one for one, _ in of], [other for _, other in of]))

    assert outcome(rows) == outcome(shuffled)


def test_unpaired_outcomes() -> None:
    with pytest.raises(SpecBridgeError, match="cannot be paired"):
        paired_counts([True], [True, False])


def test_negative_count() -> None:
    with pytest.raises(SpecBridgeError, match="negative"):
        exact_mcnemar(0, -1, 2, 0)
