"""Respondents with known behaviour go the way of models; every measure is what they imply."""

import math
from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.evaluation.records import OUTCOMES, SCORES
from specbridge_pipeline.orchestration.workspace import Workspace
from specbridge_pipeline.records.cells import Partition
from specbridge_pipeline.reporting.records import STATISTICS
from specbridge_pipeline_tests.support.projects import (
    make_database,
    make_project,
    run,
    scripted,
    write_models,
)
from specbridge_pipeline_tests.support.respondents import BEHAVIOURS

EXPECTED = {
    name: behaviour["expect"]
    for name, behaviour in yaml.safe_load(BEHAVIOURS.read_text("utf-8")).items()
}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("scripted"), query_steps=20_000_000)
    write_models(project, [scripted(project, name) for name in EXPECTED])
    before = (project.data / "shop.sqlite").read_bytes()
    assert run(project).failures == []
    assert (project.data / "shop.sqlite").read_bytes() == before
    with Workspace(project) as workspace:
        yield workspace


@pytest.mark.parametrize("name", EXPECTED)
def test_every_measure_and_outcome_is_what_the_behaviour_implies(evaluated, name):
    rows = evaluated.store.read(OUTCOMES, Partition("shop", name)).to_dicts()
    expected = EXPECTED[name]
    assert len(rows) == 3
    for row in rows:
        found = {
            "right": {row["right_a"], row["right_b"]},
            "runs": {row["runs_a"], row["runs_b"]},
            "both_returned": {row["both_returned"]},
            "named": {row["named"]},
            "main_answer": {row["main_answer"]},
            "false_alarm_alternative": {
                row["false_alarm_alternative_a"],
                row["false_alarm_alternative_b"],
            },
            "false_alarm_named": {row["false_alarm_named_a"], row["false_alarm_named_b"]},
            "outcome": {row["outcome"]},
        }
        assert found == {measure: {value} for measure, value in expected.items()}


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("loops", "timeout"),
        ("returns_a_million_rows", "too_large"),
        ("writes", "candidate_error"),
        ("does_not_run", "candidate_error"),
        ("never_replies_in_form", "candidate_error"),
    ],
)
def test_a_query_that_cannot_be_used_is_scored_for_what_it_is(evaluated, name, verdict):
    rows = evaluated.store.read(SCORES, Partition("shop", name)).to_dicts()
    specific = [row for row in rows if row["request_kind"] != "open"]
    assert {row["verdict"] for row in specific} == {verdict}


def test_reported_shares_are_those_of_the_behaviours(evaluated):
    numbers = {
        (row["model"], row["measure"]): row
        for row in evaluated.store.read(STATISTICS, Partition()).to_dicts()
        if row["scope"] == "all" and not row["compared_with"]
    }
    for name, expected in EXPECTED.items():
        share = {measure: numbers[name, measure]["value"] for _, measure in numbers}
        right = float(expected["right"])
        assert share["specific_right"] == right
        assert share["both_computable"] == right
        assert share["both_returned"] == float(expected["both_returned"])
        assert share["named"] == float(expected["named"])
        alarm = expected["false_alarm_alternative"] or expected["false_alarm_named"]
        assert share["false_alarm"] == float(alarm)
        of_computable = share["both_returned_computable"]
        assert (
            of_computable == float(expected["both_returned"])
            if right
            else math.isnan(of_computable)
        )
        if expected["both_returned"]:
            assert math.isnan(share["missed_computable"])
        else:
            assert share["missed_computable"] == right


def test_the_million_rows_and_the_loop_left_the_file_alone(tmp_path, evaluated):
    make_database(tmp_path / "again.sqlite")
    path = Path(evaluated.database_path("shop"))
    assert evaluated.runner.content_hash(path) == evaluated.runner.content_hash(
        tmp_path / "again.sqlite"
    )
