"""An edit takes the other side of its choice, in one step, and gives what its sentence says."""

from __future__ import annotations

import pytest

from specbridge_pipeline.choices.conventions.convention import Side, make_reference
from specbridge_pipeline.choices.conventions.editing import NoData, Unsound, draft
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.sql.changed_step import changed_step
from specbridge_pipeline.sql.column_origins import resolve_names
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline_tests.choices.conventions.harbours import (
    SCHEMA,
    open_database,
    read_case_file,
)

_EDITED = [each for each, convention in CONVENTIONS.items() if convention.edit is not None]


class _MadeData(NoData):
    """The rows of a case, asked directly."""

    def __init__(self, connection):
        self._connection = connection

    def missing(self, table, column):
        sql = f'SELECT COUNT(*) FROM "{table.name}" WHERE "{column.name}" IS NULL'
        return next(self._connection.execute(sql))[0] > 0

    def repeats(self, query):
        rows = list(self._connection.execute(emit(query)))
        return len(set(rows)) < len(rows)


def _edits():
    for choice_type in _EDITED:
        file = read_case_file(choice_type)
        for each in file.get("edits", []):
            question = each.get("question") or next(
                case[1] for case in file["cases"] if case[0] == each["query"]
            )
            sql = file["queries"][each["query"]]
            yield pytest.param(choice_type, sql, question, each, id=f"{choice_type}: {sql}")


def _edit(choice_type, sql, question, data):
    convention = CONVENTIONS[choice_type]
    query = resolve_names(parse_query(sql), SCHEMA)
    reading = next(iter(convention.read(make_reference(question, "", query))))
    copy = draft(
        query,
        reading.scope,
        reading.node,
        form=reading.form,
        is_usual=reading.side is Side.USUAL,
        data=data,
        detail=reading.detail,
    )
    return convention.edit(copy)


@pytest.mark.parametrize(("choice_type", "sql", "question", "expected"), _edits())
def test_an_edit_takes_the_other_side_in_one_step(choice_type, sql, question, expected):
    connection = open_database(expected.get("rows", {}))
    found = _edit(choice_type, sql, question, _MadeData(connection) if "rows" in expected else None)
    if "refused" in expected:
        assert isinstance(found, Unsound)
        assert found.reason == expected["refused"]
        return
    assert not isinstance(found, Unsound), found.reason
    edited = emit(found.tree)
    assert edited == expected["edited"]
    assert (found.taken, found.other) == (expected["taken"], expected["other"])
    assert changed_step(sql, edited).reason == ""
    assert describe(sql, SCHEMA).text != describe(edited, SCHEMA).text
    answers = [sorted(map(list, connection.execute(each)), key=repr) for each in (sql, edited)]
    if "answers" in expected:
        assert answers == [sorted(rows, key=repr) for rows in expected["answers"]]


@pytest.mark.parametrize("choice_type", _EDITED)
def test_an_edit_is_shown_on_data_made_for_it(choice_type):
    shown = [each for each in read_case_file(choice_type)["edits"] if "answers" in each]
    assert shown
    for each in shown:
        before, after = each["answers"]
        assert before != after
