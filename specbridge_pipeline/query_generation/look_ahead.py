"""What a partial plan can still become: the grammar's moves, and the look-ahead over them.

The moves say which step may follow which. They depend on nothing but the shape of what is there:
how many keys, what sort of value, how deep. So what a partial plan can reach is computed exactly,
once for each shape (the paper, Appendix E, Equation 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from specbridge_pipeline.query_generation.mechanisms import ALL, Mechanisms
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


@dataclass(frozen=True, slots=True)
class StepRule:
    """A rule that keeps a step from following.

    Attributes:
        name: What it is called.
        reason: Why there is such a rule.
        forbids: Says for a partial plan and a move whether it does.
    """

    name: str
    reason: str
    forbids: Callable[[Shape, Move], bool]


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
_BASELINES = ("compare", "filter_above")
_SHARES = ("share", "share_within")

TYPE_RULES = (
    StepRule(
        "a share needs parts",
        "averages, ratios and values below zero do not add up to a whole",
        lambda shape, move: (
            move.kind in _SHARES and not (shape.additive and shape.sort is Sort.QUANTITY)
        ),
    ),
    StepRule(
        "a total needs parts",
        "the values of groups are added up only where they count or total disjoint rows",
        lambda shape, move: move.fold is Fold.TOTAL and not shape.additive,
    ),
    StepRule(
        "a multiple needs a quantity that is never negative",
        "half of an average means nothing where the average can be below zero, and a ratio to an "
        "average of ratios is one that nobody reads",
        lambda shape, move: (
            move.kind == "compare"
            and move.contrast is Contrast.RATIO
            and (shape.sort is not Sort.QUANTITY or not shape.positive)
        ),
    ),
    StepRule(
        "a deviation has no extremes",
        "a signed deviation is averaged; its highest and lowest are those of the groups",
        lambda shape, move: (
            shape.sort is Sort.DIFFERENCE and move.fold in (Fold.HIGHEST, Fold.LOWEST, Fold.TOTAL)
        ),
    ),
    StepRule(
        "multiples are compared over one key only",
        "as a multiple of an average of multiples a value has no unit that anybody names",
        lambda shape, move: (
            shape.sort is Sort.RELATIVE and shape.keys == 2 and move.kind in _BASELINES
        ),
    ),
)
"""Rules on the sorts of values; those on columns lie in `type_rules`."""

RESTATEMENT_RULES = (
    StepRule(
        "nothing but ranking after a comparison with one average",
        "one constant taken from all values, or dividing all, changes no order, no filter, and no "
        "later comparison; the average of the deviations is zero, that of the shares one over all",
        lambda shape, move: shape.settled and move.kind != "top",
    ),
    StepRule(
        "no deviation from an average of deviations",
        "the average of deviations within a group is zero, so each deviates from it by itself",
        lambda shape, move: shape.sort is Sort.DIFFERENCE and move.kind in _BASELINES,
    ),
    StepRule(
        "no share of a share",
        "a share of a total of shares of the same total is that share again",
        lambda shape, move: shape.sort is Sort.SHARE and move.kind in _SHARES,
    ),
    StepRule(
        "no baseline of shares",
        "the average share is one over the number of groups",
        lambda shape, move: shape.sort is Sort.SHARE and move.kind in _BASELINES,
    ),
    StepRule(
        "no filter on what a filter kept",
        "what a second baseline keeps of the first one's groups is better said by one",
        lambda shape, move: (
            shape.filtered and move.kind in ("filter_above", "top_within", "share_within")
        ),
    ),
    StepRule(
        "no top of what a baseline kept",
        "the highest of the groups above average are the highest of all groups, also by what "
        "they differ from an average of theirs",
        lambda shape, move: (shape.filtered or shape.cut) and move.kind == "top",
    ),
    StepRule(
        "no ranking within groups of what was set against the group",
        "by the difference from its group's average, or its share of the group, a value has the "
        "place that it has by itself",
        lambda shape, move: (
            move.kind == "top_within" and shape.sort in (Sort.DIFFERENCE, Sort.RELATIVE, Sort.SHARE)
        ),
    ),
    StepRule(
        "no average of places",
        "in all there are as many first places as were kept of each group",
        lambda shape, move: shape.placed and move.fold in (Fold.AVERAGE, Fold.TOTAL),
    ),
    StepRule(
        "no comparison within groups that a filter cut",
        "an average of only the groups above average is a baseline that restates the first one",
        lambda shape, move: shape.filtered and shape.keys == 2 and move.kind == "compare",
    ),
    StepRule(
        "no comparison of what was ranked within groups",
        "a place within a group says how a value compares there",
        lambda shape, move: (
            shape.ranked_within and move.kind in ("compare", "filter_above", "share", "summary")
        ),
    ),
    StepRule(
        "what was ranked within groups is counted by entity, or put together by group",
        "the highest of the first ones is the highest of all, and there are as many as were kept",
        lambda shape, move: (
            shape.ranked_within
            and move.kind == "reaggregate"
            and move.fold not in ((Fold.AVERAGE, Fold.TOTAL) if move.flag else (Fold.COUNT,))
        ),
    ),
    StepRule(
        "no extreme of what a baseline kept",
        "the highest of the groups above average is the highest of all",
        lambda shape, move: (
            shape.filtered
            and not shape.ranked_within
            and (move.fold is Fold.HIGHEST or (move.fold is Fold.LOWEST and shape.keys == 2))
        ),
    ),
    StepRule(
        "no count of all groups",
        "how many groups there are is how many keys there are",
        lambda shape, move: move.fold is Fold.COUNT and not shape.filtered,
    ),
    StepRule(
        "no total of all groups",
        "the total of the groups' totals is the total of fewer and larger groups",
        lambda shape, move: move.fold is Fold.TOTAL and not shape.filtered,
    ),
    StepRule(
        "no second key kept of all groups",
        "it is the plan with its two keys in the other order",
        lambda shape, move: move.kind == "reaggregate" and move.flag and not shape.filtered,
    ),
    StepRule(
        "no highest of the highest",
        "the highest of the groups' highest values is that of fewer and larger groups",
        lambda shape, move: move.fold is not None and move.fold is shape.extreme,
    ),
    StepRule(
        "no average of averages of averages",
        "what was averaged over groups and then over groups of these has lost what it counts",
        lambda shape, move: shape.averaged and move.fold is Fold.AVERAGE,
    ),
    StepRule(
        "no summary of all groups",
        "the average and number of all groups restate the groups without saying which were kept",
        lambda shape, move: move.kind == "summary" and not shape.filtered,
    ),
)
"""Rules against steps that only say an earlier one again."""


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
        negative: Whether the columns that it computes from have values below zero.
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


def moves(shape: Shape, mechanisms: Mechanisms = ALL) -> Iterator[tuple[Move, Shape]]:
    """Yield what may follow a partial plan, with what it becomes.

    Args:
        shape: The partial plan.
        mechanisms: Which rules hold.

    Yields:
        Each move and the shape after it, in a fixed order.
    """
    yield from _moves(shape, mechanisms.type_rules, mechanisms.restatement_rules)


def possible_moves(shape: Shape) -> Iterator[tuple[Move, Shape]]:
    """Yield what can be written after a partial plan, sensible or not, with what it becomes."""
    if shape.finished or shape.keys == 0:
        return
    if shape.complete:
        yield from _reaggregations(shape)
        yield from _combinations(shape)
        for of in (BaselineOf.GROUPS, BaselineOf.ROWS)[: 2 if shape.averages_rows else 1]:
            yield from _comparisons(shape, of)
            yield from _filters(shape, of)
        yield from _shares(shape)
        if shape.keys == 2:
            yield from _tops_within(shape)
        yield (
            Move("summary"),
            replace(_after(shape, 1, Operation.SUMMARY), keys=0, finished=True),
        )
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


def broken_rules(shape: Shape, move: Move) -> tuple[StepRule, ...]:
    """Return the rules that a move breaks, whichever are at work."""
    return tuple(rule for rule in (*TYPE_RULES, *RESTATEMENT_RULES) if rule.forbids(shape, move))


def reach(shape: Shape) -> frozenset[Goal]:
    """Return what a partial plan can become: exactly what its completions come to.

    Args:
        shape: The partial plan.

    Returns:
        Depths and operations of every completion that the grammar has.
    """
    return _reach(shape)


def can_reach(shape: Shape, target: Target, mechanisms: Mechanisms = ALL) -> bool:
    """Return whether some completion of a partial plan is what is asked for.

    It is whether `reach` has such a goal, found without listing all goals: no step makes a plan
    less deep or takes an operation away, so what is beyond the target never comes back to it.
    """
    return _can_reach(shape, target, mechanisms.type_rules, mechanisms.restatement_rules)


def is_met(shape: Shape, target: Target) -> bool:
    """Return whether a plan is what is asked for as it stands."""
    return shape.complete and target.met_by(Goal(shape.steps, shape.arithmetic, shape.operations))


@cache
def _reach(shape: Shape) -> frozenset[Goal]:
    goals = {goal for _, after in moves(shape) for goal in _reach(after)}
    if shape.complete:
        goals.add(Goal(shape.steps, shape.arithmetic, shape.operations))
    return frozenset(goals)


@cache
def _can_reach(shape: Shape, target: Target, types: bool, restatement: bool) -> bool:
    if shape.steps > target.steps or target.forbidden & shape.operations:
        return False
    if target.arithmetic is not None and shape.arithmetic > target.arithmetic:
        return False
    return is_met(shape, target) or any(
        _can_reach(after, target, types, restatement)
        for _, after in _moves(shape, types, restatement)
    )


@cache
def _moves(shape: Shape, types: bool, restatement: bool) -> tuple[tuple[Move, Shape], ...]:
    rules = (*(TYPE_RULES if types else ()), *(RESTATEMENT_RULES if restatement else ()))
    return tuple(
        (move, after)
        for move, after in possible_moves(shape)
        if after.steps <= DEEPEST_STEPS and not any(rule.forbids(shape, move) for rule in rules)
    )


def _reaggregations(shape: Shape) -> Iterator[tuple[Move, Shape]]:
    keys = shape.keys - 1
    for fold in Fold:
        for second in (False, True)[: shape.keys]:
            added = {Operation.REAGGREGATE}
            if fold is Fold.AVERAGE and shape.averages_rows:
                added.add(Operation.AVERAGE_OF_AVERAGES)
            if fold is Fold.TOTAL:
                added.add(Operation.TOTAL_OF_GROUPS)
            if second:
                added.add(Operation.KEPT_BY_GROUP)
            after = replace(
                _after(shape, 1, *added),
                keys=keys,
                additive=False,
                extreme=fold if fold in (Fold.HIGHEST, Fold.LOWEST) else None,
                averaged=fold is Fold.AVERAGE,
                cut=False,
                placed=fold is Fold.COUNT and shape.ranked_within,
                finished=keys == 0,
            )
            if fold is Fold.COUNT:
                after = replace(
                    after, sort=Sort.QUANTITY, value_arithmetic=0, additive=True, positive=True
                )
            if fold is Fold.TOTAL:
                after = replace(after, additive=shape.additive)
            # A deviation is compared with nothing but other deviations.
            settled = after.sort is Sort.DIFFERENCE
            yield Move("reaggregate", fold=fold, flag=second), replace(after, settled=settled)


def _combinations(shape: Shape) -> Iterator[tuple[Move, Shape]]:
    for contrast in Contrast:
        if contrast in shape.partners:
            is_ratio = contrast is Contrast.RATIO
            yield (
                Move("combine", contrast=contrast),
                replace(
                    _after(shape, 1, Operation.COMBINE, Operation(contrast.value)),
                    sort=Sort.RATIO if is_ratio else Sort.QUANTITY,
                    arithmetic=max(shape.arithmetic, shape.value_arithmetic + 1),
                    value_arithmetic=shape.value_arithmetic + 1,
                    additive=False,
                    positive=shape.positive and is_ratio,
                    extreme=None,
                ),
            )


def _comparisons(shape: Shape, of: BaselineOf) -> Iterator[tuple[Move, Shape]]:
    for contrast in Contrast:
        after = replace(
            _with_baseline(shape, of, Operation(contrast.value)),
            sort=Sort.DIFFERENCE if contrast is Contrast.DIFFERENCE else Sort.RELATIVE,
            arithmetic=max(shape.arithmetic, shape.value_arithmetic + 1),
            value_arithmetic=shape.value_arithmetic + 1,
            additive=False,
            extreme=None,
            # Against one average in all, the order and the averages say what they said before.
            settled=shape.keys == 1,
        )
        yield Move("compare", contrast=contrast, of=of), after


def _filters(shape: Shape, of: BaselineOf) -> Iterator[tuple[Move, Shape]]:
    after = replace(_with_baseline(shape, of, Operation.FILTER), filtered=True, cut=True)
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


def _shares(shape: Shape) -> Iterator[tuple[Move, Shape]]:
    within = shape.keys == 2
    added = Operation.SHARE_WITHIN_GROUP if within else Operation.SHARE
    yield (
        Move("share_within" if within else "share"),
        replace(
            _after(shape, 2, added),
            sort=Sort.SHARE,
            arithmetic=max(shape.arithmetic, shape.value_arithmetic + 1),
            value_arithmetic=shape.value_arithmetic + 1,
            additive=False,
            extreme=None,
            settled=not within,
        ),
    )


def _tops_within(shape: Shape) -> Iterator[tuple[Move, Shape]]:
    for keeps_ties in (False, True):
        yield (
            Move("top_within", flag=keeps_ties),
            replace(
                _after(shape, 1, Operation.TOP_K_WITHIN_GROUP), filtered=True, ranked_within=True
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
        averaged=False,
        placed=False,
        partners=frozenset(),
        filtered=False,
        ranked_within=False,
        settled=False,
    )
