"""Questions about windows: do rows tied in a window's order differ in what follows from it?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.aggregates import function_name, is_aggregate, ordered_uses
from specbridge_pipeline.sql.alikeness import any_differ, flag
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.order_keys import visible_name
from specbridge_pipeline.sql.places import own_nodes

_NUMBERS = frozenset({"row_number", "ntile"})
_NEIGHBOURS = frozenset({"lag", "lead"})
_PICKS = frozenset({"first_value", "last_value", "nth_value"})


class WindowKind(Enum):
    """How the value of a window function depends on the order of tied rows."""

    NUMBER = "row_number or ntile"
    NEIGHBOUR = "lag or lead"
    PICK = "first_value, last_value or nth_value"
    ROWS = "a ROWS frame"
    SEQUENCE = "values joined or listed"


@dataclass(frozen=True, slots=True)
class OrderedWindow:
    """A window function whose value depends on the order of rows that its ORDER BY leaves tied.

    Attributes:
        node: The window.
        kind: How it depends on it.
        values: What the function takes from the rows that it looks at.
        partition: The expressions of PARTITION BY.
        order: The ORDER BY, None without one.
        with_row: Whether the row to which a value is given matters, not only which rows the frame
            begins and ends with.
        block: `first` or `last` where only the ties at the beginning or end of a partition matter,
            else empty.
    """

    node: exp.Window
    kind: WindowKind
    values: tuple[exp.Expr, ...]
    partition: tuple[exp.Expr, ...]
    order: exp.Order | None
    with_row: bool
    block: str


def ordered_windows(select: exp.Select) -> list[OrderedWindow]:
    """Return the windows of a SELECT whose values depend on the order of tied rows.

    Args:
        select: The SELECT.

    Returns:
        One entry a window. RANK and its like, and aggregates over frames that begin and end with
        whole groups of tied rows, are left out: they treat tied rows alike.
    """
    found = []
    for node in own_nodes(select):
        # A definition in the WINDOW clause has a name where a use has a function.
        if isinstance(node, exp.Window) and not isinstance(node.this, exp.Identifier):
            window = _ordered_window(select, node)
            if window is not None:
                found.append(window)
    return found


def _ordered_window(select: exp.Select, node: exp.Window) -> OrderedWindow | None:
    function: exp.Expr = node.this
    conditions: list[exp.Expr] = []
    while isinstance(function, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        if isinstance(function, exp.Filter):
            conditions.append(function.expression.this)
        function = function.this
    name = function_name(function)
    partition, order, frame = _definition(select, node)
    values = (*_arguments(function), *conditions)
    if name in _NUMBERS:
        return OrderedWindow(node, WindowKind.NUMBER, (), partition, order, True, "")
    if name in _NEIGHBOURS:
        return OrderedWindow(node, WindowKind.NEIGHBOUR, values, partition, order, True, "")
    if name in _PICKS:
        block = _block_of_pick(name, frame)
        with_row = _by_rows(frame) and not block
        return OrderedWindow(node, WindowKind.PICK, values, partition, order, with_row, block)
    by_rows = _by_rows(frame) and not _is_whole_partition(frame)
    sequences = ordered_uses([function])
    if sequences:
        taken = (*sequences[0].values, *conditions)
        return OrderedWindow(node, WindowKind.SEQUENCE, taken, partition, order, by_rows, "")
    if by_rows and is_aggregate(function):
        return OrderedWindow(node, WindowKind.ROWS, values, partition, order, True, "")
    return None


def _by_rows(frame: exp.WindowSpec | None) -> bool:
    """Say whether a frame may begin or end between tied rows."""
    return frame is not None and (
        str(frame.args.get("kind") or "").upper() == "ROWS" or frame.args.get("exclude") is not None
    )


def _is_whole_partition(frame: exp.WindowSpec | None) -> bool:
    return (
        frame is not None
        and _bound(frame, "start") == _bound(frame, "end") == "UNBOUNDED"
        and frame.args.get("exclude") is None
    )


def _block_of_pick(name: str, frame: exp.WindowSpec | None) -> str:
    if frame is not None and frame.args.get("exclude") is not None:
        return ""
    if name == "first_value" and (frame is None or _bound(frame, "start") == "UNBOUNDED"):
        return "first"
    if name == "last_value" and frame is not None and _bound(frame, "end") == "UNBOUNDED":
        return "last"
    return ""


def _arguments(function: exp.Expr) -> tuple[exp.Expr, ...]:
    inner = function.this if isinstance(function.this, exp.Expr) else None
    arguments = [inner] if inner is not None else []
    arguments += function.expressions
    if isinstance(function.args.get("default"), exp.Expr):
        arguments.append(function.args["default"])
    return tuple(
        each for each in arguments if not isinstance(each, exp.Literal | exp.Star | exp.Null)
    )


def _definition(
    select: exp.Select, node: exp.Window
) -> tuple[tuple[exp.Expr, ...], exp.Order | None, exp.WindowSpec | None]:
    """Return partition, order and frame of a window, a named one's filled in."""
    partition = tuple(node.args.get("partition_by") or ())
    order, spec = node.args.get("order"), node.args.get("spec")
    name = node.args.get("alias")
    if isinstance(name, exp.Identifier):
        for base in select.args.get("windows") or ():
            if base.name.lower() == name.name.lower():
                base_partition, base_order, base_spec = _definition(select, base)
                partition, order = partition or base_partition, order or base_order
                spec = spec or base_spec
    return partition, order, spec


