"""Where a query stands inside another one, and what of it is used there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sqlglot import exp


class Place(Enum):
    """What a query is to the one around it."""

    TOP = "the statement itself"
    MEMBER = "a member of a set operation"
    TABLE = "a table in FROM"
    COMMON_TABLE = "an entry of WITH"
    EXISTENCE = "asked only whether it has rows"
    SET = "a set of values to compare with"
    VALUE = "a single value"


def place_of(query: exp.Query) -> Place:
    """Say what a query is to the one around it.

    Args:
        query: A SELECT or set operation inside a statement.

    Returns:
        Its place.
    """
    inner, outer = _unwrapped(query)
    if outer is None:
        return Place.TOP
    if isinstance(outer, exp.SetOperation) and inner.arg_key in ("this", "expression"):
        return Place.MEMBER
    if isinstance(outer, exp.CTE):
        return Place.COMMON_TABLE
    if isinstance(outer, exp.From | exp.Join | exp.Lateral) and inner.arg_key == "this":
        return Place.TABLE
    if isinstance(outer, exp.Exists):
        return Place.EXISTENCE
    if isinstance(outer, exp.All | exp.Any):
        return Place.SET
    if isinstance(outer, exp.In) and inner.arg_key == "query":
        return Place.SET
    return Place.VALUE


def _unwrapped(query: exp.Expr) -> tuple[exp.Expr, exp.Expr | None]:
    """Return a query with the parentheses around it, and what stands around these."""
    inner = query
    while isinstance(inner.parent, exp.Subquery | exp.Paren):
        inner = inner.parent
    return inner, inner.parent


def host_of(query: exp.Query) -> exp.Query | None:
    """Return the query in whose scope a query stands: whose rows it may refer to.

    Args:
        query: A SELECT or set operation inside a statement.

    Returns:
        The set operation it is a member of, the query that it is a table of, or the SELECT in one
        of whose expressions it stands; None at the top.
    """
    found = query.parent
    while found is not None:
        if isinstance(found, exp.Select | exp.SetOperation):
            return found
        found = found.parent
    return None


def own_nodes(select: exp.Expr, part: exp.Expr | None = None) -> Iterator[exp.Expr]:
    """Yield the nodes of a query, or of a part of it, that are not inside a nested query.

    Args:
        select: The query.
        part: Where to look; the whole query if None.

    Yields:
        The nodes from the outside in; a nested query is yielded itself.
    """
    start = part if part is not None else select
    yield from start.walk(prune=lambda node: node is not select and isinstance(node, exp.Query))


def is_star(item: exp.Expr) -> bool:
    """Say whether an item of a select list stands for all columns of one or more tables."""
    return isinstance(item, exp.Star) or (
        isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
    )


def first_member(query: exp.Expr) -> exp.Select | None:
    """Return the SELECT that names the output columns of a query.

    Args:
        query: A SELECT or set operation, in parentheses or not.

    Returns:
        The query itself or the leftmost member; None for anything else, such as VALUES.
    """
    while not isinstance(query, exp.Select):
        if not isinstance(query, exp.SetOperation | exp.Subquery):
            return None
        query = query.this
    return query


def written_names(query: exp.Expr) -> tuple[str, ...] | None:
    """Return the output names of a query as far as they are written.

    Args:
        query: A SELECT or set operation.

    Returns:
        One name per output column, empty where the engine makes one up; None where a star leaves
        their number open.
    """
    select = first_member(query)
    if select is None or any(is_star(item) for item in select.expressions):
        return None
    return tuple(item.alias_or_name for item in select.expressions)


def used_outputs(query: exp.Query, names: tuple[str, ...] | None) -> frozenset[int] | None:
    """Return which output columns of a query the rest of the statement looks at.

    A column that might be meant counts as used.

    Args:
        query: A SELECT or set operation inside a statement.
        names: Its output names; None where they are not known.

    Returns:
        The positions, counted from 0; None for all of them.
    """
    place = place_of(query)
    if place is Place.EXISTENCE:
        return frozenset()
    _, outer = _unwrapped(query)
    if place is Place.MEMBER and isinstance(outer, exp.Union) and not outer.args.get("distinct"):
        return used_outputs(outer, names)
    readers = _readers(query, names)
    if readers is None:
        return None
    used: frozenset[int] = frozenset()
    for reader in readers:
        columns = _columns_read(reader)
        if columns is None:
            return None
        wanted = {column.name.lower() for column in columns}
        if reader.names is None:
            if wanted:
                return None
            continue
        used |= {at for at, name in enumerate(reader.names) if not name or name.lower() in wanted}
    return used


def output_uses(query: exp.Query, names: tuple[str, ...], position: int) -> list[exp.Expr] | None:
    """Return the places where one output column of a query is used.

    Args:
        query: A SELECT or set operation inside a statement.
        names: Its output names.
        position: The column, counted from 0.

    Returns:
        The names in the rest of the statement that may mean the column; None where it is used in
        other ways.
    """
    readers = _readers(query, names)
    if readers is None:
        return None
    found: list[exp.Expr] = []
    for reader in readers:
        columns = _columns_read(reader)
        if columns is None or reader.names is None or not reader.names[position]:
            return None
        name = reader.names[position].lower()
        found += [column for column in columns if column.name.lower() == name]
    return found


@dataclass(frozen=True, slots=True)
class _Reader:
    """A SELECT that has a query among its tables: the query's names there, and its alias."""

    select: exp.Select
    alias: str
    names: tuple[str, ...] | None
    besides: exp.Query | None


