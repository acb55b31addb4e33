"""Putting conditions into the clauses of a SELECT and taking them out, and naming its columns."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Data, identifier
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, Source, SourceColumn
from specbridge_pipeline.sql.join_repeats import conjuncts, is_outer
from specbridge_pipeline.sql.places import own_nodes


def column_reference(scope: Scope, column: SourceColumn) -> exp.Column:
    """Return the name of a column of a SELECT's source, qualified where it reads several.

    Args:
        scope: The SELECT, not yet changed.
        column: The column.
    """
    name = column.name if column.column is None else column.column.name
    found = exp.Column(this=identifier(name))
    if len(scope.sources) > 1:
        found.set("table", qualifier(scope, column.source))
    return found


def qualifier(scope: Scope, source: Source) -> exp.Identifier:
    """Return the name by which a SELECT's columns name one of its sources, as it is written."""
    for node in own_nodes(scope.select):
        if isinstance(node, exp.Table | exp.Subquery) and node.alias_or_name.lower() == source.name:
            return identifier(node.alias_or_name)
    return identifier(source.name)


def required(scope: Scope) -> list[exp.Expr]:
    """Return the conditions that each row or group of a SELECT meets.

    Args:
        scope: The SELECT.

    Returns:
        What AND connects in WHERE, in HAVING and in the ON of joins that are not outer.
    """
    select = scope.select
    parts = [select.args.get("where"), select.args.get("having")]
    found = [each for part in parts if part is not None for each in conjuncts(part.this)]
    for join in select.args.get("joins") or ():
        if not is_outer(join):
            found += conjuncts(join.args.get("on"))
    return found


def take_out(condition: exp.Expr) -> None:
    """Take one of several conditions that AND connects out of its clause.

    Args:
        condition: What `conjuncts` yields of a WHERE, a HAVING or an ON; a clause of which nothing
            is left goes with it.
    """
    part = condition
    while isinstance(part.parent, exp.Paren):
        part = part.parent
    around = part.parent
    if isinstance(around, exp.And):
        other = around.expression if around.this is part else around.this
        around.replace(other)
    elif isinstance(around, exp.Where | exp.Having):
        around.pop()
    else:
        part.pop()


def optional_positions(scope: Scope) -> set[int]:
    """Return the positions of the sources that a row of a SELECT's joins can lack."""
    found: set[int] = set()
    for at, join in enumerate(scope.select.args.get("joins") or ()):
        side = str(join.args.get("side") or "").upper()
        if side in ("LEFT", "FULL"):
            found.add(at + 1)
        if side in ("RIGHT", "FULL"):
            found.update(range(at + 1))
    return found


def has_rows(data: Data, select: exp.Select) -> bool | None:
    """Say whether a SELECT has any row; None where nobody knows.

    Args:
        data: What is known of the database.
        select: The SELECT; it is not changed.
    """
    one = select.copy()
    for part in ("order", "limit", "offset", "distinct"):
        one.set(part, None)
    one.set("expressions", [exp.Literal.number(1)])
    # Any row comes twice in the union of the SELECT with itself.
    return data.repeats(exp.union(one, one.copy(), distinct=False))


def positions_used(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> set[int]:
    """Return the positions of the sources of a SELECT whose columns a part of it names.

    Args:
        query: The query.
        scope: The SELECT.
        node: The part; columns that queries nested in it take from the SELECT count too.
    """
    found: set[int] = set()
    for column in node.find_all(exp.Column):
        around = query.scope_of(column.find_ancestor(exp.Select)) or scope
        while around is not scope and around.own_column(column) is None and around.outer:
            around = around.outer
        own = scope.own_column(column) if around is scope else None
        if own is not None:
            found.add(own.source.position)
    return found
