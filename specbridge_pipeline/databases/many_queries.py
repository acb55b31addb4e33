"""The same work on many things that are queries or run some, several of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from specbridge_pipeline.progress import Progress, SilentProgress

AT_ONCE = 2
"""What a stage works on at a time: enough for the workers of a small machine."""

_Item = TypeVar("_Item")
_Found = TypeVar("_Found")


def for_each(
    items: Sequence[_Item],
    work: Callable[[_Item], list[_Found]],
    *,
    description: str,
    progress: Progress | None,
    at_once: int,
) -> list[_Found]:
    """Do some work on each of several items.

    Args:
        items: The items, queries for example.
        work: What is done with one of them; where several are done at once, any thread calls it.
        description: What to call the work where progress is shown.
        progress: Told about each item that is done; None for nobody.
        at_once: How many items are worked on at a time.

    Returns:
        What was found, in the order of the items.
    """
    found: list[_Found] = []
    with (progress or SilentProgress()).task(description, len(items)) as task:
        if at_once == 1:
            for item in items:
                found += work(item)
                task.advance()
            return found
        threads = ThreadPoolExecutor(at_once)
        try:
            for each in threads.map(work, items):
                found += each
                task.advance()
        finally:
            # After a failure the items that wait would be run for nothing.
            threads.shutdown(cancel_futures=True)
    return found
