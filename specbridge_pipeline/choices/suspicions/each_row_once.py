"""Asking for the existence of rows instead of joining them, so that no row is repeated."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import conjunction
from specbridge_pipeline.choices.suspicions.looking import Look, joins_of
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import conjuncts, determined_by, fixed_columns, is_outer


def repeating_sources(look: Look, scope: Scope) -> tuple[set[int], set[int]] | None:
    """Divide the sources of a SELECT in those that it shows and those that it only joins.

    Args:
        look: The query.
        scope: The SELECT.

    Returns:
        The positions of the sources that outputs, groups or order name, and of the others; None
        where no source of the others can repeat a row of the first ones, as far as keys tell, or
        where a join is written in a way that cannot be divided.
    """
    select = scope.select
    if joins_of(scope) is None or any(source.table is None for source in scope.sources):
        return None
    for join in select.args.get("joins") or ():
        side = str(join.args.get("side") or "").upper()
        if join.args.get("method") or join.args.get("using") or side not in ("", "LEFT"):
            return None
    parts = [*select.expressions, *(select.args.get(name) for name in ("group", "having", "order"))]
    shown = look.positions(scope, parts)
    joined = {source.position for source in scope.sources} - shown
    if not shown or not joined:
        return None
    known: set[int] = set()
    for source in scope.sources:
        if source.position in shown:
            known |= determined_by(scope, source, fixed_columns(scope))
    return None if joined <= known else (shown, joined)


def each_row_once(
    look: Look, scope: Scope, shown: set[int], *also: exp.Expr
) -> tuple[exp.Query, exp.Select, list[exp.Expr]] | None:
    """Rewrite a SELECT so that it joins some sources only and asks whether rows of others exist.

    Args:
        look: The query.
        scope: The SELECT; see `repeating_sources` for its form.
        shown: The positions of the sources that stay.
        also: Other nodes of the query that are wanted in the copy.

    Returns:
        A copy of the whole query with the rewritten SELECT in it, that SELECT, and the other nodes;
        None where the sources that stay are not connected without the others, or an outer join
        stands between.
    """
    joins = joins_of(scope)
    if joins is None:
        return None
    tree, (select, *others) = look.copied(scope.select, *also)
    assert isinstance(select, exp.Select)
    copies = list(select.args.get("joins") or ())
    outer = {source.position for join, source in joins if is_outer(join)}
    if min(shown) in outer:
        return None
    first = min(shown)
    kept: list[exp.Expr] = []
    in_joins: dict[int, list[exp.Expr]] = {}
    asked: list[exp.Expr] = []
    for at, condition in _row_conditions(scope, joins):
        named = look.positions(scope, [condition])
        if (named - shown) & outer:
            return None
        if not named <= shown:
            asked.append(condition)
        elif at in shown - {first}:
            in_joins.setdefault(at, []).append(condition)
        else:
            kept.append(condition)
    for join, source in joins:
        on = look.positions(scope, [join.args.get("on")])
        if source.position in outer & shown and not on <= shown:
            return None
    connecting = [*kept, *(each for part in in_joins.values() for each in part)]
    if not _connected(look, scope, shown, [*connecting, *_outer_conditions(joins, shown)]):
        return None
    tables = [select.args["from_"].this, *(join.this for join in copies)]
    select.set("from_", exp.From(this=tables[first].copy()))
    select.set("joins", _joins(copies, shown - {first}, outer, in_joins))
    hidden = {each.position for each in scope.sources} - shown - outer
    conditions = [*kept]
    for part in _parts(look, scope, hidden, asked):
        own = [each for each in asked if look.positions(scope, [each]) & part]
        inside = [tables[at].copy() for at in sorted(part)]
        conditions.append(_there_are(look, scope, shown, inside, own))
    whole = conjunction(conditions)
    select.set("where", None if whole is None else exp.Where(this=whole))
    return tree, select, others


def _parts(
    look: Look, scope: Scope, positions: set[int], conditions: list[exp.Expr]
) -> list[set[int]]:
    """Divide sources into those that conditions connect with one another."""
    parts = [{at} for at in sorted(positions)]
    for condition in conditions:
        named = look.positions(scope, [condition])
        touched = [part for part in parts if part & named]
        if len(touched) > 1:
            parts = [part for part in parts if not part & named]
            parts.append(set().union(*touched))
    return sorted(parts, key=min)


def _there_are(
    look: Look,
    scope: Scope,
    shown: set[int],
    inside: list[exp.Expr],
    conditions: list[exp.Expr],
) -> exp.Expr:
    """Return the condition that rows of some tables exist, by IN where one equality connects."""
    across = [each for each in conditions if look.positions(scope, [each]) & shown]
    own, value = _sides(scope, shown, across[0]) if len(across) == 1 else (None, None)
    body = exp.Select(
        expressions=[exp.Literal.number(1) if value is None else value.copy()],
        from_=exp.From(this=inside[0]),
        joins=[exp.Join(this=table) for table in inside[1:]],
    )
    rest = conditions if own is None else [each for each in conditions if each is not across[0]]
    whole = conjunction(rest)
    body.set("where", None if whole is None else exp.Where(this=whole))
    if own is None:
        return exp.Exists(this=body)
    return exp.In(this=own.copy(), query=exp.Subquery(this=body))


def _sides(
    scope: Scope, shown: set[int], condition: exp.Expr
) -> tuple[exp.Expr | None, exp.Expr | None]:
    """Return the column that stays and the other one that a condition holds equal."""
    if isinstance(condition, exp.EQ):
        one, other = condition.this.unnest(), condition.expression.unnest()
        first, second = scope.own_column(one), scope.own_column(other)
        if first is not None and second is not None:
            if first.source.position in shown and second.source.position not in shown:
                return one, other
            if second.source.position in shown and first.source.position not in shown:
                return other, one
    return None, None


def _row_conditions(
    scope: Scope, joins: list[tuple[exp.Expr, Source]]
) -> Iterator[tuple[int, exp.Expr]]:
    """Yield the conditions of WHERE, at 0, and of inner joins, at the place of what they join."""
    where = scope.select.args.get("where")
    parts = [(0, where.this)] if where is not None else []
    parts += [
        (source.position, join.args.get("on")) for join, source in joins if not is_outer(join)
    ]
    for at, part in parts:
        for condition in conjuncts(part):
            if not isinstance(condition, exp.Boolean):
                yield at, condition


def _outer_conditions(joins: list[tuple[exp.Expr, Source]], shown: set[int]) -> list[exp.Expr]:
    return [
        join.args["on"]
        for at, (join, _) in enumerate(joins, start=1)
        if is_outer(join) and at in shown and join.args.get("on") is not None
    ]


def _joins(
    copies: list[exp.Expr], shown: set[int], outer: set[int], conditions: dict[int, list[exp.Expr]]
) -> list[exp.Expr]:
    """Return the joins that stay, with those of their conditions that stay."""
    found: list[exp.Expr] = []
    for at, join in enumerate(copies, start=1):
        if at not in shown:
            continue
        own = conjunction(conditions.get(at, ()))
        if at in outer:
            kind = {"side": join.args.get("side"), "on": join.args.get("on")}
        else:
            kind = {"kind": "CROSS"} if own is None else {"on": own}
        found.append(exp.Join(this=join.this.copy(), **kind))
    return found


def _connected(look: Look, scope: Scope, shown: set[int], conditions: list[exp.Expr]) -> bool:
    reached = {min(shown)}
    grown = True
    while grown:
        grown = False
        for condition in conditions:
            named = look.positions(scope, [condition]) & shown
            if named & reached and not named <= reached:
                reached |= named
                grown = True
    return reached == shown
