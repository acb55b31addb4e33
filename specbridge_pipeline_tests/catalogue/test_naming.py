"""Names become the words that an analyst would use, by rules that anybody can read."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from specbridge_pipeline.catalogue.naming import (
    column_noun,
    plural,
    row_noun,
    singular,
    words_of,
)
from specbridge_pipeline.catalogue.units import unit_in

CASES = yaml.safe_load(Path(__file__).with_name("names.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "words"), CASES["words"].items())
def test_names_are_split_into_words(name: str, words: str) -> None:
    assert " ".join(words_of(name)) == words


@pytest.mark.parametrize(("one", "several"), CASES["plurals"].items())
def test_singular_and_plural_lead_to_each_other(one: str, several: str) -> None:
    assert plural(one) == several
    assert singular(several) == one
    assert singular(one) == one
    assert plural(several) == several


@pytest.mark.parametrize(("table", "links", "one", "several"), CASES["rows"])
def test_rows_are_called_what_they_are(table: str, links: bool, one: str, several: str) -> None:
    assert row_noun(table, links=links) == (one, several)


@pytest.mark.parametrize("case", CASES["columns"], ids=lambda case: case["column"])
def test_columns_are_called_what_their_values_stand_for(case: dict[str, Any]) -> None:
    called = column_noun(
        case["column"],
        tuple(case["row"]),
        identifies="is" in case,
        own_key=case.get("is") == "key",
        stands_for=case.get("to"),
    )
    assert list(called) == case["gives"]


@pytest.mark.parametrize(("name", "unit"), CASES["units"].items())
def test_units_in_names_are_found(name: str, unit: str) -> None:
    assert unit_in(words_of(name)) == unit


@pytest.mark.parametrize("name", ["", "_", "%", "日本", "a" * 500])
def test_any_name_has_words_to_call_it_by(name: str) -> None:
    called = column_noun(
        name, row_noun(name, links=False), identifies=False, own_key=False, stands_for=None
    )
    assert all(called)
