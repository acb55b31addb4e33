from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.statistics.intervals import Interval, wilson


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    trials = draw(st.integers(1, 5000))
    return draw(st.integers(0, trials)), trials


def test_textbook_value() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), Table I: 81 of 263, score method.
    interval = wilson(81, 263)
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.2553, 0.3662)
    assert interval.method == "wilson"


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # The other three of the same table.
    [(15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_more_textbook_values(successes: int, trials: int, low: float, high: float) -> None:
    interval = wilson(successes, trials)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


@given(counts(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_bounds_solve_the_score_equation(count: tuple[int, int], confidence: float) -> None:
    # The definition: at each bound the share lies z standard errors away, the standard error being
    # that of the bound. Written without square roots: n (p - b)^2 = z^2 b (1 - b).
    successes, trials = count
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    interval = wilson(successes, trials, confidence)
    share = successes / trials
    for bound in (interval.low, interval.high):
        assert trials * (share - bound) ** 2 == pytest.approx(
            z**2 * bound * (1 - bound), rel=1e-6, abs=1e-9
        )


@given(counts())
def test_contains_the_share_and_stays_between_0_and_1(count: tuple[int, int]) -> None:
    successes, trials = count
    interval = wilson(successes, trials)
    assert 0 <= interval.low <= successes / trials <= interval.high <= 1
    assert interval.low < interval.high


@given(counts())
def test_failures_mirror_successes(count: tuple[int, int]) -> None:
    successes, trials = count
    interval, mirrored = wilson(successes, trials), wilson(trials - successes, trials)
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-12)
    assert interval.high == pytest.approx(1 - mirrored.low, abs=1e-12)


@given(counts())
def test_more_confidence_is_wider(count: tuple[int, int]) -> None:
    narrow, wide = wilson(*count, confidence=0.8), wilson(*count, confidence=0.99)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


def test_without_trials_there_is_no_interval() -> None:
    interval = wilson(0, 0)
    assert isinstance(interval, Interval)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert interval.method == "n/a"


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3), (1, 0), (0, -1)])
def test_impossible_counts(successes: int, trials: int) -> None:
    with pytest.raises(SpecBridgeError, match="impossible"):
        wilson(successes, trials)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan])
def test_impossible_confidence(confidence: float) -> None:
    with pytest.raises(SpecBridgeError, match="confidence"):
        wilson(1, 2, confidence)
