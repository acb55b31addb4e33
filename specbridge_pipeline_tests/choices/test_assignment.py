"""Two queries that differ in a choice are assigned its type, bounded as the paper bounds it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.choices.assignment import assigned_type
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline_tests.choices.conventions.harbours import SCHEMA, read_case_file

_SETS = yaml.safe_load((Path(__file__).parent / "table_s7.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("shown", _SETS, ids=lambda shown: f"{shown['database']} {shown['set']}")
def test_a_set_of_the_paper_has_the_type_that_the_paper_gives_it(shown):
    assert assigned_type(shown["a"], shown["b"], SCHEMA) == ChoiceType(shown["type"])
    assert assigned_type(shown["b"], shown["a"], SCHEMA) == ChoiceType(shown["type"])


def _edited():
    for choice_type, convention in CONVENTIONS.items():
        if convention.edit is None:
            continue
        file = read_case_file(choice_type)
        for each in file.get("edits", []):
            if "edited" in each:
                yield pytest.param(
                    choice_type, file["queries"][each["query"]], each["edited"], id=each["edited"]
                )


@pytest.mark.parametrize(("choice_type", "sql", "edited"), _edited())
def test_an_edit_has_the_type_of_its_choice(choice_type, sql, edited):
    assert assigned_type(sql, edited, SCHEMA) is choice_type


def test_what_no_type_is_about_has_none():
    assert assigned_type("SELECT name FROM boats", "select (name) from boats", SCHEMA) is None
