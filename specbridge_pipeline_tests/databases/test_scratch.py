"""Rows that are kept come back as they were, and can be queried."""

from hypothesis import given, strategies

from specbridge_pipeline.databases.results import QueryFailure
from specbridge_pipeline.databases.scratch import Scratch

CELLS = strategies.one_of(
    strategies.none(),
    strategies.integers(-(2**63), 2**63 - 1),
    strategies.floats(allow_nan=False),
    strategies.text(strategies.characters(exclude_categories=["Cs"])),
)


@given(strategies.lists(strategies.tuples(CELLS, CELLS), max_size=20))
def test_rows_come_back_in_order_with_their_types(rows):
    scratch = Scratch()
    table = scratch.keep(rows, 2)
    found = scratch.run(f"SELECT c0, c1 FROM {table}").rows
    assert [[(type(cell), cell) for cell in row] for row in found] == [
        [(type(cell), cell) for cell in row] for row in rows
    ]


def test_each_time_rows_are_kept_they_have_a_table_of_their_own():
    scratch = Scratch()
    first, second = scratch.keep([(1,), (2,)], 1), scratch.keep([(5,)], 1)
    assert scratch.run(f"SELECT SUM(c0) FROM {first}").rows == ((3,),)
    assert scratch.run(f"SELECT SUM(c0) FROM {second}").rows == ((5,),)


def test_what_the_engine_refuses_is_said():
    refused = Scratch().run("SELECT c0 FROM nowhere")
    assert isinstance(refused, QueryFailure)
    assert "nowhere" in refused.message
