"""What nobody would ask for is rejected by what the data say."""

from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.query_generation.data_checks import (
    MOST_RESULT_ROWS,
    Reason,
    check_size,
    check_step,
    fitting_cuts,
    fitting_cuts_within,
    same_rows,
)
from specbridge_pipeline.query_generation.plan import Top, previous_of
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline.query_generation.shapes import Operation
from specbridge_pipeline.query_generation.step_results import StepResults
from specbridge_pipeline_tests.query_generation.plans import completions, first_steps
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP
from specbridge_pipeline_tests.query_generation.shorthand import plan_of
from specbridge_pipeline_tests.query_generation.test_engines import leaves_a_tie_to_the_engine
from specbridge_pipeline_tests.support.projects import FIXTURES

CASES = yaml.safe_load(Path(__file__).with_name("data_check_cases.yaml").read_text("utf-8"))
SETUP = (FIXTURES / "shop.sql").read_text("utf-8")


@pytest.mark.parametrize("case", CASES, ids=[case["plan"] for case in CASES])
def test_a_step_is_rejected_for_the_reason_that_the_case_names(make_runner, case):
    results = StepResults(SHOP, make_runner(f"{SETUP};{case.get('sql', '')}"))
    step = plan_of(case["plan"])
    reason = check_step(step, results)
    assert (None if reason is None else reason.value) == case["reason"]
    previous = previous_of(step)
    if previous is not None and case["reason"] not in (None, "a filter that keeps nothing"):
        assert results.rows(previous), "the fault lies in the step itself"


def test_a_result_of_more_rows_than_a_person_reads_is_kept_only_when_it_is_cut():
    step = plan_of("count of purchases, by customer_id")
    assert check_size(step, MOST_RESULT_ROWS) is None
    assert check_size(step, MOST_RESULT_ROWS + 1) is Reason.TOO_LARGE
    assert check_size(Top(step, 10, True), MOST_RESULT_ROWS + 1) is None
    assert check_size(step, 0) is Reason.EMPTY


# Purchases are 3 of one customer, 2 of three, 1 of one; 4 of one product and 3 of two.
@pytest.mark.parametrize(
    ("plan", "tied", "cuts"),
    [
        ("count of purchases, by customer_id", False, (1,)),
        ("count of purchases, by customer_id", True, (3,)),
        ("count of purchases, by product", False, (1,)),
        ("count of purchases, by product", True, Reason.NO_TIE),
        ("count of purchases where customer_id > 1, by customer_id", False, (3,)),
        ("count of purchases where customer_id > 1, by customer_id", True, (1,)),
        ("highest pieces of purchases where customer_id > 3, by customer_id", True, Reason.NO_TIE),
        ("count of purchases where product = tea, by product", True, Reason.NOTHING_TO_CUT),
        ("lowest pieces of purchases, by product", False, Reason.ONLY_TIES),
    ],
)
def test_a_cut_falls_between_tied_rows_only_where_it_is_to(shop, plan, tied, cuts):
    assert fitting_cuts(plan_of(plan), StepResults(SHOP, shop), tied=tied) == cuts


# The first ones of each group: of each product's three or two customers, and so on.
@pytest.mark.parametrize(
    ("plan", "keeps_ties", "cuts"),
    [
        ("total amount of purchases, by customer_id and product", False, (1, 2)),
        # Two groups do where rows are ranked inside them, and one is no division.
        ("total amount of purchases where customer_id > 3, by product and customer_id", True, (1,)),
        (
            "total amount of purchases where customer_id > 4, by product and customer_id",
            True,
            Reason.FEW_GROUPS,
        ),
        ("count of purchases, by customer_id and product", True, (2,)),
        ("count of purchases, by customer_id and product", False, Reason.ONLY_TIES),
        ("count of purchases, by product and id", True, Reason.NOTHING_TO_CUT),
    ],
)
def test_the_first_ones_of_each_group_leave_something_out(shop, plan, keeps_ties, cuts):
    found = fitting_cuts_within(plan_of(plan), 1, StepResults(SHOP, shop), keeps_ties=keeps_ties)
    assert found == cuts


def test_rows_known_from_earlier_steps_stand_for_them(shop):
    results = StepResults(SHOP, shop)
    for step, shape in first_steps(SHOP):
        if shape.keys == 2 and shape.operations & {Operation.JOIN, Operation.LOWEST}:
            continue
        for plan, _ in completions(step, shape, SHOP):
            if not isinstance(plan, Top) and not leaves_a_tie_to_the_engine(plan):
                assert same_rows(results.rows(plan), shop(render(plan, SHOP)).rows)


def test_a_table_is_read_once_for_a_grouping_and_all_that_is_likely_to_follow(shop):
    asked = []

    def run(sql):
        asked.append(sql)
        return shop(sql)

    total = plan_of("total amount of purchases, by product")
    results = StepResults(SHOP, run, lambda base: [total.aggregate])
    for line in ("count of purchases, by product, above average",) * 2:
        results.rows(plan_of(line))
        results.rows(plan_of(line).previous)
    assert results.rows(total)
    assert results.rows(plan_of("total amount of purchases, by product, as share"))
    assert len(asked) == 1


def test_values_read_together_are_those_read_alone(shop):
    lines = ["count", "total amount", "average pieces", "mean_of_ratios amount and pieces"]
    plans = [plan_of(f"{line} of purchases, by customer_id") for line in lines]
    together = StepResults(SHOP, shop, lambda base: [each.aggregate for each in plans])
    for plan in plans:
        assert together.rows(plan) == StepResults(SHOP, shop).rows(plan)
