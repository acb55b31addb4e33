"""Ties, from one of the tied rows to all of them: rows are kept by the place that they have."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    identifier,
    named,
)
from specbridge_pipeline.choices.conventions.edits.extremes import text_of
from specbridge_pipeline.choices.conventions.edits.known_values import same_values
from specbridge_pipeline.choices.conventions.edits.output_columns import (
    OutputColumn,
    free_name,
    names_in_use,
    output_columns,
)
from specbridge_pipeline.choices.conventions.edits.places_kept import (
    Cut,
    in_any_place,
    in_words,
    tied_in_words,
)
from specbridge_pipeline.choices.conventions.edits.wording import (
    conditions_of,
    groups_of,
    listed,
    order_in_words,
    rows_of,
    worded,
)
from specbridge_pipeline.choices.conventions.shapes import group_columns, number_of
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.join_repeats import (
    determined_by,
    repeats,
    unique_keys,
)
from specbridge_pipeline.sql.places import Place, own_nodes, place_of


def all_tied_at_the_cut(draft: Draft) -> OtherSide | Unsound:
    """Replace ORDER BY with LIMIT by a condition on the place of each row.

    With OFFSET, rows are kept whose tie reaches into the places that are kept: any of them could
    stand there.
    """
    query, scope, select = draft.query, draft.scope, draft.select
    cut = _cut(select)
    if cut is None:
        return Unsound("The places that are kept are no written number.")
    terms = select.args["order"].expressions
    keys = [exp.Ordered(**{**term.args, "this": key_of(scope, term.this)}) for term in terms]
    reason = _cannot_tie(draft, keys)
    if reason:
        return Unsound(reason)
    columns = output_columns(query, scope)
    if columns is None:
        return Unsound("Nobody knows which columns the star stands for.")
    shown = [text_of(query, scope, column.value) for column in columns]
    keyed = [text_of(query, scope, key.this) for key in keys]
    distinct = select.args.get("distinct") is not None
    among_outputs = all(text in shown for text in keyed)
    if distinct and not among_outputs and not cut.is_first:
        return Unsound("Rows that are alike are kept once, whose order keys may differ.")
    things = groups_of(query, scope) if group_columns(scope) else rows_of(scope)
    things += conditions_of(select)
    if distinct:
        things += ", those returned alike counted once"
    order = order_in_words(query, scope, keys)
    taken, other = in_words(things, order, cut), tied_in_words(things, order, cut)
    inner = _stripped(select)
    inner.set("distinct", None)
    taken_names = names_in_use(query) | {column.inner_name.lower() for column in columns}
    if distinct and not cut.is_first:
        inner.set("distinct", exp.Distinct())
        inner.set("expressions", [column.carried() for column in columns])
        inner = exp.Select(expressions=[_name_of(column) for column in columns]).from_(
            exp.Subquery(this=inner), copy=False
        )
        for key, text in zip(keys, keyed, strict=True):
            key.set("this", _name_of(columns[shown.index(text)]))
    else:
        inner.set("expressions", [column.carried() for column in columns])
    outer = _by_place(inner, columns, keys, (), cut, taken_names)
    if distinct and cut.is_first:
        outer.set("distinct", exp.Distinct())
    return _put(draft, outer, taken, other)


def _cut(select: exp.Select) -> Cut | None:
    kept = number_of(select.args["limit"].expression)
    offset = select.args.get("offset")
    passed = 0.0 if offset is None else number_of(offset.expression)
    if kept is None or passed is None or kept < 1 or passed < 0:
        return None
    return Cut(int(kept), int(passed))


def key_of(scope: Scope, key: exp.Expr) -> exp.Expr:
    """Return an order key as it can stand outside ORDER BY, where names of outputs mean nothing.

    A bare name means an output first and a column next; inside an expression it is the other way
    round.

    Args:
        scope: The SELECT.
        key: The key as it is written.

    Returns:
        An expression of its own over the columns of the SELECT's tables.
    """
    if isinstance(key, exp.Collate):
        return exp.Collate(this=key_of(scope, key.this), expression=key.expression.copy())
    if isinstance(key, exp.Paren):
        return key_of(scope, key.this)
    output = scope.output(key)
    if output is not None:
        return output.copy()
    names = [
        (at, scope.output(node))
        for at, node in enumerate(key.walk())
        if isinstance(node, exp.Column) and scope.own_column(node) is None
    ]
    written = key.copy()
    nodes = list(written.walk())
    for at, value in names:
        if value is not None:
            nodes[at].replace(exp.Paren(this=value.copy()))
    return written


def _cannot_tie(draft: Draft, keys: list[exp.Ordered]) -> str:
    """Return why no rows can tie, or why the tied cannot be kept; empty where they can."""
    query, scope, select = draft.query, draft.scope, draft.select
    nodes = [node for key in keys for node in own_nodes(select, key.this)]
    if any(isinstance(node, exp.Window) for node in nodes):
        return "An order key is computed by a window, and no place can be ordered by it."
    if not any(isinstance(node, exp.Column | exp.AggFunc | exp.Query) for node in nodes):
        return "The order key is the same for all rows."
    group = group_columns(scope)
    if not group and any(isinstance(node, exp.AggFunc) for node in nodes):
        return "All rows are aggregated into one, so that none can tie."
    texts = {text_of(query, scope, key.this) for key in keys}
    if group and all(text_of(query, scope, key) in texts for key in group):
        return "The groups are ordered by all that they are formed by, so that none can tie."
    if not group:
        own = {scope.own_column(key.this) for key in keys}
        for source in scope.sources:
            names = {column.name for column in own if column and column.source == source}
            unique = any(each <= names for each in unique_keys(scope, source))
            if unique and not repeats(scope, source):
                return "The rows are ordered by a key, so that none can tie."
    return in_any_place(select)


def _stripped(select: exp.Select) -> exp.Select:
    inner = select.copy()
    for part in ("order", "limit", "offset", "with_"):
        inner.set(part, None)
    return inner


def _name_of(column: OutputColumn) -> exp.Expr:
    return exp.column(identifier(column.inner_name))


def _by_place(
    inner: exp.Select,
    columns: list[OutputColumn],
    keys: list[exp.Ordered],
    partition: Iterable[exp.Expr],
    cut: Cut,
    taken: set[str],
) -> exp.Select:
    """Return the SELECT that keeps the rows of a nested one by their place there."""

    def over(function: exp.Expr) -> exp.Window:
        return exp.Window(
            this=function,
            partition_by=[each.copy() for each in partition],
            order=exp.Order(expressions=[key.copy() for key in keys]),
        )

    place = identifier(free_name("place", taken))
    inner.append("expressions", exp.alias_(over(exp.Rank()), place))
    column = exp.column(place.copy())
    last = exp.Literal.number(cut.last)
    kept: exp.Expr = (exp.EQ if cut.is_first else exp.LTE)(this=column, expression=last)
    if cut.passed:
        # Rows up to a place and those tied with it: the last place that a tie fills.
        end = identifier(free_name("last_place", taken))
        inner.append("expressions", exp.alias_(over(exp.Count(this=exp.Star())), end))
        reaches = exp.GT(this=exp.column(end.copy()), expression=exp.Literal.number(cut.passed))
        kept = exp.And(this=kept, expression=reaches)
    outer = exp.Select(expressions=[each.read() for each in columns])
    outer = outer.from_(exp.Subquery(this=inner), copy=False)
    outer.set("where", exp.Where(this=kept))
    return outer


def _put(draft: Draft, outer: exp.Select, taken: str, other: str) -> OtherSide:
    """Put a SELECT in the place of the one that is edited; it returns the same columns."""
    select = draft.select
    place = place_of(select)
    where = outer.args["where"].this
    if place is Place.TOP and not isinstance(where, exp.EQ) and not outer.args.get("order"):
        column = (where.this if isinstance(where, exp.And) else where).this
        by_place = exp.Ordered(this=column.copy(), nulls_first=True)
        outer.set("order", exp.Order(expressions=[by_place]))
    outer.set("with_", select.args.get("with_"))
    if select is draft.query.tree:
        return OtherSide(outer, taken, other)
    select.replace(outer)
    if place is Place.VALUE:
        _make_set(outer)
    return OtherSide(draft.query.tree, taken, other)


def _make_set(select: exp.Select) -> None:
    """Make a comparison with the one value of a query one with any of its values."""
    side = _wrapped(select)
    comparison = side.parent
    assert isinstance(comparison, exp.EQ | exp.NEQ)
    subject = comparison.this if comparison.expression is side else comparison.expression
    query = exp.Subquery(this=select.copy())
    among = exp.In(this=subject.copy(), query=query)
    comparison.replace(exp.Not(this=among) if isinstance(comparison, exp.NEQ) else among)


def _wrapped(select: exp.Expr) -> exp.Expr:
    side = select
    while isinstance(side.parent, exp.Subquery | exp.Paren):
        side = side.parent
    return side


def as_a_set(draft: Draft) -> OtherSide | Unsound:
    """Let a value equal any of those that have the extreme, not the first of them."""
    query, scope, select = draft.query, draft.scope, draft.select
    reason = in_any_place(select)
    if reason:
        return Unsound(reason)
    shown = listed(worded(query, scope, item.unalias()) for item in select.expressions)
    taken = (
        f"What is compared with is the {shown} of one row that has the extreme, whichever is found "
        "first."
    )
    other = (
        f"What is compared with is the {shown} of every row that has the extreme; any of them may "
        "be met."
    )
    _make_set(select)
    return OtherSide(query.tree, taken, other)


def all_beside_the_extreme(draft: Draft) -> OtherSide | Unsound:
    """Replace MAX or MIN beside a bare column by the rows that have the extreme."""
    query, scope, select, node = draft.query, draft.scope, draft.select, draft.node
    if select.args.get("having") is not None or select.args.get("limit") is not None:
        return Unsound("The groups are chosen too, after the extreme is found.")
    reason = in_any_place(select)
    if reason:
        return Unsound(reason)
    if not _can_vary(scope):
        return Unsound("The other columns are the same for a whole group, so that nothing ties.")
    columns = output_columns(query, scope)
    if columns is None:
        return Unsound("Nobody knows which columns the star stands for.")
    value = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
    order = select.args.get("order")
    shown = [text_of(query, scope, column.value) for column in columns]
    terms: list[exp.Expr] = []
    for term in order.expressions if order is not None else ():
        text = text_of(query, scope, key_of(scope, term.this))
        if text not in shown:
            return Unsound("The groups are ordered by a value that is not returned.")
        terms.append(exp.Ordered(**{**term.args, "this": _name_of(columns[shown.index(text)])}))
    columns = [
        OutputColumn(value, column.name, column.inner_name) if column.value is node else column
        for column in columns
    ]
    greatest = isinstance(node, exp.Max)
    key = exp.Ordered(this=value.copy(), desc=greatest, nulls_first=False)
    partition = group_columns(scope)
    groups = listed(named(query, scope, each) for each in partition)
    start = f"For each {groups}, " if groups else ""
    extreme = f"the {'greatest' if greatest else 'least'} {named(query, scope, value)}"
    if conditions_of(select):
        extreme += " among the rows that meet the conditions"
    taken = (
        f"{start}{extreme} is returned once, with the other columns of one row that has it, "
        "whichever where several do."
    )
    other = f"{start}{extreme} is returned with the other columns of every row that has it."
    inner = _stripped(select)
    inner.set("group", None)
    inner.set("distinct", None)
    inner.set("expressions", [column.carried() for column in columns])
    taken_names = names_in_use(query) | {column.inner_name.lower() for column in columns}
    outer = _by_place(inner, columns, [key], partition, Cut(1, 0), taken_names)
    outer.set("distinct", select.args.get("distinct"))
    if terms:
        outer.set("order", exp.Order(expressions=terms))
    return _put(draft, outer, _sentence(taken), _sentence(other))


def _can_vary(scope: Scope) -> bool:
    """Say whether a column beside the extreme can differ among the rows of a group."""
    keys = map(scope.own_column, group_columns(scope))
    fixed = same_values(scope, (column for column in keys if column is not None))
    known = determined_by(scope, None, fixed)
    shown = (scope.own_column(item.unalias()) for item in scope.select.expressions)
    return any(
        column is not None and column not in fixed and column.source.position not in known
        for column in shown
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
