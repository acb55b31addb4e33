"""Each rule on steps has a name and a reason, and keeps out something that nothing else does."""

import pytest

from specbridge_pipeline.query_generation.look_ahead import DEEPEST_STEPS, moves, possible_moves
from specbridge_pipeline.query_generation.mechanisms import Mechanisms
from specbridge_pipeline.query_generation.soundness import broken_rules_of
from specbridge_pipeline.query_generation.step_rules import (
    RESTATEMENT_RULES,
    TYPE_RULES,
    broken_rules,
)
from specbridge_pipeline_tests.query_generation.library_catalogue import LIBRARY
from specbridge_pipeline_tests.query_generation.plans import (
    completions,
    first_steps,
    rules_of_catalogue,
)
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP
from specbridge_pipeline_tests.query_generation.shorthand import plan_of

RULES = (*TYPE_RULES, *RESTATEMENT_RULES)


@pytest.fixture(scope="module")
def kept_out():
    """Return which sets of rules keep out a step that could follow a plan of the grammar."""
    found = set()
    waiting = {shape for _, shape in first_steps(SHOP)} | {s for _, s in first_steps(LIBRARY)}
    seen = set()
    while waiting:
        shape = waiting.pop()
        seen.add(shape)
        for move, after in possible_moves(shape):
            broken = broken_rules(shape, move)
            if after.steps <= DEEPEST_STEPS:
                found.add(frozenset(rule.name for rule in broken))
                waiting |= set() if broken or after in seen else {after}
    return found


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_a_rule_keeps_out_something(rule, kept_out):
    assert rule.reason
    assert any(rule.name in names for names in kept_out)


def test_names_of_rules_tell_them_apart():
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_plans_of_the_grammar_break_no_rule():
    checked = 0
    for catalogue in (SHOP, LIBRARY):
        rules = rules_of_catalogue(catalogue)
        for step, shape in first_steps(catalogue):
            if shape.keys == 1:
                for plan, _ in completions(step, shape, catalogue):
                    assert broken_rules_of(plan, rules) == ()
                    checked += 1
    assert checked > 1_000


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("average amount of purchases, by product, as share", "a share needs parts"),
        ("lowest customer_id of purchases, by product", "columns are not used so"),
        ("total amount of purchases, by amount", "columns are not used so"),
    ],
)
def test_a_plan_that_breaks_a_rule_is_found_out(line, broken):
    assert broken_rules_of(plan_of(line), rules_of_catalogue(SHOP)) == (broken,)


@pytest.mark.parametrize("name", ["restatement_rules", "type_rules"])
def test_without_a_mechanism_more_can_follow(name):
    without = Mechanisms().without(name)
    shapes = {shape for _, shape in first_steps(SHOP) if shape.keys == 2}
    for shape in shapes:
        assert set(moves(shape)) <= set(moves(shape, without))
    assert any(set(moves(shape)) < set(moves(shape, without)) for shape in shapes)
