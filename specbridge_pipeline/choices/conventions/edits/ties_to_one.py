"""Ties, from all rows that equal the extreme to one of them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Draft, OtherSide, Unsound, identifier
from specbridge_pipeline.choices.conventions.edits.conjuncts_left import must_be_met, without
from specbridge_pipeline.choices.conventions.edits.extremes import (
    EXTREMES,
    compared,
    is_extreme,
)
from specbridge_pipeline.choices.conventions.edits.known_values import (
    is_always_there,
    is_key_in_data,
)
from specbridge_pipeline.choices.conventions.edits.output_columns import (
    output_columns,
)
from specbridge_pipeline.choices.conventions.edits.populations import same_population, written_alike
from specbridge_pipeline.choices.conventions.edits.wording import (
    conditions_of,
    groups_of,
    rows_of,
    worded,
)
from specbridge_pipeline.choices.conventions.shapes import group_columns, nested_select
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import conjuncts, repeats, row_conditions
from specbridge_pipeline.sql.places import Place, own_nodes, place_of


@dataclass(frozen=True, slots=True)
class _Extreme:
    """The extreme that a value is compared with.

    Attributes:
        subject: The value that is compared.
        inner: The SELECT that finds the extreme.
        greatest: Whether it is the greatest value, not the least.
        measure: What it is the greatest of.
        ordered: Whether it is found by ORDER BY and LIMIT.
    """

    subject: exp.Expr
    inner: Scope
    greatest: bool
    measure: exp.Expr
    ordered: bool


def one_of_the_equal(draft: Draft) -> OtherSide | Unsound:
    """Keep one of the things that have the extreme.

    Where the rows of the SELECT are these things, it is cut after the first. Where they are rows
    joined to them, or are aggregated, the thing is chosen inside the condition, by its key.
    """
    scope, select, node = draft.scope, draft.select, draft.node
    found = _extreme(draft)
    if isinstance(found, Unsound):
        return found
    if not must_be_met(node):
        return Unsound("The comparison is one of several conditions of which not all must be met.")
    if select.args.get("limit") is not None:
        return Unsound("The rows are cut already, by another order.")
    if found.inner.select.args.get("group") is not None and isinstance(
        found.inner.select.expressions[0].unalias(), EXTREMES
    ):
        return Unsound("An extreme is found for each of several groups.")
    source = _source(scope, found.subject)
    in_having = node.find_ancestor(exp.Having, exp.Where, exp.Join)
    groups = bool(group_columns(scope)) and isinstance(in_having, exp.Having)
    aggregates = any(
        isinstance(each, exp.AggFunc) and not isinstance(each.parent, exp.Window)
        for item in select.expressions
        for each in own_nodes(select, item)
    )
    grouped = select.args.get("group") is not None
    correlated = found.inner.outer is not None and _reads_outside(draft, found.inner)
    whole_rows = not aggregates and not grouped and source is not None
    if not correlated and (
        groups or (whole_rows and source is not None and not repeats(scope, source))
    ):
        return _cut_after_one(draft, found, groups=groups)
    return _chosen_by_key(draft, found, source)


def _extreme(draft: Draft) -> _Extreme | Unsound:
    query, scope, node = draft.query, draft.scope, draft.node
    for subject, value in compared(node):
        if not is_extreme(query, scope, node, subject, value):
            continue
        column = scope.own_column(value)
        select = nested_select(value) if column is None else column.source.query
        if value.find(exp.All) is value or isinstance(value.unnest(), exp.All):
            return Unsound("SQLite does not know comparisons with all values of a query.")
        inner = query.scope_of(select)
        if not isinstance(select, exp.Select) or inner is None:
            return Unsound("The query that finds the extreme is not one SELECT.")
        at = 0 if column is None else column.source.columns.index(column.name)
        item = select.expressions[at].unalias()
        if isinstance(item, EXTREMES):
            return _Extreme(subject, inner, isinstance(item, exp.Max), item.this, False)
        greatest = bool(select.args["order"].expressions[0].args.get("desc"))
        return _Extreme(subject, inner, greatest, item, True)
    return Unsound("The comparison is with no extreme.")


def _source(scope: Scope, subject: exp.Expr) -> Source | None:
    """Return the one source whose columns a value is computed from."""
    columns = [scope.own_column(each) for each in subject.find_all(exp.Column)]
    sources = {column.source for column in columns if column is not None}
    return sources.pop() if len(sources) == 1 and None not in columns else None


def _reads_outside(draft: Draft, inner: Scope) -> bool:
    """Say whether a nested query names columns of the queries around it."""
    return any(
        inner.own_column(each) is None and draft.query.origin(inner, each) is not None
        for each in own_nodes(inner.select)
        if isinstance(each, exp.Column)
    )


def _cut_after_one(draft: Draft, found: _Extreme, *, groups: bool) -> OtherSide | Unsound:
    query, scope, select, node = draft.query, draft.scope, draft.select, draft.node
    place = place_of(select)
    things = groups_of(query, scope) if groups else rows_of(scope)
    things += conditions_of(select, besides=node.unnest())
    extreme = _in_words(draft, found, scope, found.subject)
    subject = found.subject.copy()
    same = _same_things(draft, found, groups=groups)
    if not same and all(source.table is not None for source in found.inner.sources):
        extreme += f" of the {rows_of(found.inner)}{conditions_of(found.inner.select)}"
    taken = f"Of the {things}, every one with {extreme} is kept."
    other = f"Of the {things}, one with {extreme} is kept, whichever where several have it."
    if same and not found.ordered and select.args.get("distinct") is None:
        if isinstance(subject, exp.Count):
            without(node)
        elif groups:
            # The total or average of a group may be missing, and would come first.
            pass
        elif not is_always_there(draft, scope, subject):
            replacement = exp.Not(this=exp.Is(this=subject.copy(), expression=exp.Null()))
            node.replace(replacement)
        else:
            without(node)
    order = select.args.get("order")
    terms = [] if order is None else [each.copy() for each in order.expressions]
    first = exp.Ordered(this=subject, desc=found.greatest, nulls_first=not found.greatest)
    cut = select.copy() if place is Place.MEMBER else select
    cut.set("order", exp.Order(expressions=[first, *terms]))
    cut.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    if place is Place.MEMBER:
        # A member of a set operation cannot have an order of its own.
        columns = output_columns(query, scope)
        if columns is None:
            return Unsound("Nobody knows which columns the star stands for.")
        cut.set("expressions", [column.carried() for column in columns])
        outer = exp.Select(expressions=[column.read() for column in columns])
        select.replace(outer.from_(exp.Subquery(this=cut), copy=False))
    return OtherSide(query.tree, taken, other)


def _same_things(draft: Draft, found: _Extreme, *, groups: bool) -> bool:
    """Say whether the extreme is found among just the rows or groups that it is looked for in."""
    query, scope, inner, measure = draft.query, draft.scope, found.inner, found.measure
    if groups:
        column = inner.own_column(measure)
        nested = None if column is None else query.scope_of(column.source.query)
        if column is None or nested is None or inner.select.args.get("where") is not None:
            return False
        if len(inner.sources) != 1:
            return False
        at = column.source.columns.index(column.name)
        inner, measure = nested, nested.select.expressions[at].unalias()
    if any(
        isinstance(each, exp.Query) for each in own_nodes(inner.select) if each is not inner.select
    ):
        # Further queries inside it would be left out with it: too much for one step.
        return False
    return same_population(query, scope, inner, without=draft.node.unnest()) and written_alike(
        scope, found.subject, inner, measure
    )


def _in_words(draft: Draft, found: _Extreme, scope: Scope, value: exp.Expr) -> str:
    words = worded(draft.query, scope, value)
    return f"the {'greatest' if found.greatest else 'least'} {words.removeprefix('the ')}"


def _chosen_by_key(draft: Draft, found: _Extreme, source: Source | None) -> OtherSide | Unsound:
    """Compare the key of a thing with that of one that has the extreme."""
    query, scope, inner = draft.query, draft.scope, found.inner
    column = scope.own_column(found.subject)
    if source is None or source.table is None or column is None:
        return Unsound("The rows that have the extreme are joined or aggregated, and have no key.")
    key = source.table.primary_key
    if len(key) != 1:
        return Unsound(f"The table {source.table.name} has no key of one column to choose by.")
    if not isinstance(draft.node, exp.In) and nested_select(draft.node.expression) is None:
        return Unsound("The rows are joined to the extreme by its value, not by a key.")
    if not is_key_in_data(draft, source.table, key[0]):
        return Unsound(f"The key of the table {source.table.name} is not one in the data.")
    inner_sources = inner.sources
    if (
        len(inner_sources) != 1
        or inner_sources[0].table != source.table
        or inner.select.args.get("group") is not None
        or query.origin(inner, found.measure) != (source.table, column.column)
        or scope.own_column(draft.node.this) != column
    ):
        return Unsound("The extreme is found among other rows than those of the table compared.")
    if _is_narrowed(draft, source):
        return Unsound("What has the extreme has to meet further conditions, which one may not.")
    if key[0].lower() == column.name:
        return Unsound("The value compared is a key, so that none can tie.")
    if found.ordered and not found.greatest and not is_always_there(draft, scope, found.subject):
        return Unsound("The least value may be a missing one, which equals nothing.")
    table = source.table.name
    extreme = _in_words(draft, found, scope, found.subject)
    if found.inner.select.args.get("where") is not None:
        extreme += " among those that it is compared with"
    taken = f"Every row of {table} with {extreme} is taken into account."
    other = (
        f"One row of {table} with {extreme} is taken into account, whichever where several have it."
    )
    _choose(draft, found, source, key[0])
    return OtherSide(query.tree, taken, other)


def _is_narrowed(draft: Draft, source: Source) -> bool:
    """Say whether other conditions than joins ask something of the rows of a source."""
    scope = draft.scope

    def is_join(condition: exp.Expr) -> bool:
        sides = [condition.args.get("this"), condition.args.get("expression")]
        return isinstance(condition, exp.EQ) and all(isinstance(each, exp.Column) for each in sides)

    return any(
        condition is not draft.node.unnest() and not is_join(condition)
        for condition in row_conditions(scope)
        if any(
            column is not None and column.source == source
            for column in map(scope.own_column, own_nodes(scope.select, condition))
        )
    )


def _choose(draft: Draft, found: _Extreme, source: Source, key: str) -> None:
    select, node, scope = found.inner.select, draft.node, found.inner
    qualifier = node.this.args.get("table")
    inside = found.measure.args.get("table")
    chosen = exp.column(identifier(key), table=inside.copy() if inside is not None else None)
    measure = found.measure.copy()
    select.set("expressions", [chosen])
    if not found.ordered:
        if not is_always_there(draft, scope, measure):
            there = exp.Not(this=exp.Is(this=measure.copy(), expression=exp.Null()))
            where = select.args.get("where")
            parts = [] if where is None else list(conjuncts(where.this))
            joined = exp.and_(*(each.copy() for each in parts), there, copy=False)
            select.set("where", exp.Where(this=joined))
        term = exp.Ordered(this=measure, desc=found.greatest, nulls_first=not found.greatest)
        select.set("order", exp.Order(expressions=[term]))
        select.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    node.this.replace(
        exp.column(identifier(key), table=qualifier.copy() if qualifier is not None else None)
    )
