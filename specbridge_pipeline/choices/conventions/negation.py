"""Negation: does "without X" mean no record with X, or some record without it?"""

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
from specbridge_pipeline.choices.conventions.edits.clauses import required
from specbridge_pipeline.choices.conventions.edits.looked_up_records import (
    excludes_value,
    given_columns,
    is_link,
    of_one_row,
)
from specbridge_pipeline.choices.conventions.edits.negation_edit import edit_negation
from specbridge_pipeline.choices.conventions.shapes import (
    condition_nodes,
    is_negated,
    literal_of,
    nested_select,
    shown_sources,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, SourceColumn
from specbridge_pipeline.sql.join_repeats import determined_by, fixed_columns, unique_keys
from specbridge_pipeline.sql.places import first_member


def _read(reference: Reference) -> Iterator[Reading]:
    query = reference.query
    for difference in query.tree.find_all(exp.Except):
        left = query.scope_of(first_member(difference.this))
        right = first_member(difference.expression)
        if left is not None and right is not None:
            yield from _no_match(query, left, right, difference, "EXCEPT")
    for common in query.tree.find_all(exp.Intersect):
        left = query.scope_of(first_member(common.this))
        right = nested_select(common.expression)
        if left is not None and right is not None:
            yield from _some_match(query, left, right, common)
    for scope in query.scopes:
        for node in condition_nodes(scope):
            is_set = isinstance(node, exp.In) and node.args.get("query") is not None
            if is_set or isinstance(node, exp.Exists):
                inner = nested_select(node.args["query"] if is_set else node.this)
                if inner is None:
                    continue
                if is_negated(node):
                    form = "NOT IN" if is_set else "NOT EXISTS"
                    yield from _no_match(query, scope, inner, node, form)
                else:
                    yield from _some_match(query, scope, inner, node)
            elif excludes_value(node):
                yield from _some_other(scope, node)


def _no_match(
    query: ResolvedQuery, scope: Scope, inner: exp.Select, node: exp.Expr, form: str
) -> Iterator[Reading]:
    """Read an exclusion over another table; without a condition there it excludes any record."""
    inside = query.scope_of(inner)
    if inside is None:
        return
    outer_tables = {source.table for source in scope.sources}
    others = [source for source in inside.sources if source.table not in outer_tables]
    if not others:
        return
    conditioned = (
        any(_is_condition(each) for each in condition_nodes(inside))
        or inner.args.get("having") is not None
    )
    yield Reading(Side.USUAL, form, scope, node, conditioned and not _is_of_one_record(inside))


def _some_match(
    query: ResolvedQuery, scope: Scope, inner: exp.Select, node: exp.Expr
) -> Iterator[Reading]:
    """Read a look-up of the records of another table of which only a value is excluded."""
    inside = query.scope_of(inner)
    if inside is None or any(inner.args.get(part) for part in ("having", "limit")):
        return
    outer_tables = {source.table for source in scope.sources}
    asked: set[int] = set()
    links = []
    for condition in required(inside):
        if is_link(query, inside, condition):
            links.append(condition)
            continue
        column = next((inside.own_column(each) for each in condition.find_all(exp.Column)), None)
        plain = condition.this.unnest() if isinstance(condition, exp.Not) else condition
        if column is None or column.source.table in outer_tables or not excludes_value(plain):
            return
        asked.add(column.source.position)
    fixed = given_columns(inside, links, not isinstance(node, exp.Exists))
    if asked and not asked & of_one_row(inside, fixed):
        yield Reading(Side.OTHER, "<> in a look-up", scope, node)


def _is_of_one_record(inside: Scope) -> bool:
    """Say whether a query gives keys of its one table: of what there is one record, not several."""
    column = _only_output(inside)
    return (
        column is not None
        and len(inside.sources) == 1
        and frozenset({column.name}) in unique_keys(inside, column.source)
    )


def _only_output(scope: Scope) -> SourceColumn | None:
    """Return the column of an own source that is the one output of a SELECT."""
    items = scope.select.expressions
    return scope.own_column(items[0].unalias()) if len(items) == 1 else None


def _is_condition(node: exp.Expr) -> bool:
    return isinstance(node, exp.Predicate | exp.In) and (
        literal_of(node.args.get("expression")) is not None
        or literal_of(node.this) is not None
        or bool(node.args.get("expressions"))
        or isinstance(node, exp.Between)
    )


def _some_other(scope: Scope, node: exp.Expr) -> Iterator[Reading]:
    """Read a value that differs in one record of several: the thing shown is on the one side."""
    column = next((scope.own_column(each) for each in node.find_all(exp.Column)), None)
    if column is None:
        return
    for source in shown_sources(scope):
        known = determined_by(scope, source, fixed_columns(scope))
        if column.source.position not in known:
            yield Reading(Side.OTHER, "<> on the many side", scope, node)
            return


CONVENTION = Convention(
    choice_type=ChoiceType.NEGATION,
    meaning='Does "without X" mean no record with X, or some record without it?',
    usual="no record with it",
    other="some record without it",
    read=_read,
    cues=read_cues(__file__),
    edit=edit_negation,
)
