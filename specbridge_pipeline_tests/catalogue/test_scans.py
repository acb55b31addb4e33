"""How often a table is read is counted by query, and a catalogue reads each table a few times."""

from pathlib import Path
from typing import Any

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.catalogue.scans import CountedScans
from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.databases.runner import QueryRunner

LEAGUE = Path(__file__).with_name("league.sql").read_text("utf-8")


def test_each_mention_of_a_table_is_a_scan(make_runner: Any) -> None:
    run = CountedScans(make_runner(LEAGUE))
    outcome = run(
        "WITH paid AS (SELECT player_id, SUM(salary) AS salary FROM salaries GROUP BY player_id) "
        "SELECT name FROM player JOIN paid USING (player_id) "
        "WHERE salary > (SELECT AVG(salary) FROM Salaries)"
    )
    assert isinstance(outcome, QueryResult)
    assert run.scans == {"player": 1, "salaries": 2}


def test_a_catalogue_reads_a_table_two_or_three_times_and_once_a_relationship(
    build: Any, runner: QueryRunner, tmp_path: Path
) -> None:
    catalogue = build(LEAGUE)
    path = tmp_path / "made.sqlite"
    run = CountedScans(lambda sql: runner.run(path, sql))
    again = build_catalogue("made", runner.read_schema(path), run, at_once=1)
    assert again == catalogue
    # Its rows, its values, what these leave open; and as the parent of one reference. Of another
    # that a name suggests, too many numbers lie outside its keys to match them all.
    assert run.scans["player"] == 4
    # Its texts leave nothing open, and nothing refers to it.
    assert run.scans["country"] == 2
