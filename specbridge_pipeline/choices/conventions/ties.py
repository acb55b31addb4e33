"""Ties and selection: one of the rows that are tied at an extreme, or all of them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import CueMatch, read_cues
from specbridge_pipeline.choices.conventions.editing import Draft, Edit, OtherSide, Unsound
from specbridge_pipeline.choices.conventions.edits.extremes import (
    EXTREMES,
    compared,
    is_extreme,
    key_value,
    text_of,
)
from specbridge_pipeline.choices.conventions.edits.ties_to_one import one_of_the_equal
from specbridge_pipeline.choices.conventions.edits.ties_to_places import (
    all_beside_the_extreme,
    all_tied_at_the_cut,
    as_a_set,
)
from specbridge_pipeline.choices.conventions.edits.ties_windows import other_window
from specbridge_pipeline.choices.conventions.plurals import extreme_is_plural
from specbridge_pipeline.choices.conventions.shapes import (
    condition_nodes,
    group_columns,
    number_of,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, Source, SourceColumn
from specbridge_pipeline.sql.join_repeats import determined_by, repeats, unique_keys
from specbridge_pipeline.sql.places import Place, own_nodes, place_of

_RANKS = (exp.Rank, exp.DenseRank)


def _read(reference: Reference) -> Iterator[Reading]:
    query = reference.query
    for scope in query.scopes:
        yield from _cut(query, scope)
        yield from _equal_to_extreme(query, scope)
        yield from _place(query, scope)
        yield from _bare_column(query, scope)


def _cut(query: ResolvedQuery, scope: Scope) -> Iterator[Reading]:
    """Read ORDER BY with LIMIT: some of the tied rows, no matter which."""
    order, limit = scope.select.args.get("order"), scope.select.args.get("limit")
    if order is None or limit is None or not isinstance(limit, exp.Limit):
        return
    places = number_of(limit.expression)
    if places is None or places < 1:
        return
    keys = [key_value(scope, term) for term in order.expressions]
    if any(_cannot_tie(scope, key) for key in keys) or any(
        isinstance(key, exp.Rand) or key.sql().lower().startswith("random") for key in keys
    ):
        return
    written = {text_of(query, scope, key) for key in keys}
    shown = [item.unalias() for item in scope.select.expressions]
    if all(
        isinstance(item, exp.Literal) or text_of(query, scope, item) in written for item in shown
    ):
        # Tied rows look all alike.
        return
    if _one_group_at_most(scope):
        return
    form = "limit 1" if places == 1 else "limit"
    yield Reading(Side.USUAL, form, scope, order)


def _cannot_tie(scope: Scope, key: exp.Expr) -> bool:
    """Say whether no two rows of a SELECT agree in an order key."""
    column = scope.own_column(key)
    if column is None or scope.select.args.get("group") is not None:
        return False
    return frozenset({column.name}) in unique_keys(scope, column.source) and not repeats(
        scope, column.source
    )


def _one_group_at_most(scope: Scope) -> bool:
    """Say whether a SELECT aggregates all its rows into one, so that its LIMIT cuts nothing."""
    return scope.select.args.get("group") is None and any(
        isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window)
        for item in scope.select.expressions
        for node in own_nodes(scope.select, item)
    )


def _equal_to_extreme(query: ResolvedQuery, scope: Scope) -> Iterator[Reading]:
    """Read a comparison with the extreme itself: all rows that have it."""
    cut_by = _first_key_of_cut(query, scope)
    for node in condition_nodes(scope):
        for subject, value in compared(node):
            if not is_extreme(query, scope, node, subject, value):
                continue
            if text_of(query, scope, subject) == cut_by:
                # They all tie in the key of the cut, which takes some of them.
                continue
            shown = [item.unalias() for item in scope.select.expressions]
            kept = text_of(query, scope, subject)
            if all(_is_blind(query, scope, item, kept) for item in shown):
                continue
            if place_of(scope.select) is Place.VALUE:
                # The engine takes the first row of a query that stands for one value.
                yield Reading(Side.USUAL, "the first that equals the extreme", scope, node)
            else:
                yield Reading(Side.OTHER, "equal to the extreme", scope, node)
            break


def _first_key_of_cut(query: ResolvedQuery, scope: Scope) -> str | None:
    order, limit = scope.select.args.get("order"), scope.select.args.get("limit")
    if order is None or limit is None:
        return None
    return text_of(query, scope, key_value(scope, order.expressions[0]))


def _is_blind(query: ResolvedQuery, scope: Scope, item: exp.Expr, kept: str) -> bool:
    """Say whether an output shows nothing of how many rows have the extreme, or which."""
    if isinstance(item, exp.Literal) or text_of(query, scope, item) == kept:
        return True
    return isinstance(item, (exp.Count, EXTREMES))


def _place(query: ResolvedQuery, scope: Scope) -> Iterator[Reading]:
    """Read a condition on the place that a window gives each row."""
    for node in condition_nodes(scope):
        if not isinstance(node, exp.EQ | exp.LTE | exp.LT):
            continue
        column = scope.own_column(node.this)
        if column is None or number_of(node.expression) is None:
            continue
        source = column.source.query
        if not isinstance(source, exp.Select):
            continue
        at = column.source.columns.index(column.name)
        item = source.expressions[at].unalias() if at < len(source.expressions) else None
        if not isinstance(item, exp.Window):
            continue
        if isinstance(item.this, _RANKS):
            yield Reading(Side.OTHER, "rank", scope, node)
        elif isinstance(item.this, exp.RowNumber):
            yield Reading(Side.USUAL, "row number", scope, node)


def _bare_column(query: ResolvedQuery, scope: Scope) -> Iterator[Reading]:
    """Read a column beside the one MAX or MIN of a SELECT: it comes from one row that has it."""
    items = [item.unalias() for item in scope.select.expressions]
    extremes = [item for item in items if isinstance(item, EXTREMES)]
    having = scope.select.args.get("having")
    aggregates = [
        node
        for part in [*scope.select.expressions, *([having] if having is not None else [])]
        for node in own_nodes(scope.select, part)
        if isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window)
    ]
    if len(extremes) != 1 or len(aggregates) != 1:
        return
    keys = list(group_columns(scope))
    grouped = {text_of(query, scope, key) for key in keys}
    fixed = frozenset(column for column in map(scope.own_column, keys) if column is not None)
    starts = [column.source for column in fixed if _is_key_of(scope, column.source, fixed)]
    known = {at for start in starts for at in determined_by(scope, start, fixed)}
    for item in items:
        column = scope.own_column(item)
        if (
            column is not None
            and text_of(query, scope, item) not in grouped
            and column.source.position not in known
            and not any(_names_it(key, column) for key in fixed)
        ):
            yield Reading(Side.USUAL, "column beside the extreme", scope, extremes[0])
            return


def _is_key_of(scope: Scope, source: Source, fixed: frozenset[SourceColumn]) -> bool:
    names = {each.name for each in fixed if each.source == source}
    return any(key <= names for key in unique_keys(scope, source))


def _names_it(key: SourceColumn, column: SourceColumn) -> bool:
    """Say whether a column says more of what a group's key identifies, as far as names tell."""
    return key.source == column.source and key.name.endswith(("id", "code", "key"))


