"""What is asked for on a small database is delivered, counted, and passes the second look."""

import pytest

from specbridge_pipeline.query_generation.delivery import checked_row, deliver
from specbridge_pipeline.query_generation.study_records import CONSTRUCTION_COUNTS
from specbridge_pipeline_tests.support.tiny_databases import SALES, catalogued


@pytest.fixture(scope="module")
def sales(tmp_path_factory):
    return catalogued(tmp_path_factory.mktemp("sales"), "sales", SALES)


def test_all_that_is_delivered_differs_and_passes_the_second_look(sales):
    catalogue, run = sales
    delivery = deliver(catalogue, run, queries=16, seed=1)
    row = checked_row(delivery, run)
    CONSTRUCTION_COUNTS.frame([{"source": "test", **row}])
    assert row["queries"] == 16
    assert row["delivered"] == row["distinct"] == row["sound"] >= 14
    assert row["constructions"] >= row["delivered"]
    assert row["faults"] == []
    assert sum(int(each.rsplit(": ", 1)[1]) for each in row["shortfalls"]) == 16 - row["delivered"]


def test_a_database_that_changed_in_between_does_not_pass(sales):
    catalogue, run = sales
    delivery = deliver(catalogue, run, queries=4, seed=1)
    row = checked_row(delivery, lambda sql: run("SELECT 1 AS other"))
    assert row["sound"] == 0
    assert "other rows than were found when it was made" in row["faults"]


def test_without_a_second_look_nothing_is_said_to_have_passed(sales):
    catalogue, run = sales
    row = checked_row(deliver(catalogue, run, queries=2, seed=1), None)
    assert row["sound"] is None


def test_what_is_impossible_is_given_up_with_its_reason(tmp_path):
    catalogue, run = catalogued(tmp_path, "empty", "CREATE TABLE item (id INTEGER)")
    row = checked_row(deliver(catalogue, run, queries=3, seed=1), run)
    assert row["delivered"] == 0
    assert row["shortfalls"] == ["no rows of this database allow it: 3"]
