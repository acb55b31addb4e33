"""What a DuckDB file consists of: its schema and its content hash."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Column, ForeignKey, Schema, Table
from specbridge_pipeline_tests.support.duckdb_files import make

SHOP = """
    CREATE TABLE customer (id INTEGER PRIMARY KEY, "full name" VARCHAR NOT NULL, code AS (id * 2));
    CREATE TABLE "order" ("number" INT, year INT, customer INT REFERENCES customer,
      total DECIMAL(10, 2), tags VARCHAR[], PRIMARY KEY (year, "number"));
    CREATE TABLE line ("number" INT, year INT, kind ENUM ('a', 'b'),
      FOREIGN KEY (year, "number") REFERENCES "order" (year, "number"));
    CREATE VIEW named AS SELECT "full name" AS name, id FROM customer;
    CREATE TABLE gone (x INT); CREATE VIEW broken AS FROM gone; DROP TABLE gone;
    CREATE VIEW reading AS SELECT * FROM range(3);
    CREATE VIEW dangerous AS SELECT random() AS x;
    CREATE SCHEMA other; CREATE TABLE other.t (x INT);
"""


def test_a_schema_has_columns_keys_and_views(runner: QueryRunner, tmp_path: Path) -> None:
    def column(name: str, kind: str, not_null: bool = False, position: int = 0) -> Column:
        return Column(name, kind, not_null, position)

    assert runner.read_schema(make(tmp_path / "shop.duckdb", SHOP)) == Schema(
        (
            Table(
                "customer",
                (
                    column("id", "INTEGER", True, 1),
                    column("full name", "VARCHAR", True),
                    column("code", "INTEGER"),
                ),
                (),
            ),
            Table(
                "line",
                (
                    column("number", "INTEGER"),
                    column("year", "INTEGER"),
                    column("kind", "ENUM('a', 'b')"),
                ),
                (ForeignKey(("year", "number"), "order", ("year", "number")),),
            ),
            Table("named", (column("name", "VARCHAR"), column("id", "INTEGER")), (), is_view=True),
            Table(
                "order",
                (
                    column("number", "INTEGER", True, 2),
                    column("year", "INTEGER", True, 1),
                    column("customer", "INTEGER"),
                    column("total", "DECIMAL(10,2)"),
                    column("tags", "VARCHAR[]"),
                ),
                (ForeignKey(("customer",), "customer", ("id",)),),
            ),
            Table("reading", (column("range", "BIGINT"),), (), is_view=True),
        ),
        Engine.DUCKDB,
    )


CONTENT = """
    CREATE TABLE b AS SELECT i AS x, 'text ' || i AS y, i * 0.1::DOUBLE AS z, DATE '2024-01-01' AS d
      FROM range(5000) r(i);
    CREATE TABLE a (k VARCHAR PRIMARY KEY, v UNION (n INTEGER, t VARCHAR), w AS (k || 'x'));
    INSERT INTO a VALUES ('q', 1), ('p', 'two'::VARCHAR);
    CREATE VIEW c AS FROM a;
"""


@pytest.mark.parametrize(
    "change",
    [
        "CHECKPOINT",
        "CREATE TABLE x AS FROM range(100000); CHECKPOINT; DROP TABLE x; CHECKPOINT",
        "SET force_compression = 'uncompressed'; CREATE TABLE x AS FROM b; DROP TABLE b; "
        "ALTER TABLE x RENAME TO b; CHECKPOINT",
        "INSERT INTO b SELECT * FROM b; CHECKPOINT; DELETE FROM b WHERE rowid >= 5000; CHECKPOINT",
    ],
)
def test_the_content_hash_ignores_the_file_s_layout(
    change: str, runner: QueryRunner, tmp_path: Path
) -> None:
    path = make(tmp_path / "content.duckdb", CONTENT)
    before = runner.content_hash(path)
    make(path, change)

    assert runner.content_hash(path) == before


def test_the_content_hash_ignores_row_groups_and_the_order_of_making(
    runner: QueryRunner, tmp_path: Path
) -> None:
    path = make(tmp_path / "one.duckdb", CONTENT)
    copy = tmp_path / "another name.duckdb"
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{copy}' AS target (ROW_GROUP_SIZE 2048)")
        connection.execute("USE target")
        *first, last = (each for each in CONTENT.split(";") if each.strip())
        # The view last, since it reads a table; the tables the other way round.
        for statement in [*first[1:], first[0], last]:
            connection.execute(statement)

    assert runner.content_hash(copy) == runner.content_hash(path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE b SET y = 'text 17 ' WHERE x = 17",
        "UPDATE b SET z = NULL WHERE x = 17",
        "UPDATE b SET d = DATE 'infinity' WHERE x = 17",
        "UPDATE a SET v = union_value(t := '1') WHERE k = 'q'",
        "DELETE FROM b WHERE x = 4999",
        "ALTER TABLE b ALTER x TYPE INTEGER",
        "CREATE INDEX another ON b (x)",
        "CREATE TABLE e (x INT)",
        "CREATE MACRO f(x) AS x + 1",
        "ALTER TABLE b RENAME COLUMN z TO w",
        "CREATE OR REPLACE VIEW c AS SELECT 1",
    ],
)
def test_the_content_hash_sees_every_change_of_content(
    change: str, runner: QueryRunner, tmp_path: Path
) -> None:
    path = make(tmp_path / "content.duckdb", CONTENT)
    before = runner.content_hash(path)
    make(path, change)

    assert runner.content_hash(path) != before


def test_the_content_hash_stays_what_it_was_in_earlier_versions(
    runner: QueryRunner, tmp_path: Path
) -> None:
    # When this changes, every stored result goes stale: raise the number hashed first, too.
    assert runner.content_hash(make(tmp_path / "content.duckdb", CONTENT)) == (
        "c3e789fc44379fb9c29659749ab375868c772b266185373f807a00de4f722f7c"
    )
