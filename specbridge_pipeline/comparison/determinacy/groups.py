"""What an aggregate query takes from one row of a group, and in which order it takes rows."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.comparison.determinacy.asking import Asker, UnansweredError
from specbridge_pipeline.comparison.determinacy.cuts import (
    KeyOutsideDistinctError,
    cut_places,
    holds_with_keys,
)
from specbridge_pipeline.comparison.determinacy.findings import Finding, Reason
from specbridge_pipeline.sql.aggregates import (
    aggregates_of,
    aggregates_rows,
    gives_one_row,
    ordered_uses,
)
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.group_questions import (
    all_columns_question,
    bare_conditions,
    bare_expressions,
    extreme_question,
    fill,
    group_question,
    lone_extreme,
    marked_tree,
    ordered_use_question,
    table_rows,
)
from specbridge_pipeline.sql.order_keys import OrderKey
from specbridge_pipeline.sql.parsing import shorten
from specbridge_pipeline.sql.places import Place, is_inside, is_star, place_of, used_outputs
from specbridge_pipeline.sql.tie_questions import kept_question


def concerns(query: exp.Query) -> bool:
    """Say whether a query takes something from one row of a group, or rows in some order.

    Args:
        query: A SELECT or set operation inside a statement.
    """
    if not isinstance(query, exp.Select) or not aggregates_rows(query):
        return False
    bare = bare_expressions(query)
    calls = aggregates_of(query)
    return bool(
        bare.shown
        or bare.filtering
        or bare.ordering
        or bare.star
        or ordered_uses(calls)
        or any(isinstance(call, exp.Mode) for call in calls)
    )


def concerns_under_collations(query: exp.Query) -> bool:
    """Say whether a query shows a group key, or an extreme, that may stand for other spellings.

    Args:
        query: A SELECT or set operation inside a statement.
    """
    if not isinstance(query, exp.Select) or not aggregates_rows(query):
        return False
    extremes = any(isinstance(call, exp.Max | exp.Min) for call in aggregates_of(query))
    return extremes or bool(bare_expressions(query).keys_shown)


def find(asker: Asker, query: exp.Query) -> Finding | None:
    """Find what differs between the rows of a group although one of them is to stand for it.

    Args:
        asker: Asks the database.
        query: A query that `concerns` names.

    Returns:
        The first finding; None where the rows of each group are alike in all that is used.

    Raises:
        UnansweredError: It cannot be found out.
    """
    if not isinstance(query, exp.Select):
        return None
    finding = _bare(asker, query) if rules_of(asker.engine).bare_columns else None
    return finding or _ordered(asker, query) or _represented(asker, query)


def _bare(asker: Asker, query: exp.Select) -> Finding | None:
    """Look at columns that are neither grouped by nor aggregated, which SQLite allows."""
    bare = bare_expressions(query)
    extreme = lone_extreme(query)
    if bare.star and _uses(query, None):
        finding = _star(asker, query, extreme)
        if finding is not None:
            return finding
    if bare.filtering and _differ(asker, query, list(bare.filtering), extreme, having=False):
        return _bare_finding(asker, query, bare.filtering, extreme)
    limited = query.args.get("limit") is not None or query.args.get("offset") is not None
    cut = limited or place_of(query) is Place.VALUE
    open_order = False
    # One row has no order, and no cut that leaves it to chance.
    several = not gives_one_row(query)
    if bare.ordering and several and (cut or place_of(query) is Place.TOP):
        open_order = _differ(asker, query, list(bare.ordering), extreme)
        if open_order and cut:
            return _bare_finding(asker, query, bare.ordering, extreme)
    shown = [each for position, each in bare.shown if _uses(query, position)]
    if shown and _differ(asker, query, shown, extreme) and not _beyond_cut(asker, query, shown):
        return _bare_finding(asker, query, shown, extreme)
    if open_order:
        return _bare_finding(asker, query, bare.ordering, extreme, order_only=True)
    return None


def _uses(query: exp.Select, position: int | None) -> bool:
    """Say whether an item of the select list, or any for None, is used afterwards."""
    if any(is_star(item) for item in query.expressions):
        return used_outputs(query, None) != frozenset()
    names = tuple(item.alias_or_name for item in query.expressions)
    used = used_outputs(query, names)
    return used is None or (bool(used) if position is None else position in used)


def _star(asker: Asker, query: exp.Select, extreme: exp.Expr | None) -> Finding | None:
    width = len(asker.names_outside(query, table_rows(query)))
    if not asker.holds(query, all_columns_question(query, width, asker.engine)):
        return None
    if extreme is not None:
        raise UnansweredError("it shows all columns of the row that has the extreme")
    return Finding(
        Reason.BARE_COLUMN,
        f"a star beside GROUP BY shows one of several rows that are not alike: {_shown(query)}",
    )


def _differ(
    asker: Asker,
    query: exp.Select,
    values: list[exp.Expr],
    extreme: exp.Expr | None,
    *,
    having: bool = True,
) -> bool:
    conditions = bare_conditions(values, asker.engine)
    if not asker.holds(query, group_question(query, conditions, asker.engine, having=having)):
        return False
    if extreme is None:
        return True
    return asker.holds(query, extreme_question(query, extreme, values, asker.engine))


def _beyond_cut(asker: Asker, query: exp.Select, values: list[exp.Expr]) -> bool:
    """Say whether a cut leaves out all the groups that differ, those tied with it included."""
    if query.args.get("order") is None or query.args.get("distinct") or lone_extreme(query):
        return False
    _, end = cut_places(asker, query)
    if end is None:
        return False
    names = asker.names(query)
    tree = marked_tree(query)
    conditions = bare_conditions(values, asker.engine)

    def question(keys: tuple[OrderKey, ...]) -> str:
        text = kept_question(tree, keys, len(names) + 1, len(names), end, asker.engine)
        return fill(text, conditions)

    try:
        return not holds_with_keys(asker, query, names, question)
    except KeyOutsideDistinctError:
        return False


def _bare_finding(
    asker: Asker,
    query: exp.Select,
    values: list[exp.Expr] | tuple[exp.Expr, ...],
    extreme: exp.Expr | None,
    *,
    order_only: bool = False,
) -> Finding:
    columns = ", ".join(dict.fromkeys(emit(value, asker.engine) for value in values))
    if extreme is not None:
        return Finding(
            Reason.EXTREME_ROW_TIES,
            f"{columns} differs between rows that share the {emit(extreme, asker.engine)} they "
            f"are taken from: {_shown(query)}",
            order_only,
        )
    return Finding(
        Reason.BARE_COLUMN,
        f"{columns} is neither grouped by nor aggregated and differs within a group: "
        f"{_shown(query)}",
        order_only,
    )


def _ordered(asker: Asker, query: exp.Select) -> Finding | None:
    """Look at aggregates that join, list or pick values."""
    calls = [call for call in aggregates_of(query) if _is_used(query, call)]
    if any(isinstance(call, exp.Mode) for call in calls):
        raise UnansweredError("which of the most frequent values mode() gives is not looked at")
    for use in ordered_uses(calls):
        if not use.values:
            continue
        if use.extreme is not None:
            question = extreme_question(query, use.extreme, list(use.values), asker.engine)
        else:
            question = ordered_use_question(query, use, asker.engine)
        if not asker.holds(query, question):
            continue
        shown = shorten(emit(use.node, asker.engine))
        if use.picks:
            return Finding(Reason.ANY_VALUE, f"an aggregate picks one of several values: {shown}")
        return Finding(
            Reason.UNORDERED_AGGREGATE,
            f"an aggregate takes values that differ in no order of their own: {shown}",
        )
    return None


def _is_used(query: exp.Select, call: exp.Expr) -> bool:
    for position, item in enumerate(query.expressions):
        if is_inside(call, item):
            return _uses(query, position)
    return True


def _represented(asker: Asker, query: exp.Select) -> Finding | None:
    """Look at keys and extremes that stand for others under a collation."""
    if not asker.has_collations:
        return None
    keys = [each for position, each in bare_expressions(query).keys_shown if _uses(query, position)]
    conditions = bare_conditions(keys, asker.engine)
    open_keys = conditions and asker.holds(query, group_question(query, conditions, asker.engine))
    extremes = [
        call
        for call in aggregates_of(query)
        if isinstance(call, exp.Max | exp.Min) and _is_used(query, call)
    ]
    if open_keys or any(
        asker.holds(query, extreme_question(query, call, [_measure(call)], asker.engine))
        for call in extremes
    ):
        return Finding(
            Reason.COLLATION_REPRESENTATIVE,
            "a group shows one of several values that its collation takes for the same: "
            f"{_shown(query)}",
        )
    return None


def _measure(call: exp.Expr) -> exp.Expr:
    measure: exp.Expr = call.this
    return measure.expressions[0] if isinstance(measure, exp.Distinct) else measure


def _shown(query: exp.Select) -> str:
    return shorten(emit(query))
