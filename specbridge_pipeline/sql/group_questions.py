"""Questions about the groups of an aggregate query: do rows differ in what is taken from one?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.aggregates import (
    OrderedUse,
    aggregates_of,
    is_aggregate,
    is_window_function,
)
from specbridge_pipeline.sql.alikeness import any_differ, differ, flag
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.order_keys import visible_name
from specbridge_pipeline.sql.places import is_star, own_nodes

MARK = "specbridge_open"


@dataclass(frozen=True, slots=True)
class BareExpressions:
    """What an aggregate query takes from one row of each group.

    Attributes:
        shown: Expressions in the select list, with the position of their item.
        filtering: Expressions in HAVING.
        ordering: Expressions in ORDER BY.
        keys_shown: Group keys in the select list, with the position of their item: the same in all
            rows of a group, but for letter case and the like where a collation ignores it.
        star: Whether the select list has a star.
    """

    shown: tuple[tuple[int, exp.Expr], ...]
    filtering: tuple[exp.Expr, ...]
    ordering: tuple[exp.Expr, ...]
    keys_shown: tuple[tuple[int, exp.Expr], ...]
    star: bool


@dataclass(frozen=True, slots=True)
class _Key:
    """A group key: its expression, and whether a name might mean it that might mean a column."""

    node: exp.Expr
    by_alias: bool


def bare_expressions(select: exp.Select) -> BareExpressions:
    """Find what an aggregate query takes from one row of each group.

    Args:
        select: A SELECT that aggregates.

    Returns:
        The expressions outside aggregates that are no group keys.
    """
    keys = _keys(select)
    shown: list[tuple[int, exp.Expr]] = []
    keys_shown: list[tuple[int, exp.Expr]] = []
    for position, item in enumerate(select.expressions):
        if is_star(item):
            continue
        core = item.unalias()
        matched = [key for key in keys if _same(key.node, core)]
        if matched:
            # If the name means a column instead, the item may differ within a group after all.
            target = shown if matched[0].by_alias and not _is_plain(core) else keys_shown
            target.append((position, core))
            continue
        shown += [(position, each) for each in _outside_aggregates(select, core, keys)]
    aliases = {
        item.alias.lower(): item for item in select.expressions if isinstance(item, exp.Alias)
    }
    having, order = select.args.get("having"), select.args.get("order")
    filtering = [
        each
        for each in (_outside_aggregates(select, having.this, keys) if having else ())
        if not _is_alias(each, aliases)
    ]
    ordering: list[exp.Expr] = []
    for term in order.expressions if order else ():
        core = _resolved(select, term.this, aliases)
        ordering += [
            each for each in _outside_aggregates(select, core, keys) if not _is_alias(each, aliases)
        ]
    star = any(is_star(item) for item in select.expressions)
    return BareExpressions(tuple(shown), tuple(filtering), tuple(ordering), tuple(keys_shown), star)


def _keys(select: exp.Select) -> list[_Key]:
    group = select.args.get("group")
    found: list[_Key] = []
    for term in group.expressions if group is not None else ():
        node = term.unnest() if isinstance(term, exp.Paren) else term
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
            position = int(node.name) - 1
            if position < len(select.expressions):
                found.append(_Key(select.expressions[position].unalias(), False))
            continue
        found.append(_Key(node, False))
        if isinstance(node, exp.Column) and not node.table:
            for item in select.expressions:
                if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower():
                    found.append(_Key(item.this, True))
    return found


def group_terms(select: exp.Select) -> list[exp.Expr]:
    """Return the group keys of a SELECT as expressions over its tables' columns.

    Args:
        select: The SELECT.

    Returns:
        One per term of GROUP BY; an alias and a position stand for their item.
    """
    keys = _keys(select)
    by_alias = {id(key.node) for key in keys if key.by_alias}
    terms: list[exp.Expr] = []
    for key in keys:
        if id(key.node) in by_alias:
            terms[-1] = key.node
        else:
            terms.append(key.node)
    return terms


def _same(key: exp.Expr, node: exp.Expr) -> bool:
    if isinstance(key, exp.Column) and isinstance(node, exp.Column):
        return key.name.lower() == node.name.lower() and (
            not key.table or not node.table or key.table.lower() == node.table.lower()
        )
    return key == node


def _is_plain(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column)


def _is_alias(node: exp.Expr, aliases: dict[str, exp.Alias]) -> bool:
    return isinstance(node, exp.Column) and not node.table and node.name.lower() in aliases


def _resolved(select: exp.Select, node: exp.Expr, aliases: dict[str, exp.Alias]) -> exp.Expr:
    """Return what a key of ORDER BY means: a position or an alias is its item."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
        position = int(node.name) - 1
        if position < len(select.expressions) and not is_star(select.expressions[position]):
            item: exp.Expr = select.expressions[position].unalias()
            return item
    if _is_alias(node, aliases):
        node = aliases[node.name.lower()].this
    return node


