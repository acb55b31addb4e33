"""Keys and relationships: declared ones are checked, others are found, all are measured."""

from pathlib import Path
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue, Evidence, Relationship

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
