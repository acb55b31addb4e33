"""What a text says is what is read: no more, no less, and nothing by guessing."""

from __future__ import annotations

import re

import pytest
import yaml

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnreadableDescriptionError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.way_back.parsing import NOTHING, read_line
from specbridge_pipeline.exact_description.way_back.reading_back import query_from_text
from specbridge_pipeline.exact_description.way_back.words import words_of
from specbridge_pipeline_tests.support.description_corpus import (
    FURTHER_STATEMENTS,
    STATEMENTS,
    WAY_BACK,
)
from specbridge_pipeline_tests.support.projects import CHECKOUT

CHANGES = yaml.safe_load((WAY_BACK / "changed_words.yaml").read_text(encoding="utf-8"))
GRAMMAR = (CHECKOUT / "docs" / "description_grammar.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```text\n(.*?)\n```", GRAMMAR, re.DOTALL)
REMINDER = re.compile(r"\b[0-9]+[a-z]+ (\((?:[^()]|\([^()]*\))*\))")
CASES = yaml.safe_load((WAY_BACK / "readings.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def texts(schema):
    return [describe(each.sql, schema).text for each in (*STATEMENTS, *FURTHER_STATEMENTS)]


def place_of(words: str, text: str) -> int | None:
    """Return where words stand in a text; reminders behind labels are no place."""
    reminders = [found.span(1) for found in REMINDER.finditer(text)]
    for found in re.finditer(re.escape(words), text):
        if not any(start <= found.start() < end for start, end in reminders):
            return found.start()
    return None


@pytest.mark.parametrize("case", CASES["read"], ids=lambda case: case["what"])
def test_a_text_that_a_person_wrote_is_read(case, schema, database, runner):
    read = runner.run(database, query_from_text(case["text"].rstrip("\n"), schema))
    meant = runner.run(database, case["sql"])
    assert sorted(map(repr, read.rows)) == sorted(map(repr, meant.rows))
    assert len(read.rows) > 0
    assert [name for name in read.columns if name in case["columns"]] == case["columns"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.split(".")[1].strip())
def test_a_documented_example_is_read_and_has_its_text_again(example, schema, database, runner):
    read = query_from_text(example, schema)
    assert len(runner.run(database, read).rows) > 0
    assert describe(read, schema).text == example


def test_there_are_documented_examples():
    assert len(EXAMPLES) == 3


@pytest.mark.parametrize("case", CASES["not_read"], ids=lambda case: case["what"])
def test_a_text_that_says_nothing_certain_is_refused(case, schema):
    with pytest.raises(UnreadableDescriptionError) as raised:
        query_from_text(case["text"].rstrip("\n"), schema)
    assert case["error"] in str(raised.value)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change[0].strip())
def test_another_word_is_another_query_or_none(change, schema, texts):
    old, new = change
    changed = {
        text: text[:place] + new + text[place + len(old) :]
        for text in texts
        if (place := place_of(old, text)) is not None
    }
    assert changed != {}
    silent = []
    for text, other in changed.items():
        try:
            read = query_from_text(other, schema)
        except UnreadableDescriptionError:
            continue
        if read == query_from_text(text, schema):
            silent.append(other)
    assert silent == []


@pytest.mark.slow
def test_each_line_that_is_left_out_is_missed_unless_it_is_a_reminder(schema):
    words = words_of(schema)
    dispensable = set()
    for statement in (each for each in STATEMENTS if each.place == 1):
        text = describe(statement.sql, schema).text
        lines = text.split("\n")
        for at, line in enumerate(lines):
            less = "\n".join([*lines[:at], *lines[at + 1 :]])
            try:
                read = query_from_text(less, schema)
            except UnreadableDescriptionError:
                continue
            if read == query_from_text(text, schema):
                dispensable.add(line.strip())
    assert len(dispensable) > 5
    reminders = [set(read_line(line, "sentences", words)) == {NOTHING} for line in dispensable]
    assert all(reminders)


def test_another_engine_is_refused(schema):
    with pytest.raises(UnreadableDescriptionError, match="SQLite"):
        query_from_text("1. Once, return this column:\n   - a: 1", Schema((), Engine.DUCKDB))
