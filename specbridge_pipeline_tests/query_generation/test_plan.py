"""A plan is a value: it is stored as JSON and comes back the same."""

import json

import pytest
from hypothesis import given

from specbridge_pipeline.query_generation.plan import plan_from_json, plan_to_json
from specbridge_pipeline_tests.query_generation.plans import plans
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP


@given(plans(SHOP))
def test_a_plan_comes_back_from_its_json_as_it_was(plan):
    assert plan_from_json(plan_to_json(plan)) == plan


@given(plans(SHOP), plans(SHOP))
def test_two_plans_have_one_json_only_if_they_are_equal(one, other):
    assert (plan_to_json(one) == plan_to_json(other)) == (one == other)


@pytest.mark.parametrize(
    "text",
    [
        '{"kind":"column","table":"purchase","name":"amount"}',
        '{"kind":"nothing_known"}',
        '{"kind":"share"}',
        "[]",
        json.dumps({"kind": "top", "step": None, "count": 1, "keeps_ties": False, "more": 1}),
    ],
)
def test_what_is_no_plan_is_refused(text):
    with pytest.raises(ValueError, match="plan"):
        plan_from_json(text)
