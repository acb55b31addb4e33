"""What the rules on columns allow, and what they never do."""

import pytest

from specbridge_pipeline.catalogue.model import Catalogue, Evidence, Quantity, Relationship, Role
from specbridge_pipeline.query_generation.mechanisms import Mechanisms
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Column,
    Contrast,
    Function,
    Grouped,
    Source,
    Unmatched,
)
from specbridge_pipeline.query_generation.type_rules import (
    TypeRules,
    offers,
    presence_conditions,
)
from specbridge_pipeline.sql.engines.sqlite import SQLITE
from specbridge_pipeline_tests.query_generation.library_catalogue import LIBRARY
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
        "final_rank": column(
            "final_rank", Role.MEASURE, distinct=12, rows=ROWS, quantity=Quantity.RANK
        ),
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
    assert not [pair for pair in pairs if set(pair) & {"stint", "town", "games"}]
    assert ("club", "active") in pairs
    assert not [pair for pair in pairs if pair[0] == "active"]


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


@pytest.fixture(scope="module")
def library():
    return TypeRules(LIBRARY)


def sources(rules):
    """Return the sources on offer, as the names of their tables; kept rows with a plus sign."""
    return {
        " ".join(
            [
                each.source.table,
                *(f"{'+' * (j.unmatched is Unmatched.KEPT)}{j.table}" for j in each.source.joins),
            ]
        )
        for each in rules.offers
    }


def test_rows_are_joined_to_what_they_refer_to_and_counted_for_all_that_is_referred_to(library):
    assert sources(library) == {
        "book",
        "book author",
        "author +book",
        "loan",
        "loan book",
        "loan book author",
        "book +loan",
        "review",
        "review book",
        "review book author",
        "book +review",
    }


def test_no_join_repeats_a_row_whose_columns_are_aggregated(library):
    for each in library.offers:
        for aggregate in each.aggregates:
            tables = {used.table for used in aggregate.columns}
            if each.source.keeps_unmatched:
                assert tables == {each.source.joins[-1].table}
                assert aggregate.function in (Function.COUNT_ROWS, Function.COUNT_ENTITIES)
            else:
                assert tables <= {each.source.table}


def test_of_two_keys_none_follows_from_the_other(library):
    for each in library.offers:
        for keys in each.keys:
            names = {key.name for key in keys}
            assert not names >= {"name", "country"}
            assert not names >= {"name", "author_id"}


def test_an_entity_is_not_counted_by_its_own_name(library):
    joined = next(e.source for e in library.offers if e.source.tables == ("book", "author"))
    counted = Aggregate(Function.ROWS_PER_ENTITY, (Column("book", "author_id"),))
    assert not library.fits(joined, (Column("author", "name"),), counted)
    assert library.fits(joined, (Column("author", "country"),), counted)


def test_values_are_set_beside_those_of_another_table_by_the_same_group(library):
    loans = next(e.source for e in library.offers if e.source.tables == ("loan", "book"))
    step = Grouped(loans, (Column("book", "genre"),), Aggregate(Function.COUNT_ROWS))
    beside = {
        (other.source.tables, other.aggregate.function)
        for other in library.partners(step, Contrast.RATIO)
    }
    # Loans per book and per review; never books per loan.
    assert beside == {
        (("book",), Function.COUNT_ROWS),
        (("review", "book"), Function.COUNT_ROWS),
    }
    books = Grouped(Source("book"), (Column("book", "genre"),), Aggregate(Function.COUNT_ROWS))
    assert library.partners(books, Contrast.RATIO) == ()


def test_only_quantities_of_one_kind_are_taken_from_each_other(library):
    alone = next(e for e in library.offers if e.source.tables == ("loan",))
    combined = {
        frozenset(column.name for column in each.columns)
        for each in alone.aggregates
        if each.function in (Function.DIFFERENCE_OF_TOTALS, Function.SUM_OF_TOTALS)
    }
    assert combined == {frozenset({"late_fee", "damage_fee"})}


def priced(**changed):
    """Return what is offered on stays with what is counted, paid and measured of each."""
    measured = {
        "guests": {"summable": True, "denominator": True},
        "days": {
            "summable": True,
            "denominator": True,
            "unit": "days",
            "quantity": Quantity.DURATION,
        },
        "room_fee": {"summable": True, "unit": "euros", "quantity": Quantity.MONEY},
        "meal_fee": {"summable": True, "unit": "euros", "quantity": Quantity.MONEY},
        "tip": {"summable": True, "unit": "euros", "quantity": Quantity.MONEY},
        "city_fee": {"summable": True, "unit": "Swiss francs", "quantity": Quantity.MONEY},
        "day_fee": {"unit": "euros", "quantity": Quantity.MONEY, "per": Quantity.DURATION},
        "night_fee": {"unit": "euros", "quantity": Quantity.MONEY, "per": Quantity.DURATION},
        "occupied_share": {"unit": "percent", "quantity": Quantity.SHARE},
        # What both are counted in is no noun that they share.
        "deposit_in_million": {"summable": True, "unit": "millions", "quantity": Quantity.COUNT},
        "pledge_in_million": {"summable": True, "unit": "millions", "quantity": Quantity.COUNT},
        "air_temperature": {"unit": "degrees Celsius", "quantity": Quantity.TEMPERATURE},
        "water_temperature": {"unit": "degrees Celsius", "quantity": Quantity.TEMPERATURE},
    } | changed
    stays = table(
        "stay",
        "stay",
        "stays",
        ROWS,
        ("id",),
        [
            column("id", Role.IDENTIFIER, distinct=ROWS, rows=ROWS),
            column("season", Role.CATEGORY, distinct=4, rows=ROWS, text=True),
            *(
                column(name, Role.MEASURE, distinct=90, rows=ROWS, **said)
                for name, said in measured.items()
            ),
        ],
    )
    return TypeRules(Catalogue("hotel", (stays,), ()))


