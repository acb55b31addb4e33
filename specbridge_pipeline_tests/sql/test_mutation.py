"""Mutants of a statement: what they are, and what holds for all of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.mutation.kinds import Change, Edit, MutationKind
from specbridge_pipeline.sql.mutation.mutants import changed, mutants
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline_tests.support.description_corpus import STATEMENTS, write_database

FILE = Path(__file__).with_name("mutations.yaml")
CASES = yaml.safe_load(FILE.read_text(encoding="utf-8"))


def table(name: str, columns: dict[str, str]) -> Table:
    listed = tuple(Column(column, declared, False, 0) for column, declared in columns.items())
    return Table(name, listed, ())


SHOP = Schema(
    (
        table("customer", {"id": "INTEGER", "name": "TEXT", "city": "TEXT"}),
        table("purchase", {"id": "INTEGER", "customer_id": "INTEGER", "amount": "REAL"}),
    )
)


@pytest.fixture(scope="module")
def corpus_schema(tmp_path_factory):
    path = write_database(tmp_path_factory.mktemp("corpus") / "corpus.sqlite")
    with QueryRunner(workers=1) as runner:
        return runner.read_schema(path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}: {case['of']}")
def test_mutants_of_a_kind_are_those_of_the_file(case):
    found = [one.sql for one in mutants(case["of"], SHOP) if one.kind.value == case["kind"]]
    assert found == case["gives"]


def test_the_file_has_each_kind():
    assert {case["kind"] for case in CASES} == {kind.value for kind in MutationKind}


@pytest.mark.parametrize("statement", STATEMENTS[::5], ids=lambda each: each.name)
def test_each_mutant_parses_and_differs_where_it_says(statement, corpus_schema):
    seen = {" ".join(statement.sql.split())}
    for one in mutants(statement.sql, corpus_schema):
        parse_query(one.sql)
        assert one.sql[: one.place - 1] == statement.sql[: one.place - 1]
        text = " ".join(one.sql.split())
        assert text not in seen
        seen.add(text)


def test_mutants_are_the_same_in_every_hash_order():
    program = (
        "import json, sys\n"
        "from specbridge_pipeline_tests.sql.test_mutation import CASES, SHOP\n"
        "from specbridge_pipeline.sql.mutation.mutants import mutants\n"
        "json.dump([[(m.kind, m.place, m.sql) for m in mutants(c['of'], SHOP)] for c in CASES],"
        " sys.stdout)\n"
    )

    def under(seed: str) -> object:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        return json.loads(done.stdout)

    assert under("1") == under("2")


def test_a_name_that_is_a_column_is_no_text_in_double_quotes():
    sql = 'SELECT name FROM customer WHERE "city" = "Rome"'
    constants = [one.sql for one in mutants(sql, SHOP) if one.kind is MutationKind.CONSTANT]
    assert constants
    assert all('"city" = ' in text for text in constants)


def test_comments_and_spelling_stay_as_they_are():
    sql = "select [name] -- who\nfrom `customer` /* all */ where city == 'Rome';"
    for one in mutants(sql, SHOP):
        assert "-- who\n" in one.sql
        assert "/* all */" in one.sql
        assert one.sql.endswith(";")


def test_an_unfinished_quotation_is_an_error():
    with pytest.raises(UnusableReferenceError, match="unfinished quotation"):
        list(mutants("SELECT 'a", SHOP))


def test_edits_of_the_same_characters_are_an_error():
    change = Change(MutationKind.COLUMN, (Edit(0, 3, "a"), Edit(2, 4, "b")))
    with pytest.raises(ValueError, match="same characters"):
        changed("SELECT", change)