def _outside_aggregates(select: exp.Select, node: exp.Expr, keys: list[_Key]) -> Iterator[exp.Expr]:
    """Yield the largest parts of an expression that are taken from one row of a group."""
    if any(_same(key.node, node) for key in keys if not key.by_alias):
        return
    if isinstance(node, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        # Its condition or order belongs to the aggregate.
        yield from _outside_aggregates(select, node.this, keys)
        return
    if is_aggregate(node) and not is_window_function(node):
        return
    if isinstance(node, exp.Query):
        yield from _correlated(select, node, keys)
        return
    if isinstance(node, exp.Column):
        if not is_star(node) and not _is_outer(select, node):
            yield node
        return
    inside = list(own_nodes(select, node))
    if not any(isinstance(each, exp.Column) for each in inside):
        return
    whole = not any(
        isinstance(each, exp.Query | exp.Window) or is_aggregate(each) for each in inside
    )
    keyed = any(_same(key.node, each) for key in keys for each in inside)
    if whole and not keyed and isinstance(node, exp.Condition) and not _is_boolean(node):
        yield node
        return
    for child in node.iter_expressions():
        yield from _outside_aggregates(select, child, keys)


def _is_boolean(node: exp.Expr) -> bool:
    # A condition in HAVING is asked about by its parts, which say more to a reader.
    return isinstance(node, exp.Connector | exp.Predicate | exp.Not)


def _is_outer(select: exp.Select, column: exp.Column) -> bool:
    """Say whether a column is one of the query around, and so the same for all rows in here."""
    if not column.table or select.parent is None:
        return False
    return column.table.lower() not in {table.alias_or_name.lower() for table in _tables(select)}


def _correlated(select: exp.Select, query: exp.Expr, keys: list[_Key]) -> Iterator[exp.Expr]:
    """Yield the columns of a SELECT's tables that a query in one of its expressions refers to."""
    own = {table.alias_or_name.lower() for table in _tables(select)}
    hidden = {table.alias_or_name.lower() for table in query.find_all(exp.Table)}
    for column in query.find_all(exp.Column):
        outer = column.table.lower() in own - hidden and not is_star(column)
        if outer and not any(_same(key.node, column) for key in keys):
            yield column


def _tables(select: exp.Select) -> Iterator[exp.Expr]:
    sources = [select.args.get("from_"), *(select.args.get("joins") or ())]
    for source in sources:
        if source is not None:
            yield from source.find_all(exp.Table, exp.Subquery)


def lone_extreme(select: exp.Select) -> exp.Expr | None:
    """Return the one MIN or MAX that decides from which row SQLite takes bare columns.

    Args:
        select: A SELECT that aggregates.

    Returns:
        Its call; None where there is none or more than one, or a FILTER goes with it.
    """
    found = [node for node in aggregates_of(select) if isinstance(node, exp.Max | exp.Min)]
    distinct = {node.sql() for node in found}
    if len(distinct) != 1 or any(isinstance(node.parent, exp.Filter) for node in found):
        return None
    return found[0]


def group_question(
    select: exp.Select,
    conditions: list[str],
    engine: Engine = Engine.SQLITE,
    *,
    having: bool = True,
) -> str:
    """Ask whether an aggregate condition holds in some group.

    Args:
        select: The SELECT that has the groups.
        conditions: Aggregate conditions over its rows, at least one; one is enough.
        engine: The engine to write for.
        having: Whether only the groups count that its HAVING keeps.

    Returns:
        A query of one number.
    """
    body = marked(select, conditions, engine, having=having)
    return f"SELECT COALESCE(MAX({MARK}), 0) FROM ({body}) AS specbridge_groups"


def marked(
    select: exp.Select,
    conditions: list[str],
    engine: Engine = Engine.SQLITE,
    *,
    having: bool = True,
) -> str:
    """Write an aggregate query with a mark on the groups that meet a condition as its last column.

    Args:
        select: The SELECT.
        conditions: Aggregate conditions over its rows, at least one; one is enough.
        engine: The engine to write for.
        having: Whether its HAVING stays.

    Returns:
        The query without order and cut.
    """
    body = marked_tree(select, having=having)
    for name in ("order", "limit", "offset"):
        body.set(name, None)
    return emit(body, engine).replace(_MARKER, flag(" OR ".join(conditions)), 1)


_MARKER = "specbridge_marker_"


def marked_tree(select: exp.Select, *, having: bool = True) -> exp.Select:
    """Return an aggregate query with one more column, whose value is to be filled in by `fill`.

    Args:
        select: The SELECT; it is not changed.
        having: Whether its HAVING stays.
    """
    body = select.copy()
    body.set("distinct", None)
    if not having:
        body.set("having", None)
    body.append("expressions", exp.alias_(exp.column(_MARKER), MARK))
    return body


def fill(text: str, conditions: list[str]) -> str:
    """Return a statement written from `marked_tree` with the mark's conditions in their place."""
    return text.replace(_MARKER, flag(" OR ".join(conditions)), 1)


def extreme_question(
    select: exp.Select, extreme: exp.Expr, values: list[exp.Expr], engine: Engine = Engine.SQLITE
) -> str:
    """Ask whether rows that share the least or greatest value of their group differ in others.

    Args:
        select: The SELECT that has the groups.
        extreme: Its MIN or MAX.
        values: The other values, at least one.
        engine: The engine to write for.

    Returns:
        A query of one number, over all groups.
    """
    measure = extreme.this
    if isinstance(measure, exp.Distinct):
        measure = measure.expressions[0]
    body = _rows(select, [*group_terms(select), measure, *values])
    keys = [f"part_{index + 1}" for index in range(len(group_terms(select)))]
    taken = [f"value_{index + 1}" for index in range(len(values))]
    function = "MAX" if isinstance(extreme, exp.Max) else "MIN"
    partition = f"PARTITION BY {', '.join(keys)}" if keys else ""
    grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
    return (
        f"WITH specbridge_body({', '.join([*keys, 'measure', *taken])}) AS ({emit(body, engine)}),"
        f" specbridge_extremes AS (SELECT *, {function}(measure) OVER ({partition}) AS extreme "
        f"FROM specbridge_body) SELECT COALESCE(MAX({MARK}), 0) FROM (SELECT "
        f"{flag(any_differ(taken, engine))} AS {MARK} FROM specbridge_extremes "
        f"WHERE measure IS NOT DISTINCT FROM extreme{grouped}) AS specbridge_groups"
    )


def ordered_use_question(
    select: exp.Select, use: OrderedUse, engine: Engine = Engine.SQLITE
) -> str:
    """Ask whether rows that an aggregate's own order leaves tied differ in what it takes.

    Args:
        select: The SELECT that has the groups.
        use: The aggregate, which takes at least one value.
        engine: The engine to write for.

    Returns:
        A query of one number, over all groups.
    """
    keys = [*group_terms(select), *use.order]
    source = _rows(select, [*keys, *use.values])
    if use.condition is not None:
        condition = exp.Paren(this=use.condition.copy())
        where = source.args.get("where")
        whole = (
            condition
            if where is None
            else exp.And(this=exp.Paren(this=where.this), expression=condition)
        )
        source.set("where", exp.Where(this=whole))
    names = [f"part_{index + 1}" for index in range(len(keys))]
    taken = [f"value_{index + 1}" for index in range(len(use.values))]
    grouped = f" GROUP BY {', '.join(names)}" if names else ""
    return (
        f"WITH specbridge_body({', '.join([*names, *taken])}) AS ({emit(source, engine)}) "
        f"SELECT COALESCE(MAX({MARK}), 0) FROM (SELECT {flag(any_differ(taken, engine))} "
        f"AS {MARK} FROM specbridge_body{grouped}) AS specbridge_groups"
    )


def all_columns_question(select: exp.Select, width: int, engine: Engine = Engine.SQLITE) -> str:
    """Ask whether rows of one group differ in any column of the SELECT's tables.

    Args:
        select: The SELECT that has the groups and a star.
        width: How many columns its tables have.
        engine: The engine to write for.
    """
    terms = group_terms(select)
    body = _rows(select, [*terms, exp.Star()])
    names = [f"part_{index + 1}" for index in range(len(terms))]
    columns = [visible_name(index) for index in range(width)]
    grouped = f" GROUP BY {', '.join(names)}" if names else ""
    return (
        f"WITH specbridge_body({', '.join([*names, *columns])}) AS ({emit(body, engine)}) "
        f"SELECT COALESCE(MAX({MARK}), 0) FROM (SELECT {flag(any_differ(columns, engine))} "
        f"AS {MARK} FROM specbridge_body{grouped}) AS specbridge_groups"
    )


def table_rows(select: exp.Select) -> exp.Select:
    """Return the query for all columns of a SELECT's tables, its conditions kept."""
    return _rows(select, [exp.Star()])


def _rows(select: exp.Select, items: list[exp.Expr]) -> exp.Select:
    body = select.copy()
    for name in ("group", "having", "order", "limit", "offset", "distinct", "qualify", "windows"):
        body.set(name, None)
    body.set("expressions", [item.copy() for item in items])
    return body


def representative_question(query: exp.Query, width: int, engine: Engine = Engine.SQLITE) -> str:
    """Ask whether rows that DISTINCT or a set operation takes for one differ after all.

    Args:
        query: A SELECT DISTINCT, or a set operation.
        width: How many columns it gives.
        engine: The engine to write for.

    Returns:
        A query of one number.
    """
    body = query.copy()
    for name in ("order", "limit", "offset"):
        body.set(name, None)
    if isinstance(body, exp.Select):
        body.set("distinct", None)
        text = emit(body, engine)
    else:
        # What EXCEPT and INTERSECT keep is among these rows as well.
        members = [emit(body.this, engine), emit(body.expression, engine)]
        common = body.args.get("with_")
        text = f"{emit(common, engine) + ' ' if common is not None else ''}" + " UNION ALL ".join(
            f"SELECT * FROM ({member})" for member in members
        )
    columns = [visible_name(index) for index in range(width)]
    return (
        f"WITH specbridge_body({', '.join(columns)}) AS ({text}) "
        f"SELECT COALESCE(MAX({MARK}), 0) FROM (SELECT {flag(any_differ(columns, engine))} "
        f"AS {MARK} FROM specbridge_body GROUP BY {', '.join(columns)}) AS specbridge_rows"
    )


def bare_conditions(values: list[exp.Expr], engine: Engine = Engine.SQLITE) -> list[str]:
    """Return the aggregate conditions that hold where rows of a group differ in values.

    Args:
        values: Expressions over the rows.
        engine: The engine to write for.
    """
    return [differ(f"({emit(value, engine)})", engine) for value in values]
