"""The first rows of a table rule out columns that are no key, and never ones that are."""

from typing import Any

import pytest

from specbridge_pipeline.catalogue.first_rows import FirstRows
from specbridge_pipeline.sql.engines.sqlite import SQLITE


@pytest.mark.parametrize(
    ("columns", "rows", "repeat"),
    [
        ("a, b", "(1, 1), (1, 2), (2, 1)", False),
        ("a, b", "(1, 1), (1, 2), (1, 1)", True),
        # One number, however it is stored.
        ("a, b", "(1, 'x'), (1.0, 'x')", True),
        # A number and its numeral are two values where no type makes them one.
        ("a, b", "(1, 'x'), ('1', 'x')", False),
        ("a, b", "(9007199254740993, 1), (9007199254740992.0, 1)", False),
        # The column's own way of comparing is left to the engine.
        ("a TEXT COLLATE NOCASE, b", "('x', 1), ('X', 1)", False),
    ],
)
def test_rows_repeat_where_all_columns_have_the_same_values(
    make_runner: Any, columns: str, rows: str, *, repeat: bool
) -> None:
    run = make_runner(f"CREATE TABLE t ({columns}); INSERT INTO t VALUES {rows}")
    assert FirstRows("t", ["a", "b"], run, SQLITE).repeat(["a", "b"]) is repeat


def test_nothing_is_ruled_out_where_there_are_no_rows_to_see(make_runner: Any) -> None:
    run = make_runner("CREATE TABLE t (a, b)")
    assert not FirstRows("t", ["a", "b"], run, SQLITE).repeat(["b"])
    assert not FirstRows("t", ["a", "gone"], run, SQLITE).repeat(["a"])


def test_a_table_is_read_once_for_all_its_columns(make_runner: Any) -> None:
    run = make_runner("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 1), (1, 2)")
    asked: list[str] = []

    def counted(sql: str) -> Any:
        asked.append(sql)
        return run(sql)

    first = FirstRows("t", ["a", "b"], counted, SQLITE)
    assert (first.repeat(["a"]), first.repeat(["b"]), first.repeat(["a", "b"])) == (
        True,
        False,
        False,
    )
    assert len(asked) == 1
