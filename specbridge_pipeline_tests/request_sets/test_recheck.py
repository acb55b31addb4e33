from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.request_sets.recheck import recheck_set
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.sql.depth import Depth
from specbridge_pipeline_tests.support.accepted import clinic_sets
from specbridge_pipeline_tests.support.projects import FIXTURES, make_database

SETS = clinic_sets()
SHORT = SETS[0]
Runner = Callable[[str], Outcome]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    path = tmp_path_factory.mktemp("recheck") / "clinic.sqlite"
    make_database(path, FIXTURES / "clinic.sql")
    with QueryRunner(workers=1) as runner:
        yield lambda sql: runner.run(path, sql)


def changed(each: RequestSet, side: str | None = None, **values: object) -> RequestSet:
    content = each.model_dump(mode="json")
    if side is None:
        content |= values
    else:
        content["interpretations"][side] |= values
    return RequestSet.model_validate(content)


@pytest.mark.parametrize("request_set", SETS, ids=lambda each: each.id)
def test_a_good_set_passes(request_set: RequestSet, run: Runner) -> None:
    result = recheck_set(run, request_set)
    assert result.problems == ()
    assert result.passed
    assert result.one_step
    assert result.depths_agree
    assert result.requests_differ
    assert result.check.disjoint
    assert result.depth == Depth(request_set.step_depth, request_set.arithmetic_depth)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (changed(SHORT, step_depth=2), "its depths are 1 (steps) and 0 (arithmetic), and it"),
        (changed(SHORT, arithmetic_depth=1), "states 1 (steps) and 1 (arithmetic)"),
        (
            changed(SHORT, open_request=SHORT.interpretations.a.request.upper()),
            "two of its three requests say the same",
        ),
        (
            changed(SHORT, "b", sql="SELECT kind, COUNT(visit_id) AS n FROM visits GROUP BY kind"),
            "A is equal for the other side",
        ),
        (
            changed(SHORT, "b", sql="SELECT kind, COUNT(*) AS p FROM visits GROUP BY kind, year"),
            "an output of the main SELECT is called 'n' in A and 'p' in B",
        ),
        (changed(SHORT, "b", sql="SELECT kind, n FROM nowhere"), "no such table"),
        (changed(SHORT, "b", sql="SELECT kind n, FROM (visits"), "cannot be compared"),
        (
            changed(
                SHORT,
                "a",
                sql="WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) "
                "SELECT 'x' AS kind, i AS n FROM n",
            ),
            "its depths cannot be measured",
        ),
    ],
    ids=[
        "steps",
        "arithmetic",
        "requests",
        "same answers",
        "renamed output",
        "does not run",
        "no SQL",
        "recursive",
    ],
)
def test_a_bad_set_is_told_what_is_wrong(bad: RequestSet, says: str, run: Runner) -> None:
    result = recheck_set(run, bad)
    assert not result.passed
    assert says in "; ".join(result.problems)


def test_two_changed_steps_do_not_pass(run: Runner) -> None:
    [paper] = [
        each for each in SETS if each.choice_type == "counting_unit" and each.tier == "paper"
    ]
    sql = paper.interpretations.b.sql.replace("AVG(n)", "MAX(n)")
    result = recheck_set(run, changed(paper, "b", sql=sql))
    assert not result.one_step
    assert any("2 steps differ" in problem for problem in result.problems)
    assert result.check.disjoint
