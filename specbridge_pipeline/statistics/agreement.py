"""Agreement of two raters who gave nominal labels to the same items."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from specbridge_pipeline.errors import SpecBridgeError


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two raters agree.

    Attributes:
        kappa: Cohen's unweighted κ, at most 1, or NaN where it is not defined.
        raw: The share of items with the same label from both, or NaN without items.
        items: How many items both rated, a count.
    """

    kappa: float
    raw: float
    items: int


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> Agreement:
    """Return Cohen's κ and the raw agreement of two raters.

    κ is the agreement beyond chance as a share of what chance leaves. Where both raters gave every
    item one and the same label, chance alone gives full agreement and leaves nothing: κ is 0/0 and
    reported as NaN, beside a raw agreement of 1. Without items both are NaN.

    Args:
        first: The first rater's labels, one an item; only their equality matters.
        second: The second rater's labels, of the same items in the same order.

    Returns:
        κ, the raw agreement and the number of items.

    Raises:
        SpecBridgeError: The two did not rate the same number of items.

    Source: the paper, Section 6 (agreement of two labelers on the causes of failures).
    """
    items = len(first)
    if items != len(second):
        raise SpecBridgeError(
            f"{items} labels cannot be compared with {len(second)}",
            where="cohens_kappa",
            advice="give both raters' labels of the same items in the same order",
        )
    if items == 0:
        return Agreement(math.nan, math.nan, 0)
    raw = sum(one == other for one, other in zip(first, second, strict=True)) / items
    # Sorted, because the order of the sums decides their last bits and a set has no order.
    labels = sorted({*first, *second}, key=repr)
    if len(labels) == 1:
        return Agreement(math.nan, raw, items)

    import numpy
    from statsmodels.stats.inter_rater import cohens_kappa as kappa_of_table

    position = {label: index for index, label in enumerate(labels)}
    table = numpy.zeros((len(labels), len(labels)), dtype=numpy.int64)
    for one, other in zip(first, second, strict=True):
        table[position[one], position[other]] += 1
    kappa = kappa_of_table(table, return_results=False)
    return Agreement(float(kappa), raw, items)
