"""The texts themselves, meant to be read by people.

fixtures/exact_descriptions.yaml has what the generator writes, corpus/descriptions.yaml the rest.
"""

from __future__ import annotations

import pytest
import yaml

from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.sql.syntax.tokens import tokens_of
from specbridge_pipeline_tests.exact_description.conftest import FIXTURES
from specbridge_pipeline_tests.support.description_corpus import (
    FOLDER,
    STATEMENTS,
    write_database,
)

CASES = yaml.safe_load((FIXTURES / "exact_descriptions.yaml").read_text(encoding="utf-8"))
KEYWORDS = frozenset(
    {
        "SELECT", "FROM", "WHERE", "GROUP", "BY", "HAVING", "ORDER", "LIMIT", "OFFSET", "JOIN",
        "LEFT", "ON", "USING", "AND", "OR", "NOT", "IN", "IS", "NULL", "LIKE", "BETWEEN", "CASE",
        "WHEN", "THEN", "ELSE", "END", "UNION", "ALL", "DISTINCT", "AS", "WITH", "EXISTS", "CAST",
    }
)  # fmt: skip
CORPUS_CASES = yaml.safe_load((FOLDER / "descriptions.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def corpus_schema(tmp_path_factory):
    path = write_database(tmp_path_factory.mktemp("corpus") / "corpus.sqlite")
    with QueryRunner(workers=1) as runner:
        return runner.read_schema(path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["sql"].replace("\n", " ")[:60])
def test_a_statement_has_the_text_that_was_read_and_approved(case, shop_schema):
    assert describe(case["sql"], shop_schema).text == case["text"].rstrip("\n")


@pytest.mark.parametrize("case", CORPUS_CASES, ids=lambda case: case["name"])
def test_a_statement_of_the_corpus_has_the_text_that_was_read_and_approved(case, corpus_schema):
    assert describe(case["sql"], corpus_schema).text == case["text"].rstrip("\n")


@pytest.mark.parametrize("each", STATEMENTS, ids=lambda each: each.name)
def test_blanks_remarks_and_the_case_of_keywords_leave_a_text_unchanged(each, corpus_schema):
    tokens = [
        token.written.swapcase() if token.text in KEYWORDS else token.written
        for token in tokens_of(each.sql)
    ]
    respelled = " /* ; */ \n".join(tokens) + "; -- done"
    expected = describe(each.sql, corpus_schema).text
    assert describe(respelled, corpus_schema).text == expected


def test_the_texts_are_of_statements_of_the_corpus_of_every_construct():
    statements = {each.name: each for each in STATEMENTS}
    assert len(CORPUS_CASES) >= 120
    for case in CORPUS_CASES:
        assert case["sql"].rstrip("\n") == statements[case["name"]].sql
    covered = {statements[case["name"]].construct for case in CORPUS_CASES}
    assert covered == {each.construct for each in STATEMENTS}


def test_no_two_statements_share_a_text():
    assert len({case["text"] for case in CASES}) == len(CASES)


def test_texts_hold_no_sql():
    keywords = ("SELECT", "FROM", "WHERE", "GROUP BY", "JOIN", "NULL", "COUNT(", "<", ">", " = ")
    for case in CASES:
        assert not [word for word in keywords if word in case["text"]], case["text"]
