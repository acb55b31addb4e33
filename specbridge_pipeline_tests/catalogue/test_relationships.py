"""Keys and relationships: declared ones are checked, others are found, all are measured."""

from pathlib import Path
from typing import Any

import pytest

from specbridge_pipeline.catalogue.model import Catalogue, Evidence, Relationship, Role

FOLDER = Path(__file__).parent


def described(catalogue: Catalogue) -> str:
    lines = [
        f"{table.name}: {table.rows} {table.plural} | key {', '.join(table.key)} "
        f"from {table.key_evidence}"
        for table in catalogue.tables
    ]
    lines += [
        f"{each.child} ({', '.join(each.child_columns)}) → "
        f"{each.parent} ({', '.join(each.parent_columns)}) from {each.evidence} | "
        f"unmatched {each.unmatched_children}, missing {each.missing_children}, "
        f"childless {each.childless_parents}, most {each.most_children}"
        for each in catalogue.relationships
    ]
    return "\n".join(lines) + "\n"


def test_what_is_not_declared_is_found_by_names_and_checked_on_the_data(build: Any) -> None:
    catalogue = build((FOLDER / "league.sql").read_text("utf-8"))
    assert described(catalogue) == (FOLDER / "league.expected.txt").read_text("utf-8")


def test_a_declared_key_is_measured_as_it_is_not_as_it_should_be(build: Any) -> None:
    catalogue = build(
        """
        CREATE TABLE shop (id INTEGER PRIMARY KEY, town TEXT);
        CREATE TABLE sale (no INTEGER PRIMARY KEY, place INTEGER REFERENCES SHOP);
        INSERT INTO shop VALUES (1, 'a'), (2, 'b'), (3, 'c');
        INSERT INTO sale VALUES (1, 1), (2, 1), (3, 1), (4, 2), (5, 9), (6, NULL);
        """
    )
    assert catalogue.relationships == (
        Relationship(
            child="sale",
            child_columns=("place",),
            parent="shop",
            parent_columns=("id",),
            evidence=Evidence.DECLARED,
            unmatched_children=1,
            missing_children=1,
            childless_parents=1,
            most_children=3,
            matched_children=4,
            matched_parents=2,
            reason="it is declared as a foreign key",
        ),
    )
    found = catalogue.relationships[0]
    assert (found.cardinality, found.mean_children) == ("n:1", 2.0)
    assert (found.orphan_share, found.childless_share) == (2 / 6, 1 / 3)
    place = catalogue.column("sale", "place")
    assert (place.role, place.role_evidence) == ("identifier", "declared")


def test_a_declared_reference_to_what_repeats_is_left_out(build: Any) -> None:
    catalogue = build(
        """
        CREATE TABLE team (name TEXT, year INTEGER);
        CREATE TABLE game (home TEXT REFERENCES team (name), away TEXT REFERENCES gone (name));
        INSERT INTO team VALUES ('a', 1), ('a', 2), ('b', 1);
        INSERT INTO game VALUES ('a', 'b'), ('b', 'a');
        """
    )
    assert catalogue.relationships == ()


def test_a_reference_of_several_columns_ignores_rows_that_lack_one(build: Any) -> None:
    catalogue = build(
        """
        CREATE TABLE season (team TEXT, year INTEGER, PRIMARY KEY (team, year));
        CREATE TABLE result (team TEXT, year INTEGER, points INTEGER,
                             FOREIGN KEY (team, year) REFERENCES season);
        INSERT INTO season VALUES ('a', 1), ('a', 2), ('b', 1);
        INSERT INTO result VALUES
          ('a', 1, 5), ('a', 1, 6), ('b', 2, 7), (NULL, 1, 8), ('a', NULL, 9);
        """
    )
    (each,) = catalogue.relationships
    assert (each.child_columns, each.parent_columns) == (("team", "year"), ("team", "year"))
    assert (each.unmatched_children, each.missing_children) == (1, 2)
    assert (each.childless_parents, each.most_children) == (2, 2)


