"""Each choice is read from references as the cases say: open or settled, and which side."""

from __future__ import annotations

import pytest
from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import decide, make_reference
from specbridge_pipeline.choices.conventions.cues import pattern_of
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import resolve_names
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline_tests.choices.conventions.harbours import SCHEMA, read_case_file

_READ = [each for each, convention in CONVENTIONS.items() if convention.read is not None]


def _cases():
    for choice_type in CONVENTIONS:
        file = read_case_file(choice_type)
        for name, question, expected, *evidence in file["cases"]:
            yield pytest.param(
                choice_type,
                file["queries"][name],
                question,
                evidence[0] if evidence else "",
                expected,
                id=f"{choice_type.value}: {name}: {question}",
            )


def _shown(decision):
    if decision is None:
        return "none"
    if not decision.is_open:
        return "settled"
    return ("" if decision.could_differ else "cannot ") + decision.side.value


@pytest.mark.parametrize(("choice_type", "sql", "question", "evidence", "expected"), _cases())
def test_a_reference_is_read_as_its_case_says(choice_type, sql, question, evidence, expected):
    query = resolve_names(parse_query(sql), SCHEMA)
    decision = decide(CONVENTIONS[choice_type], make_reference(question, evidence, query))
    assert _shown(decision) == expected


@pytest.mark.parametrize("choice_type", _READ)
def test_a_choice_has_cases_of_every_kind(choice_type):
    expectations = [case[2] for case in read_case_file(choice_type)["cases"]]
    assert len(expectations) >= 25
    assert {"usual", "other", "none"} <= set(expectations)


_UNREAD = [each for each in CONVENTIONS if each not in _READ]


@pytest.mark.parametrize("choice_type", _UNREAD)
def test_a_choice_that_no_query_shows_is_read_from_none(choice_type):
    cases = read_case_file(choice_type)["cases"]
    assert len(cases) >= 25
    assert {case[2] for case in cases} == {"none"}


def _columns_read(sql):
    query = resolve_names(parse_query(sql), SCHEMA)
    return {
        f"{table.name}.{column.name}"
        for scope in query.scopes
        for node in scope.select.find_all(exp.Column)
        for table, column in [query.origin(scope, node)]
    }


def _facts():
    for choice_type in _UNREAD:
        file = read_case_file(choice_type)
        for fact in file["facts"]:
            sql = file["queries"][fact["query"]]
            yield pytest.param(sql, fact, id=f"{choice_type.value}: {fact['phrase']}: {sql}")


@pytest.mark.parametrize(("sql", "fact"), _facts())
def test_a_query_reads_one_of_the_columns_that_a_phrase_could_mean(sql, fact):
    assert fact["phrase"] in fact["question"]
    known = {f"{table.name}.{column.name}" for table in SCHEMA.tables for column in table.columns}
    assert set(fact["could_mean"]) <= known
    assert _columns_read(sql) & set(fact["could_mean"]) == {fact["reads"]}


def test_every_choice_type_has_its_convention():
    assert set(CONVENTIONS) == set(ChoiceType)
    for convention in CONVENTIONS.values():
        assert (convention.read is None) == bool(convention.unread)
        assert not (convention.edit and convention.unedited)


def _cues():
    for choice_type, convention in CONVENTIONS.items():
        for entry in (*convention.cues.file.asks, *convention.cues.file.settles):
            yield pytest.param(entry, id=f"{choice_type.value}: {entry.cue}")


@pytest.mark.parametrize("entry", _cues())
def test_a_cue_matches_its_examples_and_passes_over_the_others(entry):
    words = pattern_of(entry.words)
    assert [text for text in entry.examples if not words.search(text)] == []
    assert [text for text in entry.passes_over if words.search(text)] == []
