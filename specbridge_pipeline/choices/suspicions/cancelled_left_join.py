"""A left join whose unmatched rows WHERE drops again."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import conjunction
from specbridge_pipeline.choices.suspicions.looking import (
    Look,
    conditions_of,
    counted,
    drop_condition,
    joins_of,
    reduce_to_rows,
    source_name,
)
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import conjuncts
from specbridge_pipeline.sql.places import own_nodes

_COMPARISONS = (
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.Like,
    exp.ILike,
    exp.Between,
    exp.In,
    exp.Glob,
)
_KEEPS_MISSING = (exp.Coalesce, exp.Case, exp.If, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ)


def _find(look: Look) -> Iterator[Suspicion]:
    for scope in look.query.scopes:
        joins = joins_of(scope) or []
        if any(_side(join) in ("RIGHT", "FULL") for join, _ in joins):
            continue
        for join, source in joins:
            if _side(join) != "LEFT":
                continue
            found = [each for each in conditions_of(scope) if _drops_missing(scope, each, source)]
            if found:
                suspicion = _suspicion(look, scope, join, source, found)
                if suspicion is not None:
                    yield suspicion


def _side(join: exp.Expr) -> str:
    return str(join.args.get("side") or "").upper()


def _drops_missing(scope: Scope, condition: exp.Expr, source: Source) -> bool:
    """Say whether a condition is never true of a row in which a source's columns are missing."""
    condition = condition.unnest()
    if isinstance(condition, exp.Or):
        return _drops_missing(scope, condition.this, source) and _drops_missing(
            scope, condition.expression, source
        )
    if isinstance(condition, exp.And):
        return _drops_missing(scope, condition.this, source) or _drops_missing(
            scope, condition.expression, source
        )
    if isinstance(condition, exp.Not):
        # Of a whole with AND or OR in it, NOT may be true where a part is unknown.
        inner = condition.this.unnest()
        return isinstance(inner, _COMPARISONS) and _drops_missing(scope, inner, source)
    if not isinstance(condition, _COMPARISONS):
        return False
    sides = [condition.this, condition.args.get("expression")]
    return any(_is_missing_with(scope, side, source) for side in sides if side is not None)


def _is_missing_with(scope: Scope, value: exp.Expr, source: Source) -> bool:
    nodes = list(own_nodes(scope.select, value))
    if any(isinstance(node, (*_KEEPS_MISSING, exp.Query, exp.Anonymous)) for node in nodes):
        return False
    columns = [scope.own_column(node) for node in nodes]
    return any(column is not None and column.source == source for column in columns)


def _suspicion(
    look: Look, scope: Scope, join: exp.Expr, source: Source, conditions: list[exp.Expr]
) -> Suspicion | None:
    tree, (select, joined, *moved) = look.copied(scope.select, join, *conditions)
    assert isinstance(select, exp.Select)
    before = range(source.position + 1)
    movable = joined.args.get("using") is None and all(
        look.positions(scope, [each]) <= set(before) for each in conditions
    )
    evidence = ""
    edited: str | None = None
    if movable:
        _move(select, joined, moved)
        edited = look.text(tree)
        body, other = look.some_rows(scope, [exp.Literal.number(1)]), look.standalone(scope)
        if body is not None and other is not None and look.has_data:
            kept, whole = look.count(body), look.count(_rows_of(other, select))
            if kept is not None and kept == whole:
                return None
            if kept is not None and whole is not None:
                evidence = (
                    f"{counted(kept, 'joined row')} as it stands, "
                    f"{whole:,} with the condition in the join."
                )
    name = source_name(source)
    written = look.text(conjunction(conditions) or exp.Null())
    return Suspicion(
        SuspicionKind.CANCELLED_LEFT_JOIN,
        False,
        f"The left join keeps rows without a match in {name}, and WHERE {written} drops them "
        "again.",
        f"Rows without a match in {name} stay, and the condition says which rows of {name} match.",
        evidence,
        edited,
        join,
    )


def _move(select: exp.Select, join: exp.Expr, conditions: list[exp.Expr]) -> None:
    for condition in conditions:
        drop_condition(select, condition)
    whole = conjunction([*conjuncts(join.args.get("on")), *conditions])
    join.set("on", whole)


def _rows_of(select: exp.Select, edited: exp.Select) -> exp.Select:
    """Return the rows that an edited SELECT reads, with the WITH of another copy of it."""
    body = edited.copy()
    body.set("with_", select.args.get("with_"))
    reduce_to_rows(body, [exp.Literal.number(1)])
    return body


DETECTOR = Detector(SuspicionKind.CANCELLED_LEFT_JOIN, BOTH_ENGINES, _find)
