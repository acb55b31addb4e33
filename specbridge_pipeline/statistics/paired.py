"""The exact McNemar test, for two systems that were tried on the same tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from specbridge_pipeline.errors import SpecBridgeError


class PairedCounts(NamedTuple):
    """How often two systems succeeded together, alone, or not at all.

    A named tuple in the order of the parameters of `exact_mcnemar`, so that it can be handed on
    with a star.

    Attributes:
        both: Pairs in which both succeeded, a count.
        only_first: Pairs in which the first succeeded and the second did not.
        only_second: Pairs in which the second succeeded and the first did not.
        neither: Pairs in which neither succeeded.
    """

    both: int
    only_first: int
    only_second: int
    neither: int


@dataclass(frozen=True, slots=True)
class McNemar:
    """The outcome of an exact McNemar test.

    Attributes:
        p_value: The two-sided p-value, between 0 and 1.
        discordant: Pairs in which exactly one of the two succeeded, a count.
        only_first: Those in which it was the first.
        only_second: Those in which it was the second.
    """

    p_value: float
    discordant: int
    only_first: int
    only_second: int


def paired_counts(first: Sequence[bool], second: Sequence[bool]) -> PairedCounts:
    """Count the four outcomes of paired trials.

    Args:
        first: Whether the first system succeeded, one entry a task.
        second: Whether the second system did, on the same tasks in the same order.

    Returns:
        The four counts, which add up to the number of tasks.

    Raises:
        SpecBridgeError: The two are not of the same length, hence not paired.

    Source: the paper, Section 4.1, Statistics.
    """
    if len(first) != len(second):
        raise SpecBridgeError(
            f"{len(first)} outcomes cannot be paired with {len(second)}",
            where="paired_counts",
            advice="give both systems' outcomes over the same tasks in the same order",
        )
    both = only_first = only_second = neither = 0
    for one, other in zip(first, second, strict=True):
        if one and other:
            both += 1
        elif one:
            only_first += 1
        elif other:
            only_second += 1
        else:
            neither += 1
    return PairedCounts(both, only_first, only_second, neither)


def exact_mcnemar(both: int, only_first: int, only_second: int, neither: int) -> McNemar:
    """Test whether two systems succeed equally often on the same tasks.

    Under the null hypothesis each discordant pair is a fair coin, so the p-value is the two-sided
    binomial one. Concordant pairs do not enter it.

    Args:
        both: Pairs in which both succeeded, a count.
        only_first: Pairs in which only the first succeeded.
        only_second: Pairs in which only the second succeeded.
        neither: Pairs in which neither succeeded.

    Returns:
        The p-value with the counts behind it; p is 1 when no pair is discordant.

    Raises:
        SpecBridgeError: A count is negative.

    Source: the paper, Section 4.1, Statistics (exact McNemar tests).
    """
    if min(both, only_first, only_second, neither) < 0:
        raise SpecBridgeError(
            f"a count of pairs is negative: {(both, only_first, only_second, neither)}",
            where="exact_mcnemar",
            advice="take the counts from paired_counts",
        )
    discordant = only_first + only_second
    if discordant == 0:
        return McNemar(1.0, 0, 0, 0)

    from statsmodels.stats.contingency_tables import mcnemar

    result = mcnemar([[both, only_first], [only_second, neither]], exact=True)
    return McNemar(float(result.pvalue), discordant, only_first, only_second)
