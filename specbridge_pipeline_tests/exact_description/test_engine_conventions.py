"""The same statement is described by the conventions of the engine that runs it."""

from __future__ import annotations

import re

import pytest
import yaml

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline_tests.exact_description.conftest import FIXTURES
from specbridge_pipeline_tests.exact_description.test_golden_texts import CASES as GOLDENS

CASES = yaml.safe_load((FIXTURES / "engine_conventions.yaml").read_text(encoding="utf-8"))
REFUSED_BY_DUCKDB = [case["sql"] for case in GOLDENS if "GROUP BY customer.id" in case["sql"]]
"""Columns beside the key that determines them."""
STAY = {
    "ticket": "INTEGER",
    "arrived": "DATE",
    "paid_at": "TIMESTAMP",
    "is_group": "BOOLEAN",
    "price": "DECIMAL(8,2)",
    "nights": "INTEGER",
    "weight": "FLOAT",
    "class": "ENUM('first', 'second')",
}


@pytest.fixture
def schemas(shop_on):
    stay = Table("stay", tuple(Column(name, kind, False, 0) for name, kind in STAY.items()), ())
    return {
        Engine.SQLITE: shop_on(Engine.SQLITE),
        Engine.DUCKDB: Schema((*shop_on(Engine.DUCKDB).tables, stay), Engine.DUCKDB),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["sql"][:70])
def test_a_description_states_the_conventions_of_its_engine(case, schemas):
    texts = {}
    for engine, schema in schemas.items():
        if refused := case.get(f"{engine}_refuses"):
            with pytest.raises(SpecBridgeError, match=re.escape(refused)):
                describe(case["sql"], schema)
        elif engine in case:
            texts[engine] = describe(case["sql"], schema).text
            assert case[engine] in texts[engine]
    for engine, text in texts.items():
        others = [other for other in texts if case[other] != case[engine]]
        assert not any(case[other] in text for other in others)


def without_conventions(text: str) -> str:
    for pattern, shared in (
        (r"(?:, and a division by zero,)? gives a missing value\.", " gives a missing value."),
        (r", dropping the fraction where both are whole numbers", ""),
        (r"\(missing values (?:first|last)\)", "(missing values somewhere)"),
        (r" ?A division by zero gives infinity .*? greater than any number\.", ""),
        (r"The (?:other )?divisions? keeps? (?:its|their) decimals\. ?", ""),
    ):
        text = re.sub(pattern, shared, text)
    return text


@pytest.mark.parametrize("case", GOLDENS, ids=lambda case: case["sql"].replace("\n", " ")[:60])
def test_but_for_conventions_both_engines_have_one_text(case, schemas):
    if case["sql"] in REFUSED_BY_DUCKDB:
        with pytest.raises(SpecBridgeError, match="neither grouped by nor aggregated"):
            describe(case["sql"], schemas[Engine.DUCKDB])
        return
    duckdb = describe(case["sql"], schemas[Engine.DUCKDB]).text
    assert without_conventions(duckdb) == without_conventions(case["text"].rstrip("\n"))
