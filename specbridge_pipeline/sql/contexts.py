"""Statements that ask something about a nested query for the rows that it is evaluated for.

A nested query that stands on its own is asked about on its own. One that refers to the query
around it is asked about once for each row of that query's tables: the question, itself a query of
one number, takes the nested query's place, and the largest answer counts.
"""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.places import Place, host_of, is_inside, place_of


def alone(query: exp.Query, question: str, engine: Engine = Engine.SQLITE) -> str:
    """Return a statement that asks a question about a query that refers to nothing around it.

    Args:
        query: The nested query, where it stands.
        question: A query of one row and one column, written in terms of it.
        engine: The engine to write for.

    Returns:
        The statement: the question with the common table expressions in sight.
    """
    tables = _tables_in_sight(query, engine)
    return f"{tables}SELECT ({question})" if tables else question


def without_rows(query: exp.Query, text: str, engine: Engine = Engine.SQLITE) -> str:
    """Return a statement that has the columns of a query that stands on its own, and no row.

    Args:
        query: The nested query whose tables are in sight.
        text: The query whose columns are wanted: the nested one or another in its place.
        engine: The engine to write for.
    """
    tables = _tables_in_sight(query, engine)
    return f"{tables}SELECT * FROM ({text}) AS specbridge_shown LIMIT 0"


def _tables_in_sight(query: exp.Query, engine: Engine) -> str:
    """Write the WITH that a nested query needs outside its place; empty where it needs none."""
    entries: list[str] = []
    recursive = False
    around = query.parent
    while around is not None:
        common = around.args.get("with_")
        if isinstance(common, exp.With):
            entries = [emit(entry, engine) for entry in common.expressions] + entries
            recursive = recursive or bool(common.args.get("recursive"))
        around = around.parent
    return f"WITH {'RECURSIVE ' if recursive else ''}{', '.join(entries)} " if entries else ""


def must_stay(query: exp.Query) -> bool:
    """Say whether a nested query visibly depends on the query around it, or may do so unnoticed.

    Args:
        query: The nested query.

    Returns:
        True where a column names a table that the query does not have. True also for a column in
        quotation marks without a table: out of place the engine takes an unknown one for a string.
    """
    if place_of(query) is Place.TOP:
        return False
    known = {table.alias_or_name.lower() for table in query.find_all(exp.Table)}
    known |= {derived.alias_or_name.lower() for derived in query.find_all(exp.Subquery)}
    for column in query.find_all(exp.Column):
        if column.table:
            if column.table.lower() not in known:
                return True
        elif isinstance(column.this, exp.Identifier) and column.this.args.get("quoted"):
            return place_of(query) in (Place.VALUE, Place.SET, Place.EXISTENCE)
    return False


def outward(
    query: exp.Query, question: str, engine: Engine = Engine.SQLITE
) -> tuple[exp.Query, str] | None:
    """Move a question one query outwards.

    Args:
        query: The nested query, where it stands.
        question: A query of one number about it.
        engine: The engine to write for.

    Returns:
        The query around it, and the question for all rows of that query's tables which its other
        conditions let through; None where there is no such query, or the nested one stands in the
        condition of a join.
    """
    host = host_of(query)
    if host is None:
        return None
    if place_of(query) in (Place.MEMBER, Place.TABLE, Place.COMMON_TABLE):
        return host, question
    if not isinstance(host, exp.Select):
        return None
    source = host.args.get("from_")
    if source is None:
        return host, question
    joins = host.args.get("joins") or []
    if any(is_inside(query, join) for join in joins):
        return None
    parts = [f"SELECT COALESCE(MAX(({question})), 0)", emit(source, engine)]
    parts += [emit(join, engine) for join in joins]
    where = host.args.get("where")
    if where is not None:
        conditions = where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
        kept = [
            f"({emit(condition, engine)})"
            for condition in conditions
            if not is_inside(query, condition)
        ]
        if kept:
            parts.append(f"WHERE {' AND '.join(kept)}")
    text = " ".join(parts)
    common = host.args.get("with_")
    return host, text if common is None else f"{emit(common, engine)} {text}"
