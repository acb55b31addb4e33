from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest
import yaml

from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.shuffled_copies import write_shuffled_copy
from specbridge_pipeline.errors import UnusableReferenceError, WorkerError
from specbridge_pipeline.request_sets.checks import check_set, references
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet, Side
from specbridge_pipeline_tests.support.in_process_engine import runner_on

TOYS = """
    CREATE TABLE toys (child TEXT, kind TEXT);
    INSERT INTO toys VALUES ('ann', 'ball'), ('ann', 'ball'), ('ann', 'kite'),
                            ('bob', 'ball'), ('bob', 'kite'), ('cid', 'top'), ('cid', 'kite');
"""
TIES, COUNTING = yaml.safe_load(Path(__file__).with_name("draft.yaml").read_text(encoding="utf-8"))[
    "sets"
]

Runner = Callable[[str], Outcome]


@pytest.fixture
def run() -> Runner:
    connection = apsw.Connection(":memory:")
    list(connection.execute(TOYS))
    return runner_on(connection)


def set_with(value: dict[str, Any], **sql: str) -> RequestSet:
    sides = {
        side: value["interpretations"][side] | ({"sql": sql[side]} if side in sql else {})
        for side in ("a", "b")
    }
    return RequestSet.model_validate(value | {"interpretations": sides})


@pytest.mark.parametrize(("value", "rows"), [(TIES, (2, 3)), (COUNTING, (3, 3))])
def test_a_good_set_passes(value: dict[str, Any], rows: tuple[int, int], run: Runner) -> None:
    check = check_set(run, set_with(value))
    assert (check.problem, check.disjoint) == ("", True)
    assert check.rows == {Side.A: rows[0], Side.B: rows[1]}


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        (
            {"b": "SELECT child, COUNT(kind) AS n FROM toys GROUP BY child"},
            "A is equal for the other",
        ),
        ({"b": "SELECT child, COUNT(*) AS n FROM toy GROUP BY child"}, "interpretation B"),
        ({"a": "SELECT child, random() AS n FROM toys GROUP BY child"}, "interpretation A"),
        ({"a": "SELECT child, 1 AS n FROM toys LIMIT 2"}, "interpretation A"),
    ],
    ids=["the same results", "does not run", "random", "a cut that is not determined"],
)
def test_a_bad_set_does_not_pass(sql: dict[str, str], says: str, run: Runner) -> None:
    check = check_set(run, set_with(COUNTING, **sql))
    assert says in check.problem
    assert not check.disjoint


def test_different_results_are_not_enough_where_ties_can_be_exchanged(run: Runner) -> None:
    # Both keep one of bob and cid beside ann: whichever, it is an answer to the other too.
    value = set_with(
        TIES,
        a="SELECT child FROM toys GROUP BY child ORDER BY COUNT(*) DESC, child LIMIT 2",
        b="SELECT child FROM toys GROUP BY child ORDER BY COUNT(*) DESC LIMIT 2",
    )
    check = check_set(run, value)
    assert check.problem
    assert not check.disjoint


def test_an_interpretation_that_does_not_run_is_named(run: Runner) -> None:
    with pytest.raises(UnusableReferenceError, match="interpretation B"):
        references(run, set_with(COUNTING, b="SELECT nothing FROM toys"))


@pytest.mark.parametrize("lost_at", range(1, 5))
def test_a_lost_worker_says_nothing_of_a_set(lost_at: int, run: Runner) -> None:
    asked = 0

    def losing(sql: str) -> Outcome:
        nonlocal asked
        asked += 1
        if asked >= lost_at:
            return QueryFailure(FailureKind.WORKER_LOST, "killed")
        return run(sql)

    with pytest.raises(WorkerError):
        check_set(losing, set_with(COUNTING))


def test_requests_of_a_set() -> None:
    value = set_with(COUNTING)
    assert value.request(RequestKind.OPEN) == COUNTING["open_request"]
    assert value.request(RequestKind.SPECIFIC_A) == COUNTING["interpretations"]["a"]["request"]
    assert value.request(RequestKind.SPECIFIC_B) == COUNTING["interpretations"]["b"]["request"]
    assert [kind.side for kind in RequestKind] == [Side.A, Side.B, None]
    assert Side.A.other is Side.B
    assert Side.B.other is Side.A


@pytest.mark.parametrize(
    ("depth", "tier"), [(1, "short"), (2, "short"), (3, "paper"), (6, "paper")]
)
def test_the_tier_of_a_set(depth: int, tier: str) -> None:
    assert RequestSet.model_validate(TIES | {"step_depth": depth}).tier == tier


def test_a_query_that_moves_on_a_copy_is_not_determined(tmp_path: Path) -> None:
    source = tmp_path / "toys.sqlite"
    connection = apsw.Connection(str(source))
    list(connection.execute(TOYS))
    connection.close()
    copies = [tmp_path / f"copy-{seed}.sqlite" for seed in range(2)]
    for seed, copy in enumerate(copies):
        write_shuffled_copy(source, copy, seed=seed)
    # The analysis takes a rowid for a column; only another order of the rows shows what it is.
    by_rowid = "SELECT child, MAX(rowid) AS n FROM toys GROUP BY child"
    with QueryRunner(workers=1) as runner:
        run = partial(runner.run, source)
        probes = [partial(runner.run, copy) for copy in copies]
        good, bad = set_with(COUNTING), set_with(COUNTING, b=by_rowid)
        assert check_set(run, good, copies=probes).problem == ""
        assert check_set(run, bad).problem == ""
        check = check_set(run, bad, copies=probes)
    assert "B is not determined: shuffled copy 1 of the database gives another" in check.problem
