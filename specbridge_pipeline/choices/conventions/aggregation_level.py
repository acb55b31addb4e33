"""Aggregation level: is a thing ranked by one of its rows, or by all of them together?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.edits.aggregation_level_edit import other_level
from specbridge_pipeline.choices.conventions.shapes import (
    column_kind,
    condition_nodes,
    is_identifier,
    nested_select,
    number_of,
    shown_sources,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, SourceColumn
from specbridge_pipeline.sql.engines.rules import ColumnKind
from specbridge_pipeline.sql.join_repeats import determined_by, fixed_columns

_NO_MEASURES = re.compile(
    r"year|date|month|day|time|rank|position|order|latitude|longitude|age|code|number_?$|zip|level"
)
_WHOLE = (exp.Sum, exp.Avg)
_ONE = (exp.Max, exp.Min)


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        for key, node in _ranking_values(scope):
            side = Side.OTHER if isinstance(key, _WHOLE) else Side.USUAL
            inner = key.this if isinstance(key, _WHOLE + _ONE) else key
            column = scope.own_column(inner)
            if column is None or not _is_measure(reference.query, column):
                continue
            if side is Side.OTHER and scope.select.args.get("group") is None:
                continue
            if not _ranks_the_one_side(scope, column):
                continue
            form = "one row's value" if side is Side.USUAL else "a total or average of the rows"
            yield Reading(side, form, scope, node)


def _ranking_values(scope: Scope) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Yield what a SELECT ranks by: the first key of a cut, or what equals an extreme."""
    order, limit = scope.select.args.get("order"), scope.select.args.get("limit")
    if order is not None and limit is not None and number_of(limit.expression) is not None:
        term = order.expressions[0]
        key = term.this
        if scope.own_column(key) is None or scope.output(key) is not None:
            key = scope.output(key) or key
        yield key, term
    for node in condition_nodes(scope):
        if isinstance(node, exp.EQ):
            select = nested_select(node.expression)
            items = [] if select is None else select.expressions
            if len(items) == 1 and isinstance(items[0].unalias(), _ONE):
                yield node.this, node


def _is_measure(query: ResolvedQuery, column: SourceColumn) -> bool:
    table, declared = column.source.table, column.column
    if table is None or declared is None or is_identifier(table, declared):
        return False
    kind = column_kind(query, declared)
    numeric = kind in (ColumnKind.INTEGER, ColumnKind.REAL, ColumnKind.NUMBER)
    return numeric and _NO_MEASURES.search(column.name) is None


def _ranks_the_one_side(scope: Scope, column: SourceColumn) -> bool:
    """Say whether things of another table are shown, each of which has several of the rows."""
    shown = shown_sources(scope)
    held = fixed_columns(scope)
    return bool(shown) and all(
        source != column.source and column.source.position not in determined_by(scope, source, held)
        for source in shown
    )


CONVENTION = Convention(
    choice_type=ChoiceType.AGGREGATION_LEVEL,
    meaning="Is a thing ranked by the value of one of its rows, or by all of them together?",
    usual="by one row's value",
    other="by a total or an average of its rows",
    read=_read,
    cues=read_cues(__file__),
    edit=other_level,
)
