"""The look-ahead says exactly what a partial plan can become."""

import pytest

from specbridge_pipeline.query_generation.generation import measured_depths
from specbridge_pipeline.query_generation.look_ahead import DEEPEST_STEPS, can_reach, moves, reach
from specbridge_pipeline.query_generation.plan import Function
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline.query_generation.shapes import Goal, Operation, Target, base_shape
from specbridge_pipeline_tests.query_generation.library_catalogue import LIBRARY
from specbridge_pipeline_tests.query_generation.plans import completions, first_steps
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP
from specbridge_pipeline_tests.query_generation.test_type_rules import catalogue

TINY = {"shop": SHOP, "library": LIBRARY, "league": catalogue()}
TARGETS = [
    Target(steps, arithmetic, frozenset(required), frozenset(forbidden))
    for steps in range(1, DEEPEST_STEPS + 1)
    for arithmetic in (None, 0, 1, 2, 3)
    for required in ((), {Operation.TOP_K_WITHIN_GROUP}, {Operation.TOP, Operation.COMBINE})
    for forbidden in ((), {Operation.FILTER})
]


def one_of_each_shape(found):
    """Return the shapes of first steps on a catalogue, each with one step of that shape."""
    return {shape: step for step, shape in first_steps(found)}


@pytest.mark.parametrize("name", TINY)
def test_reach_is_what_enumeration_finds_in_both_directions(name):
    enumerated = 0
    for shape, step in one_of_each_shape(TINY[name]).items():
        found = set()
        for plan, after in completions(step, shape, TINY[name]):
            found.add(Goal(after.steps, after.arithmetic, after.operations))
            enumerated += plan is not None
        assert found == reach(shape)
    assert enumerated > 4_000


@pytest.mark.parametrize("name", TINY)
def test_what_is_within_reach_is_found_without_listing_it(name):
    for shape in one_of_each_shape(TINY[name]):
        goals = reach(shape)
        for target in TARGETS:
            assert can_reach(shape, target) == any(target.met_by(goal) for goal in goals)


def _measured_plans():
    """Yield plans whose depths are measured from their SQL, with the shapes that foretell them.

    All that follow an average by two keys, and what other first steps have beside it: partners,
    rows without a match, two columns. What they read does not change what may follow.
    """
    for found in (SHOP, LIBRARY):
        for shape, step in one_of_each_shape(found).items():
            alone = not shape.operations & {Operation.JOIN, Operation.JOIN_CHAIN}
            average = found is SHOP and alone and Operation.AVERAGE in shape.operations
            other = found is LIBRARY and shape.keys < 2 and (alone or shape.partners)
            if average or other or Operation.OUTER_JOIN in shape.operations:
                for plan, after in completions(step, shape, found):
                    yield found, plan, after


def test_depths_are_those_measured_from_the_sql():
    measured = 0
    for found, plan, after in _measured_plans():
        foretold = (after.steps, after.arithmetic)
        assert measured_depths(render(plan, found)) == foretold, render(plan, found)
        measured += 1
    assert measured > 800


def test_what_a_step_can_reach_is_what_the_steps_after_it_can_reach_and_itself():
    shape = base_shape(Function.COUNT_ROWS, 2, negative=False)
    after = set().union(*(reach(each) for _, each in moves(shape)))
    assert reach(shape) == after | {
        Goal(1, 0, frozenset({Operation.COUNT_ROWS, Operation.GROUPING}))
    }


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
        assert Operation.REAGGREGATE in goal.operations
        assert goal.operations & {Operation.FILTER, Operation.TOP_K_WITHIN_GROUP}
