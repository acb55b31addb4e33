"""Names are resolved as SQLite resolves them, and keys tell which rows a join can repeat."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from sqlglot import exp

from specbridge_pipeline.databases.schema import Column, ForeignKey, Schema, Table
from specbridge_pipeline.sql.column_origins import resolve_names
from specbridge_pipeline.sql.join_repeats import repeats
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline.sql.places import own_nodes

_HERE = Path(__file__).parent


def _table(name, columns, key=(), refers=()):
    return Table(
        name,
        tuple(Column(each, "text", False, int(each in key)) for each in columns),
        tuple(ForeignKey((column,), table, ("id",)) for column, table in refers),
    )


SCHEMA = Schema(
    (
        _table("town", ("id", "name", "land"), ("id",)),
        _table("team", ("id", "name", "town_id", "founded"), ("id",), (("town_id", "town"),)),
        _table("player", ("id", "team_id"), ("id",), (("team_id", "team"),)),
        _table(
            "plays", ("player_id", "team_id"), (), (("player_id", "player"), ("team_id", "team"))
        ),
    )
)


def _cases(name):
    cases = yaml.safe_load((_HERE / f"{name}.yaml").read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["sql"]) for case in cases]


@pytest.mark.parametrize("case", _cases("column_origins"))
def test_a_name_stands_for_the_column_of_its_table(case):
    query = resolve_names(parse_query(case["sql"]), SCHEMA)
    found = {}
    for scope in query.scopes:
        for node in own_nodes(scope.select):
            if isinstance(node, exp.Column):
                origin = query.origin(scope, node)
                text = "nothing" if origin is None else f"{origin[0].name}.{origin[1].name}"
                found[node.sql("sqlite")] = text
    assert {name: found.get(name) for name in case["origins"]} == case["origins"]
    if "strings" in case:
        strings = [each.name for each in query.tree.find_all(exp.Literal) if each.is_string]
        assert strings == case["strings"]


@pytest.mark.parametrize("case", _cases("join_repeats"))
def test_keys_tell_whether_a_join_can_repeat_a_row(case):
    query = resolve_names(parse_query(case["sql"]), SCHEMA)
    scope = query.scope_of(query.tree)
    assert {each.name: repeats(scope, each) for each in scope.sources} == case["repeats"]
