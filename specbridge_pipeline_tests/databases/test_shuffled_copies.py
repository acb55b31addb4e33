from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from specbridge_pipeline.databases.shuffled_copies import write_shuffled_copy
from specbridge_pipeline.errors import DatabaseUnavailableError

SCRIPT = """
    CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE UNIQUE, "a b" REAL,
                         loud TEXT AS (UPPER(name)) STORED, quiet TEXT AS (LOWER(name)));
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO people (id, name, "a b") SELECT i, 'Name ' || i, i / 4.0 FROM n;
    CREATE INDEX by_value ON people ("a b");
    CREATE TABLE pairs (k TEXT, v, PRIMARY KEY (k)) WITHOUT ROWID;
    INSERT INTO pairs VALUES ('x', x'ff00'), ('y', NULL), ('z', '007');
    CREATE TABLE exact (a INT, b ANY) STRICT;
    INSERT INTO exact VALUES (1, '1'), (2, 2);
    CREATE TABLE counted (i INTEGER PRIMARY KEY AUTOINCREMENT);
    INSERT INTO counted DEFAULT VALUES;
    CREATE VIRTUAL TABLE found USING fts5(words);
    CREATE VIEW adults AS SELECT id, name FROM people WHERE id > 20;
"""
SAME = [
    'SELECT id, name, "a b", loud, quiet FROM people',
    "SELECT k, v, TYPEOF(v) FROM pairs",
    "SELECT a, b, TYPEOF(b) FROM exact",
    "SELECT i FROM counted",
    "SELECT * FROM adults",
    "SELECT COUNT(*) FROM people WHERE name = 'NAME 7'",
    "SELECT id FROM people WHERE id = '7'",
]


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, build: Callable[[Path, str], Path]) -> Path:
    return build(tmp_path_factory.mktemp("source") / "source.sqlite", SCRIPT)


def test_a_copy_says_the_same_in_another_order(source: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    write_shuffled_copy(source, copy, seed=1)
    for sql in SAME:
        assert Counter(rows(copy, sql)) == Counter(rows(source, sql)), sql
    stored = "SELECT id FROM people NOT INDEXED"
    assert rows(copy, stored) != rows(source, stored)
    assert rows(copy, "SELECT name FROM sqlite_schema WHERE type = 'index'") == []


def test_the_same_seed_gives_the_same_copy(source: Path, tmp_path: Path) -> None:
    stored = "SELECT id FROM people"
    orders = []
    for place, seed in enumerate((3, 3, 4)):
        write_shuffled_copy(source, tmp_path / f"{place}.sqlite", seed=seed)
        orders.append(rows(tmp_path / f"{place}.sqlite", stored))
    assert orders[0] == orders[1] != orders[2]


def test_no_file_is_replaced_or_made_from_nothing(source: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.sqlite"
    there.write_bytes(b"kept")
    with pytest.raises(FileExistsError):
        write_shuffled_copy(source, there, seed=1)
    assert there.read_bytes() == b"kept"
    with pytest.raises(DatabaseUnavailableError):
        write_shuffled_copy(tmp_path / "missing.sqlite", tmp_path / "new.sqlite", seed=1)
    assert not (tmp_path / "new.sqlite").exists()
