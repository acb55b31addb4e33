"""The look-ahead says exactly what a partial plan can become."""

import pytest

from specbridge_pipeline.query_generation.generation import measured_depths
from specbridge_pipeline.query_generation.look_ahead import (
    Goal,
    Operation,
    Target,
    base_shape,
    can_reach,
    moves,
    reach,
)
from specbridge_pipeline.query_generation.plan import Function
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline_tests.query_generation.plans import completions, first_steps
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP

ONE_OF_EACH_SHAPE = list({shape: step for step, shape in first_steps(SHOP)}.items())


@pytest.mark.parametrize(
    ("shape", "step"),
    ONE_OF_EACH_SHAPE,
    ids=[f"{min(shape.operations)}-{shape.keys}" for shape, _ in ONE_OF_EACH_SHAPE],
)
def test_reach_is_what_enumeration_finds_with_depths_measured_from_the_sql(shape, step):
    found = set()
    for plan, after in completions(step, shape):
        steps, arithmetic = measured_depths(render(plan, SHOP))
        found.add(Goal(steps, arithmetic, after.operations))
    assert found == reach(shape)


def test_what_a_step_can_reach_is_what_the_steps_after_it_can_reach_and_itself():
    shape = base_shape(Function.COUNT_ROWS, 2, negative=False)
    after = set().union(*(reach(each) for _, each in moves(shape)))
    assert reach(shape) == after | {Goal(1, 0, frozenset({Operation.COUNT_ROWS}))}


@pytest.mark.parametrize(
    ("target", "reachable"),
    [
        (Target(6, 1), True),
        (Target(6, 2), True),
        (Target(1, 1), False),
        (Target(3, 1, frozenset({Operation.SHARE})), False),
        (Target(6, 1, frozenset({Operation.SHARE})), True),
        (Target(2, None, frozenset({Operation.FILTER})), False),
        (Target(3, 0, frozenset({Operation.FILTER}), frozenset({Operation.TOP})), True),
    ],
)
def test_a_count_by_two_keys_reaches(target, reachable):
    assert can_reach(base_shape(Function.COUNT_ROWS, 2, negative=False), target) == reachable


def test_a_value_with_negatives_is_never_divided_by_only_counts_of_its_groups_are():
    shape = base_shape(Function.AVERAGE, 2, negative=True)
    divided = [goal for goal in reach(shape) if Operation.RATIO in goal.operations]
    assert divided
    for goal in divided:
        assert {Operation.FILTER, Operation.REAGGREGATE} <= goal.operations
