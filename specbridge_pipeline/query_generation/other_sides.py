"""The same plan with one choice taken the other way, to see whether the data make it matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    BaselineOf,
    Compare,
    FilterAbove,
    Fold,
    Function,
    Grouped,
    Overall,
    Plan,
    Reaggregate,
    Top,
    base_of,
    keys_of,
    steps_of,
    with_base,
    with_step_replaced,
)
from specbridge_pipeline.query_generation.shapes import Operation
from specbridge_pipeline.query_generation.type_rules import entities


class WantedChoice(StrEnum):
    """A calculation choice that a query is to make; the values name choice types."""

    AGGREGATION_LEVEL = "aggregation_level"
    COUNTING_UNIT = "counting_unit"
    TIES = "ties"


SIDES: dict[WantedChoice, dict[str, tuple[Operation, ...]]] = {
    WantedChoice.AGGREGATION_LEVEL: {
        "each_first": (Operation.MEAN_OF_RATIOS, Operation.AVERAGE_OF_AVERAGES),
        "pooled": (Operation.RATIO_OF_MEANS, Operation.POOLED_AVERAGE),
    },
    WantedChoice.COUNTING_UNIT: {
        "rows": (Operation.COUNT_ROWS,),
        "entities": (Operation.COUNT_ENTITIES,),
    },
    WantedChoice.TIES: {"limit": (Operation.LIMIT,), "all_tied": (Operation.ALL_TIED,)},
}
"""Each choice's sides, with the operations by which a query takes one; any of them will do."""

_OTHER_RATIO = {
    Function.MEAN_OF_RATIOS: Function.RATIO_OF_MEANS,
    Function.RATIO_OF_MEANS: Function.MEAN_OF_RATIOS,
}
_OTHER_BASELINE = {BaselineOf.GROUPS: BaselineOf.ROWS, BaselineOf.ROWS: BaselineOf.GROUPS}


def other_sides(plan: Plan, choice: WantedChoice, catalogue: Catalogue) -> Iterator[Plan]:
    """Yield the plans that differ from one in a choice taken the other way.

    Args:
        plan: The plan.
        choice: The choice.
        catalogue: The catalogue.

    Yields:
        One plan for each place, and for each entity that can be counted.
    """
    match choice:
        case WantedChoice.TIES:
            if isinstance(plan, Top):
                yield replace(plan, keeps_ties=not plan.keeps_ties)
        case WantedChoice.COUNTING_UNIT:
            yield from _other_units(plan, catalogue)
        case WantedChoice.AGGREGATION_LEVEL:
            yield from _other_levels(plan)


def _other_units(plan: Plan, catalogue: Catalogue) -> Iterator[Plan]:
    base = base_of(plan)
    if not isinstance(base, Grouped | Overall):
        return
    if base.source.keeps_unmatched:
        return
    if base.aggregate.function is Function.COUNT_ENTITIES:
        yield with_base(plan, replace(base, aggregate=Aggregate(Function.COUNT_ROWS)))
    elif base.aggregate.function is Function.COUNT_ROWS:
        for entity in entities(catalogue, base.source.table):
            if entity not in keys_of(base):
                counted = Aggregate(Function.COUNT_ENTITIES, (entity,))
                yield with_base(plan, replace(base, aggregate=counted))


def _other_levels(plan: Plan) -> Iterator[Plan]:
    base = base_of(plan)
    if not isinstance(base, Grouped | Overall):
        return
    function = base.aggregate.function
    if function in _OTHER_RATIO:
        other = Aggregate(_OTHER_RATIO[function], base.aggregate.columns)
        yield with_base(plan, replace(base, aggregate=other))
    if function is not Function.AVERAGE:
        return
    for step in steps_of(plan):
        match step:
            case Compare(previous=Grouped()) | FilterAbove(previous=Grouped()):
                baseline = replace(step.baseline, of=_OTHER_BASELINE[step.baseline.of])
                yield with_step_replaced(plan, step, replace(step, baseline=baseline))
            case Reaggregate(previous=Grouped(), fold=Fold.AVERAGE, key=None):
                yield with_step_replaced(plan, step, Overall(base.source, base.aggregate))
            case Reaggregate(previous=Grouped(), fold=Fold.AVERAGE, key=key) if key is not None:
                yield with_step_replaced(plan, step, Grouped(base.source, (key,), base.aggregate))
