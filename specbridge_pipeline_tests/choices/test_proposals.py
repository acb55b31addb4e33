"""From generated queries to one checked choice for each."""

from __future__ import annotations

import pytest

from specbridge_pipeline.choices.opportunities import find_opportunities
from specbridge_pipeline.choices.proposals import propose
from specbridge_pipeline.choices.records import CHOICE_OPPORTUNITIES, CHOICE_PROPOSALS
from specbridge_pipeline.databases.results import FailureKind, QueryFailure, QueryResult
from specbridge_pipeline.errors import WorkerError
from specbridge_pipeline.records.canonical import content_hash

CHECKS = ("applies", "runs", "disjoint", "described", "one_step")

BUYERS = "SELECT product, COUNT(*) AS buyers FROM purchase GROUP BY product"
PLACES = (
    "WITH ranked AS (SELECT product, SUM(amount) AS total, RANK() OVER (ORDER BY SUM(amount) DESC) "
    "AS place FROM purchase GROUP BY product) SELECT product, total FROM ranked WHERE place <= 2"
)
TWO_CHOICES = (
    "SELECT product, COUNT(*) AS buyers FROM purchase GROUP BY product ORDER BY buyers DESC LIMIT 2"
)
RATIO = "SELECT AVG(1.0 * amount / pieces) AS price FROM purchase"
SAME_BY_CHANCE = (
    "WITH buyers AS (SELECT product, COUNT(*) AS n FROM purchase GROUP BY product) "
    "SELECT MIN(n) AS fewest FROM buyers"
)
NO_CHOICE = "SELECT product, SUM(amount) AS total FROM purchase GROUP BY product"


def queries(*statements, tier="short"):
    return [
        {
            "database": "shop",
            "query_id": f"q{number}",
            "kept": True,
            "tier": tier,
            "sql": sql,
        }
        for number, sql in enumerate(statements)
    ]


def proposals(shop, rows, seed=1, **options):
    found = find_opportunities(rows, shop.schema, shop.catalogue, shop.run, **options)
    return propose(rows, found, shop.schema, shop.catalogue, shop.run, seed=seed, **options)


def test_every_place_where_a_kept_query_takes_a_side_is_a_row(make_shop):
    shop = make_shop()
    rows = [*queries(BUYERS, TWO_CHOICES, NO_CHOICE), queries(PLACES)[0] | {"kept": False}]
    found = find_opportunities(rows, shop.schema, shop.catalogue, shop.run)
    places = [(each["query_id"], each["choice_type"], each["taken"]) for each in found]
    assert sorted(places) == [
        ("q0", "counting_unit", "rows"),
        ("q1", "counting_unit", "rows"),
        ("q1", "ties", "limit"),
    ]
    assert all(each["matters"] and each["evidence"] for each in found)
    assert CHOICE_OPPORTUNITIES.frame(found).height == 3


@pytest.mark.parametrize(
    ("condition", "taken", "rows"),
    [("amount >= 9", "at_least", 2), ("amount > 20", "more_than", 2), ("amount < 11", None, 0)],
)
def test_rows_at_a_cutoff_of_the_query_are_counted_and_no_edit_is_proposed(
    make_shop, condition, taken, rows
):
    shop = make_shop()
    sql = f"SELECT product, SUM(pieces) AS n FROM purchase WHERE {condition} GROUP BY product"
    [found] = find_opportunities(queries(sql), shop.schema, shop.catalogue, shop.run)
    assert found["choice_type"] == "strict_cutoff"
    assert found["taken"] == (taken or "more_than")
    assert found["matters"] == bool(rows)
    assert found["evidence"].startswith(f"{rows} rows have just this value of purchase.amount.")
    assert "no request is written" in found["evidence"]
    assert proposals(shop, queries(sql)) == []


def test_a_divisor_above_zero_is_no_cutoff(make_shop):
    shop = make_shop()
    sql = "SELECT SUM(pieces) AS n FROM purchase WHERE pieces > 0"
    assert find_opportunities(queries(sql), shop.schema, shop.catalogue, shop.run) == []


def test_a_sound_edit_passes_every_check_and_is_selected(make_shop):
    [row] = proposals(make_shop(), queries(BUYERS))
    assert all(row[check] for check in CHECKS)
    assert row["selected"]
    assert row["proposer"] == "rules/edits"
    assert row["problem"] == ""
    assert (row["taken"], row["side"], row["convention"]) == ("rows", "entities", "a")
    assert row["sql_a"] == BUYERS
    assert row["sql_b"] == BUYERS.replace("COUNT(*)", "COUNT(DISTINCT customer_id)")
    assert row["proposal_id"] == content_hash(["shop", BUYERS, row["sql_b"]])[:12]


