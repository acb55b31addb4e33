"""Queries that the generator draws go into words and back, with the catalogue's meanings or not."""

from __future__ import annotations

import apsw
import pytest

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.proofs.round_trips import Arrival, round_trip
from specbridge_pipeline.query_generation.generation import generate
from specbridge_pipeline.query_generation.requests import plain_requests
from specbridge_pipeline_tests.exact_description.conftest import FIXTURES

CLINIC = (FIXTURES / "clinic.sql").read_text(encoding="utf-8")


@pytest.mark.slow
def test_each_generated_query_comes_back_with_its_result(tmp_path):
    path = tmp_path / "clinic.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute(CLINIC)
    connection.close()
    with QueryRunner(workers=1) as runner:
        schema = runner.read_schema(path)
        catalogue = build_catalogue("clinic", schema, lambda sql: runner.run(path, sql))
        queries = [
            attempt.sql
            for attempt in generate(
                catalogue,
                lambda sql: runner.run(path, sql),
                requests=plain_requests(24, (1, 5), None),
                seed=11,
            )
            if attempt.kept
        ]
        arrivals = [
            round_trip(
                lambda sql, rows: runner.run(path, sql), sql, schema, describe(sql, schema, known)
            ).arrival
            for sql in queries
            for known in (None, catalogue)
        ]
    assert len(queries) > 12
    assert set(arrivals) == {Arrival.SAME_RESULT}
