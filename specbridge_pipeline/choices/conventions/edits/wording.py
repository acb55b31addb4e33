"""Words of the sentences that say what the two sides of an edit do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import named
from specbridge_pipeline.choices.conventions.shapes import group_columns
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope
from specbridge_pipeline.sql.join_repeats import conjuncts
from specbridge_pipeline.sql.places import is_star

_AGGREGATES: Mapping[type[exp.Expr], str] = {
    exp.Sum: "the total of",
    exp.Avg: "the average of",
    exp.Max: "the greatest",
    exp.Min: "the least",
}


def worded(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> str:
    """Say what a value is: an aggregate in words, anything else as it is named.

    Args:
        query: The query.
        scope: The SELECT in which the value stands.
        node: The value.
    """
    node = node.unnest()
    inner = node.this if isinstance(node, exp.Count | exp.AggFunc) else None
    if isinstance(node, exp.Count):
        if isinstance(inner, exp.Distinct):
            values = ", ".join(named(query, scope, each) for each in inner.expressions)
            return f"the number of different values of {values}"
        if inner is None or is_star(inner) or isinstance(inner, exp.Literal):
            return "the number of rows"
        return f"the number of values of {named(query, scope, inner)}"
    words = _AGGREGATES.get(type(node))
    if words is None or inner is None or isinstance(inner, exp.Distinct):
        return named(query, scope, node)
    return f"{words} {named(query, scope, inner)}"


def listed(parts: Iterable[str]) -> str:
    """Join words by commas and a final "and"."""
    found = list(parts)
    return " and ".join([", ".join(found[:-1]), found[-1]]) if len(found) > 1 else "".join(found)


def rows_of(scope: Scope) -> str:
    """Say which rows a SELECT reads, groups or returns."""
    names = [source.table.name for source in scope.sources if source.table is not None]
    if len(names) < len(scope.sources):
        return "rows" if len(scope.sources) == 1 else "joined rows"
    joined = "joined rows" if len(names) > 1 else "rows"
    return f"{joined} of {listed(dict.fromkeys(names))}"


def conditions_of(select: exp.Select, *, besides: exp.Expr | None = None) -> str:
    """Say that the rows or groups of a SELECT meet conditions; nothing where there are none.

    Args:
        select: The SELECT.
        besides: A condition that does not count.
    """
    parts = [select.args.get("where"), select.args.get("having")]
    others = [
        each
        for part in parts
        if part is not None
        for each in conjuncts(part.this)
        if each is not besides
    ]
    if not others:
        return ""
    return " that meet the other conditions" if besides is not None else " that meet the conditions"


def groups_of(query: ResolvedQuery, scope: Scope) -> str:
    """Say which groups a SELECT forms."""
    keys = listed(named(query, scope, key) for key in group_columns(scope))
    return f"groups of rows by {keys}"


def order_in_words(query: ResolvedQuery, scope: Scope, terms: Iterable[exp.Expr]) -> str:
    """Say what rows are ordered by.

    Args:
        query: The query.
        scope: The SELECT whose rows they are.
        terms: The terms of the order, names of outputs written out.
    """
    return ", then by ".join(
        f"{worded(query, scope, term.this)} in "
        f"{'descending' if term.args.get('desc') else 'ascending'} order"
        for term in terms
    )