def test_sums_and_differences_are_of_one_dimension_and_unit():
    (stays,) = priced().offers
    assert of_function(stays, Function.SUM_OF_TOTALS) == {("meal_fee", "room_fee")}
    # What is paid in one currency is set against each other, whatever it is paid for.
    totals = of_function(stays, Function.DIFFERENCE_OF_TOTALS)
    assert {frozenset(pair) for pair in totals} == {
        frozenset({"room_fee", "meal_fee"}),
        frozenset({"room_fee", "tip"}),
        frozenset({"meal_fee", "tip"}),
    }
    # A fee per day is taken from another one, and never from a fee.
    averages = of_function(stays, Function.DIFFERENCE_OF_AVERAGES) - totals
    assert {frozenset(pair) for pair in averages} == {
        frozenset({"day_fee", "night_fee"}),
        frozenset({"air_temperature", "water_temperature"}),
    }


def test_amounts_are_divided_by_what_they_are_spread_over_and_rates_by_nothing():
    (stays,) = priced().offers
    amounts = (
        "room_fee",
        "meal_fee",
        "tip",
        "city_fee",
        "deposit_in_million",
        "pledge_in_million",
    )
    assert of_function(stays, Function.RATIO_OF_MEANS) - {
        ("guests", "days"),
        ("days", "guests"),
    } == {(amount, divisor) for amount in amounts for divisor in ("guests", "days")}
    hourly = {"summable": True, "quantity": Quantity.MONEY, "per": Quantity.DURATION}
    (rated,) = priced(tip=hourly).offers
    assert not [pair for pair in of_function(rated, Function.RATIO_OF_MEANS) if "tip" in pair]


def test_two_currencies_are_not_divided_by_each_other():
    paid = {"summable": True, "denominator": True, "quantity": Quantity.MONEY, "unit": "euros"}
    (stays,) = priced(tip=paid).offers
    divided = {each for each in of_function(stays, Function.RATIO_OF_MEANS) if each[1] == "tip"}
    assert ("room_fee", "tip") in divided
    assert ("city_fee", "tip") not in divided


@pytest.mark.parametrize(
    ("name", "unit", "has_multiples"),
    [
        ("air_temperature", "degrees Celsius", False),
        ("air_temperature", "kelvin", True),
        ("tip", "euros", True),
    ],
)
def test_multiples_are_of_what_has_a_zero_of_its_own(name, unit, has_multiples):
    quantity = Quantity.TEMPERATURE if "temperature" in name else Quantity.MONEY
    rules = priced(**{name: {"unit": unit, "quantity": quantity}})
    column = Column("stay", name)
    for function in (Function.AVERAGE, Function.HIGHEST):
        average = Aggregate(function, (column,))
        assert rules.has_no_ratios(average) is not has_multiples
        shape = rules.shape_of(Source("stay"), (Column("stay", "season"),), average)
        assert shape.positive is has_multiples
    # By how much the highest is above the lowest is a number like any other.
    assert not rules.has_no_ratios(Aggregate(Function.SPREAD, (column,)))


def test_a_spread_is_asked_for_where_the_lowest_value_says_something():
    spread = {
        each.columns[0].name: each
        for offer in offers(
            catalogue(weight=column("weight", Role.MEASURE, distinct=70, rows=ROWS, low=50))
        )
        for each in offer.aggregates
        if each.function is Function.SPREAD
    }
    assert "weight" in spread
    assert "hits" not in spread


def test_without_type_rules_any_column_is_used_for_anything():
    untyped = offers(catalogue(), Mechanisms(type_rules=False))
    used = {c.name for each in untyped for a in each.aggregates for c in a.columns}
    assert {"player", "year", "final_rank", "day"} <= used


def test_without_the_column_profile_nothing_is_known_of_missing_values_and_signs():
    blind = TypeRules(catalogue(), Mechanisms(column_profile=False))
    hits = Aggregate(Function.AVERAGE, (Column("season", "hits"),))
    assert blind.presence_conditions(Source("season"), (), hits) == ()
    losing = column("hits", Role.MEASURE, distinct=90, rows=ROWS, summable=True, negative=5)
    assert not TypeRules(catalogue(hits=losing), Mechanisms(column_profile=False)).has_no_ratios(
        hits
    )
