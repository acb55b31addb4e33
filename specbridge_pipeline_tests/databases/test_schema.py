from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import apsw
import pytest

from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import (
    Column,
    ForeignKey,
    Schema,
    Table,
)
from specbridge_pipeline.errors import DatabaseUnavailableError
from specbridge_pipeline.sql.create_statements import create_statements

Build: TypeAlias = Callable[[Path, str], Path]


@pytest.fixture
def shop(build: Build, tmp_path: Path) -> Path:
    return build(
        tmp_path / "shop.db",
        """
        CREATE TABLE customer (id INTEGER PRIMARY KEY, "full name" TEXT NOT NULL);
        CREATE TABLE "order" (
          "number" INT, year INT, customer REFERENCES customer, total AS (year * 2),
          PRIMARY KEY (year, "number"));
        CREATE TABLE line (
          "number" INT, year INT, amount DECIMAL(10,
          2),
          FOREIGN KEY ("number", year) REFERENCES "order" ("number", year),
          FOREIGN KEY (year) REFERENCES nowhere);
        CREATE VIEW named AS SELECT "full name" AS name, id FROM customer;
        CREATE VIEW broken AS SELECT gone FROM customer;
        CREATE VIRTUAL TABLE search USING fts5(body);
        INSERT INTO customer VALUES (1, 'Ada'), (2, NULL || 'x' IS NULL);
        """,
    )


def test_a_schema_has_columns_keys_and_views(runner: QueryRunner, shop: Path) -> None:
    assert runner.read_schema(shop) == Schema(
        (
            Table(
                "customer",
                (Column("id", "INTEGER", False, 1), Column("full name", "TEXT", True, 0)),
                (),
            ),
            Table(
                "order",
                (
                    Column("number", "INT", False, 2),
                    Column("year", "INT", False, 1),
                    Column("customer", "", False, 0),
                    Column("total", "", False, 0),
                ),
                (ForeignKey(("customer",), "customer", ("id",)),),
            ),
            Table(
                "line",
                (
                    Column("number", "INT", False, 0),
                    Column("year", "INT", False, 0),
                    Column("amount", "DECIMAL(10,\n          2)", False, 0),
                ),
                (
                    ForeignKey(("number", "year"), "order", ("number", "year")),
                    ForeignKey(("year",), "nowhere", ()),
                ),
            ),
            Table(
                "named", (Column("name", "TEXT", False, 0), Column("id", "INTEGER", False, 0)), ()
            ),
        )
    )


def test_create_statements_are_compact_and_quote_only_what_needs_it(
    runner: QueryRunner, shop: Path
) -> None:
    assert create_statements(runner.read_schema(shop)) == (
        "CREATE TABLE customer (\n"
        "  id INTEGER,\n"
        '  "full name" TEXT NOT NULL,\n'
        "  PRIMARY KEY (id)\n"
        ");\n"
        "\n"
        'CREATE TABLE "order" (\n'
        "  number INT,\n"
        "  year INT,\n"
        "  customer,\n"
        "  total,\n"
        "  PRIMARY KEY (year, number),\n"
        "  FOREIGN KEY (customer) REFERENCES customer (id)\n"
        ");\n"
        "\n"
        "CREATE TABLE line (\n"
        "  number INT,\n"
        "  year INT,\n"
        "  amount DECIMAL(10, 2),\n"
        '  FOREIGN KEY (number, year) REFERENCES "order" (number, year),\n'
        "  FOREIGN KEY (year) REFERENCES nowhere\n"
        ");\n"
        "\n"
        "CREATE TABLE named (\n"
        "  name TEXT,\n"
        "  id INTEGER\n"
        ");"
    )


CONTENT = """
    CREATE TABLE b (x INTEGER, y TEXT, z);
    INSERT INTO b WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2500)
      SELECT n, 'text ' || n,
        CASE n % 4 WHEN 0 THEN n * 0.1 WHEN 1 THEN x'00ff' WHEN 2 THEN 9e999 END
      FROM c;
    CREATE INDEX covering ON b (y, x, z);
    CREATE TABLE a (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    INSERT INTO a VALUES ('q', 1), ('p', 2);
"""


