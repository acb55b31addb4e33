"""Aggregation level, edited: one row's value against a total or an average of a thing's rows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    identifier,
    named,
)
from specbridge_pipeline.choices.conventions.edits.conjuncts_left import must_be_met, without
from specbridge_pipeline.choices.conventions.edits.known_values import (
    is_key_in_data,
    same_values,
)
from specbridge_pipeline.choices.conventions.edits.output_columns import (
    column_of,
    free_name,
    names_in_use,
)
from specbridge_pipeline.choices.conventions.edits.populations import same_population
from specbridge_pipeline.choices.conventions.edits.totals import adds_up
from specbridge_pipeline.choices.conventions.edits.wording import groups_of, listed
from specbridge_pipeline.choices.conventions.shapes import (
    group_columns,
    is_identifier,
    nested_select,
    number_of,
    shown_sources,
)
from specbridge_pipeline.sql.column_origins import Scope, Source, SourceColumn
from specbridge_pipeline.sql.join_repeats import (
    conjuncts,
    determined_by,
    fixed_columns,
    repeats,
)
from specbridge_pipeline.sql.places import own_nodes

_WHOLE = (exp.Sum, exp.Avg)
_ONE = (exp.Max, exp.Min)
_NOT_ALONE = (
    "An output or a further order key is taken from single rows, of which a thing has many."
)


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What things are ranked by.

    Attributes:
        value: The value: a column, or an aggregate of one.
        column: The column.
        measure: The column as it is written.
        greatest: Whether the things with the greatest values come first or are kept.
        extreme: The SELECT of the extreme that the value is held equal to; None for an order.
    """

    value: exp.Expr
    column: SourceColumn
    measure: exp.Expr
    greatest: bool
    extreme: exp.Select | None


def other_level(draft: Draft) -> OtherSide | Unsound:
    """Rank by a total or an average where one row's value ranked, or the other way round."""
    ranking = _ranking(draft)
    if isinstance(ranking, Unsound):
        return ranking
    if not draft.is_usual:
        return _one_row(draft, ranking)
    if group_columns(draft.scope):
        return _whole_group(draft, ranking)
    return _whole_thing(draft, ranking)


def _ranking(draft: Draft) -> _Ranking | Unsound:
    scope, node = draft.scope, draft.node
    extreme: exp.Select | None = None
    if isinstance(node, exp.Ordered):
        key = node.this
        value = key
        if scope.own_column(key) is None or scope.output(key) is not None:
            value = scope.output(key) or key
        greatest = bool(node.args.get("desc"))
    else:
        value = node.this
        extreme = nested_select(node.expression)
        if extreme is None or not must_be_met(node):
            return Unsound("The comparison is one of several of which not all must be met.")
        greatest = isinstance(extreme.expressions[0].unalias(), exp.Max)
    measure = value.this if isinstance(value, _WHOLE + _ONE) else value
    column = scope.own_column(measure)
    if column is None:
        return Unsound("What ranks is no column of the SELECT's own tables.")
    return _Ranking(value, column, measure, greatest, extreme)


def _one_row(draft: Draft, ranking: _Ranking) -> OtherSide | Unsound:
    """Put the greatest or least value of a group for its total or average."""
    taken, other = _grouped_sentences(draft, ranking, type(ranking.value))
    one = exp.Max if ranking.greatest else exp.Min
    if ranking.extreme is not None:
        inner = _total_inside(draft, ranking)
        if inner is None:
            return Unsound("The extreme is found among other values than the totals compared.")
        best = ranking.extreme.expressions[0].unalias()
        if sum(each.name == best.this.name for each in ranking.extreme.find_all(exp.Column)) > 1:
            return Unsound("The totals are compared with something else too.")
        # Its old name would say that it is a total.
        name = free_name("greatest" if ranking.greatest else "least", names_in_use(draft.query))
        item = inner.parent if isinstance(inner.parent, exp.Alias) else inner
        item.replace(exp.alias_(one(this=inner.this.copy()), identifier(name)))
        best.set("this", exp.column(identifier(name)))
    _swap_alike(draft, ranking, one(this=ranking.measure.copy()))
    return OtherSide(draft.query.tree, other, taken)


def _total_inside(draft: Draft, ranking: _Ranking) -> exp.Expr | None:
    """Return the total of which a nested query finds the extreme, where it is the same one."""
    assert ranking.extreme is not None
    inner = draft.query.scope_of(ranking.extreme)
    item = ranking.extreme.expressions[0].unalias()
    column = None if inner is None else inner.own_column(item.this)
    if column is None or not isinstance(column.source.query, exp.Select):
        return None
    items = column.source.query.expressions
    found = items[column.source.columns.index(column.name)].unalias()
    return found if type(found) is type(ranking.value) else None


