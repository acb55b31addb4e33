"""What a statement's text alone shows to leave its result open.

A first net: the analysis of ties and groups on the data comes on top of it.
"""

from __future__ import annotations

from sqlglot import exp

_RANDOM_FUNCTIONS = frozenset({"random", "randomblob", "rand"})


def open_by_syntax(query: exp.Query) -> str | None:
    """Say why a query cannot determine its result, as far as its text shows.

    Args:
        query: The query.

    Returns:
        The reason, or None: a random function, or a LIMIT below the top level without ORDER BY.
        A LIMIT inside EXISTS, or over the one row of an ungrouped aggregate, changes nothing.
    """
    for function in query.find_all(exp.Func):
        name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        if isinstance(function, exp.Rand) or name.lower() in _RANDOM_FUNCTIONS:
            return "it calls a random function"
    for part in query.find_all(exp.Query):
        limited = part.args.get("limit") is not None or part.args.get("offset") is not None
        if part is query or not limited or part.args.get("order") is not None:
            continue
        if not _inside_exists(part) and not _one_row(part):
            return "a subquery has a LIMIT without ORDER BY"
    return None


def _inside_exists(query: exp.Expr) -> bool:
    parent = query.parent
    while isinstance(parent, exp.Subquery | exp.Paren):
        parent = parent.parent
    return isinstance(parent, exp.Exists)


def _one_row(query: exp.Expr) -> bool:
    return (
        isinstance(query, exp.Select)
        and query.args.get("group") is None
        and any(isinstance(item.unalias(), exp.AggFunc) for item in query.expressions)
    )
