"""Which choice two queries differ in, read from what is in one of them and not in the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.shapes import (
    condition_nodes,
    is_negated,
    literal_of,
    nested_select,
    number_of,
)
from specbridge_pipeline.choices.conventions.time_scope import is_start_and_end
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, resolve_names
from specbridge_pipeline.sql.join_repeats import is_outer
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline.sql.places import Place, is_star, own_nodes, place_of

_RANKS = (exp.Rank, exp.DenseRank)
_EXTREMES = (exp.Max, exp.Min)
_BOUNDS = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_STRICT = (exp.GT, exp.LT)
_UP = (exp.GT, exp.GTE)
_OF_STEP = " of a step"
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?.*|(19|20)\d{2}")


@dataclass(frozen=True, slots=True)
class _Part:
    """Something that a query does.

    Attributes:
        kind: What it is about: "cut", "bound", "match" …
        subject: What it is done to, in a spelling that two queries share.
        how: How it is done; two queries that differ in a choice often share the rest.
    """

    kind: str
    subject: str
    how: str


def assigned_type(sql_a: str, sql_b: str, schema: Schema) -> ChoiceType | None:
    """Say which type of choice two interpretations differ in, as the paper's Table S7 bounds them.

    Mean of ratios against ratio of totals is aggregation level; things without rows counted as
    zero, missing groups and blanks are missing values.

    Args:
        sql_a: One interpretation.
        sql_b: The other one.
        schema: The tables that both read.

    Returns:
        The type; None where the queries differ in nothing that a type is about.

    Raises:
        UnusableReferenceError: One of them cannot be parsed.
    """
    one, other = (
        Counter(_parts(resolve_names(parse_query(sql), schema))) for sql in (sql_a, sql_b)
    )
    difference = _Difference(one - other, other - one, one & other)
    return next((each for each, applies in _RULES if applies(difference)), None)


@dataclass(frozen=True, slots=True)
class _Difference:
    """What each of two queries does that the other does not, and what both do."""

    one: Counter[_Part]
    other: Counter[_Part]
    both: Counter[_Part]

    def of(self, kind: str) -> tuple[list[_Part], list[_Part]]:
        """Return the parts of a kind on both sides."""
        return (
            [part for part in self.one if part.kind == kind],
            [part for part in self.other if part.kind == kind],
        )

    def has(self, kind: str) -> bool:
        """Say whether the queries differ in a kind of part."""
        return any(self.of(kind))

    def done_otherwise(self, kind: str) -> bool:
        """Say whether the same thing is done to the same subject in another way."""
        mine, theirs = self.of(kind)
        return any(
            part.subject == each.subject and part.how != each.how
            for part in mine
            for each in theirs
        )


def _parts(query: ResolvedQuery) -> Iterator[_Part]:
    for scope in query.scopes:
        yield from _cuts(scope)
        yield from _conditions(query, scope)
        yield from _joins(scope)
        for node in own_nodes(scope.select):
            if isinstance(node, exp.AggFunc):
                yield from _aggregate(scope, node)
    for _ in query.tree.find_all(exp.Intersect):
        yield _Part("linkage", "", "apart")
    for _ in query.tree.find_all(exp.Except):
        yield _Part("exclusion", "", "no match")
    for _ in query.tree.find_all(exp.Coalesce):
        yield _Part("missing", "", "replaced")
    for node in query.tree.find_all(exp.Mul, exp.Div):
        if {100, 0.01} & {number_of(node.this), number_of(node.expression)}:
            yield _Part("scale", "", "times 100")
    for operation in query.tree.find_all(exp.SetOperation):
        if operation.args.get("limit") is not None:
            yield _Part("cut", "", "limit")
    for scope in query.scopes:
        for node in scope.select.find_all(exp.Column):
            origin = query.origin(scope, node)
            if origin is not None:
                yield _Part("column", f"{origin[0].name}.{origin[1].name}".lower(), "")


def _cuts(scope: Scope) -> Iterator[_Part]:
    select = scope.select
    if select.args.get("distinct") is not None and place_of(select) is Place.TABLE:
        yield _Part("distinct", "", "")
    limit = select.args.get("limit")
    if limit is not None and select.args.get("order") is not None:
        yield _Part("cut", "", "a key" if _is_compared(select) else "limit")
    for item in select.expressions:
        node = item.unalias()
        if isinstance(node, exp.Window) and isinstance(node.this, _RANKS):
            yield _Part("cut", "", "rank")
        elif isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber):
            yield _Part("cut", "", "limit")
    for node in condition_nodes(scope):
        if isinstance(node, exp.EQ | exp.In) and not is_negated(node):
            inner = nested_select(node.args.get("query") or node.args.get("expression"))
            items = [] if inner is None else inner.expressions
            if len(items) == 1 and isinstance(items[0].unalias(), _EXTREMES):
                yield _Part("cut", "", "extreme")
            elif inner is not None and isinstance(node, exp.EQ):
                yield _Part("one of", "", "")


def _is_compared(select: exp.Select) -> bool:
    """Say whether a cut only finds the value that others are compared with."""
    around = select.parent
    while isinstance(around, exp.Subquery | exp.Paren):
        around = around.parent
    return isinstance(around, (*_BOUNDS, exp.EQ))


def _conditions(query: ResolvedQuery, scope: Scope) -> Iterator[_Part]:
    nodes = condition_nodes(scope)
    for node in nodes:
        if isinstance(node, exp.Between):
            subject = _spelled(query, scope, node.this)
            for end in ("low", "high"):
                yield _Part("period", f"{subject} {end} {_value(node.args[end])}", "in")
        elif isinstance(node, _BOUNDS):
            ranged = any(_bounds_a_range(node, each) for each in nodes)
            yield from _bound(query, scope, node, ranged=ranged)
        elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            yield _Part("missing", _spelled(query, scope, node.this), "tested")
        elif isinstance(node, exp.NEQ) and literal_of(node.expression) is not None:
            blank = _value(node.expression) in ("''", "0", "0.0")
            subject = _spelled(query, scope, node.this)
            yield _Part("missing" if blank else "exclusion", subject, "some other")
        elif isinstance(node, exp.EQ) and isinstance(literal_of(node.expression), exp.Literal):
            yield _Part("match", _spelled(query, scope, node.this), "whole")
        elif isinstance(node, exp.Like | exp.ILike | exp.Glob):
            yield _Part("match", _spelled(query, scope, node.this), "part")
        elif isinstance(node, exp.In) and node.args.get("query") is None:
            for each in node.expressions:
                if literal_of(each) is not None:
                    yield _Part("match", _spelled(query, scope, node.this), "whole")
        elif isinstance(node, exp.In | exp.Exists):
            if is_negated(node):
                yield _Part("exclusion", "", "no match")
            else:
                yield _Part("linkage", "", "apart")


def _bounds_a_range(node: exp.Expr, other: exp.Expr) -> bool:
    """Say whether two comparisons bound one value, or a start and an end, from both sides."""
    if not isinstance(other, _BOUNDS) or isinstance(node, _UP) == isinstance(other, _UP):
        return False
    if literal_of(node.expression) is None or literal_of(other.expression) is None:
        return False
    low, high = (node, other) if isinstance(node, _UP) else (other, node)
    return bool(low.this == high.this) or is_start_and_end(low.this, high.this)


def _bound(query: ResolvedQuery, scope: Scope, node: exp.Expr, *, ranged: bool) -> Iterator[_Part]:
    subject, cutoff, up = node.this, node.expression, isinstance(node, _UP)
    if literal_of(subject) is not None or nested_select(subject) is not None:
        subject, cutoff, up = cutoff, subject, not up
    inner = nested_select(cutoff)
    name = _spelled(query, scope, subject)
    if inner is None:
        how = "out" if isinstance(node, _STRICT) else "in"
        if _value(cutoff) in ("0", "0.0") and up and isinstance(node, _STRICT):
            yield _Part("missing", name, "some other")
            return
        kind = "period" if ranged or _is_date(cutoff) else "bound"
        yield _Part(kind, f"{name} {'low' if up else 'high'} {_value(cutoff)}", how)
        return
    items = inner.expressions
    item = items[0].unalias() if len(items) == 1 else None
    if isinstance(item, _EXTREMES):
        yield _Part("quantifier", name, type(item).__name__)
    elif inner.args.get("limit") is not None:
        yield _Part("cut", "", "reached")


def _is_date(cutoff: exp.Expr) -> bool:
    literal = literal_of(cutoff)
    return (
        literal is not None
        and bool(literal.is_string)
        and _DATE.fullmatch(literal.name) is not None
    )


def _value(node: exp.Expr) -> str:
    return node.sql("sqlite")


def _joins(scope: Scope) -> Iterator[_Part]:
    for join in scope.select.args.get("joins") or ():
        if is_outer(join):
            yield _Part("join", "", "outer")
    for source in scope.sources:
        if source.table is not None:
            yield _Part("table", source.table.name.lower(), "")


def _aggregate(scope: Scope, node: exp.AggFunc) -> Iterator[_Part]:
    if isinstance(node.parent, exp.Window) or isinstance(node, (exp.RowNumber, *_RANKS)):
        return
    if isinstance(node, exp.Count):
        distinct = isinstance(node.this, exp.Distinct)
        whole = is_star(node.this) or isinstance(node.this, exp.Literal)
        yield _Part("count", "", "each once" if distinct else "rows" if whole else "values")
    elif not isinstance(node, _EXTREMES):
        inside = " of a quotient" if node.find(exp.Div) is not None else ""
        again = _OF_STEP if any(_is_of_step(scope, each) for each in node.walk()) else ""
        yield _Part("aggregate", "", type(node).__name__ + inside + again)


def _is_of_step(scope: Scope, node: exp.Expr) -> bool:
    column = scope.own_column(node)
    return column is not None and column.source.query is not None


def _spelled(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> str:
    while isinstance(node, exp.Lower | exp.Upper | exp.Trim | exp.Paren):
        node = node.this
    origin = query.origin(scope, node)
    if origin is not None:
        return f"{origin[0].name}.{origin[1].name}".lower()
    return node.sql("sqlite").lower().replace('"', "")


def _is_ties(found: _Difference) -> bool:
    return found.has("cut") or (found.has("one of") and found.has("linkage"))


def _is_negation(found: _Difference) -> bool:
    mine, theirs = found.of("exclusion")
    return {each.how for each in mine} != {each.how for each in theirs}


def _is_missing_values(found: _Difference) -> bool:
    """Say whether a missing value is kept or dropped, or things without rows count as zero.

    Things without rows count as zero where an aggregate of the step sees them; where they are
    only listed, the population is another one.
    """
    if found.has("missing"):
        return True
    averaged = any(part.kind == "aggregate" and part.how.endswith(_OF_STEP) for part in found.both)
    return found.has("join") and averaged


def _is_counting_unit(found: _Difference) -> bool:
    counted = any(part.kind == "count" for part in found.both)
    return found.has("count") or (found.has("distinct") and counted)


def _is_linkage(found: _Difference) -> bool:
    """Say whether conditions are asked apart: of a set of rows, or of a table read twice."""
    tables = [part for part in found.both if part.kind == "table"]
    return found.has("linkage") or any(
        part in tables for side in found.of("table") for part in side
    )


_RULES: tuple[tuple[ChoiceType, Callable[[_Difference], bool]], ...] = (
    (ChoiceType.TIES, _is_ties),
    (ChoiceType.NEGATION, _is_negation),
    (ChoiceType.VALUE_MATCHING, lambda found: found.done_otherwise("match")),
    (ChoiceType.QUANTIFIER, lambda found: found.done_otherwise("quantifier")),
    (ChoiceType.TIME_SCOPE, lambda found: found.done_otherwise("period")),
    (ChoiceType.STRICT_CUTOFF, lambda found: found.done_otherwise("bound")),
    (ChoiceType.MISSING_VALUES, _is_missing_values),
    (ChoiceType.POPULATION_SCOPE, lambda found: found.has("join")),
    (ChoiceType.COUNTING_UNIT, _is_counting_unit),
    (ChoiceType.CALCULATION, lambda found: found.has("scale")),
    (ChoiceType.AGGREGATION_LEVEL, lambda found: found.has("aggregate")),
    (ChoiceType.CONDITION_LINKAGE, _is_linkage),
    (ChoiceType.RELATIONSHIP_ROLE, lambda found: found.has("table")),
    (ChoiceType.REFERENT_COLUMN, lambda found: found.has("column")),
)
