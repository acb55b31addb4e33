"""What is asked of the generator: depths, and the choice that a query is to make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from random import Random

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.query_generation.look_ahead import DEEPEST_STEPS, can_reach
from specbridge_pipeline.query_generation.other_sides import SIDES, WantedChoice
from specbridge_pipeline.query_generation.plan import Contrast, Function
from specbridge_pipeline.query_generation.shapes import (
    Operation,
    Shape,
    Target,
    base_shape,
    ranked_rows_shape,
)
from specbridge_pipeline.query_generation.type_rules import TypeRules

SHORT, PAPER = "short", "paper"
TIERS = {SHORT: (1, 2), PAPER: (3, DEEPEST_STEPS)}
"""Tiers, with their smallest and largest step depth."""
_ARITHMETIC: dict[str, tuple[int, ...]] = {SHORT: (0, 1), PAPER: (1, 2)}
"""Arithmetic depths of a draft's queries."""
NOT_WORDED = frozenset(
    {
        Operation.DIFFERENCE_OF_TOTALS,
        Operation.SUM_OF_TOTALS,
        Operation.DIFFERENCE_OF_AVERAGES,
        Operation.SPREAD,
        Operation.ROWS_PER_ENTITY,
        Operation.TOTAL_PER_ENTITY,
        Operation.JOIN_CHAIN,
        Operation.OUTER_JOIN,
        Operation.COMBINE,
        Operation.TOTAL_OF_GROUPS,
        Operation.KEPT_BY_GROUP,
        Operation.SHARE_WITHIN_GROUP,
        Operation.TOP_K_WITHIN_GROUP,
    }
)
"""Operations for which the rules that word requests have no words: no query that is to make a
choice has one."""
_OFTEN = {1: 2}
"""Step depths that a draft asks for more often, since people do: how many times as often."""


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """One query that is wanted.

    Attributes:
        step_depth: Its step depth, 1 to 6.
        arithmetic_depth: Its arithmetic depth, 0 to 2; None for any.
        choice: The choice that it is to make; None for any or none.
        side: The side of it that it is to take; None for either.
        required: Operations that it must have, beside those of the choice.
        forbidden: Operations that it must not have, where it makes no choice.
    """

    step_depth: int
    arithmetic_depth: int | None = None
    choice: WantedChoice | None = None
    side: str | None = None
    required: frozenset[Operation] = frozenset()
    forbidden: frozenset[Operation] = frozenset()

    @property
    def tier(self) -> str:
        """The tier of its step depth."""
        return SHORT if self.step_depth <= TIERS[SHORT][1] else PAPER

    def targets(self) -> tuple[Target, ...]:
        """Return what will do, as depths and operations."""
        if self.choice is None:
            return (Target(self.step_depth, self.arithmetic_depth, self.required, self.forbidden),)
        sides = SIDES[self.choice]
        wanted = [self.side] if self.side is not None else list(sides)
        # Shares of a total make no sense of entities that several groups have.
        counts = self.choice is WantedChoice.COUNTING_UNIT
        forbidden = NOT_WORDED | (frozenset({Operation.SHARE}) if counts else frozenset())
        return tuple(
            Target(
                self.step_depth,
                self.arithmetic_depth,
                self.required | {operation},
                forbidden,
            )
            for side in wanted
            for operation in sides[side]
        )


def draft_requests(
    count_short: int, count_paper: int, seed: int, catalogue: Catalogue | None = None
) -> list[QueryRequest]:
    """Return the requests of a draft, balanced over depths, choices and their sides.

    Step depth 1 is asked for twice as often as 2.

    Args:
        count_short: How many of step depth 1 and 2.
        count_paper: How many of step depth 3 to 6; their arithmetic depth is 1 or 2.
        seed: Decides which depths go with which choice.
        catalogue: With it, only what the rules allow on this database is asked for, and where they
            allow no query with a choice, the other choices have its share.

    Returns:
        The requests, short ones first; each names a choice and a side, both sides of a choice
        alike often.
    """
    random = Random(f"draft requests {seed}")
    shapes = _all_starts() if catalogue is None else _starts_on(catalogue)
    return [
        *_balanced(SHORT, count_short, random, shapes),
        *_balanced(PAPER, count_paper, random, shapes),
    ]


def plain_requests(
    count: int,
    step_depths: tuple[int, int],
    arithmetic_depths: tuple[int, int] | None,
    required: frozenset[Operation] = frozenset(),
) -> list[QueryRequest]:
    """Return requests that name depths and operations, in turn all depths that the grammar has.

    Args:
        count: How many.
        step_depths: Smallest and largest step depth.
        arithmetic_depths: Smallest and largest arithmetic depth; None for any.
        required: Operations that each must have.

    Returns:
        The requests; empty where the grammar reaches none of the depths with these operations.
    """
    wanted: list[int | None] = [None]
    if arithmetic_depths is not None:
        wanted = list(range(arithmetic_depths[0], arithmetic_depths[1] + 1))
    reachable = [
        request
        for steps in range(step_depths[0], step_depths[1] + 1)
        for arithmetic in wanted
        if is_reachable(request := QueryRequest(steps, arithmetic, required=required))
    ]
    return [request for request, _ in zip(cycle(reachable), range(count), strict=False)]


def is_reachable(request: QueryRequest) -> bool:
    """Return whether the grammar has a query for a request on some database."""
    return _reaches(_all_starts(), request)


def _reaches(shapes: Iterable[Shape], request: QueryRequest) -> bool:
    return any(can_reach(shape, target) for shape in shapes for target in request.targets())


def _balanced(tier: str, count: int, random: Random, shapes: Sequence[Shape]) -> list[QueryRequest]:
    smallest, largest = TIERS[tier]
    turns: dict[tuple[WantedChoice, str], Iterator[QueryRequest]] = {}
    for choice, side in (*_sides(0), *_sides(1)):
        # What is divided is seldom tied.
        arithmetic = _ARITHMETIC[tier][: 1 if choice is WantedChoice.TIES else None]
        depths = [
            request
            for steps in range(smallest, largest + 1)
            for depth in arithmetic * _OFTEN.get(steps, 1)
            if _reaches(shapes, request := QueryRequest(steps, depth, choice, side))
        ]
        random.shuffle(depths)
        if depths:
            turns[choice, side] = cycle(depths)
    return [next(turns[each]) for each, _ in zip(cycle(turns), range(count), strict=False)]


def _starts_on(catalogue: Catalogue) -> tuple[Shape, ...]:
    return tuple(dict.fromkeys(start.shape for start in TypeRules(catalogue).starts))


def _sides(index: int) -> list[tuple[WantedChoice, str]]:
    return [(choice, list(SIDES[choice])[index]) for choice in WantedChoice]


@cache
def _all_starts() -> tuple[Shape, ...]:
    shapes = [
        base_shape(function, keys, negative=negative, joins=joins, outer=outer, partners=partners)
        for function in Function
        for keys in (0, 1, 2)
        for negative in (False, True)
        for joins, outer in ((0, False), (1, False), (2, False), (1, True))
        for partners in (frozenset[Contrast](), frozenset(Contrast))
    ]
    return (*dict.fromkeys(shapes), ranked_rows_shape())
