"""Whether what a SELECT gives depends on how often its joins repeat a row."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.sql.aggregates import aggregates_of
from specbridge_pipeline.sql.places import Place, own_nodes, place_of


def ignores_repeats(select: exp.Select) -> bool:
    """Say whether a SELECT gives the same when its FROM and WHERE give some rows more often.

    Args:
        select: A SELECT, in its place in the statement.

    Returns:
        Whether it is so by the way it is written; False where nothing shows it.
    """
    if any(isinstance(node, exp.Window) for node in own_nodes(select)):
        return False
    aggregates = aggregates_of(select)
    if select.args.get("group") is not None or aggregates:
        return all(_ignores_repeats(each) for each in aggregates)
    if select.args.get("distinct") is not None:
        return True
    if select.args.get("limit") is not None or select.args.get("offset") is not None:
        return False
    place = place_of(select)
    if place is Place.MEMBER:
        around = select.parent
        while isinstance(around, exp.Subquery | exp.Paren):
            around = around.parent
        return around is not None and bool(around.args.get("distinct"))
    return place in (Place.SET, Place.EXISTENCE)


def _ignores_repeats(aggregate: exp.Expr) -> bool:
    if isinstance(aggregate, exp.Count | exp.Sum | exp.Avg):
        return isinstance(aggregate.this, exp.Distinct)
    return isinstance(aggregate, exp.Min | exp.Max)
