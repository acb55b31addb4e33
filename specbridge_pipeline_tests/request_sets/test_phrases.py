"""Names of rows, groups, values and conditions."""

import pytest

from specbridge_pipeline.exact_description.structure import Literal
from specbridge_pipeline.request_sets.calculation import UnknownShapeError, read_calculation
from specbridge_pipeline.request_sets.phrases import CataloguePhrases, article, written
from specbridge_pipeline_tests.request_sets.writing_cases import catalogue, structure


def _phrases(database, sql):
    query = structure(database, sql)
    return query, CataloguePhrases(query, catalogue(database))


@pytest.mark.parametrize(
    ("database", "value", "name"),
    [
        ("baseball", "AVG(salary)", "average salary"),
        ("baseball", "COUNT(*)", "number of salary records"),
        ("baseball", "COUNT(DISTINCT player_id)", "number of different players"),
        ("baseball", "SUM(salary)", "total salary"),
        ("baseball", "MAX(salary)", "maximum salary"),
    ],
)
def test_values_are_named_by_their_columns(database, value, name):
    query, phrases = _phrases(
        database, f"SELECT team_id, {value} AS v FROM salaries GROUP BY team_id"
    )
    assert phrases.value(0, query.steps[0].outputs[1].value) == name


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("AVG(home_runs)", "average number of home runs"),
        ("SUM(home_runs)", "total home runs"),
        ("AVG(1.0 * hits / games)", "average hits per game"),
        ("AVG(hits) / AVG(games)", "ratio of average hits to average games played"),
    ],
)
def test_countable_measures_and_ratios_read_as_english(value, name):
    query, phrases = _phrases(
        "baseball", f"SELECT team_id, {value} AS v FROM batting GROUP BY team_id"
    )
    assert phrases.value(0, query.steps[0].outputs[1].value) == name


def test_rows_are_named_by_what_they_are_grouped_by():
    _, one = _phrases("baseball", "SELECT team_id, COUNT(*) AS n FROM salaries GROUP BY team_id")
    assert one.rows(0) == ("team", "teams")
    assert one.source(0) == ("salary record", "salary records")
    _, two = _phrases(
        "baseball", "SELECT team_id, year, COUNT(*) AS n FROM salaries GROUP BY team_id, year"
    )
    assert two.rows(0) == ("combination of team and year", "combinations of team and year")
    assert two.each(0) == "each team and year"
    _, rows = _phrases("flights", "SELECT tailnum, seats FROM planes ORDER BY seats DESC LIMIT 3")
    assert rows.rows(0) == ("plane", "planes")
    _, overall = _phrases("flights", "SELECT COUNT(*) AS n FROM planes")
    assert overall.rows(0) == ("row", "rows")


def test_groups_that_share_the_name_of_their_rows_go_by_the_column():
    known = catalogue("flights")
    query = structure("flights", "SELECT tailnum, AVG(seats) AS v FROM planes GROUP BY tailnum")
    phrases = CataloguePhrases(query, known)
    assert known.column("planes", "tailnum").singular == known.table("planes").singular
    assert phrases.rows(0) == ("tail number", "tail numbers")


@pytest.mark.parametrize(
    ("database", "table", "where", "said"),
    [
        ("baseball", "salaries", "year = 2006", "salary records from the year 2006"),
        ("baseball", "salaries", "year >= 2006", "salary records from the year 2006 on"),
        ("flights", "flights", "month = 8", "flights in month 8"),
        ("flights", "flights", "distance >= 500", "flights whose distance is 500 or more"),
        (
            "flights",
            "flights",
            "month = 8 AND origin = 'JFK' AND air_time IS NOT NULL",
            "flights in month 8 whose origin code is 'JFK', leaving out those without a "
            "recorded air time",
        ),
        ("baseball", "people", "birth_year >= 1950", "people whose year of birth is 1950 or later"),
        ("baseball", "batting", "at_bats > 0", "batting records with at bats above 0"),
        (
            "baseball",
            "batting",
            "strikeouts IS NOT NULL",
            "batting records, leaving out those without recorded strikeouts",
        ),
    ],
)
def test_conditions_are_said_after_the_rows(database, table, where, said):
    _, phrases = _phrases(database, f"SELECT COUNT(*) AS n FROM {table} WHERE {where}")
    assert phrases.rows_read(0) == said


def test_a_joined_parent_is_named_by_what_it_is_to_the_row():
    _, phrases = _phrases(
        "flights",
        "SELECT airports.name, COUNT(*) AS n FROM flights "
        "JOIN airports ON flights.dest = airports.faa "
        "WHERE airports.tzone = 'America/New_York' GROUP BY airports.name",
    )
    # Two columns refer to airports, and some destinations are no known airport.
    assert phrases.rows_read(0) == (
        "flights whose destination's time zone is 'America/New_York', leaving out those "
        "without a matching airport"
    )


def test_stored_values_stand_as_they_are():
    assert written(Literal("Gold Glove")) == "'Gold Glove'"
    assert written(Literal(0.5)) == "0.5"


@pytest.mark.parametrize(
    ("noun", "said"),
    [
        ("league", "a league"),
        ("air time", "an air time"),
        ("hour", "an hour"),
        ("unit price", "a unit price"),
        ("umpire", "an umpire"),
    ],
)
def test_articles(noun, said):
    assert article(noun) == said


def test_a_step_that_the_grammar_does_not_know_is_refused():
    query = structure(
        "baseball",
        "WITH s AS (SELECT team_id, salary FROM salaries) SELECT team_id, salary FROM s",
    )
    with pytest.raises(UnknownShapeError):
        read_calculation(query)
