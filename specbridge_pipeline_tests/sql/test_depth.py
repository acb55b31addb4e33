from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.settings import Project, starter_root
from specbridge_pipeline.sql.depth import Depth, measure_depth
from specbridge_pipeline.sql.engines.sqlite import SQLITE
from specbridge_pipeline.sql.parsing import parse_query

CASES = yaml.safe_load(Path(__file__).with_name("depths.yaml").read_text("utf-8"))["cases"]
EDITION = read_edition(Project(starter_root()), "handwritten-1")

STATED_OTHERWISE = {
    # Set → what is measured. A baseline over the rows does not depend on the groups.
    "c8eaced01126": Depth(2, 1),
    # The highest value is computed before teams are compared with it.
    "a8f4f485ff3e": Depth(2, 0),
    # Percent is free.
    "b13e39b923d9": Depth(1, 1),
    "04660a29bda7": Depth(1, 1),
}
"""Sets written by hand whose stated depths are not those of the definitions."""


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_depths(case):
    assert measure_depth(case["sql"]) == Depth(case["step"], case["arithmetic"])


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_depths_do_not_depend_on_how_a_query_is_written(case):
    again = parse_query(case["sql"]).sql(SQLITE.dialect, pretty=True)
    shouted = parse_query(case["sql"]).sql(
        SQLITE.dialect, normalize_functions="lower", identify=True
    )
    assert measure_depth(again) == measure_depth(shouted) == measure_depth(case["sql"])


@pytest.mark.parametrize("request_set", EDITION.sets, ids=lambda each: each.id)
def test_depths_of_the_sets_written_by_hand(request_set: RequestSet):
    stated = Depth(request_set.step_depth, request_set.arithmetic_depth)
    expected = STATED_OTHERWISE.get(request_set.id, stated)
    assert measure_depth(request_set.interpretations.a.sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT * FROM n",
        "WITH n AS (SELECT * FROM n) SELECT * FROM n",
        "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM b",
    ],
)
def test_a_recursive_query_is_refused(sql):
    with pytest.raises(UnusableReferenceError, match="reads itself"):
        measure_depth(sql)


def test_a_query_that_only_could_be_recursive_is_measured():
    assert measure_depth("WITH RECURSIVE n AS (SELECT 1 AS i) SELECT i FROM n") == Depth(1, 0)


def test_deep_nesting_is_an_error_that_says_so():
    with pytest.raises(UnusableReferenceError, match="too deep"):
        measure_depth("SELECT " + "+".join(["a * b"] * 5000) + " FROM t")
