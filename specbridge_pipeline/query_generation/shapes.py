"""What the grammar knows of a partial plan, of the steps that may follow, and of what is asked.

A shape is all that the moves depend on: how many keys, what sort of value, how deep.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from specbridge_pipeline.query_generation.plan import BaselineOf, Contrast, Fold, Function


class Operation(StrEnum):
    """What a query does; the names stored with it."""

    COUNT_ROWS = "count_rows"
    COUNT_ENTITIES = "count_entities"
    TOTAL = "total"
    AVERAGE = "average"
    LOWEST = "lowest"
    HIGHEST = "highest"
    MEAN_OF_RATIOS = "mean_of_ratios"
    RATIO_OF_MEANS = "ratio_of_means"
    DIFFERENCE_OF_TOTALS = "difference_of_totals"
    SUM_OF_TOTALS = "sum_of_totals"
    DIFFERENCE_OF_AVERAGES = "difference_of_averages"
    SPREAD = "spread"
    ROWS_PER_ENTITY = "rows_per_entity"
    TOTAL_PER_ENTITY = "total_per_entity"
    RANKED_ROWS = "ranked_rows"
    GROUPING = "grouping"
    JOIN = "join"
    JOIN_CHAIN = "join_chain"
    OUTER_JOIN = "outer_join"
    COMBINE = "combine"
    REAGGREGATE = "reaggregate"
    TOTAL_OF_GROUPS = "total_of_groups"
    KEPT_BY_GROUP = "kept_by_group"
    AVERAGE_OF_AVERAGES = "average_of_averages"
    POOLED_AVERAGE = "pooled_average"
    DIFFERENCE = "difference"
    RATIO = "ratio"
    SHARE = "share"
    SHARE_WITHIN_GROUP = "share_within_group"
    FILTER = "filter"
    SUMMARY = "summary"
    TOP_K_WITHIN_GROUP = "top_k_within_group"
    TOP = "top"
    LIMIT = "limit"
    ALL_TIED = "all_tied"


class Sort(StrEnum):
    """What sort of value a step returns, as far as later steps care."""

    QUANTITY = "quantity"
    """In the unit of what was counted or measured."""
    RATIO = "ratio"
    """One quantity for one unit of another."""
    DIFFERENCE = "difference"
    RELATIVE = "relative"
    """As a multiple of an average."""
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Shape:
    """What the grammar knows of a partial plan.

    Attributes:
        keys: Number of keys that one row has; 0 is one row in all.
        sort: What sort of value it returns.
        steps: Step depth.
        arithmetic: Arithmetic depth of anything returned or compared so far.
        value_arithmetic: Arithmetic depth of the value that it returns.
        operations: What it does.
        additive: Whether the values of its groups add up to something.
        positive: Whether its value cannot be negative, so that dividing by it can make sense.
        averages_rows: Whether its last step averages a column of rows by groups.
        extreme: Whether its value is the highest or lowest of a column.
        averaged: Whether its last step averages the values of groups.
        partners: How its value can be set against one that other rows give by the same key.
        filtered: Whether its last step keeps some of the groups.
        ranked_within: Whether that step keeps the first ones of each group.
        cut: Whether some of the groups that it has were left out before.
        placed: Whether its value counts in how many groups each was among the first.
        settled: Whether only ranking can follow, since anything else would be redundant.
        finished: Whether nothing can follow.
        complete: Whether it is a query as it stands.
    """

    keys: int
    sort: Sort
    steps: int
    arithmetic: int
    value_arithmetic: int
    operations: frozenset[Operation]
    additive: bool = False
    positive: bool = True
    averages_rows: bool = False
    extreme: Fold | None = None
    averaged: bool = False
    partners: frozenset[Contrast] = frozenset()
    filtered: bool = False
    ranked_within: bool = False
    cut: bool = False
    placed: bool = False
    settled: bool = False
    finished: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Move:
    """A step that may follow.

    Attributes:
        kind: Name of the step, as in a plan's JSON.
        fold: For a re-aggregation.
        contrast: For a comparison or combination.
        of: For a comparison or filter.
        flag: For a filter whether the difference is returned; for a top whether ties are kept; for
            a re-aggregation of two keys whether the second one remains.
    """

    kind: str
    fold: Fold | None = None
    contrast: Contrast | None = None
    of: BaselineOf | None = None
    flag: bool = False


@dataclass(frozen=True, slots=True)
class Goal:
    """What a complete plan comes to.

    Attributes:
        steps: Its step depth.
        arithmetic: Its arithmetic depth.
        operations: What it does.
    """

    steps: int
    arithmetic: int
    operations: frozenset[Operation]


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked of a plan.

    Attributes:
        steps: The step depth.
        arithmetic: The arithmetic depth; None for any.
        required: Operations that it must have.
        forbidden: Operations that it must not have.
    """

    steps: int
    arithmetic: int | None = None
    required: frozenset[Operation] = frozenset()
    forbidden: frozenset[Operation] = frozenset()

    def met_by(self, goal: Goal) -> bool:
        """Return whether a complete plan is what is asked for."""
        return (
            goal.steps == self.steps
            and self.arithmetic in (None, goal.arithmetic)
            and self.required <= goal.operations
            and not self.forbidden & goal.operations
        )


