"""What becomes of an answer under another query: cases on real workers, and what always holds."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import apsw
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.choices.answer_changes.answers import Effect, compare_answers
from specbridge_pipeline.choices.answer_changes.moves import Move, measure_move
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.databases.runner import QueryRunner

_CASES = yaml.safe_load(Path(__file__).with_name("moves.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("numbers") / "numbers.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE numbers (value INTEGER, name TEXT)")
    connection.execute("INSERT INTO numbers VALUES (1, 'a'), (2, 'b'), (2, 'c'), (3, 'd')")
    connection.close()
    with QueryRunner(workers=1, limits=Limits(steps=1_000_000)) as runner:
        yield partial(runner.run, path)


@pytest.mark.parametrize("case", _CASES, ids=[each["case"] for each in _CASES])
def test_what_becomes_of_an_answer(run, case):
    found = compare_answers(run, case["reference"], case["other"])
    assert found.effect == case["effect"]
    if "move" not in case:
        assert found.moved is None
    else:
        assert found.moved is not None
        assert found.moved.move == case["move"]
        if "relative" in case:
            assert found.moved.relative == pytest.approx(case["relative"])
        else:
            assert found.moved.relative is None
    if "rows" in case:
        assert [found.reference_rows, found.other_rows] == case["rows"]
        assert (found.rows_lost, found.rows_gained) == (case["lost"], case["gained"])
    compared = found.effect in (Effect.CHANGED, Effect.SAME, Effect.FORMAT_ONLY)
    assert compared == (found.reason == "")


def test_reasons_quote_nothing_of_a_query(run):
    found = compare_answers(run, "SELECT secret FROM numbers", "SELECT 1")
    assert (found.effect, found.reason) == (Effect.FAILED, "reference: error")


def _one(value):
    return QueryResult(("value",), (None,), ((value,),), 0.0)


@given(
    st.floats(allow_nan=False, allow_infinity=False).filter(bool),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_a_number_moves_as_far_as_its_opposite(start, end):
    there, mirrored = (measure_move(_one(sign * start), _one(sign * end)) for sign in (1.0, -1.0))
    assert there == mirrored
    assert there.relative is not None
    over_half = there.relative > 0.5
    assert (there.move is Move.OVER_HALF) == over_half
    assert (there.move is Move.UNDER_TENTH) == (there.relative < 0.1)


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_has_no_distance(odd):
    assert measure_move(_one(odd), _one(1)).relative is None
    assert measure_move(_one(1), _one(odd)).move is Move.VALUE
