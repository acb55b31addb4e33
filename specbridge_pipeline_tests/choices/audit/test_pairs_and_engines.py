"""Two choices that matter only together, what is suspicious, and databases of the other engine."""

from __future__ import annotations

import apsw
import duckdb
import pytest

from specbridge_pipeline.choices.audit import Status, audit
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.runner import QueryRunner

_TABLES = """
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, name TEXT, built INTEGER);
CREATE TABLE trips (
  trip_id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (boat_id), cargo TEXT
);
"""
_ROWS = """
INSERT INTO boats VALUES (1, 'Alma', 1990), (2, 'Bora', 1991), (3, 'Cleo', NULL);
INSERT INTO trips VALUES
  (1, 1, 'wheat'), (2, 1, 'wheat'), (3, 2, 'wheat'), (4, 3, 'wheat'),
  (5, 1, 'salt'), (6, 2, 'salt'), (7, 3, 'salt');
"""
_MOST = (
    "SELECT t.cargo FROM boats AS b JOIN trips AS t ON t.boat_id = b.boat_id "
    "GROUP BY t.cargo ORDER BY COUNT(b.boat_id) DESC LIMIT 1"
)


@pytest.fixture(scope="module")
def runner():
    with QueryRunner(workers=1) as running:
        yield running


@pytest.fixture
def boats(tmp_path):
    path = tmp_path / "boats.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute(_TABLES + _ROWS)
    connection.close()
    return path


@pytest.fixture
def boats_of_duckdb(tmp_path):
    path = tmp_path / "boats.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(_TABLES + _ROWS)
    return path


def _named(found, name):
    return [each for each in found.findings if each.name == name]


def test_two_choices_that_change_nothing_alone_are_tried_together(boats, runner):
    found = audit(boats, _MOST, "Which cargo was carried by the most boats?", runner=runner)
    alone = _named(found, "counting_unit") + _named(found, "ties")
    assert [each.status for each in alone] == [Status.WITHOUT_EFFECT] * 2
    (together,) = _named(found, "counting_unit+ties")
    assert together.status is Status.UNSETTLED
    assert together.answer.summary == "2 rows instead of 1"
    assert "DISTINCT" in together.sql
    assert "RANK()" in together.sql


def test_what_is_suspicious_comes_without_a_question(boats, runner):
    sql = "SELECT name FROM boats WHERE name = 'alma'"
    (finding,) = _named(audit(boats, sql, runner=runner), "other_spelling")
    assert finding.status is Status.SUSPICIOUS
    assert finding.answer.summary == "1 row instead of 0"


def test_what_a_choice_says_is_not_said_again(boats, runner):
    sql = "SELECT name FROM boats ORDER BY built LIMIT 1"
    found = audit(boats, sql, "Which boat is the oldest?", runner=runner)
    assert _named(found, "missing_values")[0].status is Status.UNSETTLED
    assert not _named(found, "missing_first")


def test_a_query_on_duckdb_is_audited_as_duckdb_reads_it(boats_of_duckdb, runner):
    found = audit(boats_of_duckdb, _MOST.replace("LIMIT 1", "LIMIT 2"), runner=runner)
    assert found.engine is Engine.DUCKDB
    (counted,) = _named(found, "counting_unit")
    assert counted.answer.summary == "the same answer"
    assert "DISTINCT" in counted.sql
    sql = "SELECT name FROM boats WHERE built > 1990"
    (cutoff,) = _named(audit(boats_of_duckdb, sql, runner=runner), "strict_cutoff")
    assert cutoff.answer.summary == "2 rows instead of 1"
    # Missing values come last in DuckDB's order: none wins the minimum.
    sql = "SELECT name FROM boats ORDER BY built LIMIT 1"
    found = audit(boats_of_duckdb, sql, "Which boat is the oldest?", runner=runner)
    assert not [each for each in _named(found, "missing_values") if each.changes_answer]
    assert not _named(found, "missing_first")
