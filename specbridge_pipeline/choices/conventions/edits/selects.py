"""What edits of conditions and joins have to know of the SELECT that they change."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import identifier
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, Source
from specbridge_pipeline.sql.join_repeats import is_outer
from specbridge_pipeline.sql.places import is_star, own_nodes


def opening(condition: exp.Expr) -> str:
    """Return how a sentence on a condition begins: what happens where it is met.

    Args:
        condition: The condition, with the NOT around it if there is one.

    Returns:
        Words that "where" is a part of; they promise rows only for a condition that each row of
        the clause must meet.
    """
    around = condition.parent
    while isinstance(around, exp.And | exp.Paren | exp.Escape):
        around = around.parent
    if isinstance(around, exp.Where):
        return "Rows are kept where"
    if isinstance(around, exp.Having):
        return "Groups are kept where"
    if isinstance(around, exp.Join):
        return "Rows are matched where" if is_outer(around) else "Rows are kept where"
    return "A condition among several is met where"


def is_under_not(node: exp.Expr) -> bool:
    """Say whether a NOT stands anywhere around a condition in its clause."""
    around = node.parent
    while around is not None and not isinstance(around, exp.Query):
        if isinstance(around, exp.Not):
            return True
        around = around.parent
    return False


def numbered_name(query: ResolvedQuery, stem: str) -> str:
    """Return a name that nothing in a query has: a stem with the first number that is free."""
    taken = {node.name.lower() for node in query.tree.find_all(exp.Identifier)}
    taken |= {table.name.lower() for table in query.schema.tables}
    number = 2
    while f"{stem}_{number}".lower() in taken:
        number += 1
    return f"{stem}_{number}"


def source_node(scope: Scope, source: Source) -> exp.Expr | None:
    """Return what stands in the FROM for a source; None where joins hang on each other."""
    nodes = [scope.select.args["from_"].this]
    nodes += [join.this for join in scope.select.args.get("joins") or ()]
    if len(nodes) != len(scope.sources):
        return None
    found: exp.Expr = nodes[source.position]
    return found


def columns_read(query: ResolvedQuery, scope: Scope) -> Iterator[tuple[exp.Column, Source]]:
    """Yield the names that stand for columns of a SELECT's own sources, nested queries included.

    Args:
        query: The query.
        scope: The SELECT.

    Yields:
        Each name with the source of the SELECT that it belongs to.
    """
    for inner in query.scopes:
        chain: list[Scope] = [inner]
        while chain[-1] is not scope and chain[-1].outer is not None:
            chain.append(chain[-1].outer)
        if chain[-1] is not scope:
            continue
        for node in own_nodes(inner.select):
            if not isinstance(node, exp.Column) or is_star(node):
                continue
            if not node.table and inner.output(node) is not None and _is_ordering(node):
                continue
            if any(each.own_column(node) is not None for each in chain[:-1]):
                continue
            found = scope.own_column(node)
            if found is not None:
                yield node, found.source


def _is_ordering(node: exp.Expr) -> bool:
    """Say whether a bare name stands where the name of an output comes before a column's."""
    return isinstance(node.parent, exp.Ordered)


def qualify(query: ResolvedQuery, scope: Scope) -> None:
    """Write the source before each of the names that belong to a SELECT's own sources.

    Sources that are added afterwards then cannot make a name ambiguous.

    Args:
        query: The query, which is changed.
        scope: The SELECT.
    """
    for node, source in list(columns_read(query, scope)):
        if not node.table:
            written = source_node(scope, source)
            if written is not None:
                node.set("table", identifier(written.alias_or_name))


def has_star(scope: Scope) -> bool:
    """Say whether a SELECT returns all columns of one or more of its sources."""
    return any(is_star(item) for item in scope.select.expressions)


def joins_plainly(scope: Scope) -> bool:
    """Say whether all joins of a SELECT are inner ones whose conditions are written out."""
    joins = scope.select.args.get("joins") or ()
    return len(joins) + 1 == len(scope.sources) and not any(
        is_outer(join) or join.args.get("using") or join.args.get("method") for join in joins
    )
