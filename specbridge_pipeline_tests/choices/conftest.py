from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.results import Outcome, QueryResult
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline_tests.support.in_process_engine import make_runner
from specbridge_pipeline_tests.support.projects import FIXTURES, make_database

__all__ = ["make_runner"]


@dataclass(frozen=True)
class Shop:
    """The shop with its catalogue, as the pipeline itself builds it."""

    schema: Schema
    catalogue: Catalogue
    run: Callable[[str], Outcome]

    def rows(self, sql):
        outcome = self.run(sql)
        assert isinstance(outcome, QueryResult), outcome
        return outcome.rows


@pytest.fixture(scope="session")
def shop_schema(tmp_path_factory):
    return _schema_of(tmp_path_factory.mktemp("shop") / "shop.sqlite", FIXTURES / "shop.sql")


def _schema_of(path, script):
    make_database(path, script)
    with QueryRunner(workers=1) as runner:
        return runner.read_schema(path)


@pytest.fixture
def make_shop(make_runner, shop_schema, tmp_path):
    def make(also=""):
        script = (FIXTURES / "shop.sql").read_text("utf-8") + also
        run, schema = make_runner(script), shop_schema
        if "CREATE TABLE" in also:
            (tmp_path / "shop.sql").write_text(script, "utf-8")
            schema = _schema_of(tmp_path / "shop.sqlite", tmp_path / "shop.sql")
        return Shop(schema, build_catalogue("shop", schema, run), run)

    return make
