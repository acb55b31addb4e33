from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.registry import (
    DEFAULT_USES,
    DatabaseEntry,
    Use,
    add_database,
    read_databases,
)
from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.settings import Project

CASES = yaml.safe_load(Path(__file__).with_name("registry_faults.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def project(tmp_path: Path, build: Callable[[Path, str], Path]) -> Project:
    project = Project(tmp_path / "project")
    project.data.mkdir(parents=True)
    build(project.root / "real.sqlite", "CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)")
    (project.root / "notes.md").write_text("n: a number")
    (project.root / "text.sqlite").write_text("not a database")
    (project.root / "empty.sqlite").touch()
    for folder in ("folder", "tables", "twins", "leaving", "piped"):
        (project.root / folder).mkdir()
    (project.root / "folder" / "notes.txt").write_text("no table")
    with duckdb.connect(str(project.root / "real.duckdb")) as connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
    for file in ("tables/t.csv", "twins/t.csv", "twins/T.parquet"):
        (project.root / file).write_text("n\n1\n")
    (project.root / "leaving" / "notes.csv").symlink_to(project.root / "notes.md")
    os.mkfifo(project.root / "piped" / "p.csv")
    project.databases_file.write_text(
        "# comments stay\ndatabases:\n  - {id: one, path: real.sqlite}\n"
    )
    return project


def content(project: Project) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_one_error_with_file_and_line(case: dict[str, Any], project: Project) -> None:
    project.databases_file.write_text(case["shared"])
    if "local" in case:
        project.local_databases_file.write_text(case["local"])
    before = content(project)
    with pytest.raises(ConfigurationError) as caught:
        read_databases(project)
    assert case["says"] in caught.value.what
    assert caught.value.path == project.data / case["file"]
    assert caught.value.line == case["line"]
    with pytest.raises(ConfigurationError) as again:
        add_database(project, DatabaseEntry(id="new", path="real.sqlite"))
    assert str(again.value) == str(caught.value)
    assert content(project) == before


def test_no_registry_at_all(project: Project) -> None:
    project.databases_file.unlink()
    with pytest.raises(ConfigurationError, match="no such file"):
        read_databases(project)


def test_databases_come_in_registry_order_local_ones_last(project: Project) -> None:
    project.databases_file.write_text(
        "databases:\n"
        "  - {id: b, path: real.sqlite, uses: [mine], documents: [notes.md]}\n"
        "  - {id: a, path: data/built.sqlite, sample: flights}\n"
    )
    project.local_databases_file.write_text("databases:\n  - {id: A0, path: real.sqlite}\n".lower())
    databases = read_databases(project)
    assert list(databases) == ["b", "a", "a0"]
    assert databases["b"].entry.uses == (Use.MINE,)
    assert databases["a"].entry.uses == DEFAULT_USES
    assert not databases["a"].path.exists()
    assert databases["a0"].registered_in == (project.local_databases_file, 2)
    assert all(database.path.is_absolute() for database in databases.values())


def test_a_relative_path_is_read_from_the_root_wherever_one_stands(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_databases(project)["one"].path == project.root / "real.sqlite"


@pytest.mark.parametrize("absolute", [False, True])
def test_adding_writes_the_local_registry_and_nothing_else(
    absolute: bool, project: Project
) -> None:
    path = str(project.root / "real.sqlite") if absolute else "real.sqlite"
    before = content(project)
    entry = DatabaseEntry(
        id="mine", path=path, source="Ünits: «all»", documents=("notes.md",), uses=(Use.MINE,)
    )
    added = add_database(project, entry)
    assert added.entry == entry
    assert added.path == project.root / "real.sqlite"
    after = content(project)
    assert after.keys() - before.keys() == {project.local_databases_file}
    assert before.items() <= after.items()
    assert read_databases(project)["mine"] == added


@pytest.mark.parametrize(
    ("path", "stated", "engine"),
    [
        ("real.sqlite", None, Engine.SQLITE),
        ("real.sqlite", "sqlite", Engine.SQLITE),
        ("real.duckdb", None, Engine.DUCKDB),
        ("real.duckdb", "duckdb", Engine.DUCKDB),
        ("tables", None, Engine.DUCKDB),
        ("tables", "duckdb", Engine.DUCKDB),
    ],
)
def test_the_engine_is_the_file_s_whether_it_is_stated_or_not(
    path: str, stated: str | None, engine: Engine, project: Project
) -> None:
    entry = DatabaseEntry.model_validate({"id": "mine", "path": path, "engine": stated})
    add_database(project, entry)

    assert read_databases(project)["mine"].engine is engine


def test_a_sample_that_is_not_built_yet_is_for_sqlite(project: Project) -> None:
    project.databases_file.write_text(
        "databases:\n  - {id: a, path: data/built.sqlite, sample: flights}\n"
    )

    assert read_databases(project)["a"].engine is Engine.SQLITE


def test_adding_keeps_what_was_added_before(project: Project) -> None:
    entries = [
        DatabaseEntry(id=f"n{number}", path="real.sqlite", source=f"source: {number} #")
        for number in range(3)
    ]
    for entry in entries:
        add_database(project, entry)
    found = read_databases(project)
    assert [found[entry.id].entry for entry in entries] == entries


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": "one"}, "id 'one' is already taken"),
        ({"id": "earlier"}, "id 'earlier' is already taken"),
        ({"path": "gone.sqlite"}, "there is no such database file"),
        ({"path": "folder"}, "the folder holds no Parquet or CSV file"),
        ({"path": "text.sqlite"}, "this is neither an SQLite nor a DuckDB database"),
        ({"path": "real.duckdb", "engine": "sqlite"}, "this is a database for DuckDB"),
        ({"path": "x" * 5000}, "File name too long"),
        ({"documents": ("more.md",)}, "document 'more.md' of 'new' does not exist"),
        ({"sample": "footbal"}, "there is no sample 'footbal'"),
    ],
)
def test_adding_leaves_everything_untouched_on_an_error(
    changes: dict[str, Any], says: str, project: Project
) -> None:
    add_database(project, DatabaseEntry(id="earlier", path="real.sqlite"))
    before = content(project)
    entry = DatabaseEntry.model_validate({"id": "new", "path": "real.sqlite", **changes})
    with pytest.raises(ConfigurationError, match=says):
        add_database(project, entry)
    assert content(project) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(project: Project) -> None:
    (project.root / "real.sqlite").chmod(0)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_databases(project)
