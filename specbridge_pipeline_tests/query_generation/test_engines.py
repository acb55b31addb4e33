"""A plan asks the same whatever engine answers it."""

import math
from collections import Counter
from dataclasses import replace

from hypothesis import HealthCheck, assume, given, settings

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.query_generation.data_checks import Reason, check_step
from specbridge_pipeline.query_generation.generation import measured_depths
from specbridge_pipeline.query_generation.plan import FilterAbove, Top, TopWithin, steps_of
from specbridge_pipeline.query_generation.rendering import render, sql_steps
from specbridge_pipeline.query_generation.step_results import StepResults
from specbridge_pipeline_tests.query_generation.plans import plans
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP

SHOP_ON_DUCKDB = replace(SHOP, engine=Engine.DUCKDB)


def alike(cell):
    """Return what a cell is on either engine: a division by zero alone is not the same."""
    if not isinstance(cell, int | float):
        return cell
    # The difference of two that are equal but for their last bits.
    if abs(cell) < 1e-12:
        return 0.0
    return float(f"{cell:.9g}") if math.isfinite(cell) else None


def leaves_a_tie_to_the_engine(plan):
    """Return whether one of several tied rows is kept, and no matter which."""
    return any(isinstance(step, TopWithin) and not step.keeps_ties for step in steps_of(plan))


def leaves_a_filter_to_rounding(plan, results):
    """Return whether a row lies on the average above which rows are kept."""
    return any(
        isinstance(step, FilterAbove) and check_step(step, results) is Reason.ON_BASELINE
        for step in steps_of(plan)
    )


@given(plans(SHOP).filter(lambda plan: not leaves_a_tie_to_the_engine(plan)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_plan_gives_the_same_rows_on_both_engines(shop, shop_on_duckdb, plan):
    assume(not leaves_a_filter_to_rounding(plan, StepResults(SHOP, shop)))
    outcomes = shop(render(plan, SHOP)), shop_on_duckdb(render(plan, SHOP_ON_DUCKDB))
    assert all(isinstance(outcome, QueryResult) for outcome in outcomes), outcomes
    assert outcomes[0].columns == outcomes[1].columns
    chosen = slice(None)
    if isinstance(plan, Top) and not plan.keeps_ties:
        # Which of several tied rows is kept is each engine's affair.
        value = sql_steps(plan, SHOP)[-1].value
        chosen = slice(value, value + 1)
    one, other = (
        Counter(tuple(map(alike, row[chosen])) for row in outcome.rows) for outcome in outcomes
    )
    assert one == other


@given(plans(SHOP))
@settings(deadline=None)
def test_every_plan_has_the_same_depths_on_both_engines(plan):
    assert measured_depths(render(plan, SHOP)) == measured_depths(
        render(plan, SHOP_ON_DUCKDB), Engine.DUCKDB
    )
