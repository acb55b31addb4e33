"""Window functions over tied rows that are not alike."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.comparison.determinacy.asking import Asker
from specbridge_pipeline.comparison.determinacy.findings import Finding, Reason
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.parsing import shorten
from specbridge_pipeline.sql.places import (
    Place,
    is_inside,
    is_star,
    output_uses,
    own_nodes,
    place_of,
    used_outputs,
)
from specbridge_pipeline.sql.window_questions import (
    OrderedWindow,
    WindowKind,
    extreme_windows,
    number_cuts,
    ordered_windows,
    spelling_question,
    window_question,
)

_REASONS = {
    WindowKind.NUMBER: (Reason.ROW_NUMBER_TIES, "numbers tied rows that are not alike"),
    WindowKind.NEIGHBOUR: (Reason.NEIGHBOUR_TIES, "looks at tied rows that are not alike"),
    WindowKind.PICK: (Reason.FIRST_OR_LAST_TIES, "picks among tied rows that are not alike"),
    WindowKind.ROWS: (Reason.ROWS_FRAME_TIES, "counts its frame in tied rows that are not alike"),
    WindowKind.SEQUENCE: (Reason.UNORDERED_AGGREGATE, "lists tied rows that are not alike"),
}


def concerns(query: exp.Query) -> bool:
    """Say whether a query has a window whose value depends on the order of tied rows.

    Args:
        query: A SELECT or set operation inside a statement.
    """
    return isinstance(query, exp.Select) and bool(ordered_windows(query))


def concerns_under_collations(query: exp.Query) -> bool:
    """Say whether a query has a window whose value may stand for other spellings.

    Args:
        query: A SELECT or set operation inside a statement.
    """
    return isinstance(query, exp.Select) and bool(extreme_windows(query))


def find(asker: Asker, query: exp.Query) -> Finding | None:
    """Find a window whose tied rows differ in what follows from it.

    Args:
        asker: Asks the database.
        query: A query that `concerns` names.

    Returns:
        The first finding, None where tied rows are alike or what they give is not used.

    Raises:
        UnansweredError: It cannot be found out.
    """
    if not isinstance(query, exp.Select):
        return None
    names = asker.names(query)
    found = used_outputs(query, names)
    used = frozenset(range(len(names))) if found is None else found
    for window in ordered_windows(query):
        position = _position(query, window, len(names))
        others = used - {position} if position is not None else used
        cuts = None
        order = query.args.get("order")
        if position is not None and position not in used and not _in(query, "qualify", window):
            continue
        if order is not None and is_inside(window.node, order) and not _order_matters(query):
            continue
        if window.kind is WindowKind.NUMBER:
            cuts = _cuts(query, window, names, position)
        question = window_question(query, window, len(names), others, cuts, asker.engine)
        if question is not None and asker.holds(query, question):
            reason, words = _REASONS[window.kind]
            shown = shorten(emit(window.node, asker.engine))
            return Finding(reason, f"a window function {words}: {shown}")
    for extreme in extreme_windows(query):
        if asker.has_collations and asker.holds(
            query, spelling_question(query, extreme, asker.engine)
        ):
            return Finding(
                Reason.COLLATION_REPRESENTATIVE,
                "a window function shows one of several values that a collation takes for the "
                f"same: {shorten(emit(extreme, asker.engine))}",
            )
    return None


def _in(query: exp.Select, name: str, window: OrderedWindow) -> bool:
    part = query.args.get(name)
    return part is not None and is_inside(window.node, part)


def _order_matters(query: exp.Select) -> bool:
    limited = query.args.get("limit") is not None or query.args.get("offset") is not None
    return limited or place_of(query) in (Place.TOP, Place.VALUE)


def _position(query: exp.Select, window: OrderedWindow, width: int) -> int | None:
    """Return the output column in which a window stands, None outside the select list."""
    items = query.expressions
    for index, item in enumerate(items):
        if is_inside(window.node, item):
            if not any(is_star(each) for each in items[:index]):
                return index
            if not any(is_star(each) for each in items[index:]):
                return width - (len(items) - index)
    return None


def _cuts(
    query: exp.Select, window: OrderedWindow, names: tuple[str, ...], position: int | None
) -> tuple[int, ...] | None:
    """Return where a number that is only compared with constants parts the rows."""
    qualify = query.args.get("qualify")
    if position is None:
        if qualify is None or not is_inside(window.node, qualify):
            return None
        return number_cuts([window.node])
    if place_of(query) not in (Place.TABLE, Place.COMMON_TABLE):
        return None
    items = query.expressions
    whole = any(item.unalias() is window.node for item in items)
    uses = output_uses(query, names, position) if whole else None
    if uses is None:
        return None
    if qualify is not None:
        uses = uses + [
            node
            for node in own_nodes(query, qualify)
            if isinstance(node, exp.Column) and node.name.lower() == names[position].lower()
        ]
    return number_cuts(uses)
