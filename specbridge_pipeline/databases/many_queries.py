"""The same work on many queries, several of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from specbridge_pipeline.progress import Progress, SilentProgress

_Query = TypeVar("_Query")
_Found = TypeVar("_Found")


def for_each_query(
    queries: Sequence[_Query],
    work: Callable[[_Query], list[_Found]],
    *,
    description: str,
    progress: Progress | None,
    at_once: int,
) -> list[_Found]:
    """Do some work on each query.

    Args:
        queries: The queries.
        work: What is done with one of them; where several are done at once, any thread calls it.
        description: What to call the work where progress is shown.
        progress: Told about each query that is done; None for nobody.
        at_once: How many queries are worked on at a time.

    Returns:
        What was found, in the order of the queries.
    """
    found: list[_Found] = []
    with (progress or SilentProgress()).task(description, len(queries)) as task:
        if at_once == 1:
            for query in queries:
                found += work(query)
                task.advance()
            return found
        threads = ThreadPoolExecutor(at_once)
        try:
            for each in threads.map(work, queries):
                found += each
                task.advance()
        finally:
            # After a failure the queries that wait would be run for nothing.
            threads.shutdown(cancel_futures=True)
    return found
