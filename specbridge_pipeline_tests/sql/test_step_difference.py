from pathlib import Path

import pytest
import yaml

from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.request_sets.editions import read_edition
from specbridge_pipeline.settings import Project, starter_root
from specbridge_pipeline.sql.engines.sqlite import SQLITE
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline.sql.step_difference import step_difference

CASES = yaml.safe_load(Path(__file__).with_name("step_differences.yaml").read_text("utf-8"))[
    "cases"
]
EDITION = read_edition(Project(starter_root()), "handwritten-1")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_differences(case):
    found = step_difference(case["a"], case["b"])
    assert list(found.changed) == case.get("changed", [])
    assert list(found.added) == case.get("added", [])
    assert list(found.removed) == case.get("removed", [])
    assert found.one_step is case["one_step"]
    assert (found.reason == "") is found.one_step
    assert case.get("says", "") in found.reason


ONE_STEP = [case for case in CASES if case["one_step"] and len(case.get("removed", ())) < 2]


@pytest.mark.parametrize("case", ONE_STEP, ids=[case["name"] for case in ONE_STEP])
def test_the_way_back_is_one_step_too(case):
    there, back = step_difference(case["a"], case["b"]), step_difference(case["b"], case["a"])
    assert back.one_step
    assert (back.added, back.removed) == (there.removed, there.added)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_what_is_only_written_otherwise_makes_no_difference(case):
    for sql in (case["a"], case["b"]):
        found = step_difference(
            sql, parse_query(sql).sql(SQLITE.dialect, pretty=True, identify=True)
        )
        assert not found.changed
        assert not found.one_step
        assert found.reason == "the queries are the same"


@pytest.mark.parametrize("request_set", EDITION.sets, ids=lambda each: each.id)
def test_the_sets_written_by_hand_differ_in_one_step(request_set):
    sides = request_set.interpretations
    found = step_difference(sides.a.sql, sides.b.sql)
    assert found.one_step, found.reason


def test_what_is_no_query_is_refused():
    with pytest.raises(UnusableReferenceError):
        step_difference("SELECT 1", "DROP TABLE t")