def _bound(frame: exp.WindowSpec, side: str) -> str:
    value = frame.args.get(side)
    return value.upper() if isinstance(value, str) else ""


def extreme_windows(select: exp.Select) -> list[exp.Window]:
    """Return the windows of a SELECT that give a least or greatest value.

    Args:
        select: The SELECT.
    """
    return [
        node
        for node in own_nodes(select)
        if isinstance(node, exp.Window) and isinstance(_function(node), exp.Max | exp.Min)
    ]


def spelling_question(
    select: exp.Select, window: exp.Window, engine: Engine = Engine.SQLITE
) -> str:
    """Ask whether values that count as the same to a MIN or MAX over a window differ after all.

    Args:
        select: The SELECT that has the window.
        window: The window.
        engine: The engine to write for.

    Returns:
        A query of one number, over all rows of the SELECT.
    """
    body = select.copy()
    for name in ("order", "limit", "offset", "distinct", "qualify"):
        body.set(name, None)
    body.append("expressions", exp.alias_(_function(window).this.copy(), "specbridge_value"))
    return (
        f"SELECT COALESCE(MAX(specbridge_open), 0) FROM (SELECT "
        f"{flag(any_differ(['specbridge_value'], engine))} AS specbridge_open "
        f"FROM ({emit(body, engine)}) AS specbridge_body GROUP BY specbridge_value) "
        f"AS specbridge_values"
    )


