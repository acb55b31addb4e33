"""The texts themselves: fixtures/exact_descriptions.yaml is meant to be read by people."""

from __future__ import annotations

import pytest
import yaml

from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline_tests.exact_description.conftest import FIXTURES

CASES = yaml.safe_load((FIXTURES / "exact_descriptions.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["sql"].replace("\n", " ")[:60])
def test_a_statement_has_the_text_that_was_read_and_approved(case, shop_schema):
    assert describe(case["sql"], shop_schema).text == case["text"].rstrip("\n")


def test_no_two_statements_share_a_text():
    assert len({case["text"] for case in CASES}) == len(CASES)


def test_texts_hold_no_sql():
    keywords = ("SELECT", "FROM", "WHERE", "GROUP BY", "JOIN", "NULL", "COUNT(", "<", ">", " = ")
    for case in CASES:
        assert not [word for word in keywords if word in case["text"]], case["text"]
