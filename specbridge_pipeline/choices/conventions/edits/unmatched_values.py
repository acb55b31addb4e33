"""What a SELECT returns of a row that has no match in a joined table."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Draft
from specbridge_pipeline.choices.conventions.edits.clauses import column_reference, positions_used
from specbridge_pipeline.choices.conventions.edits.join_sides import Sides, is_row_count
from specbridge_pipeline.choices.conventions.shapes import number_of
from specbridge_pipeline.sql.column_origins import SourceColumn
from specbridge_pipeline.sql.join_repeats import conjuncts

_COMPARED: Mapping[type[exp.Expr], Callable[[float, float], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
}

_OF_NOTHING_NOTHING = (
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Distinct,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.Neg,
    exp.Paren,
    exp.Cast,
    exp.DataType,
    exp.Round,
    exp.AggFunc,
)
"""What has no value where a column in it has none."""


class ReturnedValues:
    """What a SELECT returns, groups by, asks of groups and orders by, when a match is lacking."""

    def __init__(self, draft: Draft, sides: Sides) -> None:
        """Take the SELECT of a draft, whose joins have the sides."""
        self.draft = draft
        self.sides = sides
        select = draft.select
        parts = [select.args.get(name) for name in ("group", "having", "order")]
        self.parts = [*select.expressions, *(part for part in parts if part is not None)]

    def _used(self, node: exp.Expr) -> set[int]:
        return positions_used(self.draft.query, self.draft.scope, node)

    @property
    def aggregates(self) -> list[exp.Expr]:
        """The aggregates, wherever they stand."""
        return [each for part in self.parts for each in part.find_all(exp.AggFunc)]

    def unsound(self) -> str | None:
        """Say why a row without a match could not be told from one with it; None where it can."""
        reason = self._order_unsound()
        if reason is not None or not self.sides.of_many:
            return reason
        for each in self.aggregates:
            if is_row_count(each) or self._counts_things(each):
                continue
            used = self._used(each)
            distinct = isinstance(each, exp.Count) and isinstance(each.this, exp.Distinct)
            if used and not used & self.sides.matched and distinct:
                continue
            if not used & self.sides.matched:
                return f"{each.sql('sqlite')} would take rows without a match into account as well."
            if not all(isinstance(node, _OF_NOTHING_NOTHING) for node in each.walk()):
                return f"{each.sql('sqlite')} can give a row without a match a value."
        having = self.draft.select.args.get("having")
        for condition in conjuncts(having.this) if having is not None else ():
            touched = condition.find(exp.AggFunc) or self._used(condition) & self.sides.matched
            if touched and not self._holds_of_none(condition):
                return "The condition on the groups cannot be met without a match."
        return None

    def _counts_things(self, node: exp.Expr) -> bool:
        """Say whether an aggregate counts a column of the thing that is never missing."""
        if not isinstance(node, exp.Count):
            return False
        column = self.draft.scope.own_column(node.this)
        if column is None or column.source.position in self.sides.matched:
            return False
        declared = column.column
        tied = any(column == own for own, _ in self.sides.ties)
        return tied or (
            declared is not None and bool(declared.not_null or declared.primary_key_position)
        )

    def _holds_of_none(self, condition: exp.Expr) -> bool:
        compare = _COMPARED.get(type(condition))
        limit = None if compare is None else number_of(condition.args.get("expression"))
        counted = condition.this.unnest() if compare is not None else None
        if compare is None or limit is None or not isinstance(counted, exp.Count):
            return False
        return compare(0, limit)

    def _order_unsound(self) -> str | None:
        select = self.draft.select
        order = select.args.get("order")
        if order is None or select.args.get("limit") is None:
            return None
        term = order.expressions[0]
        key = self.draft.scope.output(term.this) or term.this
        is_count = isinstance(key.unnest(), exp.Count)
        touched = is_count or bool(self._used(key) & self.sides.matched)
        if not touched:
            return None
        if term.args.get("desc"):
            return "The greatest come first, which rows without a match are not among."
        if not is_count:
            return "Rows without a match would come first for want of a value, not as the least."
        return None

    def rewrite(self) -> str | None:
        """Count matches for rows, and name things by their own columns.

        Returns:
            What a sentence says of the counts of rows without a match.
        """
        key = self._key()
        counted = False
        for each in self.aggregates:
            if is_row_count(each) or self._counts_things(each):
                each.set("this", key.copy())
                counted = True
            elif isinstance(each, exp.Count):
                counted = counted or bool(self._used(each) & self.sides.matched)
        self._name_by_things()
        return " and a count of 0" if counted else None

    def _key(self) -> exp.Column:
        """Return a column of the match that is never missing: its key, or what ties it."""
        scope = self.draft.scope
        tied = self.sides.ties[0][1]
        table = tied.source.table
        if table is not None and len(table.primary_key) == 1:
            name = table.primary_key[0].lower()
            declared = next(each for each in table.columns if each.name.lower() == name)
            return column_reference(scope, SourceColumn(tied.source, name, declared))
        return column_reference(scope, tied)

    def _name_by_things(self) -> None:
        scope, select = self.draft.scope, self.draft.select
        own = {other: mine for mine, other in self.sides.ties}
        for item in list(select.expressions):
            column = scope.own_column(item.unalias())
            if column is None or column not in own:
                continue
            mine: exp.Expr = column_reference(scope, own[column])
            if isinstance(item, exp.Alias):
                item.set("this", mine)
                continue
            if mine.name.lower() != item.name.lower():
                mine = exp.alias_(mine, item.this.copy())
            item.replace(mine)
        for part in (select.args.get("group"), select.args.get("order")):
            for node in list(part.find_all(exp.Column)) if part is not None else ():
                column = scope.own_column(node)
                if column in own and node.find_ancestor(exp.AggFunc, exp.Select) is select:
                    node.replace(column_reference(scope, own[column]))
