"""Missing values: do rows without a value form a group, or come first, or are they left out?"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.editing import Draft, OtherSide, Unsound, named
from specbridge_pipeline.choices.conventions.edits.clauses import (
    column_reference,
    optional_positions,
    required,
    take_out,
)
from specbridge_pipeline.choices.conventions.shapes import (
    filtered_names,
    group_columns,
    is_negated,
    number_of,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import Scope, SourceColumn
from specbridge_pipeline.sql.join_repeats import column_equalities, determined_by
from specbridge_pipeline.sql.places import Place, place_of


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        conditions = filtered_names(scope)
        joined = {column for pair in column_equalities(scope) for column in pair}
        for form, column, node in _exposed(scope):
            if not _can_be_missing(column):
                continue
            own = conditions.get((column.source.position, column.name), [])
            if any(_leaves_missing_out(condition) for condition in own):
                yield Reading(Side.OTHER, f"{form}, missing left out", scope, node)
            elif column not in joined and not own:
                yield Reading(Side.USUAL, form, scope, node)


def _exposed(scope: Scope) -> Iterator[tuple[str, SourceColumn, exp.Expr]]:
    """Yield the columns whose missing values would show: those grouped by, and the first ones."""
    for key in group_columns(scope):
        column = scope.own_column(key)
        if column is not None:
            yield "a group", column, key
    order, limit = scope.select.args.get("order"), scope.select.args.get("limit")
    if order is None or limit is None or number_of(limit.expression) is None:
        return
    term = order.expressions[0]
    key = term.this
    if scope.own_column(key) is None:
        key = scope.output(key) or key
    column = scope.own_column(key)
    if column is not None and not term.args.get("desc") and scope.select.args.get("group") is None:
        yield "the least value", column, term


def _can_be_missing(column: SourceColumn) -> bool:
    declared = column.column
    return declared is not None and not declared.not_null and not declared.primary_key_position


def _leaves_missing_out(condition: exp.Expr) -> bool:
    if isinstance(condition, exp.Is):
        return isinstance(condition.expression, exp.Null) and is_negated(condition)
    if isinstance(condition, exp.NEQ):
        values = (condition.this, condition.expression)
        return any(
            isinstance(value, exp.Literal)
            and value.is_string
            and value.name.strip().lower() in ("", "null", "none", "n/a", "unknown")
            for value in values
        )
    return False


def _edit(draft: Draft) -> OtherSide | Unsound:
    is_group = not isinstance(draft.node, exp.Ordered)
    key = draft.node if is_group else draft.node.this
    if draft.scope.own_column(key) is None:
        key = draft.scope.output(key) or key
    column = draft.scope.own_column(key)
    if column is None:
        return Unsound("The value is not a column of a table.")
    name = named(draft.query, draft.scope, key)
    reason = _group_unsound(draft, column, name) if is_group else _least_unsound(draft, name)
    if reason is None:
        reason = _unsound(draft, column, name)
    if reason is not None:
        return Unsound(reason)
    blanks: list[str] = []
    if draft.is_usual:
        alone = isinstance(key, exp.Column) and (key.table or len(draft.scope.sources) == 1)
        reference = key.copy() if alone else column_reference(draft.scope, column)
        is_null = exp.Is(this=reference, expression=exp.Null())
        draft.select.where(exp.Not(this=is_null), copy=False)
    else:
        conditions = _conditions(draft.scope, column)
        if conditions is None:
            return Unsound(f"More than its missing values is asked of {name}.")
        for condition in conditions:
            blanks += _blanks(condition)
            take_out(condition)
    keys = len(group_columns(draft.scope)) if is_group else 0
    kept, left_out = _sentences(name, blanks, keys)
    taken, other = (kept, left_out) if draft.is_usual else (left_out, kept)
    return OtherSide(draft.query.tree, taken, other)


def _unsound(draft: Draft, column: SourceColumn, name: str) -> str | None:
    if column.source.position in optional_positions(draft.scope):
        return (
            f"{name} has no value in a row without a match either, so that two choices would "
            "change at once."
        )
    table, declared = column.source.table, column.column
    if table is None or declared is None:
        return "The value is not a column of a table."
    nothing_else = draft.is_usual or draft.form.endswith("missing left out")
    if nothing_else and draft.data.missing(table, declared) is False:
        own = filtered_names(draft.scope).get((column.source.position, column.name), [])
        if not any(isinstance(each, exp.NEQ) for each in own):
            return f"No row of {table.name} lacks a value of {name}."
    return None


def _group_unsound(draft: Draft, column: SourceColumn, name: str) -> str | None:
    others = frozenset(
        each
        for each in map(draft.scope.own_column, group_columns(draft.scope))
        if each is not None and each != column
    )
    if others and column.source.position in determined_by(draft.scope, None, others):
        return f"{name} makes no groups: it goes with what the rows are grouped by beside it."
    place = place_of(draft.select)
    if place is Place.SET and len(draft.select.expressions) == 1:
        around = draft.select.find_ancestor(exp.In)
        if around is not None and not is_negated(around):
            return "The groups are looked up by their values, where a missing one is never found."
    return None


def _least_unsound(draft: Draft, name: str) -> str | None:
    if any(item.find(exp.AggFunc) is not None for item in draft.select.expressions):
        return "All rows together give one row, which no order changes."
    if draft.node.args.get("nulls_first") is False:
        return f"Rows without {name} come last in the order, so that they are not the least."
    return None


def _conditions(scope: Scope, column: SourceColumn) -> list[exp.Expr] | None:
    """Return the conditions that leave missing values of a column out, to be taken out.

    Returns:
        The conditions as AND connects them; None where one of them does not stand so, where
        another condition leaves missing values out too, or where it holds the column equal to one
        of another table, which a missing value never is.
    """
    if any(column in pair for pair in column_equalities(scope)):
        return None
    found = []
    together = required(scope)
    for condition in filtered_names(scope)[column.source.position, column.name]:
        whole = condition
        while isinstance(whole.parent, exp.Paren | exp.Not):
            whole = whole.parent
        whole = whole.unnest()
        is_plain = isinstance(condition, exp.Is) or whole is condition
        if not _leaves_missing_out(condition) or not is_plain:
            return None
        if not any(whole is each for each in together):
            return None
        found.append(whole)
    return found


def _blanks(condition: exp.Expr) -> list[str]:
    """Return the literals that stand for a missing value in a condition that leaves it out."""
    if not isinstance(condition, exp.NEQ):
        return []
    values = (condition.this, condition.expression)
    return [each.sql("sqlite") for each in values if isinstance(each, exp.Literal)]


def _sentences(name: str, blanks: list[str], keys: int) -> tuple[str, str]:
    """Word both sides: the one that keeps rows without a value, and the one that does not.

    Args:
        name: The column.
        blanks: Literals that count as no value.
        keys: How many columns make the groups; 0 where the rows are put in order.
    """
    without = f"Rows without a value of {name}"
    if blanks:
        without = f"{without} and rows where it is {' or '.join(blanks)}"
    if keys:
        own = "groups of their own" if blanks or keys > 1 else "a group of their own"
        return (
            f"{without} are kept, in {own}.",
            f"{without} are left out before the groups are formed.",
        )
    first = f"; where there is none, {_FIRST}" if blanks else f" and {_FIRST}"
    return (
        f"{without} are kept{first}.",
        f"{without} are left out before the rows are put in order.",
    )


_FIRST = "they come first in the order, before the least value"


CONVENTION = Convention(
    choice_type=ChoiceType.MISSING_VALUES,
    meaning="Are rows without a value kept, as a group or as the least, or left out?",
    usual="they are kept",
    other="they are left out",
    read=_read,
    cues=read_cues(__file__),
    edit=_edit,
)
