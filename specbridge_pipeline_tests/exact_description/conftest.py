from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline_tests.support.description_corpus import write_database
from specbridge_pipeline_tests.support.in_process_engine import make_duckdb_runner, make_runner

__all__ = ["make_duckdb_runner", "make_runner"]

FIXTURES = Path(__file__).parent.parent / "fixtures"
SHOP = (FIXTURES / "shop.sql").read_text(encoding="utf-8")


@pytest.fixture
def shop_on(shop_schema: Schema) -> Callable[[Engine], Schema]:
    """Return a function from an engine to the shop's schema there."""
    as_text = {"TEXT": "VARCHAR"}
    tables = tuple(
        replace(
            table,
            columns=tuple(
                replace(each, declared_type=as_text.get(each.declared_type, each.declared_type))
                for each in table.columns
            ),
        )
        for table in shop_schema.tables
    )
    # DuckDB calls the type by another name.
    schemas = {Engine.SQLITE: shop_schema, Engine.DUCKDB: Schema(tables, Engine.DUCKDB)}
    return schemas.__getitem__


@pytest.fixture(scope="session")
def shop_schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    connection = apsw.Connection(str(path))
    list(connection.execute(SHOP))
    connection.close()
    with QueryRunner(workers=1) as runner:
        return runner.read_schema(path)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file that the statements of the corpus are for."""
    return write_database(tmp_path_factory.mktemp("corpus") / "corpus.sqlite")


@pytest.fixture(scope="module")
def runner() -> Iterator[QueryRunner]:
    with QueryRunner(workers=1) as opened:
        yield opened


@pytest.fixture(scope="module")
def schema(database: Path, runner: QueryRunner) -> Schema:
    """Return the schema of the corpus's database."""
    return runner.read_schema(database)
