"""How large the numbers were that were added up to make the values of a query.

A sum of large numbers that nearly cancel is a small number with the rounding noise of the large
ones. So that noise is told from difference, a query is written once more with a hidden column
beside each value that is a sum, an average or a difference: the same calculation on absolute
values, in which nothing cancels.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

_HIDDEN = "specbridge_size_"
_ADDING = (exp.Add, exp.Sub, exp.Sum, exp.Avg)
_SAME_SIZE = (exp.Paren, exp.Neg, exp.Abs, exp.Round, exp.Nullif)
_ADDING_NAMES = frozenset({"total", "fsum", "kahan_sum", "favg"})

_Carried = Mapping[tuple[str, str], str]
"""Source alias and column in lower case → the hidden column beside it."""


def with_carried_sizes(body: exp.Query) -> tuple[exp.Query, _Carried]:
    """Give the sources of a query hidden columns for the sizes of what they calculate.

    Args:
        body: The query; it is not changed.

    Returns:
        The query with richer sources and the hidden columns that its own SELECT may use; the query
        as it is and no columns where its sources cannot be given any: a star would show them, and
        DISTINCT and set operations would count them.
    """
    stars = (star for star in body.find_all(exp.Star) if not isinstance(star.parent, exp.Count))
    natural = (join for join in body.find_all(exp.Join) if join.method.upper() == "NATURAL")
    if not isinstance(body, exp.Select) or any(stars) or any(natural):
        return body, {}
    richer = body.copy()
    return richer, _enrich_sources(richer, {})


def size_of(
    expression: exp.Expr, select: exp.Select, carried: _Carried, dialect: str
) -> str | None:
    """Return the expression for the size of what was added up to make a value.

    Args:
        expression: The value's expression, over the sources of the SELECT.
        select: The SELECT that gives the value.
        carried: The hidden columns that the SELECT's sources have.
        dialect: The dialect to write.

    Returns:
        SQL; None where the value is made without adding, so that its own size is all there is.
    """
    core = expression.unalias()
    if not _can_cancel(core, carried):
        return None
    return _one_a_group(_size(core, carried), select).sql(dialect)


def _one_a_group(size: exp.Expr, select: exp.Select) -> exp.Expr:
    """Return a size that a grouped SELECT may show: its columns are no keys of the groups."""
    grouped = select.args.get("group") is not None or any(
        item.find(exp.AggFunc) is not None and item.find(exp.Window) is None
        for item in select.expressions
    )
    return exp.Max(this=size) if grouped and size.find(exp.AggFunc) is None else size


def _can_cancel(node: exp.Expr, carried: _Carried) -> bool:
    for part in node.walk(prune=lambda each: isinstance(each, exp.Query)):
        if isinstance(part, _ADDING) or _adds_by_name(part):
            return True
        if isinstance(part, exp.Column) and _hidden_beside(part, carried) is not None:
            return True
        if isinstance(part, exp.Subquery):
            inner = part.this
            if isinstance(inner, exp.Select) and any(
                _can_cancel(item.unalias(), {}) for item in inner.expressions
            ):
                return True
    return False


def _adds_by_name(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in _ADDING_NAMES


def _hidden_beside(column: exp.Column, carried: _Carried) -> exp.Column | None:
    name = column.name.lower()
    if column.table:
        hidden = carried.get((column.table.lower(), name))
        return None if hidden is None else exp.column(hidden, table=column.args["table"].copy())
    found = [(source, each) for (source, own), each in carried.items() if own == name]
    if len(found) != 1:
        return None
    return exp.column(found[0][1], table=exp.to_identifier(found[0][0], quoted=True))


def _size(node: exp.Expr, carried: _Carried) -> exp.Expr:
    """Return the same calculation on absolute values."""
    if isinstance(node, _SAME_SIZE):
        return _size(node.this, carried)
    if isinstance(node, exp.Add | exp.Sub):
        return exp.Paren(
            this=exp.Add(this=_size(node.this, carried), expression=_size(node.expression, carried))
        )
    if isinstance(node, exp.Mul):
        return exp.Mul(this=_size(node.this, carried), expression=_size(node.expression, carried))
    if isinstance(node, exp.Div):
        return exp.Div(
            this=exp.Paren(
                this=exp.Mul(this=exp.Literal.number("1.0"), expression=_size(node.this, carried))
            ),
            expression=exp.Abs(this=node.expression.copy()),
        )
    if isinstance(node, exp.Sum | exp.Avg) or _adds_by_name(node):
        return exp.Sum(this=_size(_argument(node), carried))
    if isinstance(node, exp.Min | exp.Max) and not node.expressions:
        return exp.Max(this=_size(node.this, carried))
    if isinstance(node, exp.Filter | exp.Window):
        around = node.copy()
        around.set("this", _size(node.this, carried))
        return around
    if isinstance(node, exp.Cast):
        return _size(node.this, carried) if _can_cancel(node.this, carried) else _absolute(node)
    if isinstance(node, exp.Coalesce):
        return exp.Coalesce(
            this=_size(node.this, carried),
            expressions=[_size(each, carried) for each in node.expressions],
        )
    if isinstance(node, exp.Case | exp.If):
        return _size_of_branches(node, carried)
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
        inner = node.copy()
        only = inner.this.expressions
        if len(only) == 1 and not inner.this.args.get("distinct"):
            inner.this.set("expressions", [_size(only[0].unalias(), {})])
        return inner
    if isinstance(node, exp.Column):
        hidden = _hidden_beside(node, carried)
        if hidden is not None:
            return hidden
    return _absolute(node)


def _argument(node: exp.Expr) -> exp.Expr:
    inner: exp.Expr = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    if isinstance(inner, exp.Distinct):
        inner = inner.expressions[0]
    return inner


def _absolute(node: exp.Expr) -> exp.Expr:
    return exp.Abs(this=node.copy())


def _size_of_branches(node: exp.Expr, carried: _Carried) -> exp.Expr:
    found = node.copy()
    if isinstance(found, exp.Case):
        for branch in found.args.get("ifs") or []:
            branch.set("true", _size(branch.args["true"], carried))
        if found.args.get("default") is not None:
            found.set("default", _size(found.args["default"], carried))
        return found
    found.set("true", _size(found.args["true"], carried))
    if found.args.get("false") is not None:
        found.set("false", _size(found.args["false"], carried))
    return found


def _enrich_sources(
    select: exp.Select, outer: Mapping[str, Mapping[str, str]]
) -> dict[tuple[str, str], str]:
    """Add hidden columns to the WITH entries and derived tables of a SELECT, and name them."""
    entries: dict[str, Mapping[str, str]] = dict(outer)
    common = select.args.get("with_")
    if common is not None and not common.args.get("recursive"):
        for entry in common.expressions:
            named = bool(entry.args["alias"].columns)
            entries[entry.alias.lower()] = {} if named else _enrich(entry.this, entries)
    carried: dict[tuple[str, str], str] = {}
    sources = [select.args.get("from_"), *(select.args.get("joins") or [])]
    for source in sources:
        read = None if source is None else source.this
        if isinstance(read, exp.Table) and not read.db:
            columns: Mapping[str, str] = entries.get(read.name.lower(), {})
        elif isinstance(read, exp.Subquery) and not (
            read.args.get("alias") and read.args["alias"].columns
        ):
            columns = _enrich(read.this, entries)
        else:
            continue
        for name, hidden in columns.items():
            carried[(read.alias_or_name.lower(), name)] = hidden
    return carried


def _enrich(query: exp.Expr, outer: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Add hidden columns to a query, and return output name → hidden column."""
    if not isinstance(query, exp.Select) or query.args.get("distinct"):
        return {}
    carried = _enrich_sources(query, outer)
    added: dict[str, str] = {}
    for item in list(query.expressions):
        name = item.output_name.lower()
        if not name or name in added or not _can_cancel(item.unalias(), carried):
            continue
        size = _one_a_group(_size(item.unalias(), carried), query)
        hidden = f"{_HIDDEN}{len(added) + 1}"
        query.append("expressions", exp.alias_(size, hidden))
        added[name] = hidden
    return added
