"""NOT IN over values of which one is missing: it is true of no row."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.looking import Look, add_condition
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.aggregates import aggregates_rows
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.places import first_member, is_star, own_nodes


def _find(look: Look) -> Iterator[Suspicion]:
    for scope in look.query.scopes:
        for node in own_nodes(scope.select):
            if isinstance(node, exp.In) and isinstance(node.parent, exp.Not):
                found = _over_query(look, scope, node) or _over_list(look, scope, node)
                if found is not None:
                    yield found


def _over_query(look: Look, scope: Scope, node: exp.In) -> Suspicion | None:
    query = node.args.get("query")
    inner = query.unnest() if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Query):
        return None
    first = first_member(inner)
    inner_scope = look.query.scope_of(first)
    if first is None or inner_scope is None or len(first.expressions) != 1:
        return None
    value = first.expressions[0]
    if is_star(value):
        return None
    value = value.unalias()
    name = look.name(inner_scope, value)
    evidence, noted = _missing(look, inner, inner_scope, value)
    if not evidence:
        return None
    return Suspicion(
        SuspicionKind.NOT_IN_MISSING,
        noted,
        f"{look.name(scope, node.this)} NOT IN the values of {name} is true of no row as soon as "
        "one of these is missing.",
        f"Missing values of {name} are left out of the comparison.",
        evidence,
        _without_missing(look, inner),
        node,
    )


def _missing(look: Look, inner: exp.Query, scope: Scope, value: exp.Expr) -> tuple[str, bool]:
    """Say what is known of missing values, and whether that is no more than a possibility."""
    alone = look.standalone(scope) if inner is scope.select else look.standalone_set(inner)
    if alone is not None and look.has_data:
        found = look.numbers(
            f"WITH specbridge_values(value) AS ({look.text(alone)}) "
            "SELECT COUNT(*), COUNT(value) FROM specbridge_values"
        )
        if found is not None:
            rows, present = found
            missing = int(rows) - int(present)
            verb = "is" if missing == 1 else "are"
            return f"{missing:,} of {rows:,} values {verb} missing." if missing else "", False
    origin = look.origin(scope, value)
    nullable = origin is not None and not (origin[1].not_null or origin[1].primary_key_position)
    # A schema file without a single NOT NULL leaves out what may be missing.
    tables = look.query.schema.tables
    nullable = nullable and any(column.not_null for table in tables for column in table.columns)
    where = scope.select.args.get("where")
    guarded = where is not None and any(
        isinstance(each.expression, exp.Null) for each in where.find_all(exp.Is)
    )
    if nullable and not guarded and origin is not None:
        return f"The schema lets {origin[0].name}.{origin[1].name} be missing.", True
    return "", True


def _without_missing(look: Look, inner: exp.Query) -> str | None:
    if not isinstance(inner, exp.Select):
        return None
    plain = not aggregates_rows(inner) and not any(
        inner.args.get(name) is not None for name in ("limit", "offset", "qualify")
    )
    if not plain:
        return None
    tree, (copy,) = look.copied(inner)
    assert isinstance(copy, exp.Select)
    value = copy.expressions[0].unalias().copy()
    add_condition(copy, exp.Not(this=exp.Is(this=value, expression=exp.Null())))
    return look.text(tree)


def _over_list(look: Look, scope: Scope, node: exp.In) -> Suspicion | None:
    values = node.expressions
    if not any(isinstance(value, exp.Null) for value in values):
        return None
    tree, (copy,) = look.copied(node)
    kept = [value for value in copy.expressions if not isinstance(value, exp.Null)]
    copy.set("expressions", kept)
    name = look.name(scope, node.this)
    return Suspicion(
        SuspicionKind.NOT_IN_MISSING,
        False,
        f"{name} NOT IN a list that holds NULL is true of no row.",
        f"{name} is none of the other values of the list.",
        "",
        look.text(tree) if kept else None,
        node,
    )


DETECTOR = Detector(SuspicionKind.NOT_IN_MISSING, BOTH_ENGINES, _find)
