"""`specbridge study answer-changes` on small files, and the library that it writes."""

from __future__ import annotations

import json
import re

import apsw
import pytest
from click.testing import CliRunner

from specbridge_pipeline.choices.answer_changes.records import ANSWER_CHANGES
from specbridge_pipeline.choices.answer_changes.study import study_answer_changes
from specbridge_pipeline.choices.choice_library import (
    Confidence,
    Origin,
    ReviewedAs,
    counts_of_failures,
    library_of_references,
    read_library,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.cli.main import cli
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.records.cells import CellStore
from specbridge_pipeline.records.row_files import read_rows
from specbridge_pipeline.reporting.answer_changes import answer_changes
from specbridge_pipeline.settings import Project
from specbridge_pipeline_tests.support.projects import CHECKOUT

_QUESTIONS = [
    ("ships", "Which ships were built after 1990?", "SELECT name FROM ships WHERE built > 1990"),
    ("ships", "Say the ships built after 1990.", "SELECT name  FROM ships WHERE built > 1990"),
    ("ships", "Which ships were built after 1991?", "SELECT name FROM ships WHERE built > 1991"),
    (
        "ships",
        "Which ships were built in 1990 or later?",
        "SELECT name FROM ships WHERE built >= 1990",
    ),
    (
        "ships",
        "How many ships were built after 1991 and refitted after 2000?",
        "SELECT COUNT(*) FROM ships WHERE built > 1991 AND refitted > 2000",
    ),
    (
        "ships",
        "Which ships are called Ada?",
        "SELECT refitted FROM ships WHERE name LIKE '%Ada%' AND built > 1 AND nothing = 3",
    ),
    ("boats", "Which boats were built after 1990?", "SELECT name FROM ships WHERE built > 1990"),
]


def _tables(*names):
    return [
        {
            "db_id": name,
            "table_names_original": ["ships"],
            "column_names_original": [
                *([-1, "*"], [0, "ship_id"], [0, "name"], [0, "built"], [0, "refitted"])
            ],
            "column_types": ["text", "number", "text", "number", "number"],
            "primary_keys": [1],
            "foreign_keys": [],
        }
        for name in names
    ]


@pytest.fixture
def files(tmp_path):
    questions = [{"db_id": db, "question": a, "query": b} for db, a, b in _QUESTIONS]
    (tmp_path / "dev.json").write_text(json.dumps(questions), "utf-8")
    (tmp_path / "tables.json").write_text(json.dumps(_tables("ships", "boats")), "utf-8")
    (tmp_path / "databases" / "ships").mkdir(parents=True)
    connection = apsw.Connection(str(tmp_path / "databases" / "ships" / "ships.sqlite"))
    connection.execute(
        "CREATE TABLE ships "
        "(ship_id INTEGER PRIMARY KEY, name TEXT, built INTEGER, refitted INTEGER)"
    )
    connection.execute(
        "INSERT INTO ships VALUES (1, 'Ada', 1990, 2000), (2, 'Eva', 1993, 2000), "
        "(3, 'Ida', 1995, 2005)"
    )
    connection.close()
    return tmp_path


def _study(files, *more, code=0):
    arguments = ["study", "answer-changes", "--questions", str(files / "dev.json")]
    arguments += ["--tables", str(files / "tables.json"), "--type", "strict_cutoff"]
    arguments += ["--databases", str(files / "databases")]
    done = CliRunner().invoke(cli, [*arguments, *more])
    assert done.exit_code == code, done.output
    return done.output


def _rows(files, *more):
    out = files / "rows.csv"
    _study(files, "--out", str(out), *more)
    return {row["question_id"]: row for row in read_rows(out, ANSWER_CHANGES)}


def test_only_open_questions_have_a_row_and_each_of_a_query_has_its_own(files):
    rows = _rows(files)
    assert "3" not in rows
    assert {name: rows["0"][name] for name in rows["0"] if name != "question_id"} == {
        name: rows["1"][name] for name in rows["1"] if name != "question_id"
    }


def test_what_changes_says_how_and_what_stays_does_not(files):
    rows = _rows(files)
    changed, same = rows["0"], rows["2"]
    assert (changed["effect"], changed["move"]) == ("changed", "other rows")
    assert (changed["reference_rows"], changed["other_rows"]) == (2, 3)
    assert (changed["rows_lost"], changed["rows_gained"]) == (0, 1)
    assert (changed["form"], changed["other_form"], changed["step"]) == ("strict", "inclusive", 1)
    assert (same["effect"], same["comparison"], same["move"]) == ("same", "equal", "")


def test_of_several_places_the_one_counts_that_changes_the_answer(files):
    row = _rows(files)["4"]
    assert (row["places"], row["proved"]) == (2, 2)
    assert (row["effect"], row["move"], row["relative_move"]) == ("changed", "over half", 1.0)


def test_a_database_that_is_not_at_hand_is_said(files):
    assert _rows(files)["6"]["effect"] == "no database"


def test_counts_are_of_questions_and_by_move(files):
    types = {each["type"]: each for each in json.loads(_study(files, "--json"))["types"]}
    cutoffs = types["strict_cutoff"]
    assert (cutoffs["open"], cutoffs["with_database"], cutoffs["edited"]) == (5, 4, 4)
    assert (cutoffs["changed"], cutoffs["share"]) == (3, 0.75)
    assert {move: count for move, count in cutoffs["moves"].items() if count} == {
        "over half": 1,
        "other rows": 2,
    }
    assert types["any"]["changed"] == types["published"]["changed"] == 3


def test_rows_and_library_hold_no_text_and_no_value(files):
    _study(files, "--out", str(files / "rows.csv"), "--library", str(files / "library.json"))
    for name in ("rows.csv", "library.json"):
        text = (files / name).read_text("utf-8")
        assert not re.search(r"SELECT|Which|Ada|199\d|refitted", text), name


def test_the_library_has_a_record_for_each_answer_that_changes(files):
    _study(files, "--library", str(files / "library.json"))
    library = read_library(files / "library.json")
    assert [each.id for each in library.records] == [
        f"spider/dev/{number}/strict_cutoff" for number in (0, 1, 4)
    ]
    record = library.records[0]
    assert (record.origin, record.confidence) == (Origin.REFERENCE, Confidence.RULES)
    assert record.open_by_cues
    assert record.open_by_reviewers is None
    assert (record.edit.taken, record.edit.other) == ("strict", "inclusive")
    assert record.evidence.rows_gained == 1


def test_references_are_no_failures(files):
    _study(files, "--library", str(files / "library.json"))
    library = read_library(files / "library.json")
    assert counts_of_failures(library) == dict.fromkeys(ChoiceType, (0, 0))
    failure = library.records[0].model_copy(
        update={"origin": Origin.FAILURE, "open_by_reviewers": ReviewedAs.CONTESTED}
    )
    settled = failure.model_copy(update={"open_by_reviewers": ReviewedAs.SETTLED})
    more = library.model_copy(update={"records": (*library.records, failure, settled)})
    assert counts_of_failures(more)[ChoiceType.STRICT_CUTOFF] == (1, 1)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": 1, "records": [{}]}', '{"format": 1, "more": 2, "records": []}']
)
def test_what_is_no_library_is_refused(tmp_path, text):
    (tmp_path / "library.json").write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match="no choice library"):
        read_library(tmp_path / "library.json")


