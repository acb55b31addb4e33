"""Roles, units and what may be added up, judged from types, values and names."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from specbridge_pipeline.catalogue.model import Catalogue, Role
from specbridge_pipeline.catalogue.units import stated_unit

CASES = yaml.safe_load(Path(__file__).with_name("roles.yaml").read_text(encoding="utf-8"))


def literal(value: object) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["column"])
def test_columns_are_judged_as_a_person_would(case: dict[str, Any], build: Any) -> None:
    table = case.get("table", "thing")
    values = ", ".join(f"({literal(value)})" for value in case["values"] * case["repeat"])
    catalogue: Catalogue = build(
        f"CREATE TABLE {table} (other TEXT, {case['column']} {case['type']});"
        f"INSERT INTO {table} ({case['column']}) VALUES {values}"
    )
    column = catalogue.column(table, case["column"])
    assert {name: getattr(column, name) for name in case["expect"]} == case["expect"]
    if column.role is not Role.MEASURE:
        assert not column.summable
        assert not column.denominator
        assert column.unit == ""


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("approved amount; unit：US dollar", "US dollars"),
        ("The duration in minutes of a film.", "minutes"),
        ("Wind speed in meters per second.", "metres per second"),
        ("height (cm)", "centimetres"),
        ("the hero's age (in theory)", ""),
        ("unit: month", "months"),
        ("Angular distance in the sky", ""),
    ],
)
def test_units_that_documents_state_are_found(text: str, unit: str) -> None:
    assert stated_unit(text) == unit
