"""The edit of an exclusion of a value of joined records: to things that have no such record."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    conjunction,
)
from specbridge_pipeline.choices.conventions.edits.clauses import positions_used, required
from specbridge_pipeline.choices.conventions.edits.conditions_in_words import in_words, opposite
from specbridge_pipeline.choices.conventions.edits.looked_up_records import excludes_value
from specbridge_pipeline.choices.conventions.shapes import shown_sources
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, Source
from specbridge_pipeline.sql.join_repeats import column_equalities
from specbridge_pipeline.sql.places import is_inside, is_star, own_nodes


def no_joined_record(draft: Draft) -> OtherSide | Unsound:
    """Keep the things that have no record with a value, instead of joining those without it.

    The joined records go into a nested query, with what is asked of them besides: a thing that has
    no record at all has none with the value either.
    """
    scope = draft.scope
    records = _record_positions(draft)
    if isinstance(records, Unsound):
        return records
    parts = _Parts(draft.query, scope, records)
    reason = _unsound(draft, parts)
    if reason is not None:
        return Unsound(reason)
    excluding = [each for each in parts.inner if is_inside(draft.node, each)]
    if len(excluding) != 1 or opposite(excluding[0]) is None:
        return Unsound("The excluded value is one of several alternatives.")
    [condition] = excluding
    turned = opposite(condition)
    beside = [in_words(draft.query, scope, each) for each in parts.inner if each is not condition]
    without = in_words(draft.query, scope, condition)
    having = None if turned is None else in_words(draft.query, scope, turned)
    if turned is None or without is None or having is None or None in beside:
        return Unsound("The condition on the records has no opposite that could be said.")
    rows = rows_of(scope, records)
    ties = " and ".join(each for each in beside if each)
    taken = f"Rows are kept for which there is some row of {rows} where {without} and {ties}."
    other = f"Rows are kept for which there is no row of {rows} where {having} and {ties}."
    if draft.data.repeats(parts.ties_of_records()) is False:
        return Unsound(f"No thing has several rows of {rows}, so that its one row decides.")
    kept = [each if each is not condition else turned for each in parts.inner]
    nested = parts.select_of_records(kept)
    parts.rebuild()
    scope.select.where(exp.Not(this=exp.Exists(this=nested)), copy=False)
    return OtherSide(draft.query.tree, taken, other)


def rows_of(scope: Scope, positions: frozenset[int] | None = None) -> str:
    """Return the names of the tables that a SELECT joins, or of some of them."""
    names = [
        source.name if source.table is None else source.table.name
        for source in scope.sources
        if positions is None or source.position in positions
    ]
    return " joined with ".join(names)


def _record_positions(draft: Draft) -> frozenset[int] | Unsound:
    """Return the sources that are joined for their condition: those behind what is shown."""
    scope = draft.scope
    column = next(
        (scope.own_column(each) for each in draft.node.find_all(exp.Column)),
        None,
    )
    shown = {source.position for source in shown_sources(scope)}
    if column is None or not shown:
        return Unsound("The records are not joined to a thing that is returned.")
    if column.source.position in shown:
        return Unsound("Columns of the records are returned too, so that they have to be there.")
    found = {column.source.position}
    grown = True
    while grown:
        grown = False
        for left, right in column_equalities(scope):
            for one, other in ((left, right), (right, left)):
                at = other.source.position
                if one.source.position in found and at not in found and at not in shown:
                    found.add(at)
                    grown = True
    return frozenset(found)


class _Parts:
    """The sources and conditions of a SELECT, apart: those of the things and of the records."""

    def __init__(self, query: ResolvedQuery, scope: Scope, records: frozenset[int]) -> None:
        self.query = query
        self.scope = scope
        self.records = records
        select = scope.select
        start = select.args["from_"].this
        self.joins = list(select.args.get("joins") or ())
        self.nodes = [start, *(join.this for join in self.joins)]
        conditions = required(scope)
        self.inner = [each for each in conditions if self._sources(each) & records]
        self.outer = [each for each in conditions if not self._sources(each) & records]

    def _sources(self, node: exp.Expr) -> set[int]:
        return positions_used(self.query, self.scope, node)

    @property
    def is_plain(self) -> bool:
        """Whether all joins are inner ones, with conditions or without."""
        return len(self.nodes) == len(self.scope.sources) and not any(
            join.args.get(part) for join in self.joins for part in ("side", "using", "method")
        )

    @property
    def things(self) -> list[Source]:
        """The sources that are left."""
        return [each for each in self.scope.sources if each.position not in self.records]

    def things_are_joined(self) -> bool:
        """Say whether what is left is still joined, each source to an earlier one."""
        seen: set[int] = set()
        for source in self.things:
            ties = [
                {one.source.position, other.source.position}
                for one, other in column_equalities(self.scope)
            ]
            if seen and not any(source.position in tie and tie & seen for tie in ties):
                return False
            seen.add(source.position)
        return True

    def uses_records(self) -> bool:
        """Say whether the SELECT uses the records for more than conditions."""
        select = self.scope.select
        parts = [*select.expressions, select.args.get("order"), select.args.get("group")]
        nodes = [node for part in parts if part is not None for node in own_nodes(select, part)]
        return any(is_star(node) for node in nodes) or any(
            self._sources(node) & self.records for node in nodes if isinstance(node, exp.Column)
        )

    def select_of_records(self, conditions: list[exp.Expr]) -> exp.Select:
        """Return a SELECT of the records under the conditions."""
        places = sorted(self.records)
        nested = exp.select("1").from_(self.nodes[places[0]].copy())
        for at in places[1:]:
            nested.append("joins", exp.Join(this=self.nodes[at].copy()))
        where = conjunction(conditions)
        return nested if where is None else nested.where(where)

    def ties_of_records(self) -> exp.Select:
        """Return a SELECT of what ties each record to its thing."""
        ties = [
            column
            for each in self.inner
            if isinstance(each, exp.EQ) and self._sources(each) - self.records
            for column in each.find_all(exp.Column)
            if self._sources(column) & self.records
        ]
        among = [each for each in self.inner if not self._sources(each) - self.records]
        nested = self.select_of_records([each for each in among if isinstance(each, exp.EQ)])
        nested.set("expressions", [each.copy() for each in ties] or [exp.Star()])
        return nested

    def rebuild(self) -> None:
        """Leave the records out of the FROM, and the conditions on them."""
        select = self.scope.select
        where = select.args.get("where")
        seen: set[int] = set()
        joins = []
        held = [each for each in self.outer if where is not None and is_inside(each, where)]
        tying = [each for each in self.outer if not any(each is other for other in held)]
        for at in (each.position for each in self.things):
            seen.add(at)
            own = [each for each in tying if self._sources(each) <= seen]
            tying = [each for each in tying if not any(each is other for other in own)]
            if len(seen) == 1:
                held = own + held
            else:
                joins.append(exp.Join(this=self.nodes[at].copy(), on=conjunction(own)))
        start = self.nodes[self.things[0].position].copy()
        kept = conjunction(held)
        select.set("from_", exp.From(this=start))
        select.set("joins", joins)
        select.set("where", None)
        if kept is not None:
            select.where(kept, copy=False)


def _unsound(draft: Draft, parts: _Parts) -> str | None:
    select = draft.select
    if not parts.is_plain:
        return "The records are not joined by inner joins with conditions."
    if select.args.get("group") is not None or parts.uses_records():
        return "Columns of the records are used for more than the condition."
    if not parts.things_are_joined():
        return "What is returned is joined by way of the records."
    if sum(any(map(excludes_value, each.walk())) for each in parts.inner) > 1:
        return "Several conditions on the records exclude values."
    if select.args.get("distinct") is None and draft.data.repeats(draft.query.tree) is not False:
        return "Without DISTINCT a row comes once for each of its records, which would change too."
    return None
