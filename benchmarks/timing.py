"""How long some work takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def median_seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median time that some work takes.

    Args:
        work: The work.
        rounds: How often it is done.

    Returns:
        Seconds.
    """
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)