def _swap_alike(draft: Draft, ranking: _Ranking, other: exp.Expr) -> None:
    """Replace what ranks wherever the SELECT returns it or orders by it."""
    text = ranking.value.sql("sqlite").lower()
    parts = [*draft.select.expressions]
    order = draft.select.args.get("order")
    parts += [] if order is None else [order]
    if ranking.extreme is not None:
        parts.append(draft.node.this)
    for part in parts:
        for node in list(own_nodes(draft.select, part)):
            if type(node) is type(ranking.value) and node.sql("sqlite").lower() == text:
                node.replace(other.copy())


def _grouped_sentences(draft: Draft, ranking: _Ranking, whole: type[exp.Expr]) -> tuple[str, str]:
    """Return what groups are ranked by: one of their rows, and all of them."""
    name = named(draft.query, draft.scope, ranking.measure)
    things = groups_of(draft.query, draft.scope)
    greatest = ranking.greatest
    if isinstance(ranking.value, _ONE):
        greatest = isinstance(ranking.value, exp.Max)
    one = f"the {'greatest' if greatest else 'least'} {name} among their rows"
    if ranking.value is ranking.measure:
        one = f"the {name} of one of their rows, no matter which"
    every = f"the {_word(whole)} of {name} over all their rows"
    return _ranked(ranking, things, one), _ranked(ranking, things, every)


def _word(whole: type[exp.Expr]) -> str:
    return "total" if whole is exp.Sum else "average"


def _ranked(ranking: _Ranking, things: str, value: str) -> str:
    if ranking.extreme is not None:
        kind = "greatest" if ranking.greatest else "least"
        return f"The {things} are kept where {value} is the {kind} of all."
    direction = "descending" if ranking.greatest else "ascending"
    return f"The {things} are ranked in {direction} order of {value}."


def _whole_group(draft: Draft, ranking: _Ranking) -> OtherSide | Unsound:
    """Put a total or average for the value of one row of a group."""
    scope, source = draft.scope, ranking.column.source
    if ranking.extreme is not None:
        return Unsound("Rows are kept by the extreme before the groups are formed.")
    keys = (scope.own_column(key) for key in group_columns(scope))
    fixed = same_values(scope, fixed_columns(scope) | {key for key in keys if key is not None})
    if source.position in determined_by(scope, None, fixed):
        return Unsound("A group has one row of those that rank it.")
    if repeats(scope, source, fixed=fixed):
        return Unsound(_repeated(source))
    whole = exp.Sum if adds_up(ranking.column) else exp.Avg
    taken, other = _grouped_sentences(draft, ranking, whole)
    total = whole(this=ranking.measure.copy())
    if isinstance(ranking.value, _ONE):
        _swap_alike(draft, ranking, total)
    else:
        draft.node.set("this", total)
    return OtherSide(draft.query.tree, taken, other)


def _repeated(source: Source) -> str:
    name = source.table.name if source.table is not None else source.name
    return f"A join repeats the rows of {name} for one thing, and a total would count some twice."


def _whole_thing(draft: Draft, ranking: _Ranking) -> OtherSide | Unsound:
    """Group the rows by the thing that is shown, and rank it by all its rows."""
    scope, select, source = draft.scope, draft.select, ranking.column.source
    thing = _thing(scope)
    if thing is None or thing.table is None:
        return Unsound("What is shown belongs to several things.")
    referring = _only_references(draft, thing)
    keys = referring or thing.table.primary_key
    if not keys:
        return Unsound(f"The table {thing.table.name} has no key to group its rows by.")
    if not referring and not is_key_in_data(draft, thing.table, *keys):
        return Unsound(f"The key of the table {thing.table.name} is not one in the data.")
    named_keys = {name.lower() for name in keys}
    own = {
        SourceColumn(thing, column.name.lower(), column)
        for column in thing.table.columns
        if column.name.lower() in named_keys
    }
    if repeats(scope, source, fixed=fixed_columns(scope) | own):
        return Unsound(_repeated(source))
    known = set() if referring else determined_by(scope, thing, fixed_columns(scope))
    if not _is_of_the_thing(draft, known, own):
        return Unsound(_NOT_ALONE)
    limit = select.args.get("limit")
    if select.args.get("distinct") is not None and limit is not None:
        if number_of(limit.expression) != 1 or select.args.get("offset") is not None:
            return Unsound("Things that are shown alike are returned once, whatever ranks them.")
        select.set("distinct", None)
    whole = exp.Sum if adds_up(ranking.column) else exp.Avg
    total = whole(this=ranking.measure.copy())
    group = exp.Group(expressions=[column_of(select, thing, key) for key in keys])
    name = named(draft.query, scope, ranking.measure)
    things = f"rows of {thing.table.name}"
    if referring:
        things = f"groups of rows by {listed(f'{thing.table.name}.{key}' for key in keys)}"
    met = " under the conditions" if _other_conditions(draft) else ""
    single = "each single row" if ranking.extreme is None else "one row"
    one = f"the {name} of {single} joined to them{met}"
    every = f"the {_word(whole)} of {name} over all rows joined to them{met}"
    sentences = _ranked(ranking, things, one), _ranked(ranking, things, every)
    if ranking.extreme is None:
        draft.node.set("this", total)
        select.set("group", group)
        return OtherSide(draft.query.tree, *sentences)
    reason = _other_rows(draft, ranking)
    if reason:
        return Unsound(reason)
    _keep_greatest_total(draft, ranking, total, group)
    return OtherSide(draft.query.tree, *sentences)