def _readers(query: exp.Query, names: tuple[str, ...] | None) -> list[_Reader] | None:
    place = place_of(query)
    inner, outer = _unwrapped(query)
    if place is Place.TABLE:
        select = host_of(query)
        if not isinstance(select, exp.Select) or not isinstance(inner, exp.Subquery):
            return None
        shown = _visible_names(inner.args.get("alias"), names)
        return [_Reader(select, inner.alias_or_name.lower(), shown, query)]
    if place is not Place.COMMON_TABLE or not isinstance(outer, exp.CTE):
        return None
    owner = outer.find_ancestor(exp.Query)
    if owner is None:
        return None
    shown = _visible_names(outer.args.get("alias"), names)
    readers: list[_Reader] = []
    for table in owner.find_all(exp.Table):
        if table.args.get("db") is not None or table.name.lower() != outer.alias.lower():
            continue
        select = table.find_ancestor(exp.Select)
        if select is None:
            return None
        # The WITH is a part of the reader's tree, and so is the query; a recursion reads itself.
        besides = None if is_inside(select, query) else query
        readers.append(_Reader(select, table.alias_or_name.lower(), shown, besides))
    return readers


def _visible_names(alias: exp.Expr | None, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    renamed = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    if renamed:
        return tuple(column.name for column in renamed)
    return names


def _columns_read(reader: _Reader) -> list[exp.Expr] | None:
    """Return what may name a column of the query that is read; None for a star or the like."""
    for item in reader.select.expressions:
        if is_star(item) and (
            not isinstance(item, exp.Column) or item.table.lower() == reader.alias
        ):
            return None
    joins = reader.select.args.get("joins") or []
    if any(join.args.get("method") for join in joins):
        return None
    found: list[exp.Expr] = [name for join in joins for name in join.args.get("using") or ()]
    found += [
        column
        for column in reader.select.find_all(exp.Column)
        if column.table.lower() in ("", reader.alias)
        and not isinstance(column.this, exp.Star)
        and (reader.besides is None or not is_inside(column, reader.besides))
    ]
    return found


def is_inside(node: exp.Expr, part: exp.Expr) -> bool:
    """Say whether a node is a part of a query or lies within it."""
    found: exp.Expr | None = node
    while found is not None:
        if found is part:
            return True
        found = found.parent
    return False
