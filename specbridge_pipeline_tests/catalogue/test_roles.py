"""Roles, units and what may be added up, judged from types, values and names."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from specbridge_pipeline.catalogue.documents import ColumnMeaning, ColumnMeanings
from specbridge_pipeline.catalogue.model import Catalogue, Role
from specbridge_pipeline.catalogue.units import stated_unit

CASES = yaml.safe_load(Path(__file__).with_name("roles.yaml").read_text(encoding="utf-8"))


def literal(value: object) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['column']} {case['type']}")
def test_columns_are_judged_as_a_person_would(case: dict[str, Any], build: Any) -> None:
    table = case.get("table", "thing")
    values = ", ".join(f"({literal(value)})" for value in case["values"] * case["repeat"])
    said = ColumnMeanings(
        {(table, case["column"].lower()): ColumnMeaning(meaning=case.get("meaning", ""))}
    )
    catalogue: Catalogue = build(
        f"CREATE TABLE {table} (other TEXT, {case['column']} {case['type']});"
        f"INSERT INTO {table} ({case['column']}) VALUES {values}",
        said,
    )
    column = catalogue.column(table, case["column"])
    judged = {name: getattr(column, name) for name in case["expect"]}
    if "dimension" in judged:
        judged["dimension"] = str(column.dimension)
    assert judged == case["expect"]
    assert column.role_reason
    reasons = (column.role_reason, column.unit_reason, column.summable_reason)
    assert case.get("because", "") in "; ".join(reasons)
    if column.role is Role.MEASURE:
        assert column.summable_reason
    else:
        assert not column.summable
        assert not column.denominator
        assert column.unit == ""
        assert column.dimension is None


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
        ("The unit of height is centimeter. If it is 0, it is not known", "centimetres"),
        ("Points per area (points/m²)", "points per square metre"),
        ("how fast it drifts (Hz/s)", "hertz per second"),
        ("takings in thousands of euros", "thousands of euros"),
        ("battery level as an integer percentage", "percent"),
        ("Air temperature (°C)", "degrees Celsius"),
        ("motion of a star (mas/yr)", ""),
        ("how the flag is kept in a box", ""),
        ("unit: " + "x" * 500, ""),
    ],
)
def test_units_that_documents_state_are_found(text: str, unit: str) -> None:
    assert stated_unit(text) == unit
