"""Databases made from scripts, and a runner with real workers that the folder's tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.catalogue.documents import ColumnMeanings
from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline_tests.support.in_process_engine import make_duckdb_runner, make_runner

__all__ = ["make_duckdb_runner", "make_runner"]

Build = Callable[..., Catalogue]


@pytest.fixture(scope="session")
def runner() -> Iterator[QueryRunner]:
    with QueryRunner(workers=2) as shared:
        yield shared


@pytest.fixture
def build(tmp_path: Path, runner: QueryRunner) -> Build:
    """Return a function from a script to the catalogue of the database that it makes."""

    def catalogue(script: str, meanings: ColumnMeanings | None = None) -> Catalogue:
        path = tmp_path / "made.sqlite"
        connection = apsw.Connection(str(path))
        connection.execute(script)
        connection.close()
        return build_catalogue(
            "made",
            runner.read_schema(path),
            lambda sql: runner.run(path, sql),
            meanings=meanings,
        )

    return catalogue
