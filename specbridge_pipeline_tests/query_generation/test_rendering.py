"""A plan is written as one readable statement, always the same."""

import pytest
from hypothesis import HealthCheck, given, settings

from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.query_generation.plan import RankedRows, Top, keys_of
from specbridge_pipeline.query_generation.rendering import render, sql_steps
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline_tests.query_generation.library_catalogue import LIBRARY
from specbridge_pipeline_tests.query_generation.plans import plans
from specbridge_pipeline_tests.query_generation.rendering_cases import read_cases
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP
from specbridge_pipeline_tests.support.projects import FIXTURES

CASES = read_cases()


@pytest.mark.parametrize(
    ("catalogue", "plan", "sql"), [each[1:] for each in CASES], ids=[n for n, *_ in CASES]
)
def test_a_plan_is_written_as_the_golden_says(catalogue, plan, sql):
    assert render(plan, catalogue) + "\n" == sql


@given(plans(LIBRARY))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_plan_over_joins_runs_and_returns_its_keys_first(make_runner, plan):
    library = make_runner((FIXTURES / "library.sql").read_text("utf-8"))
    outcome = library(render(plan, LIBRARY))
    assert isinstance(outcome, QueryResult)
    names = [key.name for key in keys_of(plan)]
    assert list(outcome.columns[: len(names)]) == names
    assert len(set(outcome.columns)) == len(outcome.columns)


@given(plans(SHOP))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_plan_of_the_grammar_runs_and_returns_its_keys_first(shop, plan):
    outcome = shop(render(plan, SHOP))
    assert isinstance(outcome, QueryResult)
    names = [key.name for key in keys_of(plan)]
    assert list(outcome.columns[: len(names)]) == names
    assert len(set(outcome.columns)) == len(outcome.columns)


@given(plans(SHOP))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_keeping_ties_returns_what_a_limit_returns_and_the_rows_tied_with_its_last(shop, plan):
    if not isinstance(plan, Top):
        return
    limited = shop(render(Top(plan.step, plan.count, False), SHOP)).rows
    tied = shop(render(Top(plan.step, plan.count, True), SHOP)).rows
    everything = shop(render(plan.step, SHOP)).rows if not isinstance(plan.step, RankedRows) else ()
    assert len(limited) <= len(tied)
    if len(limited) == plan.count:
        value = sql_steps(plan, SHOP)[-1].value
        last = limited[-1][value]
        assert set(limited) <= set(tied)
        assert {row[value] for row in tied[plan.count :]} <= {last}
        assert len([row for row in everything if row[value] == last]) in (
            0,
            len([row for row in tied if row[value] == last]),
        )


@given(plans(SHOP))
def test_no_step_is_named_like_a_table(plan):
    tables = {table.name for table in SHOP.tables}
    names = [entry.alias for entry in parse_query(render(plan, SHOP)).ctes]
    assert not tables & set(names)
    assert len(set(names)) == len(names)
