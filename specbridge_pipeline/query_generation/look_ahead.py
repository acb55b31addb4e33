"""What a partial plan can still become: the grammar's moves, and the look-ahead over them.

The moves say which step may follow which. They depend on nothing but the shape of what is there:
how many keys, what sort of value, how deep. So what a partial plan can reach is computed exactly,
once for each shape (the paper, Appendix E, Equation 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from specbridge_pipeline.query_generation.mechanisms import ALL, Mechanisms
from specbridge_pipeline.query_generation.plan import BaselineOf, Contrast, Fold
from specbridge_pipeline.query_generation.shapes import Goal, Move, Operation, Shape, Sort, Target
from specbridge_pipeline.query_generation.step_rules import RESTATEMENT_RULES, TYPE_RULES

DEEPEST_STEPS = 6
"""The largest step depth that plans are made for."""


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
