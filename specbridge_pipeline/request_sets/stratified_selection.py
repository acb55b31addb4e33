"""Drawing some of the accepted sets so that databases, tiers and choice types keep their shares.

The rule: each stratum (database × tier × choice type) gets its proportional share of the count,
rounded down; the sets still missing go, one each, to the strata with the largest remainders, equal
remainders to the larger stratum and then by name. Within a stratum sets are drawn by a seed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple, TypeVar

from specbridge_pipeline.errors import ConfigurationError

Row = Mapping[str, Any]
Stratum = tuple[str, str, str]
Key = TypeVar("Key", bound=Hashable)

TIERS = ("short", "paper")
"""The tiers in the order in which sets stand in an edition."""


class Quota(NamedTuple):
    """What a quota draws from.

    Attributes:
        tier: The tier.
        choice_type: The choice type.
        step_depth: The step depth; None for all of the tier.
    """

    tier: str
    choice_type: str
    step_depth: int | None = None

    @property
    def name(self) -> str:
        """The quota as a user writes it."""
        depth = "" if self.step_depth is None else f"/{self.step_depth}"
        return f"{self.tier}/{self.choice_type}{depth}"

    def holds(self, row: Row) -> bool:
        """Return whether an accepted set belongs to it."""
        return (
            row["tier"] == self.tier
            and row["choice_type"] == self.choice_type
            and self.step_depth in (None, row["step_depth"])
        )


def stratum_of(row: Row) -> Stratum:
    """Return the stratum of an accepted set: its database, tier and choice type."""
    return row["database"], row["tier"], row["choice_type"]


def canonical_order(row: Row) -> tuple[Any, ...]:
    """Return what accepted sets are ordered by: database, tier, choice type, set id."""
    return row["database"], TIERS.index(row["tier"]), row["choice_type"], row["set_id"]


def allocate(sizes: Mapping[Key, int], count: int) -> dict[Key, int]:
    """Divide a count over strata by largest remainder.

    Args:
        sizes: Stratum → how many sets it has.
        count: How many to draw; at most as many as there are.

    Returns:
        Stratum → how many to draw from it, never more than it has.
    """
    total = sum(sizes.values())
    shares = {key: Fraction(count * size, total) for key, size in sizes.items() if size}
    given = {key: int(share) for key, share in shares.items()}
    ranked = sorted(shares, key=lambda key: (given[key] - shares[key], -sizes[key], _sortable(key)))
    for key in ranked[: count - sum(given.values())]:
        given[key] += 1
    return {key: given.get(key, 0) for key in sizes}


def select_count(rows: Iterable[Row], count: int, seed: int) -> list[Row]:
    """Draw a number of sets by the rule of this module.

    Args:
        rows: Rows of ACCEPTED_REQUEST_SETS.
        count: How many.
        seed: Decides which sets of a stratum are drawn.

    Returns:
        The drawn rows in canonical order.

    Raises:
        ConfigurationError: There are fewer sets.
    """
    listed = list(rows)
    if count > len(listed):
        raise ConfigurationError(
            f"{count} sets are asked for, and {len(listed)} are accepted",
            advice="ask for fewer, or leave --count out to publish all of them",
        )
    return _draw(listed, count, seed)


def select_quotas(rows: Iterable[Row], quotas: Mapping[Quota, int], seed: int) -> list[Row]:
    """Draw a number of sets from each tier and choice type, or from a step depth of it.

    Over the databases, each quota is divided by largest remainder.

    Args:
        rows: Rows of ACCEPTED_REQUEST_SETS.
        quotas: How many of each; no set belongs to two of them, and sets of none are left out.
        seed: Decides which sets are drawn.

    Returns:
        The drawn rows in canonical order.

    Raises:
        ConfigurationError: A quota has fewer sets.
    """
    listed = list(rows)
    drawn: list[Row] = []
    for quota, count in quotas.items():
        found = [row for row in listed if quota.holds(row)]
        if count > len(found):
            raise ConfigurationError(
                f"the quota {quota.name}={count} cannot be met: {len(found)} sets of it "
                "are accepted",
                advice="lower the quota, or have more queries generated (`construction` in the "
                "profile)",
            )
        drawn += _draw(found, count, seed)
    return sorted(drawn, key=canonical_order)


def _draw(rows: Sequence[Row], count: int, seed: int) -> list[Row]:
    strata: dict[Stratum, list[Row]] = defaultdict(list)
    for row in rows:
        strata[stratum_of(row)].append(row)
    given = allocate({key: len(found) for key, found in sorted(strata.items())}, count)
    drawn: list[Row] = []
    for key, number in given.items():
        # A stratum's draw depends on nothing but its own sets.
        chance = Random(f"{seed}/{'/'.join(key)}")
        found = sorted(strata[key], key=canonical_order)
        drawn += chance.sample(found, number)
    return sorted(drawn, key=canonical_order)


def _sortable(key: Hashable) -> str:
    return "/".join(key) if isinstance(key, tuple) else str(key)
