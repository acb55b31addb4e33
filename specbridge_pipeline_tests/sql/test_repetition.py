"""Where repeated rows make no difference, they make none when the query runs."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
import yaml
from sqlglot import exp

from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline.sql.repetition import ignores_repeats

_CASES = yaml.safe_load(Path(__file__).with_name("repetition.yaml").read_text(encoding="utf-8"))
_ROWS = "(1), (2), (2), (3), (NULL)"


def _answer(sql, repeated):
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE a (x); CREATE TABLE b (x)")
    for _ in range(3 if repeated else 1):
        connection.execute(f"INSERT INTO a VALUES {_ROWS}")
    connection.execute("INSERT INTO b VALUES (1), (2), (4)")
    return sorted(connection.execute(sql), key=repr)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["sql"])
def test_a_select_ignores_repeats_as_its_case_says(case):
    tree = parse_query(case["sql"])
    select = next(each for each in tree.find_all(exp.Select) if each.args["from_"].this.name == "a")
    assert ignores_repeats(select) is case["ignores"]
    if case["ignores"]:
        assert _answer(case["sql"], repeated=True) == _answer(case["sql"], repeated=False)
