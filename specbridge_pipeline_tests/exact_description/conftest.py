from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline_tests.support.in_process_engine import make_runner

__all__ = ["make_runner"]

FIXTURES = Path(__file__).parent.parent / "fixtures"
SHOP = (FIXTURES / "shop.sql").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def shop_schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    connection = apsw.Connection(str(path))
    list(connection.execute(SHOP))
    connection.close()
    with QueryRunner(workers=1) as runner:
        return runner.read_schema(path)
