"""What the rules on columns allow, and what they never do."""

import pytest

from specbridge_pipeline.catalogue.model import Catalogue, Evidence, Relationship, Role
from specbridge_pipeline.query_generation.plan import Aggregate, Column, Function
from specbridge_pipeline.query_generation.type_rules import offers, presence_conditions
from specbridge_pipeline.sql.engines.sqlite import SQLITE
from specbridge_pipeline_tests.query_generation.shop_catalogue import SHOP, column, table

ROWS = 1_000


def season(**changed):
    """Return a table of players' seasons with every sort of column."""
    columns = {
        "player": column("player", Role.IDENTIFIER, distinct=100, rows=ROWS, text=True),
        "year": column("year", Role.DATE, distinct=20, rows=ROWS, low=1990, high=2009),
        "stint": column("stint", Role.CATEGORY, distinct=3, rows=ROWS, low=1, high=3),
        "club": column("club", Role.CATEGORY, distinct=30, rows=ROWS, text=True, missing=10),
        "active": column("active", Role.FLAG, distinct=2, rows=ROWS),
        "town": column("town", Role.CATEGORY, distinct=900, rows=ROWS, text=True),
        "final_rank": column("final_rank", Role.MEASURE, distinct=12, rows=ROWS),
        "start_time": column("start_time", Role.MEASURE, distinct=500, rows=ROWS, high=2359),
        "games": column(
            "games", Role.MEASURE, distinct=90, rows=ROWS, summable=True, denominator=True, zero=4
        ),
        "hits": column("hits", Role.MEASURE, distinct=90, rows=ROWS, summable=True, missing=200),
        "weight": column("weight", Role.MEASURE, distinct=70, rows=ROWS),
        "bonus": column("bonus", Role.MEASURE, distinct=9, rows=ROWS, missing=900, summable=True),
        "day": column("day", Role.CATEGORY, distinct=31, rows=ROWS, low=1, high=31),
        "month": column("month", Role.CATEGORY, distinct=12, rows=ROWS, low=1, high=12),
    } | changed
    return table("season", "season", "seasons", ROWS, ("player", "year", "stint"), columns.values())


def catalogue(**changed):
    players = table(
        "people",
        "player",
        "players",
        100,
        ("player",),
        [
            column("player", Role.IDENTIFIER, distinct=100, rows=100, text=True),
            column("last_name", Role.FREE_TEXT, distinct=100, rows=100, text=True),
            column("country", Role.CATEGORY, distinct=9, rows=100, text=True),
            column("height", Role.MEASURE, distinct=40, rows=100),
        ],
    )
    refers = Relationship(
        "season", ("player",), "people", ("player",), Evidence.DECLARED, 0, 0, 0, 20
    )
    return Catalogue("league", (players, season(**changed)), (refers,))


@pytest.fixture
def offer():
    alone, *_ = [each for each in offers(catalogue()) if each.source.table == "season"]
    assert not alone.source.joins
    return alone


def names(columns):
    return tuple(each.name for each in columns)


def of_function(offer, function):
    return {names(each.columns) for each in offer.aggregates if each.function is function}


def test_groups_are_made_by_what_several_rows_share(offer):
    single = {names(keys) for keys in offer.keys if len(keys) == 1}
    assert single == {("player",), ("year",), ("club",), ("month",)}


@pytest.mark.parametrize("phrase", ["day", "departure day", "day of the month", "Day of month"])
def test_a_flag_and_a_day_of_the_month_make_no_groups_alone(phrase):
    day = column("day", Role.CATEGORY, distinct=31, rows=ROWS, low=1, high=31, phrase=phrase)
    offer, *_ = [each for each in offers(catalogue(day=day)) if each.source.table == "season"]
    assert not [keys for keys in offer.keys if names(keys) in {("day",), ("active",)}]
    assert "day" not in names(offer.conditions)
    pairs = {names(keys) for keys in offer.keys if len(keys) == 2}
    assert ("month", "day") in pairs
    assert not [pair for pair in pairs if "day" in pair and pair != ("month", "day")]
    assert not [pair for pair in pairs if set(pair) & {"stint", "town", "games", "active"}]


def test_only_what_is_summable_is_added_up(offer):
    assert of_function(offer, Function.TOTAL) == {("games",), ("hits",)}


def test_ranks_times_of_day_years_and_what_is_mostly_missing_are_not_averaged(offer):
    assert of_function(offer, Function.AVERAGE) == {("games",), ("hits",), ("weight",)}


def test_only_related_quantities_are_divided(offer):
    assert of_function(offer, Function.MEAN_OF_RATIOS) == {("hits", "games")}
    assert of_function(offer, Function.RATIO_OF_MEANS) == {("hits", "games")}


def test_only_entities_that_repeat_are_counted_once(offer):
    assert of_function(offer, Function.COUNT_ENTITIES) == {("player",)}


def test_a_quantity_with_negatives_is_not_divided():
    losing = column("hits", Role.MEASURE, distinct=90, rows=ROWS, summable=True, negative=5)
    alone, *_ = [e for e in offers(catalogue(hits=losing)) if e.source.table == "season"]
    assert of_function(alone, Function.MEAN_OF_RATIOS) == set()


def test_a_join_gives_the_parents_categories_and_never_its_measures():
    (joined,) = [each for each in offers(catalogue()) if each.source.joins]
    assert joined.source.joins[0].table == "people"
    assert {key for keys in joined.keys for key in keys if key.table == "people"} == {
        Column("people", "country")
    }
    assert {c.table for each in joined.aggregates for c in each.columns} == {"season"}


def test_a_parent_that_is_referred_to_in_two_ways_is_not_joined():
    found = catalogue(
        coach=column("coach", Role.IDENTIFIER, distinct=50, rows=ROWS, text=True),
    )
    second = Relationship(
        "season", ("coach",), "people", ("player",), Evidence.DECLARED, 0, 0, 0, 20
    )
    found = Catalogue(found.database, found.tables, (*found.relationships, second))
    assert not [each for each in offers(found) if each.source.joins]


@pytest.mark.parametrize(
    ("keys", "aggregate", "conditions"),
    [
        (("year",), Aggregate(Function.COUNT_ROWS), []),
        (("club",), Aggregate(Function.COUNT_ROWS), ["club IS NOT NULL"]),
        (("year",), (Function.AVERAGE, "hits"), ["hits IS NOT NULL"]),
        (
            ("club",),
            (Function.MEAN_OF_RATIOS, "hits", "games"),
            ["club IS NOT NULL", "hits IS NOT NULL", "games > 0"],
        ),
    ],
)
def test_missing_values_and_zero_divisors_are_left_out_in_words_of_the_query(
    keys, aggregate, conditions
):
    if isinstance(aggregate, tuple):
        function, *columns = aggregate
        aggregate = Aggregate(function, tuple(Column("season", name) for name in columns))
    found = presence_conditions(
        catalogue(), tuple(Column("season", name) for name in keys), aggregate
    )
    written = [
        f"{each.column.name} {each.operator.value}"
        + ("" if each.value is None else f" {SQLITE.literal(each.value)}")
        for each in found
    ]
    assert written == conditions


def test_the_shop_offers_its_purchases_alone_and_by_customer_name():
    assert [(each.source.table, bool(each.source.joins)) for each in offers(SHOP)] == [
        ("purchase", False),
        ("purchase", True),
    ]
