"""The second look at a finished query finds each thing that can be wrong with it."""

from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.databases.results import QueryFailure
from specbridge_pipeline.query_generation.generation import rows_digest
from specbridge_pipeline.query_generation.recheck import FinishedQuery, recheck

CASES = yaml.safe_load(Path(__file__).with_name("recheck_cases.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_finished_query_is_looked_at_a_second_time(case, shop):
    outcome = shop(case["sql"])
    rows = () if isinstance(outcome, QueryFailure) else outcome.rows
    claimed = case.get("hash", rows_digest(rows))
    query = FinishedQuery(case["sql"], case["steps"], case["arithmetic"], len(rows), claimed)
    assert list(recheck(query, shop)) == case["faults"]