def _only_references(draft: Draft, thing: Source) -> tuple[str, ...]:
    """Return the columns shown where they refer to other tables' rows: these are the things."""
    assert thing.table is not None
    columns = [draft.scope.own_column(item.unalias()) for item in draft.select.expressions]
    names = []
    for column in columns:
        if column is None or column.source != thing or column.column is None:
            return ()
        if column.column.primary_key_position or not is_identifier(thing.table, column.column):
            return ()
        names.append(column.column.name)
    return tuple(dict.fromkeys(names))


def _thing(scope: Scope) -> Source | None:
    """Return the source whose rows are shown, others that are shown being the same for each."""
    shown = shown_sources(scope)
    fixed = fixed_columns(scope)
    for source in shown:
        known = determined_by(scope, source, fixed)
        if all(each.position in known for each in shown):
            return source
    return None


def _is_of_the_thing(draft: Draft, known: set[int], keys: set[SourceColumn]) -> bool:
    """Say whether all that is returned or orders further is the same in all rows of a thing."""
    scope, select = draft.scope, draft.select
    order = select.args.get("order")
    parts = [*select.expressions]
    parts += [term for term in (order.expressions if order else ()) if term is not draft.node]
    for part in parts:
        for node in own_nodes(select, part):
            if isinstance(node, exp.AggFunc | exp.Star | exp.Query):
                return False
            column = scope.own_column(node)
            if column is not None and column not in keys and column.source.position not in known:
                return False
    return True


def _other_conditions(draft: Draft) -> list[exp.Expr]:
    where = draft.select.args.get("where")
    parts = [] if where is None else conjuncts(where.this)
    return [each for each in parts if each is not draft.node.unnest()]


def _other_rows(draft: Draft, ranking: _Ranking) -> str:
    """Return why the extreme is not one of the rows that are ranked; empty where it is."""
    assert ranking.extreme is not None
    inner = draft.query.scope_of(ranking.extreme)
    different = "The extreme is found among other rows than those that are ranked."
    if inner is None or draft.node.find_ancestor(exp.Where, exp.Having, exp.Join) is None:
        return different
    if not isinstance(draft.node.find_ancestor(exp.Where, exp.Having, exp.Join), exp.Where):
        return different
    extreme = ranking.extreme.expressions[0].unalias()
    if draft.query.origin(inner, extreme.this) != (
        ranking.column.source.table,
        ranking.column.column,
    ):
        return different
    if same_population(draft.query, draft.scope, inner, without=draft.node.unnest()):
        return ""
    alone = len(inner.sources) == 1 and ranking.extreme.args.get("where") is None
    return "" if alone and not _other_conditions(draft) else different


def _keep_greatest_total(
    draft: Draft, ranking: _Ranking, total: exp.Expr, group: exp.Group
) -> None:
    """Compare the total of a thing with the greatest or least total of all."""
    select = draft.select
    without(draft.node)
    name = free_name(
        "total" if isinstance(total, exp.Sum) else "average", names_in_use(draft.query)
    )
    totals = exp.Select(expressions=[exp.alias_(total.copy(), identifier(name))])
    for part in ("from_", "joins", "where"):
        value = select.args.get(part)
        if value:
            copies = [each.copy() for each in value] if isinstance(value, list) else value.copy()
            totals.set(part, copies)
    totals.set("group", group.copy())
    one = exp.Max if ranking.greatest else exp.Min
    best = exp.Select(expressions=[one(this=exp.column(identifier(name)))])
    best = best.from_(exp.Subquery(this=totals), copy=False)
    select.set("group", group)
    condition = exp.EQ(this=total, expression=exp.Subquery(this=best))
    select.set("having", exp.Having(this=condition))