def test_of_two_tables_with_one_key_the_one_it_is_named_after_is_the_parent(build: Any) -> None:
    catalogue = build(
        """
        CREATE TABLE film_text (film_id INTEGER PRIMARY KEY, body TEXT);
        CREATE TABLE film (film_id INTEGER PRIMARY KEY, title TEXT);
        INSERT INTO film_text VALUES (1, 'x'), (2, 'y');
        INSERT INTO film VALUES (1, 'a'), (2, 'b');
        """
    )
    (each,) = catalogue.relationships
    assert (each.child, each.parent, each.most_children) == ("film_text", "film", 1)


def test_short_forms_roles_and_the_own_table_are_found(build: Any) -> None:
    catalogue = build(
        """
        CREATE TABLE worker (ssn INTEGER PRIMARY KEY, super_ssn INTEGER, dno INTEGER);
        CREATE TABLE department (dnumber INTEGER PRIMARY KEY, mgr_ssn INTEGER, city INTEGER);
        CREATE TABLE club (club_id INTEGER PRIMARY KEY, advisor INTEGER, chosen INTEGER);
        CREATE TABLE part (spare_part_id INTEGER PRIMARY KEY, parent_part_id INTEGER);
        INSERT INTO worker VALUES (901, NULL, 1), (902, 901, 1), (903, 901, 2), (904, 902, 3);
        INSERT INTO department VALUES (1, 901, 7), (2, 903, 7), (3, 904, 8);
        INSERT INTO club VALUES (51, 902, 901), (52, 903, 902), (53, 904, 903);
        INSERT INTO part VALUES (21, NULL), (22, 21), (23, 21), (24, 23);
        """
    )
    found = {(each.child, each.child_columns): each for each in catalogue.relationships}
    assert {key: each.parent for key, each in found.items()} == {
        ("worker", ("super_ssn",)): "worker",
        ("worker", ("dno",)): "department",
        ("department", ("mgr_ssn",)): "worker",
        ("club", ("advisor",)): "worker",
        ("part", ("parent_part_id",)): "part",
    }
    assert all(each.reason for each in found.values())
    assert "all its values occur there" in found["club", ("advisor",)].reason
    # "Chosen" names nobody, though its values would fit as well.
    assert catalogue.column("club", "advisor").role is Role.IDENTIFIER


def test_a_key_may_take_four_columns_and_references_are_part_of_it(build: Any) -> None:
    rows = ", ".join(
        f"({player}, {year}, {stint}, '{place}')"
        for player in (1, 2)
        for year in (2001, 2002)
        for stint in (1, 2)
        for place in ("left", "right")
    )
    catalogue = build(
        "CREATE TABLE fielding (player INTEGER, year INTEGER, stint INTEGER, place TEXT);"
        f"INSERT INTO fielding VALUES {rows};"
        "CREATE TABLE player (name TEXT, born INTEGER);"
        "INSERT INTO player VALUES ('a', 1980), ('b', 1981);"
    )
    table = catalogue.table("fielding")
    assert table.key == ("player", "year", "stint", "place")
    assert table.key_reason
    assert table.entity == "one fielding record for each player, year, stint and place"


@pytest.mark.parametrize(("strays", "is_found"), [(0, True), (2, True), (3, False)])
@pytest.mark.parametrize("place", [-7, 1_000])
def test_a_reference_may_miss_one_row_in_a_hundred_beyond_all_keys(
    build: Any, strays: int, place: int, *, is_found: bool
) -> None:
    # As where a few rows lack their parent by mistake, and not where most are of other things.
    catalogue = build(
        f"""
        CREATE TABLE town (town_id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE visit (no INTEGER PRIMARY KEY, town_id INTEGER);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO town SELECT i, 'town ' || i FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO visit SELECT i, CASE WHEN i <= {strays} THEN {place} ELSE i % 18 + 1 END FROM n;
        """
    )
    assert [(each.child, each.unmatched_children) for each in catalogue.relationships] == (
        [("visit", strays)] if is_found else []
    )
