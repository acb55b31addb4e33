"""Which sets are reviewed, in which order, and what a reviewer's decision is about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from specbridge_pipeline.records.canonical import content_hash
from specbridge_pipeline.request_sets.records import ID_LENGTH, RequestSet


def drawn_sets(sets: Iterable[RequestSet], seed: int, count: int | None = None) -> list[RequestSet]:
    """Return sets in an order that a seed decides.

    The order depends on the seed and the sets' ids alone, and a smaller draw is the beginning of
    a larger one, so that a review can be continued with more sets.

    Args:
        sets: The sets, in any order.
        seed: Of the order.
        count: How many; by default all.
    """

    def place(each: RequestSet) -> tuple[str, str]:
        return hashlib.sha256(f"{seed} {each.id}".encode()).hexdigest(), each.id

    return sorted(sets, key=place)[:count]


def review_digest(request_set: RequestSet, database_hash: str) -> str:
    """Return the digest of what a reviewer sees of a set: its content, and the database's.

    Args:
        request_set: The set.
        database_hash: Content hash of its database, which decides both results.

    Returns:
        A letter and digits: a spreadsheet takes no text that begins so for a number.
    """
    seen = {"set": request_set.content(), "database": database_hash}
    return f"d{content_hash(seen)[:ID_LENGTH]}"