RATIO_FUNCTIONS = frozenset(
    {
        Function.MEAN_OF_RATIOS,
        Function.RATIO_OF_MEANS,
        Function.ROWS_PER_ENTITY,
        Function.TOTAL_PER_ENTITY,
    }
)


DIFFERENCE_FUNCTIONS = frozenset(
    {Function.DIFFERENCE_OF_TOTALS, Function.DIFFERENCE_OF_AVERAGES, Function.SPREAD}
)


_ADDITIVE = frozenset({Function.COUNT_ROWS, Function.TOTAL, Function.SUM_OF_TOTALS})


_EXTREMES = {Function.HIGHEST: Fold.HIGHEST, Function.LOWEST: Fold.LOWEST}


@cache
def base_shape(
    function: Function,
    keys: int,
    *,
    negative: bool,
    joins: int = 0,
    outer: bool = False,
    partners: frozenset[Contrast] = frozenset(),
) -> Shape:
    """Return the shape of a step that reads rows.

    Args:
        function: What it computes.
        keys: By how many columns it groups; 0 for one value in all.
        negative: Whether the columns that it computes from have values below zero, or a zero that
            somebody chose.
        joins: How many tables are joined.
        outer: Whether rows without a match are kept.
        partners: How its value can be set against one that other rows give by the same key.
    """
    is_ratio = function in RATIO_FUNCTIONS
    is_difference = function in DIFFERENCE_FUNCTIONS
    calculated = int(is_ratio or is_difference or function is Function.SUM_OF_TOTALS)
    negative = negative or (is_difference and function is not Function.SPREAD)
    operations = {Operation(function.value)}
    if keys:
        operations.add(Operation.GROUPING)
    if joins:
        operations.add(Operation.JOIN)
    if joins > 1:
        operations.add(Operation.JOIN_CHAIN)
    if outer:
        operations.add(Operation.OUTER_JOIN)
    return Shape(
        keys=keys,
        sort=Sort.RATIO if is_ratio else Sort.QUANTITY,
        steps=1,
        arithmetic=calculated,
        value_arithmetic=calculated,
        operations=frozenset(operations),
        additive=function in _ADDITIVE and not negative,
        positive=not negative,
        averages_rows=function is Function.AVERAGE and keys > 0,
        extreme=_EXTREMES.get(function),
        partners=partners if keys == 1 else frozenset(),
        finished=keys == 0,
    )


def ranked_rows_shape() -> Shape:
    """Return the shape of a table's own rows, which are a query only when they are cut."""
    return Shape(
        keys=1,
        sort=Sort.QUANTITY,
        steps=1,
        arithmetic=0,
        value_arithmetic=0,
        operations=frozenset({Operation.RANKED_ROWS}),
        settled=True,
        complete=False,
    )