def _function(window: exp.Window) -> exp.Expr:
    function: exp.Expr = window.this
    while isinstance(function, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        function = function.this
    return function


def window_question(
    select: exp.Select,
    window: OrderedWindow,
    width: int,
    used: frozenset[int],
    cuts: tuple[int, ...] | None,
    engine: Engine = Engine.SQLITE,
) -> str | None:
    """Ask whether rows tied in a window's order differ in what follows from it.

    Args:
        select: The SELECT that has the window.
        window: The window.
        width: How many columns the SELECT gives.
        used: Which of them are used afterwards, that of the window itself left out.
        cuts: Where the number is only compared with constants: after which numbers these part the
            rows; None where the number itself is used.
        engine: The engine to write for.

    Returns:
        A query of one number, 1 where they do; None where nothing can follow.
    """
    body = select.copy()
    for name in ("order", "limit", "offset", "distinct", "qualify"):
        body.set(name, None)
    columns = [visible_name(index) for index in range(width)]
    hidden: list[str] = []

    def hide(name: str, expression: exp.Expr) -> str:
        hidden.append(name)
        body.append("expressions", expression)
        return name

    groups = [hide(f"part_{index + 1}", part.copy()) for index, part in enumerate(window.partition)]
    groups.append(hide("tie_rank", _over("RANK", window)))
    kept = ""
    if window.block == "first":
        kept = " WHERE tie_rank = 1"
    elif window.block == "last":
        kept = f" WHERE {hide('end_rank', _over('CUME_DIST', window))} = 1"
    values = [hide(f"value_{index + 1}", each.copy()) for index, each in enumerate(window.values)]
    if window.with_row:
        values += [visible_name(index) for index in sorted(used)]
    if not values:
        return None
    condition = f"({any_differ(values, engine)})"
    if window.kind is WindowKind.NUMBER:
        number = hide("number", window.node.copy())
        if cuts is None:
            condition += f" AND MIN({number}) <> MAX({number})"
        else:
            parts = [f"(MIN({number}) <= {cut} AND MAX({number}) > {cut})" for cut in cuts]
            condition += f" AND ({' OR '.join(parts) or '1 = 0'})"
    return (
        f"WITH specbridge_body({', '.join([*columns, *hidden])}) AS ({emit(body, engine)}) "
        f"SELECT COALESCE(MAX(specbridge_open), 0) FROM (SELECT {flag(condition)} "
        f"AS specbridge_open FROM specbridge_body{kept} GROUP BY {', '.join(groups)}) "
        f"AS specbridge_blocks"
    )


def _over(function: str, window: OrderedWindow) -> exp.Expr:
    return exp.Window(
        this=exp.Anonymous(this=function),
        partition_by=[part.copy() for part in window.partition],
        order=window.order.copy() if window.order is not None else None,
        over="OVER",
    )


def number_cuts(uses: list[exp.Expr]) -> tuple[int, ...] | None:
    """Return after which numbers rows are parted, where a number is only compared with constants.

    Args:
        uses: The nodes that stand for the number.

    Returns:
        The cuts in order; None where some use is no comparison with a whole number.
    """
    cuts: set[int] = set()
    for use in uses:
        found = _cuts_of(use)
        if found is None:
            return None
        cuts |= found
    return tuple(sorted(cuts))


_CUTS: dict[type[exp.Expr], tuple[int, ...]] = {
    exp.EQ: (-1, 0),
    exp.NEQ: (-1, 0),
    exp.LTE: (0,),
    exp.GT: (0,),
    exp.LT: (-1,),
    exp.GTE: (-1,),
}
_MIRRORED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.GT: exp.LT,
}


def _cuts_of(use: exp.Expr) -> set[int] | None:
    while isinstance(use.parent, exp.Paren):
        use = use.parent
    comparison = use.parent
    if isinstance(comparison, exp.Between) and comparison.this is use:
        low = _integer(comparison.args["low"])
        high = _integer(comparison.args["high"])
        return None if low is None or high is None else {low - 1, high}
    if isinstance(comparison, exp.In) and comparison.this is use and comparison.expressions:
        numbers = [_integer(each) for each in comparison.expressions]
        if any(number is None for number in numbers):
            return None
        return {at for number in numbers if number is not None for at in (number - 1, number)}
    kind: type[exp.Expr] | None = type(comparison) if comparison is not None else None
    if comparison is None or kind not in _CUTS:
        return None
    other = comparison.expression
    if comparison.this is not use:
        kind, other = _MIRRORED.get(kind, kind), comparison.this
    number = _integer(other)
    return None if number is None else {number + offset for offset in _CUTS[kind]}


def _integer(node: exp.Expr) -> int | None:
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
        return int(node.name)
    return None