def test_no_library_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_library(tmp_path / "library.json")


def test_people_see_both_answers_side_by_side(files):
    said = _study(files, "--show", "3")
    assert "How many ships were built after 1991" in said
    assert "is greater than 2000" in said
    assert "is greater than or equal to 2000" in said
    assert "«1»" in said
    assert "«2»" in said
    assert "ships 2" not in said
    unchanged = _study(files, "--show", "3", "--unchanged")
    assert "after 1991?" in unchanged
    assert "after 1990" not in unchanged


def test_no_open_question_is_said(files):
    (files / "dev.json").write_text("[]", "utf-8")
    assert "no open question" in _study(files)


def test_an_unknown_type_is_refused(files):
    assert "strict_cutoff" in _study(files, "--type", "cutoffs", code=2)


def test_a_confirmed_side_makes_a_record_read_and_a_dropped_one_none(files):
    row = _rows(files)["0"]
    changed = {**row, "confirmed": True}
    assert library_of_references([changed]).records[0].confidence is Confidence.READ
    decision = {"open": True, "verdict": "dropped", **dict.fromkeys(("benchmark", "source"), "x")}
    assert study_answer_changes([], [{**decision, "question_id": "1"}], {}) == []


def test_the_shipped_library_is_that_of_the_shipped_rows(tmp_path):
    """When this fails: `specbridge study answer-changes --library` writes it anew."""
    project = Project(CHECKOUT)
    rows = answer_changes(CellStore(tmp_path), project, []).rows
    shipped = read_library(project.derived / "conventions" / "choice_library.json")
    assert shipped == library_of_references(rows)
    assert shipped.records
