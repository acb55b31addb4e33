"""The edit of an INTERSECT of conditions on several rows: one row meets them all."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    conjunction,
    identifier,
)
from specbridge_pipeline.choices.conventions.edits.linked_conditions import (
    is_many_side,
    linkage_sentences,
)
from specbridge_pipeline.choices.conventions.edits.selects import (
    has_star,
    joins_plainly,
    qualify,
    source_node,
)
from specbridge_pipeline.sql.aggregates import aggregates_rows
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.join_repeats import conjuncts

_KEPT = ("with_", "order", "limit", "offset")


def merge_members(draft: Draft, node: exp.Intersect) -> OtherSide | Unsound:
    """Turn an INTERSECT of two SELECTs into one with the conditions of both.

    Args:
        draft: The query.
        node: The INTERSECT.
    """
    left = draft.scope
    right = draft.query.scope_of(_member(node.expression))
    if right is None or _member(node.this) is not left.select:
        return Unsound("The members of the INTERSECT are not two SELECTs.")
    if any(not _is_plain(each) for each in (left, right)):
        return Unsound("A member of the INTERSECT does more than to choose rows.")
    for scope in (left, right):
        qualify(draft.query, scope)
    if _outline(draft, left) != _outline(draft, right):
        return Unsound("The members of the INTERSECT read different tables or return other values.")
    names = {_name(right, at): _name(left, at) for at in range(len(left.sources))}
    where = left.select.args["where"]
    asked = list(conjuncts(where.this))
    further = [_renamed(each, names) for each in conjuncts(right.select.args["where"].this)]
    if any(each.find(exp.Query) for each in further):
        return Unsound("A nested query stands in a condition that must be moved.")
    further = [each for each in further if each not in asked]
    many = next(
        (
            source
            for source in left.sources
            if is_many_side(left, source)
            and any(_name(left, source.position) in _names_in(each) for each in further)
        ),
        None,
    )
    if many is None:
        return Unsound("The conditions of the members are on rows of different tables.")
    own = _name(left, many.position)
    where.set("this", conjunction([*asked, *further]))
    on_rows = [each for each in conjuncts(where.this) if own in _names_in(each)]
    together, apart = linkage_sentences(draft, many, on_rows)
    left.select.set("distinct", exp.Distinct())
    merged = left.select
    _number_order(node, merged)
    kept = {part: node.args[part] for part in _KEPT if node.args.get(part) is not None}
    root = node is draft.query.tree
    if not root:
        node.replace(merged)
    else:
        merged.pop()
    for part, each in kept.items():
        merged.set(part, each)
    return OtherSide(merged if root else draft.query.tree, apart, together)


def _member(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    return node


def _is_plain(scope: Scope) -> bool:
    select = scope.select
    return (
        joins_plainly(scope)
        and not has_star(scope)
        and not aggregates_rows(select)
        and select.args.get("where") is not None
        and not any(select.args.get(part) for part in _KEPT)
    )


def _name(scope: Scope, at: int) -> str:
    written = source_node(scope, scope.sources[at])
    return "" if written is None else written.alias_or_name.lower()


def _names_in(condition: exp.Expr) -> set[str]:
    return {node.table.lower() for node in condition.find_all(exp.Column)}


def _renamed(condition: exp.Expr, names: dict[str, str]) -> exp.Expr:
    found = condition.copy()
    for node in found.find_all(exp.Column):
        new = names.get(node.table.lower())
        if new is not None:
            node.set("table", identifier(new))
    return found


def _outline(draft: Draft, scope: Scope) -> str:
    """Return what a SELECT reads and returns, without its conditions, in words of its own.

    Its names must be written with their sources.
    """
    names = {_name(scope, at): f"s{at}" for at in range(len(scope.sources))}
    copy = scope.select.copy()
    for part in ("where", "distinct"):
        copy.set(part, None)
    for item in list(copy.expressions):
        item.replace(item.unalias())
    for table in copy.find_all(exp.Table):
        table.set("alias", None)
    for node in copy.find_all(exp.Column):
        node.set("table", exp.to_identifier(names.get(node.table.lower(), node.table)))
    for join in copy.args.get("joins") or ():
        join.set("kind", None)
    for name in copy.find_all(exp.Identifier):
        name.set("quoted", False)
    # An equality is the same in either order.
    for equality in copy.find_all(exp.EQ):
        sides = [equality.this.copy(), equality.expression.copy()]
        one, other = sorted(sides, key=lambda each: str(each.sql("sqlite")).lower())
        equality.set("this", one)
        equality.set("expression", other)
    return copy.sql("sqlite").lower()


def _number_order(node: exp.Intersect, select: exp.Select) -> None:
    """Let the order name output columns by their places: a name could be that of two tables."""
    order = node.args.get("order")
    outputs = [item.alias_or_name.lower() for item in select.expressions]
    for ordered in order.expressions if order is not None else ():
        key = ordered.this
        if isinstance(key, exp.Column) and not key.table and key.name.lower() in outputs:
            key.replace(exp.Literal.number(outputs.index(key.name.lower()) + 1))
