"""An edit is trusted only where it passes every gate; each gate refuses what it is there for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import make_reference
from specbridge_pipeline.choices.conventions.editing import OtherSide, Unsound
from specbridge_pipeline.choices.conventions.proving import (
    DatabaseData,
    Gate,
    NotProved,
    ProvedEdit,
    prove,
)
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import resolve_names
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline_tests.choices.conventions.harbours import SCHEMA, open_database
from specbridge_pipeline_tests.support.in_process_engine import runner_on

_CUTOFF = CONVENTIONS[ChoiceType.STRICT_CUTOFF]
_QUESTION = "Which boats were built after 1990?"
_BUILT = "SELECT name FROM boats WHERE built > 1990"


def _proof(sql=_BUILT, edit=None, run=None):
    convention = _CUTOFF if edit is None else replace(_CUTOFF, edit=edit)
    reference = make_reference(_QUESTION, "", resolve_names(parse_query(sql), SCHEMA))
    reading = next(iter(convention.read(reference)))
    return prove(convention, reference, reading, sql, run=run)


def _edit_to(sql):
    return lambda draft: OtherSide(parse_query(sql), "It does one thing.", "It does another.")


def test_a_sound_edit_comes_with_both_sides_in_words():
    run = runner_on(open_database({}))
    assert _proof(run=run) == ProvedEdit(
        "SELECT name FROM boats WHERE built >= 1990",
        _BUILT,
        "Rows are kept where boats.built is greater than 1990.",
        "Rows are kept where boats.built is greater than or equal to 1990.",
        True,
    )
    assert _proof().ran is False


@pytest.mark.parametrize(
    ("edited", "gate", "said"),
    [
        ("SELECT name FROM boats WHERE built > 1990", Gate.ONE_STEP, "the same"),
        (
            "SELECT name FROM (SELECT name, built FROM boats WHERE boat_id IN (SELECT boat_id "
            "FROM trips WHERE fare > (SELECT AVG(fare) FROM trips))) AS b WHERE built >= 1990",
            Gate.ONE_STEP,
            "differ",
        ),
        ("SELECT owner FROM boats WHERE built >= 1990", Gate.OUTPUTS, "other names"),
        ("SELECT name FROM boats WHERE (1990 < built)", Gate.DESCRIBED, "the same"),
        ("SELECT name FROM boats WHERE nothing >= 1990", Gate.DESCRIBED, ""),
        ("SELECT name FROM boats WHERE built < 1990", Gate.READ_AGAIN, "it took"),
    ],
)
def test_each_gate_refuses_what_it_is_there_for(edited, gate, said):
    found = _proof(edit=_edit_to(edited))
    assert isinstance(found, NotProved)
    assert found.gate is gate
    assert said in found.reason


def test_an_edit_that_gives_no_result_is_refused():
    run = runner_on(open_database({}))
    sql = (
        "SELECT name FROM boats WHERE built >= 1990 AND abs(boat_id - 9223372036854775807 - 2) > 0"
    )
    found = _proof(edit=_edit_to(sql), run=run)
    # No row, nothing computed: with one, the engine overflows.
    assert isinstance(found, ProvedEdit)
    run = runner_on(open_database({"boats": [[1, "Alma", "ferry", 20, "Ann", 1990, 1]]}))
    found = _proof(edit=_edit_to(sql), run=run)
    assert isinstance(found, NotProved)
    assert found.gate is Gate.RUNS


def test_a_query_that_gives_no_result_proves_nothing():
    run = runner_on(open_database({"boats": [[1, "Alma", "ferry", 20, "Ann", 1991, 1]]}))
    found = _proof(
        "SELECT name FROM boats WHERE built > 1990 AND abs(boat_id - 9223372036854775807 - 2) > 0",
        run=run,
    )
    assert isinstance(found, NotProved)
    assert (found.gate, found.reason) == (Gate.WRITTEN, "the query itself gives no result")


def test_what_cannot_be_edited_says_why():
    found = _proof(edit=lambda draft: Unsound("It cannot be told."))
    assert found == NotProved(Gate.EDITED, "It cannot be told.")


def test_an_edit_cannot_touch_the_query_it_was_made_of():
    query = resolve_names(parse_query(_BUILT), SCHEMA)
    reference = make_reference(_QUESTION, "", query)
    reading = next(iter(_CUTOFF.read(reference)))

    def destroy(draft):
        draft.node.replace(exp.true())
        return Unsound("Destroyed.")

    prove(replace(_CUTOFF, edit=destroy), reference, reading, _BUILT)
    assert query.tree.sql("sqlite") == _BUILT


def test_a_type_without_an_edit_has_nothing_to_prove():
    reference = make_reference(_QUESTION, "", resolve_names(parse_query(_BUILT), SCHEMA))
    reading = next(iter(_CUTOFF.read(reference)))
    with pytest.raises(ValueError, match="no edit"):
        prove(replace(_CUTOFF, edit=None), reference, reading, _BUILT)


def test_data_are_asked_of_the_database():
    rows = {"crew": [[1, "Ann", 40, None, 10, 1], [2, "Ben", 40, "Dane", 10, 1]]}
    data = DatabaseData(runner_on(open_database(rows)))
    crew = next(table for table in SCHEMA.tables if table.name == "crew")
    columns = {column.name: column for column in crew.columns}
    assert data.missing(crew, columns["nationality"]) is True
    assert data.missing(crew, columns["name"]) is False
    assert data.repeats(parse_query("SELECT age FROM crew")) is True
    assert data.repeats(parse_query("SELECT name FROM crew")) is False
    assert data.repeats(parse_query("SELECT nothing FROM nowhere")) is None
