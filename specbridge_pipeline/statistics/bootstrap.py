"""Percentile bootstrap of ratios, over whole tasks or whole databases.

A task gives several observations wherever A and B of a set or several models are pooled. They are
not independent, so a replicate draws tasks with replacement and takes all rows of each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specbridge_pipeline.errors import SpecBridgeError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

FEWEST_CLUSTERS = 8
"""With fewer clusters the replicates take too few values for their percentiles to mean anything."""


@dataclass(frozen=True, slots=True)
class BootstrapResult:
    """An estimate with its bootstrap interval and standard error.

    Percentile intervals need not contain the estimate, though they nearly always do.

    Attributes:
        estimate: The ratio, or difference of two ratios, over all rows; NaN where a denominator
            is 0.
        low: The lower percentile of the replicates, in the unit of the estimate; NaN without any.
        high: The upper percentile, likewise.
        standard_error: The standard deviation of the replicates (with n - 1 below the line), in
            the unit of the estimate: the SE of "mean ± SE". NaN with fewer than two replicates.
        resamples: How many replicates were drawn, the empty ones included.
        tasks: How many tasks (or clusters) each replicate draws, and from how many.
        empty: How many replicates had a denominator of 0 and were dropped.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    resamples: int
    tasks: int
    empty: int


def bootstrap_ratio(
    numerators: Sequence[float],
    denominators: Sequence[float],
    tasks: Sequence[str],
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> BootstrapResult:
    """Bootstrap sum(numerators) / sum(denominators) over whole tasks.

    For a share, a row's numerator is 0 or 1 and its denominator 1; for a conditional share the
    denominator is 0 in rows that do not meet the condition, and how many do then varies between
    replicates as it should. Neither the order of the rows nor that of hashes matters.

    Args:
        numerators: What is counted or added up, one entry a row.
        denominators: What it is counted out of, one entry a row, none negative.
        tasks: The task of each row; rows of one task are drawn together.
        seed: The seed of the draws, from the profile.
        resamples: How many replicates to draw.
        confidence: The coverage of the interval, strictly between 0 and 1.

    Returns:
        The estimate with its interval, all in the unit of numerator over denominator.

    Raises:
        SpecBridgeError: The columns differ in length, a value is not finite, a denominator is
            negative, or the number of replicates or the confidence is impossible.

    Source: the paper, Section 4.1, Statistics (2,000 resamples of whole tasks).
    """
    columns = (numerators, denominators)
    return _bootstrap(columns, tasks, seed=seed, resamples=resamples, confidence=confidence)


def bootstrap_difference(
    first_numerators: Sequence[float],
    first_denominators: Sequence[float],
    second_numerators: Sequence[float],
    second_denominators: Sequence[float],
    tasks: Sequence[str],
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> BootstrapResult:
    """Bootstrap the first ratio minus the second, both over the same drawn tasks.

    Each replicate takes both ratios from one draw of tasks, so what makes a task hard for both
    sides cancels. A row that belongs to one side alone is 0 / 0 on the other.

    Args:
        first_numerators: The first ratio's numerators, one entry a row.
        first_denominators: The first ratio's denominators, one entry a row, none negative.
        second_numerators: The second ratio's numerators, one entry a row.
        second_denominators: The second ratio's denominators, one entry a row, none negative.
        tasks: The task of each row; rows of one task are drawn together.
        seed: The seed of the draws, from the profile.
        resamples: How many replicates to draw; those in which either denominator is 0 are dropped.
        confidence: The coverage of the interval, strictly between 0 and 1.

    Returns:
        The difference with its interval, all in the unit of numerator over denominator.

    Raises:
        SpecBridgeError: As for `bootstrap_ratio`.

    Source: the paper, Section 4.1, Statistics (pairs are drawn together).
    """
    columns = (first_numerators, first_denominators, second_numerators, second_denominators)
    return _bootstrap(columns, tasks, seed=seed, resamples=resamples, confidence=confidence)


def clustered_by(
    numerators: Sequence[float],
    denominators: Sequence[float],
    clusters: Sequence[str],
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> BootstrapResult | None:
    """Bootstrap a ratio over whole clusters, in practice databases, given enough of them.

    A task lies in one database, so whole databases are whole tasks too.

    Args:
        numerators: What is counted or added up, one entry a row.
        denominators: What it is counted out of, one entry a row, none negative.
        clusters: The database of each row; rows of one database are drawn together.
        seed: The seed of the draws, from the profile.
        resamples: How many replicates to draw.
        confidence: The coverage of the interval, strictly between 0 and 1.

    Returns:
        The result, whose `tasks` counts clusters; None, to be printed as "n/a", when fewer than
        eight clusters have a denominator above 0.

    Raises:
        SpecBridgeError: As for `bootstrap_ratio`.

    Source: none in the paper; the resampling of its Section 4.1, Statistics, with databases in
    the place of tasks.
    """
    columns = (numerators, denominators)
    result = _bootstrap(columns, clusters, seed=seed, resamples=resamples, confidence=confidence)
    return result if _informative(denominators, clusters) >= FEWEST_CLUSTERS else None


def clustered_difference(
    first_numerators: Sequence[float],
    first_denominators: Sequence[float],
    second_numerators: Sequence[float],
    second_denominators: Sequence[float],
    clusters: Sequence[str],
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> BootstrapResult | None:
    """Bootstrap a paired difference of two ratios over whole clusters, given enough of them.

    Args:
        first_numerators: The first ratio's numerators, one entry a row.
        first_denominators: The first ratio's denominators, one entry a row, none negative.
        second_numerators: The second ratio's numerators, one entry a row.
        second_denominators: The second ratio's denominators, one entry a row, none negative.
        clusters: The database of each row; rows of one database are drawn together.
        seed: The seed of the draws, from the profile.
        resamples: How many replicates to draw.
        confidence: The coverage of the interval, strictly between 0 and 1.

    Returns:
        The result, whose `tasks` counts clusters; None, to be printed as "n/a", when either ratio
        has fewer than eight clusters with a denominator above 0.

    Raises:
        SpecBridgeError: As for `bootstrap_ratio`.

    Source: none in the paper; the resampling of its Section 4.1, Statistics, with databases in
    the place of tasks.
    """
    columns = (first_numerators, first_denominators, second_numerators, second_denominators)
    result = _bootstrap(columns, clusters, seed=seed, resamples=resamples, confidence=confidence)
    fewest = min(
        _informative(first_denominators, clusters), _informative(second_denominators, clusters)
    )
    return result if fewest >= FEWEST_CLUSTERS else None


def _informative(denominators: Sequence[float], clusters: Sequence[str]) -> int:
    """Count the clusters that contribute to a denominator."""
    return len(
        {
            cluster
            for denominator, cluster in zip(denominators, clusters, strict=True)
            if denominator > 0
        }
    )


def _bootstrap(
    columns: tuple[Sequence[float], ...],
    groups: Sequence[str],
    *,
    seed: int,
    resamples: int,
    confidence: float,
) -> BootstrapResult:
    """Bootstrap a ratio (two columns) or a difference of ratios (four) over whole groups."""
    _check(columns, groups, resamples, confidence)
    # Exact sums, so that the order of a task's rows does not reach even the last bit.
    estimate = _statistic([math.fsum(column) for column in columns])
    names = sorted(set(groups))
    if not names:
        return BootstrapResult(math.nan, math.nan, math.nan, math.nan, resamples, 0, resamples)

    import numpy

    totals = [_totals(column, groups, names) for column in columns]
    generator = numpy.random.Generator(numpy.random.PCG64(seed))
    replicates: list[float] = []
    for _ in range(resamples):
        drawn = generator.integers(0, len(names), size=len(names))
        # A running sum adds from left to right on every machine; numpy's sum() adds in blocks that
        # depend on the processor and could differ in the last bit.
        replicate = _statistic([float(numpy.cumsum(total[drawn])[-1]) for total in totals])
        if not math.isnan(replicate):
            replicates.append(replicate)

    low = high = math.nan
    if replicates:
        tail = (1 - confidence) / 2
        low, high = (float(bound) for bound in numpy.quantile(replicates, [tail, 1 - tail]))
    return BootstrapResult(
        estimate=estimate,
        low=low,
        high=high,
        standard_error=_standard_deviation(replicates),
        resamples=resamples,
        tasks=len(names),
        empty=resamples - len(replicates),
    )


def _check(
    columns: tuple[Sequence[float], ...], groups: Sequence[str], resamples: int, confidence: float
) -> None:
    """Raise unless the columns and settings can be bootstrapped."""
    where = "bootstrap"
    if any(len(column) != len(groups) for column in columns):
        lengths = [*map(len, columns), len(groups)]
        raise SpecBridgeError(
            f"the columns differ in length: {lengths}",
            where=where,
            advice="give one numerator, denominator and task a row",
        )
    if not all(math.isfinite(value) for column in columns for value in column):
        raise SpecBridgeError(
            "a numerator or denominator is not finite",
            where=where,
            advice="leave out rows without a value, or make them 0 / 0",
        )
    if any(value < 0 for column in columns[1::2] for value in column):
        raise SpecBridgeError(
            "a denominator is negative",
            where=where,
            advice="check the order in which the columns are passed",
        )
    if resamples < 1:
        raise SpecBridgeError(
            f"{resamples} replicates are none", where=where, advice="draw at least 1"
        )
    if not 0 < confidence < 1:
        raise SpecBridgeError(
            f"the confidence {confidence} is not strictly between 0 and 1",
            where=where,
            advice="write 95% as 0.95",
        )


def _totals(
    column: Sequence[float], groups: Sequence[str], names: Sequence[str]
) -> NDArray[numpy.float64]:
    """Add a column up within each group, in the order of `names`."""
    import numpy

    members: defaultdict[str, list[float]] = defaultdict(list)
    for value, group in zip(column, groups, strict=True):
        members[group].append(value)
    return numpy.array([math.fsum(members[name]) for name in names], dtype=numpy.float64)


def _statistic(sums: Sequence[float]) -> float:
    """Return the ratio of two sums, or the difference of two such ratios; NaN where one is n/0."""
    if any(denominator == 0 for denominator in sums[1::2]):
        return math.nan
    ratios = [sums[index] / sums[index + 1] for index in range(0, len(sums), 2)]
    return ratios[0] if len(ratios) == 1 else ratios[0] - ratios[1]


def _standard_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation with n - 1 below the line, from exact sums."""
    if len(values) < 2:
        return math.nan
    mean = math.fsum(values) / len(values)
    deviations = [value - mean for value in values]
    # A product rather than ** 2, which asks the C library's pow() and may round by platform.
    squares = math.fsum(deviation * deviation for deviation in deviations)
    return math.sqrt(squares / (len(values) - 1))
