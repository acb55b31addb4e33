"""An audit finds the choices of a query, says what settles them, and whether the answer changes."""

from __future__ import annotations

import apsw
import pytest
import yaml

from specbridge_pipeline.choices.audit import Status, audit
from specbridge_pipeline.choices.audit.answers import show_answer
from specbridge_pipeline.choices.audit.team_conventions import read_team_conventions
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.errors import ConfigurationError, UnusableReferenceError
from specbridge_pipeline_tests.support.in_process_engine import runner_on

_ROWS = """
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, name TEXT, length INTEGER, built INTEGER);
INSERT INTO boats VALUES (1, 'Alma', 20, 1990), (2, 'Bora', 20, 1991), (3, 'Cleo', 12, 1995);
"""
_NEW = "SELECT name FROM boats WHERE built > 1990"
_NEWER = "SELECT COUNT(*) FROM boats WHERE built > 1994"


@pytest.fixture(scope="module")
def runner():
    with QueryRunner(workers=1) as running:
        yield running


@pytest.fixture
def boats(tmp_path):
    path = tmp_path / "boats.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute(_ROWS)
    connection.close()
    return path


def _only(found, name):
    (finding,) = [each for each in found.findings if each.name == name]
    return finding


def test_an_open_choice_that_changes_the_answer_is_unsettled(boats, runner):
    found = audit(boats, _NEW, "Which boats were built after 1990?", runner=runner)
    finding = _only(found, "strict_cutoff")
    assert finding.status is Status.UNSETTLED
    assert finding.changes_answer
    assert finding.answer.summary == "3 rows instead of 2"
    assert [each.candidate for each in finding.answer.rows] == [("Alma",)]
    assert finding.sql == "SELECT name FROM boats WHERE built >= 1990"
    assert found.gravest is Status.UNSETTLED


def test_without_a_question_every_choice_is_looked_at(boats, runner):
    assert _only(audit(boats, _NEW, runner=runner), "strict_cutoff").status is Status.UNSETTLED


def test_a_question_that_settles_a_choice_as_the_query_does_ends_it(boats, runner):
    found = audit(boats, _NEW, "Which boats were built in more than 1990?", runner=runner)
    finding = _only(found, "strict_cutoff")
    assert finding.status is Status.WITHOUT_EFFECT
    assert "the question settles it" in finding.reason
    assert found.gravest is Status.WITHOUT_EFFECT


def test_a_question_that_settles_a_choice_otherwise_comes_first(boats, runner):
    found = audit(boats, _NEW, "Which boats were built in at least 1990?", runner=runner)
    assert found.findings[0].name == "strict_cutoff"
    assert found.findings[0].status is Status.AGAINST_WORDING
    assert found.gravest is Status.AGAINST_WORDING


def test_against_the_wording_without_effect_stands_among_the_last(boats, runner):
    found = audit(boats, _NEWER, "How many boats were built in at least 1994?", runner=runner)
    finding = _only(found, "strict_cutoff")
    assert finding.status is Status.WITHOUT_EFFECT
    assert "the other way" in finding.reason


def test_a_choice_without_effect_on_the_data_says_so(boats, runner):
    finding = _only(audit(boats, _NEWER, runner=runner), "strict_cutoff")
    assert finding.status is Status.WITHOUT_EFFECT
    assert finding.reason == "the same answer"


def test_a_team_settles_a_choice_once(boats, runner):
    entry = {
        "choice": "strict_cutoff",
        "scope": "boats.built",
        "interpretation": "usual",
        "reason": "years are always exclusive here",
    }
    (boats.parent / "conventions.yaml").write_text(yaml.safe_dump({"conventions": [entry]}))
    finding = _only(audit(boats, _NEW, runner=runner), "strict_cutoff")
    assert finding.status is Status.WITHOUT_EFFECT
    assert "years are always exclusive here" in finding.reason
    entry["interpretation"] = "other"
    (boats.parent / "conventions.yaml").write_text(yaml.safe_dump({"conventions": [entry]}))
    finding = _only(audit(boats, _NEW, runner=runner), "strict_cutoff")
    assert finding.status is Status.AGAINST_WORDING


def test_a_column_goes_before_a_table_and_that_before_everywhere(boats, runner, tmp_path):
    entries = [
        {"choice": "strict_cutoff", "scope": scope, "interpretation": side, "reason": scope}
        for scope, side in (("*", "usual"), ("boats.built", "other"), ("boats", "usual"))
    ]
    path = tmp_path / "settled.yaml"
    path.write_text(yaml.safe_dump({"conventions": entries}))
    settled = read_team_conventions(path)
    found = _only(audit(boats, _NEW, conventions=settled, runner=runner), "strict_cutoff")
    assert "boats.built" in found.reason
    other = "SELECT name FROM boats WHERE length > 12"
    found = _only(audit(boats, other, conventions=settled, runner=runner), "strict_cutoff")
    assert found.reason.endswith("it: boats")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("conventions: [{choice: cutoff, interpretation: usual, reason: x}]", "choice"),
        ("conventions: [{choice: ties, interpretation: mine, reason: x}]", "interpretation"),
        ("conventions: [{choice: ties, interpretation: usual}]", "reason"),
        ("settled: []", "'conventions' is missing"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_line(boats, runner, text, said):
    (boats.parent / "conventions.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=said) as caught:
        audit(boats, _NEW, runner=runner)
    assert "conventions.yaml:1" in str(caught.value)


def test_what_gives_no_result_is_no_query_to_audit(boats, runner):
    for sql, said in (("SELECT nothing FROM boats", "no result"), ("DROP TABLE boats", "no query")):
        with pytest.raises(UnusableReferenceError, match=said):
            audit(boats, sql, runner=runner)


def test_the_database_is_left_as_it_was(boats, runner):
    before = boats.read_bytes()
    audit(boats, _NEW, runner=runner)
    assert boats.read_bytes() == before


@pytest.mark.parametrize(
    ("other", "changed", "summary"),
    [
        ("SELECT COUNT(*) FROM boats WHERE length > 12", True, "2 instead of 3, 33% less"),
        ("SELECT COUNT(*) FROM boats WHERE built > 0", False, "the same answer"),
        ("SELECT NULL", True, "no value instead of 3"),
        ("SELECT 'three'", True, "'three' instead of 3"),
        ("SELECT boat_id FROM boats", True, "3 rows instead of 1"),
        ("SELECT nothing", False, "the other interpretation gives no result"),
    ],
)
def test_how_an_answer_moves_is_said(other, changed, summary):
    connection = apsw.Connection(":memory:")
    connection.execute(_ROWS)
    found = show_answer(runner_on(connection), "SELECT COUNT(*) FROM boats", other, Engine.SQLITE)
    assert found.changed is changed
    assert found.summary.startswith(summary)


def test_tied_rows_are_one_answer():
    connection = apsw.Connection(":memory:")
    connection.execute(_ROWS)
    sql = "SELECT name FROM boats ORDER BY length DESC LIMIT 1"
    other = "SELECT name FROM boats WHERE boat_id = 2"
    found = show_answer(runner_on(connection), sql, other, Engine.SQLITE)
    assert not found.changed
