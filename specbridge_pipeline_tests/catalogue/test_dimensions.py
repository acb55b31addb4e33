"""Dimensions say what may be added and compared, and what a ratio is in."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from specbridge_pipeline.catalogue.dimensions import (
    are_compatible,
    are_divisible,
    has_true_zero,
    is_place,
    ratio_dimension,
    ratio_unit,
)
from specbridge_pipeline.catalogue.model import Catalogue

CASES = yaml.safe_load(Path(__file__).with_name("dimensions.yaml").read_text(encoding="utf-8"))
NAMES = sorted({case[place] for case in CASES for place in ("first", "second")})


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['first']} {case['second']}")
def test_pairs_are_treated_as_a_person_would(case: dict[str, Any], build: Any) -> None:
    values = ", ".join(f"({', '.join([str(number + 0.5)] * len(NAMES))})" for number in range(9))
    catalogue: Catalogue = build(
        f"CREATE TABLE thing ({', '.join(f'{name} REAL' for name in NAMES)});"
        f"INSERT INTO thing VALUES {values}"
    )
    first, second = (catalogue.column("thing", case[place]) for place in ("first", "second"))
    assert are_compatible(first, second) is case["compatible"]
    assert are_compatible(second, first) is case["compatible"]
    assert are_divisible(first, second) is case["divisible"]
    assert first.dimension is not None
    assert second.dimension is not None
    ratio = ratio_dimension(first.dimension, second.dimension)
    assert str(ratio).lower() == case["ratio"]
    assert ratio_unit(first, second) == case["unit"]


@pytest.mark.parametrize(
    ("name", "zero", "place"),
    [
        ("price_usd", True, False),
        ("temperature_celsius", False, False),
        ("temperature_kelvin", True, False),
        ("slope_degrees", False, False),
        ("final_position", False, True),
        ("amount_of_order", True, False),
    ],
)
def test_zero_and_places_follow_from_the_quantity(
    build: Any, name: str, *, zero: bool, place: bool
) -> None:
    values = ", ".join(f"({number + 0.5})" for number in range(9))
    catalogue: Catalogue = build(
        f"CREATE TABLE thing ({name} REAL); INSERT INTO thing VALUES {values}"
    )
    column = catalogue.column("thing", name)
    assert (has_true_zero(column), is_place(column)) == (zero, place)