def _further_cues(reference: Reference, readings: tuple[Reading, ...]) -> Iterator[CueMatch]:
    cut = any(reading.form == "limit" for reading in readings)
    if not cut and extreme_is_plural(reference.texts.question):
        yield CueMatch("several are asked for", "other")


_EDITS: Mapping[str, Edit] = {
    "limit 1": all_tied_at_the_cut,
    "limit": all_tied_at_the_cut,
    "the first that equals the extreme": as_a_set,
    "column beside the extreme": all_beside_the_extreme,
    "row number": other_window,
    "rank": other_window,
    "equal to the extreme": one_of_the_equal,
}


def _edit(draft: Draft) -> OtherSide | Unsound:
    own = draft.select.sql("sqlite").lower()
    if sum(scope.select.sql("sqlite").lower() == own for scope in draft.query.scopes) > 1:
        return Unsound("The same SELECT stands in the query twice, and both would have to change.")
    return _EDITS[draft.form](draft)


CONVENTION = Convention(
    choice_type=ChoiceType.TIES,
    meaning="Does the answer hold one of the rows that are tied, or all of them?",
    usual="as many rows as there are places, whichever of the tied ones",
    other="every row that is tied",
    read=_read,
    cues=read_cues(__file__),
    further_cues=_further_cues,
    edit=_edit,
)
