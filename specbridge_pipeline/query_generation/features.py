"""What a query can show that the generator builds: its features, and where a schema allows them.

They are those of the paper's Figure S4. Whether a schema allows a feature is asked of the
look-ahead, over all that a plan can begin with on the database: no query is run for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.query_generation.look_ahead import DEEPEST_STEPS, can_reach
from specbridge_pipeline.query_generation.requests import QueryRequest
from specbridge_pipeline.query_generation.shapes import Operation, Shape, Target
from specbridge_pipeline.query_generation.type_rules import TypeRules


class Feature(StrEnum):
    """A feature of a query."""

    STEP_DEPTH_5 = "step depth 5 or more"
    ARITHMETIC_DEPTH_2 = "arithmetic depth 2 or more"
    SHARE_OF_TOTAL = "share of a total"
    BASELINE_COMPARISON = "comparison with a baseline"
    AGGREGATION = "aggregation"
    GROUPING = "grouping"
    JOINS = "joins"
    TOP_WITHIN_GROUP = "top k within group"
    TOP_ROWS = "top k rows"
    RATIO = "ratio of two measures"
    DIFFERENCE = "difference of two measures"


@dataclass(frozen=True, slots=True)
class _Way:
    """One way for a query to have a feature.

    Attributes:
        required: Operations that it has.
        forbidden: Operations that it does not have.
        steps: Its step depth at the least.
        arithmetic: Its arithmetic depth at the least.
    """

    required: frozenset[Operation] = frozenset()
    forbidden: frozenset[Operation] = frozenset()
    steps: int = 1
    arithmetic: int = 0

    def taken_by(self, operations: frozenset[Operation], steps: int, arithmetic: int) -> bool:
        return (
            self.required <= operations
            and not self.forbidden & operations
            and steps >= self.steps
            and arithmetic >= self.arithmetic
        )


def _having(*operations: Operation, without: Iterable[Operation] = ()) -> _Way:
    return _Way(frozenset(operations), frozenset(without))


_AGGREGATES = (
    Operation.COUNT_ROWS,
    Operation.COUNT_ENTITIES,
    Operation.TOTAL,
    Operation.AVERAGE,
    Operation.LOWEST,
    Operation.HIGHEST,
    Operation.MEAN_OF_RATIOS,
    Operation.RATIO_OF_MEANS,
    Operation.DIFFERENCE_OF_TOTALS,
    Operation.SUM_OF_TOTALS,
    Operation.DIFFERENCE_OF_AVERAGES,
    Operation.SPREAD,
    Operation.ROWS_PER_ENTITY,
    Operation.TOTAL_PER_ENTITY,
)
_COMBINED = (Operation.COMBINE,)
_WAYS: dict[Feature, tuple[_Way, ...]] = {
    Feature.STEP_DEPTH_5: (_Way(steps=5),),
    Feature.ARITHMETIC_DEPTH_2: (_Way(arithmetic=2),),
    Feature.SHARE_OF_TOTAL: (_having(Operation.SHARE), _having(Operation.SHARE_WITHIN_GROUP)),
    Feature.BASELINE_COMPARISON: (
        _having(Operation.FILTER),
        # Set against the value of other rows, a value has no baseline.
        _having(Operation.DIFFERENCE, without=_COMBINED),
        _having(Operation.RATIO, without=_COMBINED),
    ),
    Feature.AGGREGATION: tuple(_having(each) for each in _AGGREGATES),
    Feature.GROUPING: (_having(Operation.GROUPING),),
    Feature.JOINS: (_having(Operation.JOIN),),
    Feature.TOP_WITHIN_GROUP: (_having(Operation.TOP_K_WITHIN_GROUP),),
    Feature.TOP_ROWS: (_having(Operation.TOP),),
    Feature.RATIO: (
        _having(Operation.MEAN_OF_RATIOS),
        _having(Operation.RATIO_OF_MEANS),
        _having(Operation.COMBINE, Operation.RATIO),
    ),
    Feature.DIFFERENCE: (
        _having(Operation.DIFFERENCE_OF_TOTALS),
        _having(Operation.DIFFERENCE_OF_AVERAGES),
        _having(Operation.COMBINE, Operation.DIFFERENCE),
    ),
}
_DEEPEST_ARITHMETIC = 2


def features_of(operations: Iterable[str], step_depth: int, arithmetic_depth: int) -> set[Feature]:
    """Return the features of a query.

    Args:
        operations: What it does, by the names that are stored with it.
        step_depth: Its step depth.
        arithmetic_depth: Its arithmetic depth.
    """
    done = frozenset(map(Operation, operations))
    return {
        feature
        for feature, ways in _WAYS.items()
        if any(way.taken_by(done, step_depth, arithmetic_depth) for way in ways)
    }


def allowed_features(catalogue: Catalogue) -> set[Feature]:
    """Return the features that some query has that the rules allow on a database.

    Args:
        catalogue: The catalogue.
    """
    shapes = dict.fromkeys(start.shape for start in TypeRules(catalogue).starts)
    return {
        feature
        for feature, ways in _WAYS.items()
        if any(_reaches(shapes, target) for way in ways for target in _targets(way))
    }


def requests_for(feature: Feature, catalogue: Catalogue, count: int) -> list[QueryRequest]:
    """Return requests for queries that have a feature, in turn all ways that the rules allow.

    Args:
        feature: The feature.
        catalogue: The catalogue.
        count: How many requests at the most.

    Returns:
        The requests, the least deep first.
    """
    shapes = dict.fromkeys(start.shape for start in TypeRules(catalogue).starts)
    targets = [
        target for way in _WAYS[feature] for target in _targets(way) if _reaches(shapes, target)
    ]
    targets.sort(key=lambda each: (each.steps, each.arithmetic or 0))
    found = dict.fromkeys(
        QueryRequest(each.steps, each.arithmetic, required=each.required) for each in targets
    )
    return list(found)[:count]


def _targets(way: _Way) -> list[Target]:
    depths: list[int | None] = [None]
    if way.arithmetic:
        depths = list(range(way.arithmetic, _DEEPEST_ARITHMETIC + 1))
    return [
        Target(steps, arithmetic, way.required, way.forbidden)
        for steps in range(way.steps, DEEPEST_STEPS + 1)
        for arithmetic in depths
    ]


def _reaches(shapes: Iterable[Shape], target: Target) -> bool:
    return any(can_reach(shape, target) for shape in shapes)
