"""A folder of Parquet and CSV files as a database."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from specbridge_pipeline.databases.availability import DatabaseFiles
from specbridge_pipeline.databases.engine import Engine, engine_of
from specbridge_pipeline.databases.registry import Database, DatabaseEntry
from specbridge_pipeline.databases.results import (
    FailureKind,
)
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import DatabaseUnavailableError
from specbridge_pipeline_tests.support.outcomes import kind, rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "o'dd [*] name=1"
    folder.mkdir()
    (folder / "cities.csv").write_text(
        'name,founded,people\n"Köln, am Rhein",0050-01-01,1085664\nOslo,1048-01-01,\n', "utf-8"
    )
    (folder / 'it\'s [a] "t".CSV').write_text("a;b\n1;x\n2;y\n")
    (folder / "notes.txt").write_text("no table")
    (folder / ".hidden.csv").write_text("a\n1\n")
    (folder / "more").mkdir()
    (folder / "more" / "deep.csv").write_text("a\n1\n")
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT i AS id, i * 1.5 AS price, [i] AS tags FROM range(3) r(i)) "
            "TO '" + str(tmp_path / "prices.parquet") + "' (FORMAT parquet)"
        )
    (tmp_path / "prices.parquet").rename(folder / "prices.parquet")
    return folder


def column_kinds(schema: Schema) -> dict[str, list[tuple[str, str]]]:
    return {
        table.name: [(column.name, column.declared_type) for column in table.columns]
        for table in schema.tables
    }


def test_a_folder_of_data_files_is_a_database_of_a_table_each(
    folder: Path, runner: QueryRunner
) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert engine_of(folder) is Engine.DUCKDB
    assert column_kinds(runner.read_schema(folder)) == {
        "cities": [("name", "VARCHAR"), ("founded", "DATE"), ("people", "BIGINT")],
        'it\'s [a] "t"': [("a", "BIGINT"), ("b", "VARCHAR")],
        "prices": [("id", "BIGINT"), ("price", "DECIMAL(21,1)"), ("tags", "BIGINT[]")],
    }
    assert rows(runner.run(folder, "SELECT * FROM cities")) == (
        ("Köln, am Rhein", date(50, 1, 1), 1085664),
        ("Oslo", date(1048, 1, 1), None),
    )
    assert rows(runner.run(folder, 'SELECT sum(a) FROM "it\'s [a] ""t"""')) == ((3,),)
    assert rows(runner.run(folder, "SELECT sum(price), list(tags) FROM prices")) == (
        (Decimal("4.5"), ((0,), (1,), (2,))),
    )
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_query_on_a_folder_reads_its_tables_and_no_file(
    folder: Path, runner: QueryRunner
) -> None:
    for source in ("'cities.csv'", f"read_csv('{folder}/cities.csv')".replace("o'", "o''")):
        outcome = runner.run(folder, f"SELECT * FROM {source}")
        assert kind(outcome) is FailureKind.REFUSED


def test_types_of_a_csv_file_are_found_from_all_of_its_lines(
    runner: QueryRunner, tmp_path: Path
) -> None:
    lines = ["a,b", *(f"{number},2024-01-01" for number in range(150_000)), "none,2024-13-45"]
    (tmp_path / "t.csv").write_text("\n".join(lines))

    assert column_kinds(runner.read_schema(tmp_path)) == {"t": [("a", "VARCHAR"), ("b", "VARCHAR")]}


def test_a_changed_folder_is_read_again_and_its_snapshots_go_with_the_runner(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with QueryRunner(workers=1) as runner:
        first = runner.content_hash(folder)
        assert runner.content_hash(folder) == first
        (folder / "cities.csv").write_text("name\nBergen\n")
        assert rows(runner.run(folder, "SELECT * FROM cities")) == (("Bergen",),)
        assert runner.content_hash(folder) != first
        (home,) = temporary.iterdir()
        # The older one is gone: nobody reads it.
        assert len(list(home.iterdir())) == 1

    assert list(temporary.iterdir()) == []


def test_the_hash_of_a_folder_is_that_of_its_tables(
    folder: Path, runner: QueryRunner, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in folder.iterdir():
        if path.suffix.lower() == ".csv" and not path.name.startswith("."):
            (copy / path.name).write_bytes(path.read_bytes())
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT i AS id, i * 1.5 AS price, [i] AS tags FROM range(3) r(i)) "
            f"TO '{copy}/prices.parquet' (FORMAT parquet, COMPRESSION zstd)"
        )

    assert runner.content_hash(copy) == runner.content_hash(folder)
    (copy / "prices.parquet").rename(copy / "cost.parquet")
    assert runner.content_hash(copy) != runner.content_hash(folder)


def test_a_hash_is_remembered_until_a_folder_s_files_change(
    folder: Path, runner: QueryRunner, tmp_path: Path
) -> None:
    files = DatabaseFiles(tmp_path / "hashes.json", runner)
    database = Database(DatabaseEntry(id="f", path=str(folder)), folder, (tmp_path / "r.yaml", 1))
    first = files.content_hash(database)
    (folder / "notes.txt").write_text("still no table")
    assert files.content_hash(database) == first
    (folder / "new.csv").write_text("x\n1\n")

    assert files.content_hash(database) != first


def broken_folders() -> Iterator[tuple[str, Callable[[Path], object], str]]:
    yield "empty", lambda folder: None, "holds no Parquet or CSV file"
    yield (
        "twins",
        lambda folder: [(folder / name).write_text("a\n1\n") for name in ("t.csv", "T.parquet")],
        "two files would make one table: T.parquet and t.csv",
    )
    yield (
        "no parquet",
        lambda folder: (folder / "t.parquet").write_text("a\n1\n"),
        ("t.parquet cannot be read"),
    )
    yield (
        "cut parquet",
        lambda folder: (folder / "t.parquet").write_bytes(b"PAR1" * 20),
        ("t.parquet cannot be read"),
    )
    yield (
        "other encoding",
        lambda folder: (folder / "t.csv").write_bytes(b"a,b\n\xff\xfe,1\n"),
        ("t.csv cannot be read"),
    )
    yield (
        "link that leaves",
        lambda folder: (folder / "t.csv").symlink_to("/etc/passwd"),
        ("t.csv is a link that leaves the folder"),
    )
    yield (
        "link to nothing",
        lambda folder: (folder / "t.csv").symlink_to("u.csv"),
        ("t.csv is no regular file"),
    )
    yield "pipe", lambda folder: os.mkfifo(folder / "t.csv"), "t.csv is no regular file"
    yield (
        "folder of parts",
        lambda folder: (folder / "t.parquet").mkdir(),
        ("t.parquet is no regular file"),
    )


@pytest.mark.parametrize(
    ("fill", "says"), [pytest.param(*case[1:], id=case[0]) for case in broken_folders()]
)
def test_a_folder_that_is_no_database_says_why(
    fill: Callable[[Path], object], says: str, runner: QueryRunner, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    fill(folder)

    with pytest.raises(DatabaseUnavailableError, match=says) as caught:
        runner.run(folder, "SELECT 1")
    assert "specbridge-" not in str(caught.value)


def test_a_link_within_the_folder_is_a_table(runner: QueryRunner, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "u.csv").symlink_to("t.csv")

    assert rows(runner.run(tmp_path, "SELECT t.a + u.a FROM t, u")) == ((2,),)
