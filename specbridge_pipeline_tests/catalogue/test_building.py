"""The catalogue as a whole: of the samples, of odd databases, and through its stored form."""

from pathlib import Path
from typing import Any

import pytest

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.catalogue.documents import read_catalogue_file, read_documents
from specbridge_pipeline.catalogue.model import Catalogue, Role
from specbridge_pipeline.catalogue.records import CATALOGUE, catalogue_rows, read_catalogue
from specbridge_pipeline.databases.availability import DatabaseFiles
from specbridge_pipeline.databases.registry import read_databases
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.errors import StaleRecordError
from specbridge_pipeline.settings import Project

CHECKOUT = Path(__file__).parents[2]
SHARED = CHECKOUT.parent / "shared" / "data" / "databases"
OTHERS = sorted(SHARED.glob("*/*/*.sqlite"))


@pytest.fixture(scope="module")
def samples(runner: QueryRunner, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Catalogue]:
    project = Project(CHECKOUT)
    files = DatabaseFiles(tmp_path_factory.mktemp("memory") / "hashes.json", runner)
    made = {}
    for name in ("baseball", "flights"):
        database = read_databases(project)[name]
        path = files.ensure(database)
        schema = runner.read_schema(path)
        assert database.entry.catalogue is not None
        meanings = read_catalogue_file(CHECKOUT / database.entry.catalogue, schema)
        made[name] = build_catalogue(
            name, schema, lambda sql, path=path: runner.run(path, sql), meanings=meanings
        )
    return made


@pytest.mark.slow
def test_the_samples_read_as_an_analyst_would_write(samples: dict[str, Catalogue]) -> None:
    baseball, flights = samples["baseball"], samples["flights"]
    assert baseball.table("salaries").plural == "salary records"
    assert baseball.column("batting", "player_id").plural == "players"
    assert baseball.column("batting", "home_runs").summable
    assert baseball.column("batting", "at_bats").denominator
    assert not baseball.column("teams", "final_rank").summable
    assert flights.column("flights", "dep_delay").unit == "minutes"
    # A flight number is used again every day: nobody counts how many there are.
    assert flights.column("flights", "flight").role is Role.OTHER
    assert flights.column("flights", "dep_time").role is Role.DATE
    refers = {each.child_columns: each.parent for each in flights.relationships_of("flights")}
    assert refers["tailnum",] == "planes"
    assert refers["origin", "time_hour"] == "weather"


@pytest.mark.slow
def test_the_files_of_the_samples_say_something_of_every_column(
    samples: dict[str, Catalogue], runner: QueryRunner
) -> None:
    for name, catalogue in samples.items():
        schema = runner.read_schema(CHECKOUT / "data" / "databases" / f"{name}.sqlite")
        said = read_catalogue_file(CHECKOUT / "data" / "catalogues" / f"{name}.yaml", schema)
        for table in catalogue.tables:
            assert table.name in said.rows
            assert all(said.of(table.name, column.name).phrase for column in table.columns)


def test_a_catalogue_comes_back_from_its_rows(build: Any) -> None:
    catalogue = build(
        Path(__file__).with_name("league.sql").read_text("utf-8")
        + "CREATE TABLE odd (a REAL, b BLOB, c); INSERT INTO odd VALUES"
        "(9e999, x'00', 'ü\n'), (-9e999, NULL, 1), (0.1, NULL, 2.5);"
        'CREATE TABLE "no rows" (a)'
    )
    frame = CATALOGUE.frame(catalogue_rows(catalogue))
    assert read_catalogue(frame.to_dicts()) == catalogue
    assert read_catalogue(frame.reverse().to_dicts()) == catalogue


def test_rows_of_no_database_are_no_catalogue() -> None:
    with pytest.raises(StaleRecordError, match="of 0 databases"):
        read_catalogue([])


def test_the_same_database_gives_the_same_catalogue_and_views_are_left_out(
    build: Any, tmp_path: Path
) -> None:
    script = Path(__file__).with_name("league.sql").read_text("utf-8")
    first = build(script)
    (tmp_path / "made.sqlite").unlink()
    assert build(script) == first
    assert "best" not in {table.name for table in first.tables}


def test_a_database_without_tables_has_an_empty_catalogue(build: Any) -> None:
    assert build("PRAGMA user_version = 1") == Catalogue("made", (), ())


@pytest.mark.slow
@pytest.mark.skipif(not OTHERS, reason="no other databases here")
def test_every_other_database_has_a_catalogue_that_keeps_its_promises(
    runner: QueryRunner,
) -> None:
    for path in OTHERS:
        catalogue = build_catalogue(
            path.stem,
            runner.read_schema(path),
            lambda sql, path=path: runner.run(path, sql),
            meanings=read_documents(path),
        )
        for table in catalogue.tables:
            assert all([table.singular, table.plural]), (path, table.name)
            for column in table.columns:
                where = (path.stem, table.name, column.name)
                assert all([column.phrase, column.singular, column.plural]), where
                assert not column.summable or column.role is Role.MEASURE, where
                assert not column.denominator or column.profile.negative == 0, where
        for each in catalogue.relationships:
            parent = catalogue.table(each.parent)
            assert 0 <= each.childless_parents <= parent.rows, each
            assert (
                each.unmatched_children + each.missing_children <= catalogue.table(each.child).rows
            ), each
