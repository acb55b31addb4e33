"""Which functions of a SELECT aggregate rows, and which of those depend on the rows' order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.sql.places import own_nodes

_SEQUENCE_NAMES = frozenset(
    {"group_concat", "string_agg", "list"}
    | {f"{kind}_group_{shape}" for kind in ("json", "jsonb") for shape in ("array", "object")}
)
_SEQUENCES = (exp.GroupConcat, exp.JSONArrayAgg, exp.JSONObjectAgg, exp.ArrayAgg)
_ANY_ROW_NAMES = frozenset({"arbitrary", "first", "last", "any_value"})
_ANY_ROW = (exp.AnyValue, exp.First, exp.Last)
_EXTREME_ROW_NAMES = frozenset({"max_by", "min_by", "arg_max", "arg_min"})
_EXTREME_ROW = (exp.ArgMax, exp.ArgMin)
_AGGREGATE_NAMES = (
    _SEQUENCE_NAMES
    | _ANY_ROW_NAMES
    | _EXTREME_ROW_NAMES
    | {"total", "percentile", "percentile_cont", "percentile_disc", "mode", "median"}
)


@dataclass(frozen=True, slots=True)
class OrderedUse:
    """An aggregate whose value depends on the order of its rows.

    Attributes:
        node: The aggregate.
        values: What it takes from each row.
        order: The expressions that it orders the rows by; none if it does not.
        condition: The condition of its FILTER, None without one.
        picks: Whether it takes the values of one row, not of all.
        extreme: Where it picks the row with the greatest or least value of its one order: that
            MAX or MIN; else None.
    """

    node: exp.Expr
    values: tuple[exp.Expr, ...]
    order: tuple[exp.Expr, ...]
    condition: exp.Expr | None
    picks: bool
    extreme: exp.Expr | None


def function_name(node: exp.Expr) -> str:
    """Return the name of a function call in lower case; empty for anything else."""
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def is_window_function(node: exp.Expr) -> bool:
    """Say whether a function call is the function of a window, not an aggregate of its SELECT."""
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        node, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is node


def is_aggregate(node: exp.Expr) -> bool:
    """Say whether a node is a call of an aggregate function, over a window or not."""
    return isinstance(node, exp.AggFunc) or (
        isinstance(node, exp.Anonymous) and function_name(node) in _AGGREGATE_NAMES
    )


def aggregates_of(select: exp.Select) -> list[exp.Expr]:
    """Return the aggregates that a SELECT itself computes over its rows or groups.

    Args:
        select: The SELECT.

    Returns:
        The calls in its select list, HAVING and ORDER BY; those of nested queries and those over
        windows are left out.
    """
    parts = [*select.expressions]
    parts += [select.args[name] for name in ("having", "order", "qualify") if select.args.get(name)]
    return [
        node
        for part in parts
        for node in own_nodes(select, part)
        if is_aggregate(node) and not is_window_function(node)
    ]


def aggregates_rows(select: exp.Select) -> bool:
    """Say whether a SELECT gives a row per group, or one for all its rows."""
    return select.args.get("group") is not None or bool(aggregates_of(select))


def gives_one_row(query: exp.Expr) -> bool:
    """Say whether a query cannot give more than one row, whatever the data."""
    if not isinstance(query, exp.Select):
        return False
    if query.args.get("from_") is None:
        return True
    return query.args.get("group") is None and bool(aggregates_of(query))


def ordered_uses(nodes: Iterator[exp.Expr] | list[exp.Expr]) -> list[OrderedUse]:
    """Return those aggregates whose value depends on the order of rows.

    Args:
        nodes: Calls of aggregate functions.

    Returns:
        One entry for each that joins, lists or picks values of rows.
    """
    return [use for use in map(_ordered_use, nodes) if use is not None]


def _ordered_use(node: exp.Expr) -> OrderedUse | None:
    name = function_name(node)
    picks = isinstance(node, _ANY_ROW) or name in _ANY_ROW_NAMES
    extreme = isinstance(node, _EXTREME_ROW) or name in _EXTREME_ROW_NAMES
    if not (picks or extreme or isinstance(node, _SEQUENCES) or name in _SEQUENCE_NAMES):
        return None
    arguments = [node.this] if isinstance(node.this, exp.Expr) else []
    arguments += node.expressions
    order: list[exp.Expr] = []
    values: list[exp.Expr] = []
    if extreme:
        values, order = arguments[:1], [*arguments[1:]]
        if isinstance(node.args.get("expression"), exp.Expr):
            order.append(node.args["expression"])
        arguments = []
    if isinstance(node.args.get("separator"), exp.Expr):
        arguments.append(node.args["separator"])
    for argument in arguments:
        if isinstance(argument, exp.Order):
            order += [term.this for term in argument.expressions]
            argument = argument.this
        values += argument.expressions if isinstance(argument, exp.Distinct) else [argument]
    condition = None
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        if isinstance(parent, exp.Filter):
            condition = parent.expression.this
        parent = parent.parent
    end = None
    if extreme and len(order) == 1 and condition is None:
        least = isinstance(node, exp.ArgMin) or name in ("min_by", "arg_min")
        end = (exp.Min if least else exp.Max)(this=order[0].copy())
    kept = tuple(value for value in values if not isinstance(value, exp.Literal))
    return OrderedUse(node, kept, tuple(order), condition, picks or extreme, end)
