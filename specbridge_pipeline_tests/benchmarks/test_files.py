"""Files of benchmarks: references, and schemas in the form of Spider's tables.json."""

from __future__ import annotations

import json

import pytest

from specbridge_pipeline.benchmarks.references import BenchmarkReference, read_references
from specbridge_pipeline.benchmarks.table_schemas import read_schemas
from specbridge_pipeline.databases.schema import Column, ForeignKey
from specbridge_pipeline.errors import ConfigurationError

TABLES = {
    "db_id": "shop",
    "table_names_original": ["customer", "purchase"],
    "table_names": ["customer", "purchase"],
    "column_names_original": [
        [-1, "*"],
        [0, "id"],
        [0, "name"],
        [1, "customer_id"],
        [1, "day"],
        [1, "amount"],
    ],
    "column_types": ["text", "number", "text", "number", "time", "number"],
    "primary_keys": [1, [3, 4]],
    "foreign_keys": [[3, 1]],
}


@pytest.fixture
def written(tmp_path):
    def write(content: object):
        path = tmp_path / "file.json"
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_questions_in_spiders_form_are_numbered_by_place(written):
    rows = [
        {"db_id": "shop", "question": "Who?", "query": "SELECT 1", "query_toks": ["SELECT", "1"]},
        {"db_id": "farm", "question": "What?", "query": "SELECT 2"},
    ]
    assert read_references(written(rows)) == (
        BenchmarkReference(0, "shop", "SELECT 1", "Who?"),
        BenchmarkReference(1, "farm", "SELECT 2", "What?"),
    )


def test_questions_in_birds_form_keep_their_ids(written):
    rows = [
        {"question_id": 17, "db_id": "shop", "SQL": "SELECT 1", "question": "Who?", "evidence": "E"}
    ]
    assert read_references(written(rows)) == (
        BenchmarkReference(17, "shop", "SELECT 1", "Who?", "E", "bird"),
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[", "this is no JSON"),
        ({"db_id": "shop"}, "this is no question file: Input"),
        ([{"db_id": "shop"}], r"0\.query"),
        ([{"query": "SELECT 1"}], r"0\.db_id"),
    ],
)
def test_another_file_is_an_error_that_says_what_is_wrong(written, content, said):
    with pytest.raises(ConfigurationError, match=said):
        read_references(written(content))


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_references(tmp_path / "none.json")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_schemas(tmp_path / "none.json")


def test_tables_have_their_columns_and_keys(written):
    (schema,) = read_schemas(written([TABLES])).values()
    customer, purchase = schema.tables
    assert customer.name == "customer"
    assert customer.columns == (Column("id", "number", False, 1), Column("name", "text", False, 0))
    assert customer.primary_key == ("id",)
    assert [column.name for column in purchase.columns] == ["customer_id", "day", "amount"]
    assert purchase.primary_key == ("customer_id", "day")
    assert purchase.foreign_keys == (ForeignKey(("customer_id",), "customer", ("id",)),)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"foreign_keys": [[3, 99]]}, "not listed"),
        ({"primary_keys": [-1]}, "not listed"),
        ({"column_types": ["text"]}, "not listed"),
        ({"table_names_original": None}, "these are no tables"),
    ],
)
def test_tables_that_contradict_themselves_are_an_error(written, change, said):
    with pytest.raises(ConfigurationError, match=said):
        read_schemas(written([TABLES | change]))
