"""How many of the queries that are asked for are delivered, and after how many constructions.

After the paper's Table S5. What is delivered is looked at a second time by `recheck`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.progress import Progress
from specbridge_pipeline.query_generation.generation import Attempt, generate
from specbridge_pipeline.query_generation.recheck import FinishedQuery, recheck
from specbridge_pipeline.query_generation.requests import QueryRequest, plain_requests

QUERIES = 100
"""Queries that are asked for on a database, as in the paper."""
STEP_DEPTHS = (3, 6)
ARITHMETIC_DEPTHS = (1, 2)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of asking for queries on a database.

    Attributes:
        catalogue: The database's catalogue.
        requests: What was asked for.
        attempts: Every construction.
    """

    catalogue: Catalogue
    requests: tuple[QueryRequest, ...]
    attempts: tuple[Attempt, ...]

    @property
    def kept(self) -> tuple[Attempt, ...]:
        """The constructions that were delivered."""
        return tuple(attempt for attempt in self.attempts if attempt.kept)


def deliver(
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    *,
    queries: int = QUERIES,
    seed: int,
    step_depths: tuple[int, int] = STEP_DEPTHS,
    arithmetic_depths: tuple[int, int] = ARITHMETIC_DEPTHS,
    progress: Progress | None = None,
) -> Delivery:
    """Ask for queries on a database.

    Args:
        catalogue: The database's catalogue.
        run: Runs a query on it.
        queries: How many queries are asked for.
        seed: Seed of generation.
        step_depths: Smallest and largest step depth, asked for in turn.
        arithmetic_depths: Smallest and largest arithmetic depth, likewise.
        progress: Told about each request.
    """
    requests = plain_requests(queries, step_depths, arithmetic_depths)
    attempts = generate(catalogue, run, requests=requests, seed=seed, progress=progress)
    return Delivery(catalogue, tuple(requests), tuple(attempts))


def checked_row(delivery: Delivery, run: Callable[[str], Outcome] | None) -> dict[str, Any]:
    """Count what was delivered and, with a second look, what holds of it.

    Args:
        delivery: What came of asking.
        run: Runs the delivered queries once more; None for no second look, and `sound` is NULL.

    Returns:
        A row of CONSTRUCTION_COUNTS, but for its source.
    """
    kept = delivery.kept
    faults: list[tuple[str, ...]] = []
    if run is not None:
        engine = delivery.catalogue.engine
        faults = [recheck(_finished(each, delivery.requests), run, engine) for each in kept]
    return {
        "database": delivery.catalogue.database,
        "queries": len(delivery.requests),
        "delivered": len(kept),
        "constructions": len(delivery.attempts),
        "taken_back": sum(len(attempt.taken_back) for attempt in delivery.attempts),
        "distinct": len({attempt.sql for attempt in kept}),
        "sound": None if run is None else sum(not each for each in faults),
        "faults": sorted({fault for each in faults for fault in each}),
        "shortfalls": list(_shortfalls(delivery)),
    }


def _finished(attempt: Attempt, requests: Sequence[QueryRequest]) -> FinishedQuery:
    request = requests[attempt.request]
    return FinishedQuery(
        attempt.sql,
        request.step_depth,
        request.arithmetic_depth,
        attempt.rows or 0,
        attempt.result_hash,
    )


def _shortfalls(delivery: Delivery) -> Iterator[str]:
    """Say why requests were given up, the commonest last reason first."""
    delivered = {attempt.request for attempt in delivery.kept}
    last = {
        each.request: each.reason for each in delivery.attempts if each.request not in delivered
    }
    for reason, number in sorted(Counter(last.values()).items(), key=lambda each: (-each[1], each)):
        yield f"{reason}: {number}"
