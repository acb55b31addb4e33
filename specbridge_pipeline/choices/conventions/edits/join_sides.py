"""The two sides of a SELECT's joins: the table whose things it lists, and what is matched to it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Draft, Unsound
from specbridge_pipeline.choices.conventions.edits.clauses import positions_used
from specbridge_pipeline.choices.conventions.shapes import group_columns, shown_sources
from specbridge_pipeline.sql.column_origins import Scope, Source, SourceColumn
from specbridge_pipeline.sql.join_repeats import column_equalities, determined_by, unique_keys


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides of a SELECT's joins.

    Attributes:
        subject: The table whose things are listed or counted for.
        matched: The positions of the sources that are matched to it.
        of_many: Whether one thing can have several matches.
        ties: The pairs of columns that hold the sides together, the subject's first.
    """

    subject: Source
    matched: frozenset[int]
    of_many: bool
    ties: tuple[tuple[SourceColumn, SourceColumn], ...]


def find_sides(draft: Draft) -> Sides | Unsound:
    """Find the table whose things a SELECT lists, and the joined tables that it returns of them.

    The things are what a SELECT groups by, or what its first column belongs to. Tables that are
    joined besides, of which a thing has one row each and which are only asked for conditions,
    belong to the things.
    """
    scope = draft.scope
    subject = _subject(scope)
    if isinstance(subject, Unsound):
        return subject
    used = _used(draft)
    branches = _branches(scope, subject)
    if sum(map(len, branches)) + 1 < len(scope.sources):
        return Unsound("A table is joined without a condition that holds columns equal.")
    many = [each for each in branches if _is_of_many(scope, subject, each)]
    if len(many) > 1:
        return Unsound(f"Several tables can have several rows for one of {_name(subject)}.")
    returned = [each for each in branches if each & used or (each in many and None in used)]
    if not returned or (many and many[0] not in returned):
        return Unsound(
            f"Nothing but {_name(subject)} is returned or counted, so that the joins only say "
            "which of its rows are meant."
        )
    if not many and len(returned) > 1:
        return Unsound(f"Several tables are joined to {_name(subject)} that could lack a match.")
    matched = frozenset(many[0] if many else returned[0])
    ties = tuple(
        (one, other)
        for left, right in column_equalities(scope)
        for one, other in ((left, right), (right, left))
        if other.source.position in matched and one.source.position not in matched
    )
    if any(one.source != subject for one, _ in ties):
        return Unsound("The joins go round in a circle.")
    return Sides(subject, matched, bool(many), ties)


def _name(source: Source) -> str:
    return source.name if source.table is None else source.table.name


def _subject(scope: Scope) -> Source | Unsound:
    if scope.select.args.get("group") is None:
        if any(item.find(exp.AggFunc) for item in scope.select.expressions):
            return Unsound("All matches together give one figure, to which others add nothing.")
        shown = shown_sources(scope)
        first = scope.own_column(scope.select.expressions[0].unalias())
        if first is None or not shown:
            return Unsound("The first column is not one of a table whose things are listed.")
        return first.source
    found: list[Source] = []
    for key in group_columns(scope):
        column = scope.own_column(key)
        if column is None:
            return Unsound("The groups are made by a computed value.")
        source = _referred(scope, column)
        if source not in found:
            found.append(source)
    if len(found) != 1:
        return Unsound("The groups are made by columns of several tables.")
    return found[0]


def _referred(scope: Scope, column: SourceColumn) -> Source:
    """Return the source whose key a column is held equal to; its own source for none."""
    if frozenset({column.name}) in unique_keys(scope, column.source):
        return column.source
    for left, right in column_equalities(scope):
        for one, other in ((left, right), (right, left)):
            if one == column and frozenset({other.name}) in unique_keys(scope, other.source):
                return other.source
    return column.source


def _used(draft: Draft) -> set[int | None]:
    """Return the positions of the sources that are returned or computed; None for their rows."""
    select = draft.select
    parts = [*select.expressions]
    computed = [
        part.find_all(exp.AggFunc)
        for part in (select.args.get("having"), select.args.get("order"))
        if part is not None
    ]
    parts += [each for found in computed for each in found]
    used: set[int | None] = set()
    for part in parts:
        used |= positions_used(draft.query, draft.scope, part)
        if any(is_row_count(each) for each in part.find_all(exp.Count)):
            used.add(None)
    return used


def is_row_count(node: exp.Expr) -> bool:
    """Say whether an aggregate counts rows, whatever is in them."""
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Star | exp.Literal)


def _branches(scope: Scope, subject: Source) -> list[set[int]]:
    """Return what hangs together with the subject, apart where only the subject ties it."""
    pairs = [
        (left.source.position, right.source.position) for left, right in column_equalities(scope)
    ]
    start = subject.position
    found: list[set[int]] = []
    for one, other in pairs:
        for at, next_ in ((one, other), (other, one)):
            if at != start or next_ == start or any(next_ in each for each in found):
                continue
            branch = {next_}
            grown = True
            while grown:
                reached = {
                    b
                    for left, right in pairs
                    for a, b in ((left, right), (right, left))
                    if a in branch and b != start and b not in branch
                }
                branch |= reached
                grown = bool(reached)
            found.append(branch)
    return found


def _is_of_many(scope: Scope, subject: Source, branch: set[int]) -> bool:
    if branch - determined_by(scope, subject, frozenset()):
        return True
    # A row that refers to the thing may be lacking, though there is one at most.
    return any(
        other.source.position in branch
        and one.source == subject
        and other.source.table is not None
        and any(
            key.referenced_table.lower() == _name(subject).lower()
            and other.name in {name.lower() for name in key.columns}
            for key in other.source.table.foreign_keys
        )
        for left, right in column_equalities(scope)
        for one, other in ((left, right), (right, left))
    )
