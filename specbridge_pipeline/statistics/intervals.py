"""Confidence intervals of a share, for exhibits in which a task gives one observation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from specbridge_pipeline.errors import SpecBridgeError


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a share.

    Attributes:
        low: The lower bound, a share between 0 and 1, or NaN where there is no interval.
        high: The upper bound, likewise.
        method: How it was computed: "wilson", or "n/a" where there is no interval.
    """

    low: float
    high: float
    method: str


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Return the Wilson score interval of a share, without continuity correction.

    No trials are no error, because conditional exhibits come to them honestly (no missed set was
    computable, say): the interval is then `Interval(nan, nan, "n/a")`.

    Args:
        successes: How many trials succeeded, a count from 0 to `trials`.
        trials: How many independent trials there were, a count.
        confidence: The coverage, strictly between 0 and 1.

    Returns:
        The interval as shares between 0 and 1; it always contains `successes / trials`.

    Raises:
        SpecBridgeError: The counts or the confidence are impossible.

    Source: the paper, Section 4.1, Statistics (proportions use Wilson intervals).
    """
    if not 0 <= successes <= trials:
        raise SpecBridgeError(
            f"{successes} successes out of {trials} trials are impossible",
            where="wilson",
            advice="count both over the same rows",
        )
    if not 0 < confidence < 1:
        raise SpecBridgeError(
            f"the confidence {confidence} is not strictly between 0 and 1",
            where="wilson",
            advice="write 95% as 0.95",
        )
    if trials == 0:
        return Interval(math.nan, math.nan, "n/a")

    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, trials, alpha=1 - confidence, method="wilson")
    # At 0 or all successes the bound is the share itself, which rounding can miss by one unit in
    # the last place (7 of 7 gives 0.9999999999999999).
    share = successes / trials
    return Interval(min(float(low), share), max(float(high), share), "wilson")
