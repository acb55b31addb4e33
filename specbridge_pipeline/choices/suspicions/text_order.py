"""Numbers that are stored as text and compared letter by letter."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.shapes import number_of
from specbridge_pipeline.choices.suspicions.looking import Look
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Column, Table
from specbridge_pipeline.sql.aggregates import is_window_function
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ColumnKind
from specbridge_pipeline.sql.places import own_nodes

_ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_NUMERAL = {
    Engine.SQLITE: (
        "(LTRIM({0}, '-') GLOB '[0-9]*' AND LTRIM({0}, '-') NOT GLOB '*[^0-9.]*' "
        "AND LTRIM({0}, '-') NOT GLOB '0[0-9]*' AND {0} NOT GLOB '*.*.*')"
    ),
    Engine.DUCKDB: "regexp_full_match({0}, '-?(0|[1-9][0-9]*)([.][0-9]*)?')",
}
"""Texts that are a number as people write it; a code with zeros before it is none."""
_NUMBER_TYPE = {Engine.SQLITE: "REAL", Engine.DUCKDB: "DOUBLE"}


def _find(look: Look) -> Iterator[Suspicion]:
    if not look.has_data:
        return
    places: dict[tuple[str, str], list[tuple[Scope, exp.Expr, exp.Expr]]] = {}
    for scope in look.query.scopes:
        for node in own_nodes(scope.select):
            column = _compared(look, scope, node)
            origin = look.origin(scope, column) if column is not None else None
            if column is None or origin is None or not _is_text(look, origin[1]):
                continue
            key = (origin[0].name, origin[1].name)
            places.setdefault(key, []).append((scope, node, column))
    for found in places.values():
        scope, node, column = found[0]
        origin = look.origin(scope, column)
        assert origin is not None
        evidence = _out_of_order(look, *origin)
        pairs = [(each, compared) for _, each, compared in found]
        if not evidence or not _changes(look, pairs):
            continue
        name = look.name(scope, column)
        yield Suspicion(
            SuspicionKind.TEXT_ORDER,
            False,
            f"{name} holds numbers as text, which are compared letter by letter, so that "
            "'9' comes after '10'.",
            f"{name} is compared as a number.",
            evidence,
            look.text(_as_numbers(look, pairs)),
            node,
        )


def _compared(look: Look, scope: Scope, node: exp.Expr) -> exp.Expr | None:
    """Return the column whose order a node of a query looks at."""
    if isinstance(node, exp.Between):
        written = [node.args["low"], node.args["high"]]
        return node.this if all(_is_written_number(look, each) for each in written) else None
    if isinstance(node, _ORDERED):
        for side, other in ((node.this, node.expression), (node.expression, node.this)):
            if _is_written_number(look, other):
                found: exp.Expr = side
                return found
        return None
    if isinstance(node, exp.Min | exp.Max) and not is_window_function(node):
        return node.this if isinstance(node.this, exp.Column) else None
    if isinstance(node, exp.Ordered) and isinstance(node.parent, exp.Order):
        key = node.this
        if scope.output(key) is not None:
            key = scope.output(key)
        return key if isinstance(key, exp.Column) else None
    return None


def _is_written_number(look: Look, node: exp.Expr) -> bool:
    node = node.unnest()
    if number_of(node) is not None:
        # DuckDB makes a number of the text; SQLite makes a text of the number.
        return look.engine is Engine.SQLITE
    if not isinstance(node, exp.Literal):
        return False
    try:
        float(node.name)
    except ValueError:
        return False
    return True


def _is_text(look: Look, column: Column) -> bool:
    return rules_of(look.engine).kind_of(column.declared_type) is ColumnKind.TEXT


def _out_of_order(look: Look, table: Table, column: Column) -> str:
    """Say how many values of a column stand in another place as numbers; nothing for none."""
    name, owner = (
        exp.to_identifier(each.name, quoted=True).sql(look.engine) for each in (column, table)
    )
    numeral = _NUMERAL[look.engine].format(name)
    counts = look.numbers(
        f"SELECT COUNT(*), SUM(CASE WHEN {numeral} THEN 1 ELSE 0 END) FROM {owner} "
        f"WHERE {name} IS NOT NULL AND TRIM({name}) <> ''"
    )
    if counts is None or not counts[0] or counts[0] != counts[1]:
        return ""
    kind = _NUMBER_TYPE[look.engine]
    number = f"CAST(value AS {kind})"
    found = look.rows(
        f"WITH texts AS (SELECT DISTINCT {name} AS value FROM {owner} WHERE {name} IS NOT NULL "
        f"AND TRIM({name}) <> ''), following AS (SELECT value, LAG(value) OVER (ORDER BY value) "
        f"AS before FROM texts) SELECT before, value FROM following "
        f"WHERE CAST(before AS {kind}) > {number} ORDER BY value LIMIT 1"
    )
    if not found:
        return ""
    before, value = found[0]
    return f"'{before!s}' comes before '{value!s}' in {table.name}.{column.name}."


def _as_numbers(look: Look, places: list[tuple[exp.Expr, exp.Expr]]) -> exp.Query:
    """Return the query with a column compared as a number at all places that look at its order."""
    tree, copies = look.copied(*(node for place in places for node in place))
    kind = exp.DataType.build(_NUMBER_TYPE[look.engine])
    for copy, text in zip(copies[::2], copies[1::2], strict=True):
        if isinstance(copy, exp.Ordered):
            # The output stays a text; only the order is by number.
            text = copy.this.replace(text.copy())
        for each in list(copy.find_all(exp.Literal)):
            if each.is_string:
                each.replace(exp.Literal.number(each.name))
        text.replace(exp.Cast(this=text.copy(), to=kind.copy()))
    return tree


def _changes(look: Look, places: list[tuple[exp.Expr, exp.Expr]]) -> bool:
    """Say whether the order of numbers gives another answer: else it is no matter here."""
    before = look.rows(look.text(look.query.tree))
    after = look.rows(look.text(_as_numbers(look, places)))
    if before is None or after is None:
        return False
    if any(isinstance(node, exp.Ordered) for node, _ in places):
        return list(map(_plain, before)) != list(map(_plain, after))
    return sorted(map(_plain, before)) != sorted(map(_plain, after))


def _plain(row: tuple[object, ...]) -> str:
    """Write a row so that a number and its text are the same."""
    found: list[str] = []
    for value in row:
        try:
            found.append(repr(float(value)))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            found.append(repr(value))
    return repr(found)


DETECTOR = Detector(SuspicionKind.TEXT_ORDER, BOTH_ENGINES, _find)
