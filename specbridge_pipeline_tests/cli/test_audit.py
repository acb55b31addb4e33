"""`specbridge audit` as its user, and a gate of a change, meet it."""

from __future__ import annotations

import json
import subprocess
import sys

import apsw
import pytest

COMMAND = (sys.executable, "-m", "specbridge_pipeline.cli", "audit")
_NEW = "SELECT name FROM boats WHERE built > 1990"
_NEWER = "SELECT COUNT(*) FROM boats WHERE built > 1994"


@pytest.fixture
def boats(tmp_path):
    path = tmp_path / "boats.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute(
        "CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, name TEXT, built INTEGER);"
        "INSERT INTO boats VALUES (1, '*Alma*', 1990), (2, 'Bora', 1991), (3, 'Cleo', 1995)"
    )
    connection.close()
    return path


def audit(database, *more, said=None):
    return subprocess.run(
        [*COMMAND, "--db", str(database), *map(str, more)],
        capture_output=True,
        text=True,
        check=False,
        input=said,
    )


def test_a_choice_that_changes_the_answer_closes_the_gate(boats):
    done = audit(boats, _NEW)
    assert done.returncode == 3, done.stderr
    assert "Unsettled, and the answer changes" in done.stdout
    assert "3 rows instead of 2" in done.stdout
    assert "SELECT name FROM boats WHERE built >= 1990" in done.stdout
    assert "sqlite" in done.stdout.splitlines()[0]


def test_a_choice_without_effect_leaves_it_open(boats):
    done = audit(boats, _NEWER)
    assert done.returncode == 0, done.stderr
    assert "strict cutoff: the same answer" in done.stdout


def test_who_sets_up_the_gate_chooses_what_closes_it(boats):
    assert audit(boats, _NEW, "--fail-on", "never").returncode == 0
    assert audit(boats, _NEW, "--fail-on", "against_wording").returncode == 0
    against = ("--question", "Which boats were built in at least 1990?")
    assert audit(boats, _NEW, *against, "--fail-on", "against_wording").returncode == 3


def test_json_keeps_the_types_of_cells(boats):
    done = audit(boats, "-", "--json", said=_NEW)
    assert done.returncode == 3
    (found,) = json.loads(done.stdout)["audits"]
    assert found["name"] == "standard input"
    assert found["gravest"] == "unsettled"
    (finding,) = [each for each in found["findings"] if each["choice"] == "strict_cutoff"]
    assert finding["answer"]["changed"] is True
    assert finding["answer"]["rows"] == [
        {"here": None, "there": [{"type": "text", "value": "*Alma*"}]}
    ]


def test_markdown_shows_cells_as_they_are(boats):
    done = audit(boats, _NEW, "--markdown")
    assert "| only there | '\\*Alma\\*' |" in done.stdout
    assert "```sql\nSELECT name FROM boats WHERE built >= 1990\n```" in done.stdout


def test_a_folder_of_queries_is_audited_in_one_call(boats, tmp_path):
    folder = tmp_path / "compiled"
    (folder / "marts").mkdir(parents=True)
    (folder / "new.sql").write_text(
        "-- a comment\n-- question: Which boats were built in more than 1990?\n" + _NEW + ";\n"
    )
    (folder / "marts" / "newer.sql").write_text(_NEWER)
    done = audit(boats, folder, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = {each["name"]: each for each in json.loads(done.stdout)["audits"]}
    assert set(found) == {"new.sql", "marts/newer.sql"}
    assert found["new.sql"]["question"] == "Which boats were built in more than 1990?"
    (folder / "broken.sql").write_text("SELEC name")
    done = audit(boats, folder)
    assert done.returncode == 2
    assert "not audited" in done.stdout
    assert "3 queries" in done.stdout
    (folder / "open.sql").write_text(_NEW)
    assert audit(boats, folder).returncode == 3


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "give a query"),
        (("nowhere.sql",), "cannot be read"),
        ((_NEW, "--json", "--markdown"), "not both"),
    ],
)
def test_what_cannot_be_done_is_said(boats, more, said):
    done = audit(boats, *more)
    assert done.returncode not in (0, 3, 4)
    assert said in done.stderr
    assert done.stdout == ""


def test_a_folder_without_queries_is_a_mistake(boats, tmp_path):
    (tmp_path / "empty").mkdir()
    done = audit(boats, tmp_path / "empty")
    assert done.returncode == 1
    assert "no queries in the folder" in done.stderr


def test_a_database_that_is_not_there_is_named(tmp_path):
    done = audit(tmp_path / "nowhere.sqlite", _NEW)
    assert done.returncode == 1
    assert "there is no such database" in done.stderr
