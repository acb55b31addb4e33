"""The edit of a population: rows with a match only, or all of them."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    conjunction,
)
from specbridge_pipeline.choices.conventions.edits.clauses import positions_used
from specbridge_pipeline.choices.conventions.edits.conditions_in_words import in_words
from specbridge_pipeline.choices.conventions.edits.join_sides import Sides, find_sides
from specbridge_pipeline.choices.conventions.edits.unmatched_values import ReturnedValues
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.join_repeats import conjuncts, is_outer
from specbridge_pipeline.sql.places import is_star


def edit_population(draft: Draft) -> OtherSide | Unsound:
    """Keep the rows without a match, or leave them out; see `Edit`."""
    return _keep_all(draft) if draft.is_usual else _keep_matched(draft)


def _keep_matched(draft: Draft) -> OtherSide | Unsound:
    """Make an outer join an inner one."""
    join, scope = draft.node, draft.scope
    side = str(join.args.get("side")).upper()
    joins = draft.select.args.get("joins") or []
    at = next(place for place, each in enumerate(joins) if each is join)
    if side == "FULL":
        return Unsound("Rows without a match are kept on both sides.")
    if len(joins) + 1 != len(scope.sources):
        return Unsound("The join stands in parentheses with others.")
    on = join.args.get("on")
    named_in = set() if on is None else positions_used(draft.query, scope, on)
    before = {place + 1 for place in range(at) if is_outer(joins[place])}
    if named_in & before or (side == "RIGHT" and before):
        return Unsound("The match hangs on another one that can be lacking.")
    kept = named_in - {at + 1} or {0}
    optional = {at + 1}
    if side == "RIGHT":
        kept, optional = {at + 1}, set(range(at + 1))
    words = [
        in_words(draft.query, scope, each)
        for each in conjuncts(on)
        if positions_used(draft.query, scope, each) <= optional
    ]
    out, kept_words = _sentences(scope, kept, optional, words, None)
    join.set("side", None)
    join.set("kind", None)
    return OtherSide(draft.query.tree, kept_words, out)


def _keep_all(draft: Draft) -> OtherSide | Unsound:
    """Make the join to what is listed an outer one, with all that is asked of the match in it."""
    joins = draft.select.args.get("joins") or []
    if len(joins) + 1 != len(draft.scope.sources):
        return Unsound("A join stands in parentheses with others.")
    if any(join.args.get(part) for join in joins for part in ("using", "method")):
        return Unsound(
            "The tables are joined by columns of one name, whose values come from both sides."
        )
    if any(is_outer(join) for join in joins):
        return Unsound("The tables are joined by outer joins whose unmatched rows are dropped.")
    if any(is_star(item.unalias()) for item in draft.select.expressions):
        return Unsound("All columns are returned, so that no table's things are listed.")
    if any(item.find(exp.Window) is not None for item in draft.select.expressions):
        return Unsound("Places among the rows are computed, which other rows would take part in.")
    sides = find_sides(draft)
    if isinstance(sides, Unsound):
        return sides
    clauses = _Clauses(draft, sides)
    reason = clauses.unsound() or ReturnedValues(draft, sides).unsound()
    if reason is not None:
        return Unsound(reason)
    asked = [in_words(draft.query, draft.scope, each) for each in clauses.of_match]
    counted = ReturnedValues(draft, sides).rewrite() if sides.of_many else None
    clauses.rebuild()
    kept = {sides.subject.position}
    out, all_kept = _sentences(draft.scope, kept, set(sides.matched), asked, counted)
    return OtherSide(draft.query.tree, out, all_kept)


def _sentences(
    scope: Scope,
    kept: set[int],
    optional: set[int],
    asked: list[str | None],
    counted: str | None,
) -> tuple[str, str]:
    def tables(positions: set[int]) -> str:
        return " joined with ".join(
            source.name if source.table is None else source.table.name
            for source in scope.sources
            if source.position in positions
        )

    where = ""
    if asked:
        said = " and ".join(each for each in asked if each)
        where = f" where {said}" if None not in asked else " that meets the conditions on it"
    rows = f"Rows of {tables(kept)} without a match in {tables(optional)}{where}"
    return (
        f"{rows} are left out.",
        f"{rows} are kept, with all values of the match missing{counted or ''}.",
    )


class _Clauses:
    """The conditions of a SELECT's joins and WHERE, apart by the sides that they are on."""

    def __init__(self, draft: Draft, sides: Sides) -> None:
        self.draft = draft
        self.sides = sides
        select = draft.select
        joins = select.args.get("joins") or []
        self.nodes = [select.args["from_"].this, *(join.this for join in joins)]
        where = select.args.get("where")
        self.on = [each for join in joins for each in conjuncts(join.args.get("on"))]
        self.where = [] if where is None else list(conjuncts(where.this))
        self.of_match = [
            each
            for each in (*self.on, *self.where)
            if self._used(each) <= sides.matched and self._used(each) and len(self._used(each)) == 1
        ]

    def _used(self, node: exp.Expr) -> set[int]:
        return positions_used(self.draft.query, self.draft.scope, node)

    def unsound(self) -> str | None:
        """Say why the joins cannot be made outer ones; None where they can."""
        sides = self.sides
        kept = {each.position for each in self.draft.scope.sources} - sides.matched
        if not sides.of_many:
            if self.of_match:
                return "What is asked of the match says which rows are listed."
            if self._always_matched():
                return "Every row has a match, by what refers to it."
        if len(sides.matched) > 1:
            for each in (*self.on, *self.where):
                used = self._used(each)
                if used & sides.matched and not used <= sides.matched | {sides.subject.position}:
                    return "A condition compares a match with a third table."
        if self._order(kept) is None or self._order(set(sides.matched)) is None:
            return "The tables on one side are not joined to each other."
        return None

    def _always_matched(self) -> bool:
        for own, other in self.sides.ties:
            table, column = own.source.table, own.column
            if table is None or column is None or other.source.table is None:
                return False
            refers = any(
                key.referenced_table.lower() == other.source.table.name.lower()
                and own.name in {name.lower() for name in key.columns}
                for key in table.foreign_keys
            )
            there = column.not_null or self.draft.data.missing(table, column) is False
            if not refers or not there:
                return False
        return True

    def _order(self, positions: set[int]) -> list[int] | None:
        """Return positions so that each is joined to an earlier one; the subject first."""
        subject = self.sides.subject.position
        left = sorted(positions, key=lambda at: (at != subject, at))
        found = [left.pop(0)]
        while left:
            at = next(
                (
                    each
                    for each in left
                    if any(
                        {each} < self._used(tie) <= {each, *found} and isinstance(tie, exp.EQ)
                        for tie in (*self.on, *self.where)
                    )
                ),
                None,
            )
            if at is None:
                return None
            left.remove(at)
            found.append(at)
        return found

    def rebuild(self) -> None:
        """Write the FROM and the WHERE again, with the match behind an outer join."""
        sides, select = self.sides, self.draft.select
        kept = {each.position for each in self.draft.scope.sources} - sides.matched
        things, match = self._order(kept) or [], self._order(set(sides.matched)) or []
        where = [each for each in self.where if not self._used(each) & sides.matched]
        asked = [
            each for each in (*self.on, *self.where) if not any(each is other for other in where)
        ]
        several = len(match) > 1
        # What is matched is joined before the outer join where it is several tables, so that only
        # whole matches count.
        order = [*match, *things] if several else [*things, *match]
        turn = sides.subject.position if several else match[0]
        seen: set[int] = set()
        joins: list[exp.Join] = []
        for at in order:
            seen.add(at)
            if len(seen) == 1:
                continue
            own = [each for each in asked if self._used(each) <= seen]
            asked = [each for each in asked if not any(each is other for other in own)]
            join = exp.Join(this=self.nodes[at].copy(), on=conjunction(own))
            if at == turn:
                join.set("side", "RIGHT" if several else "LEFT")
            joins.append(join)
        remaining = conjunction([*where, *asked])
        start = self.nodes[order[0]].copy()
        select.set("from_", exp.From(this=start))
        select.set("joins", joins)
        select.set("where", None)
        if remaining is not None:
            select.where(remaining, copy=False)
