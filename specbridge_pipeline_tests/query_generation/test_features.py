"""What a schema allows is what queries on it can have, and what is delivered is among it."""

import pytest

from specbridge_pipeline.query_generation.features import (
    Feature,
    allowed_features,
    features_of,
    requests_for,
)
from specbridge_pipeline.query_generation.generation import generate
from specbridge_pipeline.query_generation.look_ahead import reach
from specbridge_pipeline.query_generation.requests import plain_requests
from specbridge_pipeline.query_generation.type_rules import TypeRules
from specbridge_pipeline_tests.support.tiny_databases import SALES, catalogued


@pytest.mark.parametrize(
    ("operations", "steps", "arithmetic", "features"),
    [
        ({"count_rows"}, 1, 0, {Feature.AGGREGATION}),
        ({"ranked_rows", "top", "limit"}, 1, 0, {Feature.TOP_ROWS}),
        (
            {"total", "grouping", "join", "share"},
            3,
            1,
            {Feature.AGGREGATION, Feature.GROUPING, Feature.JOINS, Feature.SHARE_OF_TOTAL},
        ),
        (
            {"average", "grouping", "ratio", "average_of_averages"},
            5,
            2,
            {
                Feature.AGGREGATION,
                Feature.GROUPING,
                Feature.BASELINE_COMPARISON,
                Feature.STEP_DEPTH_5,
                Feature.ARITHMETIC_DEPTH_2,
            },
        ),
        (
            {"count_rows", "grouping", "combine", "ratio"},
            2,
            1,
            {Feature.AGGREGATION, Feature.GROUPING, Feature.RATIO},
        ),
    ],
)
def test_the_features_of_a_query_are_read_from_what_it_does(
    operations, steps, arithmetic, features
):
    assert features_of(operations, steps, arithmetic) == features


def test_what_is_allowed_is_what_some_completion_has(clinic_catalogue):
    shapes = {start.shape for start in TypeRules(clinic_catalogue).starts}
    found = set()
    for shape in shapes:
        for goal in reach(shape):
            names = [operation.value for operation in goal.operations]
            found |= features_of(names, goal.steps, goal.arithmetic)
    assert allowed_features(clinic_catalogue) == found


def test_a_feature_that_is_asked_for_by_itself_is_one_that_is_delivered(clinic_catalogue, clinic):
    for feature in allowed_features(clinic_catalogue):
        requests = requests_for(feature, clinic_catalogue, 4)
        assert requests
        kept = [
            attempt
            for attempt in generate(clinic_catalogue, clinic, requests=requests, seed=2)
            if attempt.kept
        ]
        assert any(
            feature in features_of(each.operations, each.step_depth, each.arithmetic_depth)
            for each in kept
        ), feature


def test_what_is_delivered_is_allowed(clinic_catalogue, clinic):
    allowed = allowed_features(clinic_catalogue)
    requests = plain_requests(16, (1, 6), None)
    for attempt in generate(clinic_catalogue, clinic, requests=requests, seed=4):
        if attempt.kept:
            had = features_of(attempt.operations, attempt.step_depth, attempt.arithmetic_depth)
            assert had <= allowed


def test_an_empty_database_allows_nothing(tmp_path):
    script = "CREATE TABLE item (id INTEGER PRIMARY KEY, kind TEXT, price REAL)"
    catalogue, _ = catalogued(tmp_path, "empty", script)
    assert allowed_features(catalogue) == set()


def test_a_table_alone_allows_no_join(tmp_path):
    whole, _ = catalogued(tmp_path, "sales", SALES)
    alone, _ = catalogued(
        tmp_path, "alone", f"{SALES}; UPDATE sale SET shop_id = sale_id; DROP TABLE shop"
    )
    assert Feature.JOINS in allowed_features(whole)
    assert Feature.JOINS not in allowed_features(alone)
    assert Feature.SHARE_OF_TOTAL in allowed_features(alone)
