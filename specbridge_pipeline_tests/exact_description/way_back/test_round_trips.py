"""Each statement of the corpus, and some more, goes into words and back."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml

from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.proofs.round_trips import Arrival, round_trip
from specbridge_pipeline.exact_description.way_back import parsing
from specbridge_pipeline.exact_description.way_back.grammar import grammar
from specbridge_pipeline.exact_description.way_back.reading_back import query_from_text
from specbridge_pipeline_tests.support.description_corpus import (
    FURTHER_STATEMENTS,
    STATEMENTS,
    WAY_BACK,
)

OPEN = yaml.safe_load((WAY_BACK / "open.yaml").read_text(encoding="utf-8"))
EVERY = (*STATEMENTS, *FURTHER_STATEMENTS)


@pytest.fixture(scope="module")
def descriptions(database, runner):
    schema = runner.read_schema(database)
    return {each.name: describe(each.sql, schema) for each in EVERY}


@pytest.mark.slow
def test_each_statement_goes_there_and_back_unless_it_is_listed(database, runner, descriptions):
    schema = runner.read_schema(database)
    found = {
        each.name: round_trip(
            lambda sql, rows: runner.run(database, sql), each.sql, schema, descriptions[each.name]
        )
        for each in EVERY
    }
    lost = {name: trip.reason for name, trip in found.items() if not trip.goes_back}
    assert lost == OPEN["lost"]
    by_text = {name for name, trip in found.items() if trip.arrival is Arrival.SAME_TEXT}
    without_rows = {
        each.name
        for each in EVERY
        if getattr(runner.run(database, each.sql), "rows", None) in ((), [])
    }
    assert sorted(by_text & without_rows) == sorted(OPEN["by_text"]["no_row"])
    assert sorted(by_text - without_rows) == sorted(OPEN["by_text"]["open"])


@pytest.mark.slow
def test_every_rule_of_the_grammar_is_read(database, runner, descriptions, monkeypatch):
    schema = runner.read_schema(database)
    read: Counter[int] = Counter()
    meant = parsing._meant

    def counted(rule, parts):
        read[id(rule)] += 1
        return meant(rule, parts)

    monkeypatch.setattr(parsing, "_meant", counted)
    for each in descriptions.values():
        query_from_text(each.text, schema)
    # What is in brackets is the catalogue's; test_reading_back.py has one.
    unread = [
        (part, rule.meaning, rule.written)
        for part, rules in grammar().items()
        for rule in rules
        if not read[id(rule)] and part != "meaning"
    ]
    assert unread == []


@pytest.mark.slow
def test_every_statement_that_settles_its_result_has_its_text_again(database, runner, descriptions):
    """Most queries that are read back are even described by the same words."""
    schema = runner.read_schema(database)
    same = sum(
        describe(query_from_text(each.text, schema), schema).text == each.text
        for each in descriptions.values()
    )
    assert same >= len(descriptions) * 0.98


NAMES = "SELECT name FROM city"


@pytest.mark.parametrize(
    ("sql", "described", "arrival", "reason"),
    [
        (NAMES, NAMES, Arrival.SAME_RESULT, ""),
        (NAMES, "SELECT name FROM city ORDER BY name", Arrival.SAME_RESULT, ""),
        (NAMES, "SELECT country AS name FROM city", Arrival.LOST, "the result is another one"),
        (NAMES, "SELECT name AS town FROM city", Arrival.LOST, "called something else"),
        (NAMES, "SELECT name, id FROM city", Arrival.LOST, "called something else"),
        ("SELECT id FROM city ORDER BY id DESC", "SELECT id FROM city", Arrival.LOST, "another"),
        ("SELECT id FROM nowhere", "SELECT id FROM city", Arrival.SAME_TEXT, ""),
        ("SELECT id FROM city WHERE 0", "SELECT id FROM city WHERE 0", Arrival.SAME_TEXT, ""),
        ("SELECT id FROM city ORDER BY name LIMIT 0", "SELECT id FROM city", Arrival.LOST, "anot"),
    ],
)
def test_a_query_comes_back_or_the_reason_is_said(
    database, runner, sql, described, arrival, reason
):
    schema = runner.read_schema(database)
    trip = round_trip(
        lambda each, rows: runner.run(database, each), sql, schema, describe(described, schema)
    )
    assert trip.arrival is arrival
    assert reason in trip.reason
    assert trip.goes_back is (not trip.reason)


def test_without_a_database_the_text_is_compared(database, runner):
    schema = runner.read_schema(database)
    description = describe("SELECT name, length(name) FROM city", schema)
    trip = round_trip(None, "SELECT name, length(name) FROM city", schema, description)
    assert trip.arrival is Arrival.SAME_TEXT
