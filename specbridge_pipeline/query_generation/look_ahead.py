"""What a partial plan can still become: the grammar's moves, and the look-ahead over them.

The moves say which step may follow which. They depend on nothing but the shape of what is there:
how many keys, what sort of value, how deep. So what a partial plan can reach is computed exactly,
once for each shape (the paper, Appendix E, Equation 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from specbridge_pipeline.query_generation.plan import (
    BaselineOf,
    Contrast,
    Fold,
    Function,
)

DEEPEST_STEPS = 6
"""The largest step depth that plans are made for."""


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
    RANKED_ROWS = "ranked_rows"
    REAGGREGATE = "reaggregate"
    AVERAGE_OF_AVERAGES = "average_of_averages"
    POOLED_AVERAGE = "pooled_average"
    DIFFERENCE = "difference"
    RATIO = "ratio"
    SHARE = "share"
    FILTER = "filter"
    SUMMARY = "summary"
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
        filtered: Whether its last step is a filter.
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
    filtered: bool = False
    settled: bool = False
    finished: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Move:
    """A step that may follow.

    Attributes:
        kind: Name of the step, as in a plan's JSON.
        fold: For a re-aggregation.
        contrast: For a comparison.
        of: For a comparison or filter.
        flag: For a filter whether the difference is returned; for a top whether ties are kept.
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


