"""Filters that can be read in two ways: both readings run, and differ in step and answer."""

from collections import Counter

import pytest

from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.query_generation.data_checks import same_rows
from specbridge_pipeline.query_generation.filter_forms import FILTER_SIDES, FilterForm, FilterForms
from specbridge_pipeline.query_generation.filter_queries import filter_queries, filter_rows
from specbridge_pipeline.query_generation.generation import measured_depths
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Column,
    Condition,
    Function,
    Grouped,
    Join,
    Operator,
    Source,
    Unmatched,
    plan_from_json,
    plan_to_json,
)
from specbridge_pipeline.query_generation.records import FILTER_QUERIES
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline.query_generation.step_results import StepResults
from specbridge_pipeline.query_generation.type_rules import TypeRules
from specbridge_pipeline.sql.step_difference import step_difference

QUERIES = 15


@pytest.fixture
def rows(clinic_catalogue, clinic):
    attempts = filter_queries(clinic_catalogue, clinic, count=QUERIES, seed=7)
    return list(filter_rows(clinic_catalogue, attempts))


@pytest.fixture
def kept(rows):
    found = [row for row in rows if row["kept"]]
    assert len(found) >= QUERIES * 0.8
    return found


def test_both_readings_run_and_give_different_answers(kept, clinic):
    for row in kept:
        one, other = clinic(row["sql_a"]), clinic(row["sql_b"])
        assert isinstance(one, QueryResult), row["sql_a"]
        assert isinstance(other, QueryResult), row["sql_b"]
        assert one.rows
        assert other.rows
        assert not same_rows(one.rows, other.rows), row["sql_a"]


def test_the_readings_differ_in_the_first_step_alone(kept):
    for row in kept:
        difference = step_difference(row["sql_a"], row["sql_b"])
        assert difference.one_step, (row["sql_a"], row["sql_b"], difference.reason)


def test_queries_have_the_depths_that_are_stored(kept):
    for row in kept:
        assert measured_depths(row["sql_a"]) == (row["step_depth"], row["arithmetic_depth"])
    assert {row["tier"] for row in kept} == {"short", "paper"}


def test_forms_take_turns(kept):
    counts = Counter(row["form"] for row in kept)
    assert len(counts) >= 4
    assert max(counts.values()) <= QUERIES // 3


def test_each_query_takes_both_sides_of_its_form(kept):
    for row in kept:
        assert {row["taken"], row["side"]} == set(FILTER_SIDES[FilterForm(row["form"])])


def test_no_query_is_delivered_twice(kept):
    assert len({frozenset((row["sql_a"], row["sql_b"])) for row in kept}) == len(kept)


def test_the_same_seed_gives_the_same_rows_and_another_seed_others(rows, clinic_catalogue, clinic):
    def again(seed):
        attempts = filter_queries(clinic_catalogue, clinic, count=QUERIES, seed=seed)
        return list(filter_rows(clinic_catalogue, attempts))

    assert again(7) == rows
    assert again(8) != rows
    assert FILTER_QUERIES.frame(rows).height == len(rows)


def test_plans_are_stored_as_they_are(kept, clinic_catalogue):
    for row in kept:
        for side in ("a", "b"):
            plan = plan_from_json(row[f"plan_{side}"])
            assert plan_to_json(plan) == row[f"plan_{side}"]
            assert render(plan, clinic_catalogue) == row[f"sql_{side}"]


@pytest.fixture
def forms(clinic_catalogue, clinic):
    rules = TypeRules(clinic_catalogue)
    return FilterForms(clinic_catalogue, rules, StepResults(clinic_catalogue, clinic))


def test_what_was_drawn_is_taken_out_and_what_keeps_missing_values_out_stays(forms):
    drawn = Condition(Column("visits", "kind"), Operator.EQUALS, "first")
    base = Grouped(
        Source("visits", conditions=(drawn,)),
        (Column("visits", "doctor_id"),),
        Aggregate(Function.COUNT_ROWS),
    )
    plain = forms.plain(base)
    assert plain is not None
    assert drawn not in plain.source.conditions
    assert all(
        isinstance(each, Condition) and each.operator is Operator.PRESENT
        for each in plain.source.conditions
    )


def test_what_other_records_say_is_asked_by_a_subquery_and_what_a_match_needs_by_the_join(kept):
    written = {FilterForm(row["form"]): f"{row['sql_a']}\n{row['sql_b']}" for row in kept}
    if FilterForm.WITHOUT in written:
        assert " NOT IN (SELECT " in written[FilterForm.WITHOUT]
        assert " <> " in written[FilterForm.WITHOUT]
    if FilterForm.TWO_CATEGORIES in written:
        assert written[FilterForm.TWO_CATEGORIES].count(" IN (SELECT ") == 3
    if FilterForm.PER_ENTITY in written:
        assert "LEFT JOIN" in written[FilterForm.PER_ENTITY]
    assert len(written) >= 4


def test_a_join_without_conditions_is_stored_as_it_was_before_there_were_any(clinic_catalogue):
    def counted(*conditions):
        join = Join("visits", ("doctor_id",), "doctors", ("doctor_id",), Unmatched.KEPT, conditions)
        return Grouped(
            Source("doctors", (join,)),
            (Column("doctors", "doctor_id"),),
            Aggregate(Function.COUNT_ROWS, (Column("visits", "doctor_id"),)),
        )

    kind = Condition(Column("visits", "kind"), Operator.EQUALS, "first")
    assert '"conditions":[],"joins"' in plan_to_json(counted())
    assert plan_to_json(counted()).count("conditions") == 1
    assert plan_from_json(plan_to_json(counted(kind))) == counted(kind)
    assert "AND visits.kind = 'first'" in render(counted(kind), clinic_catalogue)