def test_the_convention_stands_on_the_side_that_has_it(make_shop):
    [row] = proposals(make_shop(), queries(PLACES))
    assert (row["taken"], row["convention"]) == ("all_tied", "b")
    [row] = proposals(
        make_shop(), queries(RATIO.replace("FROM purchase", "FROM purchase WHERE pieces > 0"))
    )
    assert row["convention"] is None


def test_an_edit_that_would_differ_in_more_is_refused_with_its_reason(make_shop):
    [row] = proposals(make_shop(), queries(RATIO))
    assert row["applies"] is False
    assert [row[check] for check in CHECKS[1:]] == [None] * 4
    assert row["sql_b"] is None
    assert not row["selected"]
    assert "purchase.pieces is missing in some rows" in row["problem"]
    assert CHOICE_PROPOSALS.frame([row]).height == 1


def test_the_same_answer_by_chance_is_no_choice(make_shop):
    [row] = proposals(make_shop(), queries(SAME_BY_CHANCE))
    assert (row["applies"], row["runs"], row["disjoint"], row["described"]) == (
        True,
        True,
        False,
        None,
    )
    assert row["problem"]
    assert not row["selected"]


def test_an_edit_is_not_trusted_where_the_rewritten_original_has_another_result(make_shop):
    shop = make_shop()
    # Oddly spaced, so that the query written anew is another text.
    rows = queries(BUYERS.replace("SELECT product,", "SELECT  product,"))
    found = find_opportunities(rows, shop.schema, shop.catalogue, shop.run)

    def run(sql):
        outcome = shop.run(sql)
        if sql == BUYERS:
            return QueryResult(outcome.columns, outcome.declared_types, outcome.rows[1:], 0.0)
        return outcome

    [row] = propose(rows, found, shop.schema, shop.catalogue, run, seed=1)
    assert (row["applies"], row["runs"], row["disjoint"]) == (True, False, None)
    assert "Written anew" in row["problem"]


def test_a_lost_worker_is_no_verdict_on_a_proposal(make_shop):
    shop = make_shop()
    rows = queries(BUYERS)
    found = find_opportunities(rows, shop.schema, shop.catalogue, shop.run)

    def run(sql):
        return QueryFailure(FailureKind.WORKER_LOST, "gone")

    with pytest.raises(WorkerError):
        propose(rows, found, shop.schema, shop.catalogue, run, seed=1)


def test_a_query_with_two_choices_gets_the_rarer_one(make_shop):
    rows = queries(BUYERS, TWO_CHOICES)
    found = proposals(make_shop(), rows)
    selected = {each["query_id"]: each["choice_type"] for each in found if each["selected"]}
    assert selected == {"q0": "counting_unit", "q1": "ties"}
    rows = queries(PLACES, TWO_CHOICES)
    found = proposals(make_shop(), rows)
    selected = {each["query_id"]: each["choice_type"] for each in found if each["selected"]}
    assert selected == {"q0": "ties", "q1": "counting_unit"}


class Reader:
    """Finds a choice of one type settled, and remembers what it was asked about."""

    name = "somebody"

    def __init__(self, settled):
        self.settled = settled
        self.asked = []

    def objections(self, rows):
        self.asked = [row["choice_type"] for row in rows]
        return ["Nobody means that." if each == self.settled else "" for each in self.asked]


def test_a_choice_that_a_reviewer_does_not_find_open_leaves_its_place_to_another_one(make_shop):
    rows = queries(BUYERS, TWO_CHOICES, SAME_BY_CHANCE)
    reader = Reader("ties")
    found = proposals_read_by(reader, make_shop(), rows)
    # What fails a check by code is not shown to anybody.
    assert sorted(reader.asked) == ["counting_unit", "counting_unit", "ties"]
    selected = {each["query_id"]: each["choice_type"] for each in found if each["selected"]}
    assert selected == {"q0": "counting_unit", "q1": "counting_unit"}
    [settled] = [each for each in found if each["choice_type"] == "ties"]
    assert settled["one_step"]
    assert settled["found_open"] is False
    assert (settled["reviewer"], settled["problem"]) == ("somebody", "Nobody means that.")
    [by_chance] = [each for each in found if each["query_id"] == "q2"]
    assert (by_chance["found_open"], by_chance["reviewer"]) == (None, None)
    assert all(each["found_open"] for each in found if each["selected"])
    assert CHOICE_PROPOSALS.frame(found).height == 4


def proposals_read_by(reader, shop, rows):
    found = find_opportunities(rows, shop.schema, shop.catalogue, shop.run)
    return propose(rows, found, shop.schema, shop.catalogue, shop.run, seed=1, reviewer=reader)


def test_the_order_of_the_queries_does_not_change_what_is_selected(make_shop):
    rows = queries(BUYERS, TWO_CHOICES, PLACES, RATIO, SAME_BY_CHANCE)
    first = CHOICE_PROPOSALS.frame(proposals(make_shop(), rows))
    second = CHOICE_PROPOSALS.frame(proposals(make_shop(), rows[::-1]))
    assert first.equals(second)
