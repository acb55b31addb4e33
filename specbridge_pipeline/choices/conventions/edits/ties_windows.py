"""Ties, where a window gives each row its place: RANK against ROW_NUMBER."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Draft, OtherSide, Unsound, named
from specbridge_pipeline.choices.conventions.edits.places_kept import Cut, in_words, tied_in_words
from specbridge_pipeline.choices.conventions.edits.wording import listed, order_in_words, rows_of
from specbridge_pipeline.choices.conventions.shapes import number_of
from specbridge_pipeline.sql.column_origins import Scope, SourceColumn


def other_window(draft: Draft) -> OtherSide | Unsound:
    """Give rows that tie one place in common where each had its own, or the other way round."""
    query, scope, node = draft.query, draft.scope, draft.node
    column = scope.own_column(node.this)
    last = number_of(node.expression)
    assert column is not None
    assert last is not None
    select = column.source.query
    inner = query.scope_of(select)
    assert isinstance(select, exp.Select)
    assert inner is not None
    window = select.expressions[column.source.columns.index(column.name)].unalias()
    kept = int(last) - isinstance(node, exp.LT)
    order = window.args.get("order")
    if order is None:
        return Unsound("The window does not order the rows, so that all or none of them tie.")
    if kept < 1 or (isinstance(node, exp.EQ) and kept > 1):
        return Unsound("A later place alone is kept, which rows tied before it would move.")
    if isinstance(window.this, exp.DenseRank) and kept > 1:
        return Unsound("The places count values, so that counting rows changes more than ties.")
    if _is_read_elsewhere(draft, column):
        return Unsound("The place of a row is used for something else too.")
    partition = listed(named(query, inner, each) for each in window.args.get("partition_by") or ())
    things = rows_of(inner) + (f" with the same {partition}" if partition else "")
    words = order_in_words(query, inner, order.expressions)
    cut = Cut(kept, 0)
    one, tied = in_words(things, words, cut), tied_in_words(things, words, cut)
    if draft.is_usual:
        window.set("this", exp.Rank())
        return OtherSide(query.tree, one, tied)
    window.set("this", exp.RowNumber())
    return OtherSide(query.tree, tied, one)


def _is_read_elsewhere(draft: Draft, place: SourceColumn) -> bool:
    def reads(scope: Scope) -> int:
        return sum(
            column is not None
            and column.name == place.name
            and column.source.query is place.source.query
            for column in map(scope.own_column, scope.select.find_all(exp.Column))
        )

    return sum(reads(scope) for scope in draft.query.scopes) > 1
