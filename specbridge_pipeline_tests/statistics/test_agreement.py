from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.statistics.agreement import Agreement, cohens_kappa

ratings = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1)


def spread(counts: dict[tuple[str, str], int]) -> tuple[list[str], list[str]]:
    rows = [pair for pair, count in counts.items() for _ in range(count)]
    return [one for one, _ in rows], [other for _, other in rows]


def definition(rows: list[tuple[str, str]]) -> Fraction | None:
    items = len(rows)
    observed = Fraction(sum(one == other for one, other in rows), items)
    first, second = Counter(one for one, _ in rows), Counter(other for _, other in rows)
    expected = Fraction(sum(first[label] * second[label] for label in first), items**2)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def test_grant_proposals() -> None:
    # The usual textbook example: 50 proposals, agreement 0.7, expected 0.5.
    first, second = spread(
        {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    )
    agreement = cohens_kappa(first, second)
    assert agreement.kappa == pytest.approx(0.4)
    assert (agreement.raw, agreement.items) == (0.7, 50)


@pytest.mark.parametrize(
    ("counts", "kappa"),
    # The same raw agreement of 0.6, with different margins.
    [((45, 15, 25, 15), 0.1304), ((25, 35, 5, 35), 0.2593)],
)
def test_same_raw_agreement(counts: tuple[int, int, int, int], kappa: float) -> None:
    keys = [("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")]
    agreement = cohens_kappa(*spread(dict(zip(keys, counts, strict=True))))
    assert agreement.raw == 0.6
    assert round(agreement.kappa, 4) == kappa


@given(ratings)
def test_against_the_definition(rows: list[tuple[str, str]]) -> None:
    agreement = cohens_kappa([one for one, _ in rows], [other for _, other in rows])
    expected = definition(rows)
    if expected is None:
        assert math.isnan(agreement.kappa)
        assert agreement.raw == 1
    else:
        assert agreement.kappa == pytest.approx(float(expected), abs=1e-12)
    assert agreement.items == len(rows)


@given(ratings, st.integers(0, 1000))
def test_order_of_items_does_not_matter(rows: list[tuple[str, str]], seed: int) -> None:
    shuffled = list(rows)
    Random(seed).shuffle(shuffled)
    results = [
        cohens_kappa([one for one, _ in order], [other for _, other in order])
        for order in (rows, shuffled)
    ]
    assert repr(results[0]) == repr(results[1])


@given(ratings)
def test_raters_are_interchangeable(rows: list[tuple[str, str]]) -> None:
    first, second = [one for one, _ in rows], [other for _, other in rows]
    one, other = cohens_kappa(first, second), cohens_kappa(second, first)
    assert one.raw == other.raw
    assert one.kappa == pytest.approx(other.kappa, abs=1e-12, nan_ok=True)


def test_full_agreement_on_two_labels_is_1() -> None:
    assert cohens_kappa([True, False, True], [True, False, True]) == Agreement(1.0, 1.0, 3)


def test_one_label_throughout_leaves_kappa_undefined() -> None:
    agreement = cohens_kappa(["open"] * 5, ["open"] * 5)
    assert math.isnan(agreement.kappa)
    assert (agreement.raw, agreement.items) == (1.0, 5)


def test_each_rater_constant_on_a_label_of_their_own_is_0() -> None:
    assert cohens_kappa(["open"] * 5, ["settled"] * 5) == Agreement(0.0, 0.0, 5)


def test_without_items() -> None:
    agreement = cohens_kappa([], [])
    assert math.isnan(agreement.kappa)
    assert math.isnan(agreement.raw)
    assert agreement.items == 0


def test_different_lengths() -> None:
    with pytest.raises(SpecBridgeError, match="cannot be compared"):
        cohens_kappa(["open"], [])
