"""Rows whose status says that they may not be meant to count."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import conjunction
from specbridge_pipeline.choices.suspicions.looking import Look, add_condition, counted, joins_of
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.databases.schema import Column, Table
from specbridge_pipeline.sql.aggregates import aggregates_of
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import is_outer

_NAMES = ("status", "state", "condition")
_LEFT_OUT = (
    "abandoned",
    "canceled",
    "cancelled",
    "deleted",
    "failed",
    "refunded",
    "rejected",
    "returned",
    "test",
    "void",
    "voided",
)


def _find(look: Look) -> Iterator[Suspicion]:
    if not look.has_data:
        return
    named = {column.name.lower() for column in look.query.tree.find_all(exp.Column)}
    for scope in look.query.scopes:
        if not aggregates_of(scope.select):
            continue
        for source in scope.sources:
            for column in source.table.columns if source.table is not None else ():
                if column.name.lower() in named or not _is_status(column):
                    continue
                assert source.table is not None
                found = _kept(look, source.table, column)
                if found:
                    yield _suspicion(look, scope, source, column, found)


def _is_status(column: Column) -> bool:
    return column.name.lower().split("_")[-1].endswith(_NAMES)


def _kept(look: Look, table: Table, column: Column) -> list[tuple[str, int]]:
    name, owner = (
        exp.to_identifier(each.name, quoted=True).sql(look.engine) for each in (column, table)
    )
    words = ", ".join(f"'{each}'" for each in _LEFT_OUT)
    rows = look.rows(
        f"SELECT {name}, COUNT(*) FROM {owner} WHERE LOWER(TRIM(CAST({name} AS VARCHAR))) IN "
        f"({words}) GROUP BY {name} ORDER BY {name}"
    )
    return [(str(row[0]), int(str(row[1]))) for row in rows or () if isinstance(row[0], str)]


def _suspicion(
    look: Look, scope: Scope, source: Source, column: Column, found: list[tuple[str, int]]
) -> Suspicion:
    assert source.table is not None
    name = f"{source.table.name}.{column.name}"
    written = [exp.Literal.string(value).sql(look.engine) for value, _ in found]
    joins = joins_of(scope)
    edited: str | None = None
    tree, (select,) = look.copied(scope.select)
    if joins is not None and not any(is_outer(join) for join, _ in joins):
        assert isinstance(select, exp.Select)
        status = exp.column(column.name, table=source.name)
        listed_values = [exp.Literal.string(value) for value, _ in found]
        outside = exp.Not(this=exp.In(this=status.copy(), expressions=listed_values))
        missing = exp.Is(this=status.copy(), expression=exp.Null())
        condition = exp.or_(outside, missing) if not column.not_null else outside
        add_condition(select, conjunction([condition]) or condition)
        edited = look.text(tree)
    rows = sum(count for _, count in found)
    return Suspicion(
        SuspicionKind.STATUS_KEPT,
        True,
        f"Rows of {source.table.name} count whatever their {column.name} says.",
        f"Rows whose {name} is {' or '.join(written)} are left out.",
        f"{counted(rows, 'row')} of {source.table.name} {'has' if rows == 1 else 'have'} such a "
        "value.",
        edited,
        select_node(scope),
    )


def select_node(scope: Scope) -> exp.Expr:
    """Return the part of a SELECT that says what it reads."""
    found: exp.Expr = scope.select.args["from_"]
    return found


DETECTOR = Detector(SuspicionKind.STATUS_KEPT, BOTH_ENGINES, _find)
