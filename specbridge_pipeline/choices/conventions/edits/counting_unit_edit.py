"""Counting unit, edited: joined rows against each of the things once."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Draft, OtherSide, Unsound, named
from specbridge_pipeline.choices.conventions.edits.counted_combinations import count_combinations
from specbridge_pipeline.choices.conventions.edits.known_values import (
    is_always_there,
    is_key_in_data,
    key_columns,
    same_values,
)
from specbridge_pipeline.choices.conventions.edits.output_columns import column_of
from specbridge_pipeline.choices.conventions.edits.wording import listed, rows_of
from specbridge_pipeline.choices.conventions.shapes import group_columns
from specbridge_pipeline.sql.column_origins import Source
from specbridge_pipeline.sql.join_repeats import determined_by, fixed_columns, is_outer
from specbridge_pipeline.sql.places import is_star, own_nodes

VALUES = "its values"
"""The detail of a reading: the values of the counted column are the things."""

SOME = "one of several"
"""The detail of a reading: nobody knows which of several tables the things are in.

Any other detail is the name of the source whose rows are the things; an empty one says that no
thing can come several times.
"""


def other_count(draft: Draft) -> OtherSide | Unsound:
    """Count joined rows where things were counted once, or each thing once."""
    node = draft.node
    assert isinstance(node, exp.Count)
    if not draft.detail:
        return Unsound("No join repeats what is counted, so that both counts are the same.")
    if draft.detail == SOME:
        return Unsound("The question names none of the tables, several of which a join repeats.")
    if isinstance(node.parent, exp.Window):
        return Unsound("The count is one of a window, which cannot count different values.")
    if _is_set_against(draft, node):
        return Unsound("The count is set against another aggregate of the same joined rows.")
    if _is_constant(draft, node):
        return Unsound("What is counted is the same for a whole group, and would be counted once.")
    if not draft.is_usual:
        value = node.this.expressions[0]
        name = named(draft.query, draft.scope, value)
        taken = _sentence(draft, f"each different value of {name} is counted once")
        other = _sentence(draft, f"every one with a value of {name} is counted")
        _replace(draft, exp.Count(this=value.copy(), big_int=True), None)
        return OtherSide(draft.query.tree, taken, other)
    if draft.detail == VALUES:
        name = named(draft.query, draft.scope, node.this)
        taken = _sentence(draft, f"every one with a value of {name} is counted")
        other = _sentence(draft, f"each different value of {name} is counted once")
        _replace(draft, _once(node.this), None)
        return OtherSide(draft.query.tree, taken, other)
    source = next(each for each in draft.scope.sources if each.name == draft.detail)
    return _rows_once(draft, node, source)


def _is_constant(draft: Draft, node: exp.Count) -> bool:
    """Say whether the rows of a group, or all rows, have one of the things only."""
    scope = draft.scope
    keys = (scope.own_column(key) for key in group_columns(scope))
    fixed = same_values(scope, fixed_columns(scope) | {key for key in keys if key is not None})
    known = determined_by(scope, None, fixed)
    if draft.detail == VALUES:
        counted = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
        column = scope.own_column(counted)
        alike = () if column is None else same_values(scope, [column])
        return any(each in fixed or each.source.position in known for each in alike)
    return any(each.name == draft.detail and each.position in known for each in scope.sources)


def _rows_once(draft: Draft, node: exp.Count, source: Source) -> OtherSide | Unsound:
    """Count the rows of a table once, by their key."""
    table = source.table
    assert table is not None
    key = key_columns(table)
    if not key:
        return Unsound(f"The table {table.name} has no key to count its rows by.")
    if not is_key_in_data(draft, table, *key):
        return Unsound(f"The key of the table {table.name} is not one in the data.")
    everything = is_star(node.this) or isinstance(node.this, exp.Literal)
    if everything and any(is_outer(join) for join in draft.select.args.get("joins") or ()):
        return Unsound("The join keeps rows without a match, each of which is counted as one.")
    condition: exp.Expr | None = None
    given = ""
    if not everything and not is_always_there(draft, draft.scope, node.this):
        condition = exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.Null()))
        given = f" with a value of {named(draft.query, draft.scope, node.this)}"
    taken = _sentence(draft, f"every one{given} is counted")
    other = _sentence(
        draft, f"each row of {table.name}{given} is counted once, however often it is joined"
    )
    columns = [column_of(draft.select, source, name) for name in key]
    if len(key) == 1:
        _replace(draft, _once(columns[0]), condition)
        return OtherSide(draft.query.tree, taken, other)
    combined = listed(f"{table.name}.{name}" for name in key)
    other = _sentence(draft, f"each different combination of {combined}{given} is counted once")
    if draft.select.args.get("distinct") is not None or isinstance(node.parent, exp.Filter):
        return Unsound(f"The key of the table {table.name} has several columns.")
    if not count_combinations(draft, node, columns):
        return Unsound(
            f"The key of the table {table.name} has several columns, and more is read of its rows."
        )
    return OtherSide(draft.query.tree, taken, other)


def _once(value: exp.Expr) -> exp.Count:
    return exp.Count(this=exp.Distinct(expressions=[value.copy()]), big_int=True)


def _same_counts(draft: Draft, node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the counts of the SELECT that are written like one, which stand for the same value."""
    text = node.sql("sqlite").lower()
    for each in list(own_nodes(draft.select)):
        if isinstance(each, exp.Count) and each.sql("sqlite").lower() == text:
            yield each


def _is_set_against(draft: Draft, node: exp.Expr) -> bool:
    """Say whether a count is computed with another aggregate, such as a share of all rows."""
    text = node.sql("sqlite").lower()
    for each in _same_counts(draft, node):
        around = each
        while isinstance(around.parent, exp.Binary | exp.Paren | exp.Cast | exp.Func):
            around = around.parent
        for other in own_nodes(draft.select, around):
            if isinstance(other, exp.AggFunc) and other.sql("sqlite").lower() != text:
                return True
    return False


def _replace(draft: Draft, count: exp.Count, condition: exp.Expr | None) -> None:
    for each in _same_counts(draft, draft.node):
        around = each.parent
        if condition is None:
            each.replace(count.copy())
        elif isinstance(around, exp.Filter):
            where = around.expression
            where.set("this", exp.and_(where.this.copy(), condition.copy(), copy=False))
            each.replace(count.copy())
        else:
            where = exp.Where(this=condition.copy())
            each.replace(exp.Filter(this=count.copy(), expression=where))


def _sentence(draft: Draft, counted: str) -> str:
    groups = listed(named(draft.query, draft.scope, key) for key in group_columns(draft.scope))
    start = f"For each {groups}, of" if groups else "Of"
    conditions = " that meet the conditions" if draft.select.args.get("where") else ""
    return f"{start} the {rows_of(draft.scope)}{conditions}, {counted}."
