from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from specbridge_pipeline.databases.availability import DatabaseFiles
from specbridge_pipeline.databases.registry import Database, DatabaseEntry
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.errors import DatabaseUnavailableError


class CountingRunner:
    """A runner that counts how often a file is read whole."""

    def __init__(self, runner: QueryRunner) -> None:
        self._runner = runner
        self.readings = 0

    def content_hash(self, path: Path) -> str:
        self.readings += 1
        return self._runner.content_hash(path)


@pytest.fixture
def counting(runner: QueryRunner) -> CountingRunner:
    return CountingRunner(runner)


@pytest.fixture
def files(tmp_path: Path, counting: CountingRunner) -> DatabaseFiles:
    return DatabaseFiles(tmp_path / "warehouse" / "hashes.json", counting)  # type: ignore[arg-type]


@pytest.fixture
def database(tmp_path: Path, build: Callable[[Path, str], Path]) -> Database:
    path = build(tmp_path / "d.sqlite", "CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)")
    return Database(DatabaseEntry(id="d", path=str(path)), path, (tmp_path / "databases.yaml", 7))


def test_a_hash_is_remembered(
    files: DatabaseFiles, database: Database, counting: CountingRunner, tmp_path: Path
) -> None:
    first = files.content_hash(database)
    assert first == files.content_hash(database)
    again = DatabaseFiles(tmp_path / "warehouse" / "hashes.json", counting)  # type: ignore[arg-type]
    assert again.content_hash(database) == first
    assert counting.readings == 1


def test_a_changed_file_is_read_again(
    files: DatabaseFiles,
    database: Database,
    counting: CountingRunner,
    build: Callable[[Path, str], Path],
) -> None:
    first = files.content_hash(database)
    build(database.path, "INSERT INTO t VALUES (2)")
    second = files.content_hash(database)
    assert first != second
    build(database.path, "DELETE FROM t WHERE n = 2")
    assert files.content_hash(database) == first
    assert counting.readings == 3


def test_a_remembered_hash_is_not_given_for_rows_still_in_the_journal(
    files: DatabaseFiles, database: Database, build: Callable[[Path, str], Path]
) -> None:
    build(database.path, "PRAGMA journal_mode = WAL")
    files.content_hash(database)
    writer = apsw.Connection(str(database.path))
    try:
        list(writer.execute("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (2)"))
        with pytest.raises(DatabaseUnavailableError, match="-wal"):
            files.content_hash(database)
    finally:
        writer.close()


def test_two_databases_are_remembered_apart(
    files: DatabaseFiles,
    database: Database,
    counting: CountingRunner,
    tmp_path: Path,
    build: Callable[[Path, str], Path],
) -> None:
    path = build(tmp_path / "e.sqlite", "CREATE TABLE other (n INTEGER)")
    other = Database(DatabaseEntry(id="e", path=str(path)), path, database.registered_in)
    hashes = {files.content_hash(each) for each in (database, other, database, other)}
    assert (len(hashes), counting.readings) == (2, 2)


@pytest.mark.parametrize(
    "corrupt",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"d": null}',
        b'{"d": []}',
        b'{"d": ["only one"]}',
        b'{"d": "text"}',
        b'{"d": [1, 2]}',
        b'{"d": {"0": "x"}}',
        b"[" * 100_000,
    ],
)
def test_a_corrupt_memory_is_ignored_and_mended(
    corrupt: bytes,
    files: DatabaseFiles,
    database: Database,
    counting: CountingRunner,
    runner: QueryRunner,
    tmp_path: Path,
) -> None:
    memory = tmp_path / "warehouse" / "hashes.json"
    memory.parent.mkdir()
    memory.write_bytes(corrupt)
    assert files.content_hash(database) == runner.content_hash(database.path)
    assert files.content_hash(database) == runner.content_hash(database.path)
    assert counting.readings == 1
    assert list(json.loads(memory.read_text())) == ["d"]


def test_a_file_that_is_gone(files: DatabaseFiles, database: Database, tmp_path: Path) -> None:
    database.path.unlink()
    with pytest.raises(DatabaseUnavailableError, match="'d' is gone") as caught:
        files.content_hash(database)
    assert caught.value.where == f"{tmp_path / 'databases.yaml'}:7"
    assert not (tmp_path / "warehouse" / "hashes.json").exists()


def test_a_file_that_is_damaged(files: DatabaseFiles, database: Database, tmp_path: Path) -> None:
    database.path.write_bytes(database.path.read_bytes()[:100] + b"\xff" * 8000)
    with pytest.raises(DatabaseUnavailableError):
        files.content_hash(database)
    assert not (tmp_path / "warehouse" / "hashes.json").exists()
