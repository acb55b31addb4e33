"""A query's steps as the one calculation they make, from its rows to its result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Comparison,
    Expression,
    Literal,
    OrderKey,
    Rank,
    Step,
    StepSource,
    StepValue,
    Structure,
    TableSource,
)


class StageKind(StrEnum):
    """What a step does in the calculation."""

    ROWS = "rows"
    """Returns rows of a table as they are."""
    GROUPED = "grouped"
    """One value for each group of rows of tables."""
    OVERALL = "overall"
    """One value from all rows of tables."""
    REAGGREGATED = "reaggregated"
    """One value from the values of the stage before, for each remaining group or in all."""
    SUMMARY = "summary"
    """Several values from those of the stage before."""
    COMPARED = "compared"
    """Each value and its difference from, or ratio to, a baseline."""
    SHARED = "shared"
    """Each value and its share of their total."""
    FILTERED = "filtered"
    """The groups whose value is above a baseline."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A step on the way from the rows to the result.

    Attributes:
        index: Index of the step in the structure.
        kind: What it does.
        step: The step.
        baseline: Index of the step whose one value (or one for each key) the values are set
            against; None where there is none.
        baseline_keys: Positions of the keys, among the outputs of the stage before, by which the
            baseline is taken; empty where it is one value in all.
    """

    index: int
    kind: StageKind
    step: Step
    baseline: int | None = None
    baseline_keys: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """The cut of the result.

    Attributes:
        step: Index of the step in whose terms the keys are written.
        order: The keys.
        count: How many places are kept.
        keeps_ties: Whether all rows tied with the last one are kept too.
    """

    step: int
    order: tuple[OrderKey, ...]
    count: int
    keeps_ties: bool


@dataclass(frozen=True, slots=True)
class Calculation:
    """The stages of a query in their order, and its cut.

    Attributes:
        stages: From the one that reads tables to the last.
        ranking: The cut; None where all rows are returned.
    """

    stages: tuple[Stage, ...]
    ranking: Ranking | None

    @property
    def base(self) -> Stage:
        """The stage that reads tables."""
        return self.stages[0]


class UnknownShapeError(SpecBridgeError):
    """A query that is not written in the grammar which these rules put into words."""


def read_calculation(structure: Structure) -> Calculation:
    """Return the calculation that a query makes.

    Args:
        structure: The query's structure.

    Raises:
        UnknownShapeError: It has a step that the grammar does not know.
    """
    index = len(structure.steps) - 1
    ranking = None
    places = _places(structure)
    if places is not None:
        ranking, index = places, places.step
    elif structure.result.limit is not None:
        ranking = Ranking(index, structure.result.order, structure.result.limit, False)
    stages: list[Stage] = []
    current: int | None = index
    while current is not None:
        stage = _stage(structure, current)
        stages.append(stage)
        first = stage.step.sources[0]
        current = first.step if isinstance(first, StepSource) else None
    return Calculation(tuple(reversed(stages)), ranking)


def origin(structure: Structure, step: int, value: Expression) -> tuple[int, Expression]:
    """Follow a value back to the step that computes it, or to the column it is.

    Args:
        structure: The query.
        step: Index of the step in whose terms the value is written.
        value: The value.

    Returns:
        Index of that step, and the value in its terms; never an output of another step.
    """
    while isinstance(value, StepValue):
        step, value = value.step, structure.steps[value.step].outputs[value.output].value
    return step, value


def quotient(value: Expression) -> tuple[Expression, Expression] | None:
    """Return numerator and denominator of a division; None for anything else."""
    if not isinstance(value, Arithmetic) or value.operator != "/":
        return None
    return value.left, value.right


def returned(step: Step) -> tuple[int, ...]:
    """Return the positions of a step's outputs but for a place that it gives."""
    return tuple(at for at, each in enumerate(step.outputs) if not isinstance(each.value, Rank))


def is_key(structure: Structure, step: int, value: Expression) -> bool:
    """Say whether a value names a group or a row: it is a column, not computed."""
    return isinstance(origin(structure, step, value)[1], ColumnValue)


def counts_for_owner(step: Step) -> bool:
    """Say whether a step counts rows that are joined to those that they are counted for."""
    return any(
        isinstance(each, Comparison) and isinstance(each.right, Literal)
        for join in step.joins
        for each in join.on
    )


def _places(structure: Structure) -> Ranking | None:
    """Return the cut of a query that keeps rows by their place."""
    result = structure.result
    if len(result.sources) != 1 or len(result.conditions) != 1:
        return None
    condition = result.conditions[0]
    if not isinstance(condition, Comparison) or condition.operator != "<=":
        return None
    left, right = condition.left, condition.right
    if not isinstance(left, StepValue) or not isinstance(right, Literal):
        return None
    rank = structure.steps[left.step].outputs[left.output].value
    if not isinstance(rank, Rank) or not isinstance(right.value, int):
        return None
    return Ranking(left.step, rank.order, right.value, True)


def _stage(structure: Structure, index: int) -> Stage:
    step = structure.steps[index]
    if all(isinstance(source, TableSource) for source in step.sources):
        if not step.aggregates:
            return Stage(index, StageKind.ROWS, step)
        return Stage(index, StageKind.GROUPED if step.keys else StageKind.OVERALL, step)
    if not all(isinstance(source, StepSource) for source in step.sources):
        raise UnknownShapeError(f"step {index} reads tables and steps")
    if len(step.sources) == 1:
        computed = [each for each in step.outputs if isinstance(each.value, Aggregate)]
        if not computed:
            raise UnknownShapeError(f"step {index} computes nothing")
        several = len(computed) > 1
        return Stage(index, StageKind.SUMMARY if several else StageKind.REAGGREGATED, step)
    beside = step.sources[1]
    if len(step.sources) > 2 or not isinstance(beside, StepSource):
        raise UnknownShapeError(f"step {index} reads more than two steps")
    keys = tuple(
        side.output
        for condition in step.joins[0].on
        if isinstance(condition, Comparison)
        for side in (condition.left, condition.right)
        if isinstance(side, StepValue) and side.source == 0
    )
    if step.conditions:
        kind = StageKind.FILTERED
    elif _is_total(structure.steps[beside.step]):
        kind = StageKind.SHARED
    else:
        kind = StageKind.COMPARED
    return Stage(index, kind, step, beside.step, keys)


def _is_total(step: Step) -> bool:
    return any(
        isinstance(each.value, Aggregate) and each.value.function is AggregateFunction.SUM
        for each in step.outputs
    )
