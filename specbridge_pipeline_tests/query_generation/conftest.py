import pytest

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline_tests.support.in_process_engine import make_duckdb_runner, make_runner
from specbridge_pipeline_tests.support.projects import FIXTURES, make_database

__all__ = ["make_duckdb_runner", "make_runner"]


@pytest.fixture
def shop(make_runner):
    """Run a query on the shop."""
    return make_runner((FIXTURES / "shop.sql").read_text("utf-8"))


@pytest.fixture
def shop_on_duckdb(make_duckdb_runner):
    """Run a query on the shop in DuckDB."""
    return make_duckdb_runner((FIXTURES / "shop.sql").read_text("utf-8"))


@pytest.fixture(scope="session")
def clinic_catalogue(tmp_path_factory):
    path = tmp_path_factory.mktemp("clinic") / "clinic.sqlite"
    make_database(path, FIXTURES / "clinic.sql")
    with QueryRunner(workers=1) as runner:
        return build_catalogue(
            "clinic", runner.read_schema(path), lambda sql: runner.run(path, sql)
        )


@pytest.fixture
def clinic(make_runner):
    """Run a query on the clinic."""
    return make_runner((FIXTURES / "clinic.sql").read_text("utf-8"))
