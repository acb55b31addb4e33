"""`specbridge study edits` on small files, with and without a database."""

from __future__ import annotations

import json

import apsw
import pytest
from click.testing import CliRunner

from specbridge_pipeline.cli.main import cli

_QUESTIONS = [
    ("Which ships were built after 1990?", "SELECT name FROM ships WHERE built > 1990"),
    ("Say which ships were built after 1990.", "SELECT name  FROM ships WHERE built > 1990"),
    ("Which ships were built from 1990 on?", "SELECT name FROM ships WHERE built >= 1990"),
    ("Which were built before 1990?", "SELECT name FROM ships WHERE built < 1990 AND abs(-1) = 2"),
    ("A broken one", "SELECT name FROM"),
]


@pytest.fixture
def files(tmp_path):
    questions = [{"db_id": "ships", "question": a, "query": b} for a, b in _QUESTIONS]
    tables = [
        {
            "db_id": "ships",
            "table_names_original": ["ships"],
            "column_names_original": [[-1, "*"], [0, "ship_id"], [0, "name"], [0, "built"]],
            "column_types": ["text", "number", "text", "number"],
            "primary_keys": [1],
            "foreign_keys": [],
        }
    ]
    (tmp_path / "dev.json").write_text(json.dumps(questions), "utf-8")
    (tmp_path / "tables.json").write_text(json.dumps(tables), "utf-8")
    (tmp_path / "databases" / "ships").mkdir(parents=True)
    connection = apsw.Connection(str(tmp_path / "databases" / "ships" / "ships.sqlite"))
    connection.execute("CREATE TABLE ships (ship_id INTEGER PRIMARY KEY, name TEXT, built INTEGER)")
    connection.execute("INSERT INTO ships VALUES (1, 'Ada', 1990), (2, 'Eva', 1991)")
    connection.close()
    return tmp_path


def _study(files, *more):
    arguments = ["study", "edits", "--questions", str(files / "dev.json")]
    done = CliRunner().invoke(cli, [*arguments, "--tables", str(files / "tables.json"), *more])
    assert done.exit_code == 0, done.output
    return done.output


def _of(entries, **values):
    return next(each for each in entries if all(each[k] == v for k, v in values.items()))


def test_a_query_of_several_questions_is_edited_once(files):
    result = json.loads(_study(files, "--databases", str(files / "databases"), "--json"))
    assert _of(result["types"], type="strict_cutoff") == {
        "type": "strict_cutoff",
        "readings": 3,
        "proved": 3,
        "ran": 3,
        "refused": 0,
        "failed": 0,
    }
    assert _of(result["forms"], type="strict_cutoff", form="strict")["readings"] == 2


def test_without_a_database_edits_are_proved_but_not_run(files):
    found = _of(json.loads(_study(files, "--json"))["types"], type="strict_cutoff")
    assert (found["proved"], found["ran"]) == (3, 0)


def test_what_is_not_proved_stands_with_gate_reason_and_questions(files):
    (files / "databases" / "ships" / "ships.sqlite").unlink()
    connection = apsw.Connection(str(files / "databases" / "ships" / "ships.sqlite"))
    connection.execute("CREATE TABLE ships (ship_id INTEGER PRIMARY KEY, name TEXT)")
    connection.close()
    result = json.loads(_study(files, "--databases", str(files / "databases"), "--json"))
    assert result["reasons"]["strict_cutoff"] == [
        {
            "gate": "written back",
            "reason": "the query itself gives no result",
            "count": 3,
            "questions": ["dev/0", "dev/2", "dev/3"],
        }
    ]


def test_counts_are_written_without_any_text(files):
    _study(files, "--out", str(files / "edits.json"))
    text = (files / "edits.json").read_text("utf-8")
    assert json.loads(text)["readings"] >= 3
    assert "SELECT" not in text
    assert "ships" not in text


def test_people_read_tables(files):
    said = _study(files)
    assert "By what the query writes" in said
    assert "strict cutoff" in said
