"""Queries come at the depths asked for, make the choice asked for, and are always the same."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from specbridge_pipeline.query_generation.data_checks import MOST_ROWS_OF_ONE, Reason
from specbridge_pipeline.query_generation.generation import (
    generate,
    generation_rows,
    measured_depths,
    rows_digest,
)
from specbridge_pipeline.query_generation.other_sides import (
    SIDES,
    WantedChoice,
    other_sides,
)
from specbridge_pipeline.query_generation.plan import (
    Grouped,
    Top,
    base_of,
    plan_from_json,
    question_of,
    steps_of,
)
from specbridge_pipeline.query_generation.records import GENERATED_QUERIES
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline.query_generation.requests import (
    QueryRequest,
    draft_requests,
    plain_requests,
)
from specbridge_pipeline.query_generation.shapes import Operation
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP
from specbridge_pipeline_tests.support.projects import FIXTURES, make_database

REQUESTS = 48


@pytest.fixture
def requests(clinic_catalogue):
    return draft_requests(REQUESTS // 2, REQUESTS // 2, 7, clinic_catalogue)


@pytest.fixture
def attempts(clinic_catalogue, clinic, requests):
    return list(generate(clinic_catalogue, clinic, requests=requests, seed=7))


def test_nearly_all_that_is_asked_for_is_delivered_at_the_depths_asked(attempts, requests):
    kept = [attempt for attempt in attempts if attempt.kept]
    assert len(kept) >= 0.9 * REQUESTS
    for attempt in kept:
        request = requests[attempt.request]
        asked = (request.step_depth, request.arithmetic_depth)
        assert (attempt.step_depth, attempt.arithmetic_depth) == asked
        assert measured_depths(attempt.sql) == asked
    assert not [attempt for attempt in attempts if attempt.reason == Reason.DEPTH_DIFFERS]


def test_a_query_takes_the_side_of_the_choice_that_it_was_asked_for(attempts, requests):
    for attempt in attempts:
        request = requests[attempt.request]
        operations = {each.value for each in SIDES[request.choice][request.side]}
        assert not attempt.kept or operations & set(attempt.operations)


def test_both_sides_of_a_choice_are_asked_for_alike_often(requests):
    for choice in WantedChoice:
        first, second = (
            sum(1 for each in requests if each.choice is choice and each.side == side)
            for side in SIDES[choice]
        )
        assert abs(first - second) <= 2


def test_a_tie_choice_cuts_tied_rows_and_no_other_query_does(
    attempts, requests, clinic, clinic_catalogue
):
    tops = [each for each in attempts if each.kept and isinstance(each.plan, Top)]
    assert tops
    for attempt in tops:
        limited, tied = (
            clinic(render(replace(attempt.plan, keeps_ties=keeps_ties), clinic_catalogue)).rows
            for keeps_ties in (False, True)
        )
        wanted = requests[attempt.request].choice is WantedChoice.TIES
        assert (len(tied) > len(limited)) == wanted


def test_a_kept_query_returns_rows_and_no_two_are_alike(attempts, clinic):
    kept = [attempt for attempt in attempts if attempt.kept]
    for attempt in kept:
        assert len(clinic(attempt.sql).rows) == attempt.rows > 0
    assert len({attempt.sql for attempt in kept}) == len(kept)
    structures = [
        (tuple(type(step) for step in steps_of(each.plan)), each.result_hash) for each in kept
    ]
    assert len(set(structures)) == len(kept)


def test_what_was_computed_step_by_step_is_what_the_whole_query_returns(attempts, clinic):
    for attempt in attempts:
        if attempt.kept:
            assert rows_digest(clinic(attempt.sql).rows) == attempt.result_hash


@pytest.mark.parametrize(
    "operation",
    ["top_k_within_group", "share_within_group", "kept_by_group", "join", "rows_per_entity"],
)
def test_what_is_required_is_in_each_query(clinic_catalogue, clinic, operation):
    requests = plain_requests(6, (3, 5), (0, 2), frozenset({Operation(operation)}))
    found = generate(clinic_catalogue, clinic, requests=requests, seed=2)
    kept = [attempt for attempt in found if attempt.kept]
    assert len(kept) >= 3
    for attempt in kept:
        assert operation in attempt.operations
        assert measured_depths(attempt.sql)[0] == requests[attempt.request].step_depth
        assert rows_digest(clinic(attempt.sql).rows) == attempt.result_hash


def test_no_two_queries_differ_only_in_where_they_cut_or_in_the_order_of_groups(attempts):
    questions = []
    for each in (attempt.plan for attempt in attempts if attempt.kept):
        ranked = each.step if isinstance(each, Top) else each
        if isinstance(ranked, Grouped):
            questions.append((ranked.source, frozenset(ranked.keys), ranked.aggregate, type(each)))
        else:
            questions.append((ranked, type(each)))
    assert len(set(questions)) == len(questions)


def test_no_two_queries_take_the_two_sides_of_one_choice(attempts, requests, clinic_catalogue):
    kept = [attempt for attempt in attempts if attempt.kept]
    sides = {question_of(attempt.plan) for attempt in kept}
    assert len(sides) == len(kept)
    for attempt in kept:
        choice = requests[attempt.request].choice
        for other in other_sides(attempt.plan, choice, clinic_catalogue):
            assert question_of(other) not in sides - {question_of(attempt.plan)}


def test_rows_and_entities_that_are_asked_for_are_not_far_apart(
    attempts, requests, clinic, clinic_catalogue
):
    compared = 0
    for attempt in attempts:
        wanted = requests[attempt.request].choice is WantedChoice.COUNTING_UNIT
        if not wanted or not attempt.kept:
            continue
        others = other_sides(attempt.plan, WantedChoice.COUNTING_UNIT, clinic_catalogue)
        sizes = [
            sum(row[-1] for row in clinic(render(base_of(each), clinic_catalogue)).rows)
            for each in (attempt.plan, *others)
        ]
        ratios = [max(sizes[0], other) / min(sizes[0], other) for other in sizes[1:]]
        assert min(ratios) <= MOST_ROWS_OF_ONE
        compared += 1
    assert compared


def test_what_is_stored_says_the_same_as_the_attempts(attempts, clinic_catalogue):
    frame = GENERATED_QUERIES.frame(generation_rows("clinic", attempts))
    assert frame.height == sum(1 + len(attempt.taken_back) for attempt in attempts)
    for row in frame.filter(frame["kept"]).to_dicts():
        assert render(plan_from_json(row["plan"]), clinic_catalogue) == row["sql"]
        assert len(row["query_id"]) == 12
    assert set(frame.filter(~frame["kept"])["reason"]) <= {reason.value for reason in Reason}


def test_more_requests_leave_the_first_ones_as_they_were(clinic_catalogue, clinic, requests):
    few = list(generate(clinic_catalogue, clinic, requests=requests[:9], seed=7))
    more = list(generate(clinic_catalogue, clinic, requests=requests[:15], seed=7))
    assert more[: len(few)] == few


def test_another_seed_gives_other_queries(attempts, clinic_catalogue, clinic, requests):
    other = generate(clinic_catalogue, clinic, requests=requests, seed=8)
    first = {attempt.sql for attempt in attempts if attempt.kept}
    second = {attempt.sql for attempt in other if attempt.kept}
    assert len(second - first) > len(second) / 2


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_whatever_the_hash_order(tmp_path):
    path = tmp_path / "clinic.sqlite"
    make_database(path, FIXTURES / "clinic.sql")
    program = Path(__file__).with_name("generation_process.py")
    printed = {
        subprocess.run(
            [sys.executable, str(program), str(path)],
            capture_output=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert printed.pop().count(b'"kept":true') >= 10


def test_a_database_that_has_no_more_queries_says_so_instead_of_repeating_itself(shop):
    asked = [QueryRequest(2, 0)] * 60
    attempts = list(generate(SHOP, shop, requests=asked, seed=1))
    kept = [attempt.sql for attempt in attempts if attempt.kept]
    assert len(kept) == len(set(kept)) < len(asked)
    assert Reason.DUPLICATE.value in {attempt.reason for attempt in attempts}


def test_what_the_rules_do_not_allow_is_not_tried(shop):
    (attempt,) = generate(SHOP, shop, requests=[QueryRequest(2, 2)], seed=1)
    assert attempt.reason == Reason.UNREACHABLE
    assert not plain_requests(5, (1, 1), (2, 2))
