"""How many of the queries that are asked for are delivered, and after how many constructions.

After the paper's Table S5. What is delivered is looked at a second time by `recheck`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
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


def delivery_row(
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    *,
    queries: int = QUERIES,
    seed: int,
    step_depths: tuple[int, int] = STEP_DEPTHS,
    arithmetic_depths: tuple[int, int] = ARITHMETIC_DEPTHS,
    check: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Ask for queries on a database, and count what is delivered and what holds of it.

    Args:
        catalogue: The database's catalogue.
        run: Runs a query on it.
        queries: How many queries are asked for.
        seed: Seed of generation.
        step_depths: Smallest and largest step depth, asked for in turn.
        arithmetic_depths: Smallest and largest arithmetic depth, likewise.
        check: Whether to look at what was delivered a second time; else `sound` is NULL.
        progress: Told about each request.

    Returns:
        A row of CONSTRUCTION_COUNTS.
    """
    requests = plain_requests(queries, step_depths, arithmetic_depths)
    attempts = list(generate(catalogue, run, requests=requests, seed=seed, progress=progress))
    kept = [attempt for attempt in attempts if attempt.kept]
    faults: list[tuple[str, ...]] = []
    if check:
        faults = [
            recheck(_finished(attempt, requests), run, catalogue.engine) for attempt in kept
        ]
    delivered = {attempt.request for attempt in kept}
    return {
        "database": catalogue.database,
        "queries": len(requests),
        "delivered": len(kept),
        "constructions": len(attempts),
        "taken_back": sum(len(attempt.taken_back) for attempt in attempts),
        "distinct": len({attempt.sql for attempt in kept}),
        "sound": sum(not each for each in faults) if check else None,
        "faults": sorted({fault for each in faults for fault in each}),
        "shortfalls": list(_shortfalls(attempts, delivered)),
    }


def _finished(attempt: Attempt, requests: list[QueryRequest]) -> FinishedQuery:
    request = requests[attempt.request]
    return FinishedQuery(
        attempt.sql,
        request.step_depth,
        request.arithmetic_depth,
        attempt.rows or 0,
        attempt.result_hash,
    )


def _shortfalls(attempts: list[Attempt], delivered: set[int]) -> Iterator[str]:
    """Say why requests were given up, the commonest last reason first."""
    last = {each.request: each.reason for each in attempts if each.request not in delivered}
    for reason, number in sorted(Counter(last.values()).items(), key=lambda each: (-each[1], each)):
        yield f"{reason}: {number}"