@pytest.mark.parametrize(
    "script",
    [
        "DELETE FROM b WHERE x > 4000; VACUUM",
        "PRAGMA page_size = 1024; VACUUM",
        "PRAGMA auto_vacuum = 0; VACUUM",
        "PRAGMA user_version = 7",
        "CREATE TABLE x (x); INSERT INTO x VALUES (zeroblob(90000)); DROP TABLE x",
        "UPDATE b SET z = z",
    ],
)
def test_the_content_hash_ignores_the_file_s_layout(
    script: str, build: Build, runner: QueryRunner, tmp_path: Path
) -> None:
    path = build(tmp_path / "content.db", CONTENT)
    before, bytes_before = runner.content_hash(path), path.read_bytes()
    build(path, script)

    assert path.read_bytes() != bytes_before or script.startswith("UPDATE")
    assert runner.content_hash(path) == before


@pytest.mark.parametrize(
    "script",
    [
        "UPDATE b SET y = 'text 17 ' WHERE x = 17",
        "UPDATE b SET z = 1.0 WHERE x = 3",
        "UPDATE b SET z = CAST(z AS TEXT) WHERE x = 1",
        "UPDATE b SET y = CAST(x'ff' AS TEXT) WHERE x = 2",
        "UPDATE b SET z = '00ff' WHERE x = 1",
        "DELETE FROM b WHERE x = 2500",
        "INSERT INTO a VALUES ('r', NULL)",
        "CREATE INDEX another ON a (v)",
        "CREATE TABLE c (x)",
        "ALTER TABLE a RENAME COLUMN v TO w",
    ],
)
def test_the_content_hash_sees_every_change_of_content(
    script: str, build: Build, runner: QueryRunner, tmp_path: Path
) -> None:
    path = build(tmp_path / "content.db", CONTENT)
    before = runner.content_hash(path)
    build(path, script)

    assert runner.content_hash(path) != before


def test_the_content_hash_stays_what_it_was_in_earlier_versions(
    build: Build, runner: QueryRunner, tmp_path: Path
) -> None:
    path = build(tmp_path / "content.db", CONTENT)

    # When this changes, every stored result goes stale: raise the number hashed first, too.
    assert runner.content_hash(path) == (
        "993c7f7e8091570d04d40851ff98ff0cfb2dd467c1665b3472bbf54eb2eed2bb"
    )


@pytest.mark.parametrize("content", [None, b"", b"not a database at all" * 100])
def test_a_file_that_is_no_database_is_unavailable(
    content: bytes | None, runner: QueryRunner, tmp_path: Path
) -> None:
    path = tmp_path / "none.db"
    if content is not None:
        path.write_bytes(content)

    for use in (
        lambda: runner.read_schema(path),
        lambda: runner.content_hash(path),
        lambda: runner.run(path, "SELECT 1 FROM sqlite_schema"),
    ):
        with pytest.raises(DatabaseUnavailableError):
            use()
    assert [each.name for each in tmp_path.iterdir()] == ([] if content is None else ["none.db"])


def test_a_database_with_a_pending_journal_is_unavailable_until_it_is_checkpointed(
    runner: QueryRunner, tmp_path: Path
) -> None:
    path = tmp_path / "busy #1?.db"
    writer = apsw.Connection(str(path))
    list(writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)"))

    with pytest.raises(DatabaseUnavailableError, match="checkpoint"):
        runner.run(path, "SELECT * FROM t")

    writer.close()
    names = sorted(each.name for each in tmp_path.iterdir())
    outcome = runner.run(path, "SELECT * FROM t")
    assert isinstance(outcome, QueryResult)
    assert outcome.rows == ((1,),)
    assert sorted(each.name for each in tmp_path.iterdir()) == names == [path.name]


def test_a_column_says_which_collation_is_declared_for_it(
    runner: QueryRunner, build: Build, tmp_path: Path
) -> None:
    path = build(
        tmp_path / "words.db",
        "CREATE TABLE word (a TEXT COLLATE nocase, b TEXT COLLATE BINARY, c TEXT);"
        "CREATE VIEW shown AS SELECT a FROM word;",
    )
    collations = {
        f"{table.name}.{column.name}": column.collation
        for table in runner.read_schema(path).tables
        for column in table.columns
    }
    assert collations == {"word.a": "NOCASE", "word.b": "", "word.c": "", "shown.a": ""}