def base_shape(function: Function, keys: int, *, negative: bool) -> Shape:
    """Return the shape of a step that reads rows.

    Args:
        function: What it computes.
        keys: By how many columns it groups; 0 for one value in all.
        negative: Whether the columns that it computes from have values below zero.
    """
    is_ratio = function in (Function.MEAN_OF_RATIOS, Function.RATIO_OF_MEANS)
    return Shape(
        keys=keys,
        sort=Sort.RATIO if is_ratio else Sort.QUANTITY,
        steps=1,
        arithmetic=int(is_ratio),
        value_arithmetic=int(is_ratio),
        operations=frozenset({Operation(function.value)}),
        additive=function in (Function.COUNT_ROWS, Function.TOTAL) and not negative,
        positive=not negative,
        averages_rows=function is Function.AVERAGE and keys > 0,
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


def moves(shape: Shape) -> Iterator[tuple[Move, Shape]]:
    """Yield what may follow a partial plan, with what it becomes.

    Args:
        shape: The partial plan.

    Yields:
        Each move and the shape after it, in a fixed order.
    """
    if shape.finished or shape.keys == 0:
        return
    if not shape.settled:
        for move, after in _unranked(shape):
            if after.steps <= DEEPEST_STEPS:
                yield move, after
    # The highest of the groups above average are the highest of all groups.
    if not shape.filtered:
        for keeps_ties in (False, True):
            rank = Operation.ALL_TIED if keeps_ties else Operation.LIMIT
            yield (
                Move("top", flag=keeps_ties),
                replace(
                    shape,
                    operations=shape.operations | {Operation.TOP, rank},
                    finished=True,
                    complete=True,
                ),
            )


@cache
def reach(shape: Shape) -> frozenset[Goal]:
    """Return what a partial plan can become: exactly what its completions come to.

    Args:
        shape: The partial plan.

    Returns:
        Depths and operations of every completion that the grammar has.
    """
    goals = {goal for _, after in moves(shape) for goal in reach(after)}
    if shape.complete:
        goals.add(Goal(shape.steps, shape.arithmetic, shape.operations))
    return frozenset(goals)


@cache
def can_reach(shape: Shape, target: Target) -> bool:
    """Return whether some completion of a partial plan is what is asked for."""
    return any(target.met_by(goal) for goal in reach(shape))


def is_met(shape: Shape, target: Target) -> bool:
    """Return whether a plan is what is asked for as it stands."""
    return shape.complete and target.met_by(Goal(shape.steps, shape.arithmetic, shape.operations))


def _unranked(shape: Shape) -> Iterator[tuple[Move, Shape]]:
    yield from _reaggregations(shape)
    for of in _baselines(shape):
        yield from _comparisons(shape, of)
        yield from _filters(shape, of)
    if shape.keys == 1 and shape.additive and shape.sort is Sort.QUANTITY:
        yield (
            Move("share"),
            replace(
                _after(shape, 2, Operation.SHARE),
                sort=Sort.SHARE,
                arithmetic=max(shape.arithmetic, shape.value_arithmetic + 1),
                value_arithmetic=shape.value_arithmetic + 1,
                settled=True,
            ),
        )
    if shape.filtered:
        yield (
            Move("summary"),
            replace(_after(shape, 1, Operation.SUMMARY), keys=0, finished=True),
        )


def _reaggregations(shape: Shape) -> Iterator[tuple[Move, Shape]]:
    keys = shape.keys - 1
    for fold in Fold:
        if fold is Fold.COUNT and not shape.filtered:
            continue
        if shape.sort is Sort.DIFFERENCE and fold is not Fold.AVERAGE:
            continue
        added = {Operation.REAGGREGATE}
        if fold is Fold.AVERAGE and shape.averages_rows:
            added.add(Operation.AVERAGE_OF_AVERAGES)
        after = replace(_after(shape, 1, *added), keys=keys, additive=False, finished=keys == 0)
        if fold is Fold.COUNT:
            after = replace(
                after, sort=Sort.QUANTITY, value_arithmetic=0, additive=True, positive=True
            )
        # A difference from an average is compared with nothing but the other differences.
        yield Move("reaggregate", fold=fold), replace(after, settled=after.sort is Sort.DIFFERENCE)


def _baselines(shape: Shape) -> tuple[BaselineOf, ...]:
    if shape.sort in (Sort.DIFFERENCE, Sort.SHARE):
        return ()
    if shape.sort is Sort.RELATIVE and shape.keys == 2:
        return ()
    if shape.averages_rows:
        return (BaselineOf.GROUPS, BaselineOf.ROWS)
    return (BaselineOf.GROUPS,)


def _comparisons(shape: Shape, of: BaselineOf) -> Iterator[tuple[Move, Shape]]:
    if shape.filtered and shape.keys == 2:
        return
    for contrast in Contrast:
        if contrast is Contrast.RATIO and (shape.sort is not Sort.QUANTITY or not shape.positive):
            continue
        after = replace(
            _with_baseline(shape, of, Operation(contrast.value)),
            sort=Sort.DIFFERENCE if contrast is Contrast.DIFFERENCE else Sort.RELATIVE,
            arithmetic=max(shape.arithmetic, shape.value_arithmetic + 1),
            value_arithmetic=shape.value_arithmetic + 1,
            additive=False,
            # Against one average in all, the order and the averages say what they said before.
            settled=shape.keys == 1,
            filtered=False,
        )
        yield Move("compare", contrast=contrast, of=of), after


def _filters(shape: Shape, of: BaselineOf) -> Iterator[tuple[Move, Shape]]:
    if shape.filtered:
        return
    after = replace(_with_baseline(shape, of, Operation.FILTER), filtered=True)
    yield Move("filter_above", of=of), after
    yield (
        Move("filter_above", of=of, flag=True),
        replace(
            after,
            operations=after.operations | {Operation.DIFFERENCE},
            arithmetic=max(shape.arithmetic, shape.value_arithmetic + 1),
            finished=True,
        ),
    )


def _with_baseline(shape: Shape, of: BaselineOf, *operations: Operation) -> Shape:
    if of is BaselineOf.ROWS:
        return _after(shape, 1, *operations, Operation.POOLED_AVERAGE)
    if shape.averages_rows:
        return _after(shape, 2, *operations, Operation.AVERAGE_OF_AVERAGES)
    return _after(shape, 2, *operations)


def _after(shape: Shape, steps: int, *operations: Operation) -> Shape:
    return replace(
        shape,
        steps=shape.steps + steps,
        operations=shape.operations | set(operations),
        averages_rows=False,
        filtered=False,
    )
