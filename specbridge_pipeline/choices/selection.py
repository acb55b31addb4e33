"""Which of a query's sound edits becomes its one choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from specbridge_pipeline.records.canonical import content_hash


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal that passed every check.

    Attributes:
        proposal: Its id.
        query: Id of its query.
        tier: The query's tier.
        choice_type: Type of the choice.
        convention: 'a' or 'b' where one of the sides is the conventional one, else None.
    """

    proposal: str
    query: str
    tier: str
    choice_type: str
    convention: str | None


def select(candidates: Iterable[Candidate], seed: int) -> frozenset[str]:
    """Select one proposal for each query, so that the choice types come out even.

    Queries that leave the fewest types to choose from are decided first; among equals a hash of
    seed and id gives the order. A query gets the type with the fewest selected so far in its tier;
    among equally rare ones that whose conventional side has stood least often where it stands now
    (on A or on B), then a hash decides. Among several edits of that type the same rule decides.

    Args:
        candidates: All proposals of one database that passed the checks.
        seed: Decides between equals.

    Returns:
        Ids of the selected proposals. The order of the candidates does not matter.
    """
    by_query: dict[str, list[Candidate]] = {}
    for each in candidates:
        by_query.setdefault(each.query, []).append(each)

    def chance(*names: str) -> str:
        return content_hash([seed, *names])

    def freedom(query: str) -> tuple[int, str]:
        return len({each.choice_type for each in by_query[query]}), chance(query)

    types: Counter[tuple[str, str]] = Counter()
    conventions: Counter[tuple[str, str, str | None]] = Counter()
    selected = set()
    for query in sorted(by_query, key=freedom):
        chosen = min(
            by_query[query],
            key=lambda each: (
                types[each.tier, each.choice_type],
                conventions[each.tier, each.choice_type, each.convention],
                chance(query, each.choice_type),
                chance(each.proposal),
            ),
        )
        types[chosen.tier, chosen.choice_type] += 1
        conventions[chosen.tier, chosen.choice_type, chosen.convention] += 1
        selected.add(chosen.proposal)
    return frozenset(selected)
