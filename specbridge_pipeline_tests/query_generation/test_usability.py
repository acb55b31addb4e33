"""A database that gives no query has a reason that a person can check."""

from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.query_generation.requests import plain_requests
from specbridge_pipeline.query_generation.usability import why_undelivered, why_unusable
from specbridge_pipeline_tests.support.tiny_databases import SALES, catalogued

CASES = yaml.safe_load(Path(__file__).with_name("unusable_cases.yaml").read_text("utf-8"))
WANTED = plain_requests(8, (3, 6), (1, 2))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_database_that_is_not_usable_has_its_reason(case, tmp_path):
    catalogue, _ = catalogued(tmp_path, "tiny", case["sql"])
    assert why_unusable(catalogue, WANTED).startswith(case["reason"])


def test_a_usable_database_has_no_reason(tmp_path):
    catalogue, _ = catalogued(tmp_path, "sales", SALES)
    assert why_unusable(catalogue, WANTED) == ""


def test_what_the_checks_rejected_most_often_is_said():
    reasons = ["too few groups", "empty answer", "too few groups", "a duplicate", "empty answer"]
    said = why_undelivered(reasons)
    assert said == "no query passes the checks on the data: too few groups, empty answer"
