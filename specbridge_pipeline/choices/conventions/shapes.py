"""Shapes of SQL that several choices look for."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Column, Table
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, Source
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ColumnKind
from specbridge_pipeline.sql.places import own_nodes

_REMEMBERED = 64
"""How many SELECTs are remembered: each choice type looks at the same ones in turn."""


@lru_cache(maxsize=_REMEMBERED)
def condition_nodes(scope: Scope) -> tuple[exp.Expr, ...]:
    """Return the nodes of a SELECT's WHERE, HAVING and ON, nested queries themselves included."""
    parts = [scope.select.args.get("where"), scope.select.args.get("having")]
    parts += [join.args.get("on") for join in scope.select.args.get("joins") or ()]
    return tuple(
        node for part in parts if part is not None for node in own_nodes(scope.select, part)
    )


def is_negated(node: exp.Expr) -> bool:
    """Say whether a condition stands directly under a NOT, or is written as negated."""
    if node.args.get("negate"):
        return True
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return isinstance(parent, exp.Not)


def nested_select(node: exp.Expr | None) -> exp.Select | None:
    """Return the SELECT that a value or set of values is written as; None for anything else."""
    while isinstance(node, exp.Subquery | exp.Paren | exp.All | exp.Any):
        node = node.this
    return node if isinstance(node, exp.Select) else None


def number_of(node: exp.Expr | None) -> float | None:
    """Return the number that an expression writes out, with a sign or not."""
    if isinstance(node, exp.Neg):
        inner = number_of(node.this)
        return None if inner is None else -inner
    if isinstance(node, exp.Literal) and not node.is_string:
        return float(node.name)
    return None


def literal_of(node: exp.Expr | None) -> exp.Literal | None:
    """Return the literal that an expression is, behind a sign, a cast or parentheses."""
    while isinstance(node, exp.Paren | exp.Neg | exp.Cast):
        node = node.this
    return node if isinstance(node, exp.Literal) else None


def column_kind(query: ResolvedQuery, column: Column) -> ColumnKind:
    """Return what a column's declared type says of its values."""
    declared = column.declared_type.upper()
    # The benchmarks' own files say "number" and "time".
    if declared in ("NUMBER", "BOOLEAN"):
        return ColumnKind.NUMBER
    if declared in ("TIME", "DATE", "DATETIME", "TIMESTAMP", "YEAR"):
        return ColumnKind.OTHER
    return rules_of(query.schema.engine or Engine.SQLITE).kind_of(declared)


def is_identifier(table: Table, column: Column) -> bool:
    """Say whether a column is a key of its table or refers to another one."""
    name = column.name.lower()
    if column.primary_key_position:
        return True
    return any(name == own.lower() for key in table.foreign_keys for own in key.columns)


def filtered_names(scope: Scope) -> dict[tuple[int, str], list[exp.Expr]]:
    """Return the conditions on each own column of a SELECT, by source and name."""
    found: dict[tuple[int, str], list[exp.Expr]] = {}
    for node in condition_nodes(scope):
        column = scope.own_column(node)
        if column is None:
            continue
        condition: exp.Expr | None = node.parent
        while condition is not None and not isinstance(condition, exp.Predicate | exp.In):
            condition = condition.parent
        if condition is not None:
            found.setdefault((column.source.position, column.name), []).append(condition)
    return found


def group_columns(scope: Scope) -> list[exp.Expr]:
    """Return the expressions that a SELECT groups by, names of outputs written out."""
    group = scope.select.args.get("group")
    if group is None:
        return []
    return [
        key if scope.own_column(key) is not None else (scope.output(key) or key)
        for key in group.expressions
    ]


def source_of(scope: Scope, node: exp.Expr) -> Source | None:
    """Return the source that a column name of a SELECT belongs to."""
    column = scope.own_column(node)
    return None if column is None else column.source


def shown_sources(scope: Scope) -> list[Source]:
    """Return the sources whose columns a SELECT returns as they are, each once, in its order."""
    found: list[Source] = []
    for item in scope.select.expressions:
        node = item.unalias()
        if isinstance(node, exp.Distinct):
            node = node.expressions[0]
        source = source_of(scope, node)
        if source is not None and source not in found:
            found.append(source)
    return found
