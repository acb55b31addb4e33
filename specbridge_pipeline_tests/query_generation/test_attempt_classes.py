"""An attempt is classed by what its query is, whatever made it."""

from collections import Counter
from dataclasses import replace

import pytest

from specbridge_pipeline.query_generation.attempt_classes import AttemptClass, AttemptClasses
from specbridge_pipeline.query_generation.generation import (
    Attempt,
    generate,
    measured_depths,
)
from specbridge_pipeline.query_generation.mechanisms import Mechanisms
from specbridge_pipeline.query_generation.plan import Top
from specbridge_pipeline.query_generation.rendering import render
from specbridge_pipeline.query_generation.requests import QueryRequest, plain_requests
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP
from specbridge_pipeline_tests.query_generation.shorthand import plan_of

ATTEMPTS = 60


@pytest.fixture
def classed(clinic_catalogue, clinic):
    """Return a function from mechanisms to how many attempts are of each class."""

    def count(mechanisms):
        requests = plain_requests(ATTEMPTS, (3, 6), (1, 2))
        attempts = list(
            generate(
                clinic_catalogue,
                clinic,
                requests=requests,
                seed=1,
                attempts_per_request=1,
                mechanisms=mechanisms,
            )
        )
        assert [attempt.request for attempt in attempts] == list(range(ATTEMPTS))
        classes = AttemptClasses(clinic_catalogue, clinic)
        return Counter(classes.of(each, requests[each.request]) for each in attempts)

    return count


def test_with_all_mechanisms_what_is_built_is_sound(classed):
    counts = classed(Mechanisms())
    assert set(counts) <= {AttemptClass.SOUND, AttemptClass.NOT_BUILT}
    assert counts[AttemptClass.SOUND] > 0.8 * ATTEMPTS


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("step_data_checks", AttemptClass.INVALID),
        ("look_ahead", AttemptClass.OFF_TARGET),
        ("must_vary", AttemptClass.NOT_SOUND),
        ("restatement_rules", AttemptClass.NOT_SOUND),
        ("type_rules", AttemptClass.NOT_SOUND),
    ],
)
def test_without_a_mechanism_its_faults_appear(classed, name, fault):
    assert classed(Mechanisms().without(name))[fault]


def test_without_deduplication_a_small_database_repeats_itself(shop):
    requests = plain_requests(ATTEMPTS, (1, 3), None)
    counts = {}
    for mechanisms in (Mechanisms(), Mechanisms().without("deduplication")):
        found = generate(
            SHOP, shop, requests=requests, seed=1, attempts_per_request=1, mechanisms=mechanisms
        )
        classes = AttemptClasses(SHOP, shop)
        counted = Counter(classes.of(each, requests[each.request]) for each in found)
        counts[mechanisms.deduplication] = counted[AttemptClass.DUPLICATE]
    assert counts[True] == 0 < counts[False]


def test_without_look_ahead_hardly_any_attempt_has_the_depths_asked_for(classed):
    assert classed(Mechanisms().without("look_ahead"))[AttemptClass.SOUND] < ATTEMPTS / 4


def attempt_of(plan, operations):
    """Return the attempt that built a plan."""
    sql = render(plan, SHOP)
    steps, arithmetic = measured_depths(sql)
    return Attempt(0, "short", "", sql, plan, steps, arithmetic, operations)


def test_a_query_is_a_duplicate_from_its_second_time_on(shop):
    classes = AttemptClasses(SHOP, shop)
    request = QueryRequest(1, 0)
    attempt = attempt_of(plan_of("count of purchases, by customer_id"), ("count_rows", "grouping"))
    assert classes.of(attempt, request) is AttemptClass.SOUND
    assert classes.of(attempt, request) is AttemptClass.DUPLICATE
    cut = attempt_of(Top(attempt.plan, 1, False), ("count_rows", "grouping", "limit", "top"))
    assert classes.of(cut, request) is AttemptClass.SOUND


@pytest.mark.parametrize(
    ("line", "steps", "expected"),
    [
        ("count of purchases, by customer_id", 2, AttemptClass.OFF_TARGET),
        ("count of purchases where product = milk, by customer_id", 1, AttemptClass.INVALID),
        ("average pieces of purchases, by amount", 1, AttemptClass.INVALID),
        ("total customer_id of purchases, by product", 1, AttemptClass.NOT_SOUND),
    ],
)
def test_a_query_made_by_hand(shop, line, steps, expected):
    plan = plan_of(line)
    attempt = attempt_of(plan, (plan.aggregate.function.value, "grouping"))
    assert AttemptClasses(SHOP, shop).of(attempt, QueryRequest(steps)) is expected


def test_an_attempt_without_a_query_was_not_built(shop):
    attempt = Attempt(0, "short", "a duplicate")
    assert AttemptClasses(SHOP, shop).of(attempt, QueryRequest(1)) is AttemptClass.NOT_BUILT


def test_each_mechanism_is_switched_off_alone():
    for name in Mechanisms.names():
        assert Mechanisms().without(name) == replace(Mechanisms(), **{name: False})
    with pytest.raises(ValueError, match="no mechanism"):
        Mechanisms().without("luck")
