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
from specbridge_pipeline.choices.conventions.shapes import (
    filtered_names,
    group_columns,
    is_negated,
    number_of,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import Scope, SourceColumn
from specbridge_pipeline.sql.join_repeats import column_equalities


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


CONVENTION = Convention(
    choice_type=ChoiceType.MISSING_VALUES,
    meaning="Are rows without a value kept, as a group or as the least, or left out?",
    usual="they are kept",
    other="they are left out",
    read=_read,
    cues=read_cues(__file__),
)
