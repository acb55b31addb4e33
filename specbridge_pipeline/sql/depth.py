"""How deep a query is: its step depth and its arithmetic depth, measured from the SQL alone.

The paper (Section 2.2) controls both when it generates queries. Here they are read from the
finished statement, by rules that know nothing of a generator:

- A *stage* is a SELECT that aggregates, ranks, or compares with a value computed elsewhere; so is a
  window function that computes a baseline, and a scalar subquery that is more than a look-up.
  Projecting, ordering, cutting or filtering by a literal over one stage belongs to it. The step
  depth is the number of stages on the longest chain of dependence.
- The arithmetic depth is the deepest nesting of + - * / in any value that the query returns or
  compares, with the values of earlier stages written out. Aggregates add nothing, chains of + and -
  and chains of * count once, and CAST, ROUND, a sign, * 1.0 and * 100 are free.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.parsing import parse_query, shorten
from specbridge_pipeline.sql.steps import (
    QueryStep,
    QuerySteps,
    StepKind,
    join_conditions,
    split_steps,
    unwrapped,
)
from specbridge_pipeline.sql.written_values import Chain, Written, combined, nested


@dataclass(frozen=True, slots=True)
class Depth:
    """Both depths of a query.

    Attributes:
        step: Number of stages on the longest chain of dependence, at least 1.
        arithmetic: Deepest nesting of arithmetic in any value returned or compared.
    """

    step: int
    arithmetic: int


def measure_depth(sql: str, engine: Engine = Engine.SQLITE) -> Depth:
    """Measure a query.

    Args:
        sql: One query. No schema is needed: a name that no step explains is taken for a column of
            a table.
        engine: The engine that it is for.

    Raises:
        UnusableReferenceError: It cannot be parsed, is recursive, or is nested too deeply.
    """
    query = parse_query(sql, engine)
    try:
        return _Measure(split_steps(query, engine)).depth()
    except RecursionError as error:
        raise UnusableReferenceError(
            "the statement's expressions are nested too deeply to be measured",
            where=shorten(sql),
            advice="write it with fewer nested expressions",
        ) from error


_RANKS = (exp.Rank, exp.DenseRank, exp.RowNumber, exp.Ntile, exp.PercentRank, exp.CumeDist)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv)
_COMBINING = (
    *_ARITHMETIC,
    exp.Mod,
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.Is,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Between,
    exp.In,
)
_PLAIN = Written()
_AGGREGATE_NAMES = frozenset({"total", "json_group_array", "json_group_object"})


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a value that stands in an expression comes from.

    Attributes:
        source: What tells sources, windows and subqueries of the whole statement apart.
        level: The stage that computed it; 0 for a column of a table.
        computed: Whether a stage computed it, rather than passed on what a table holds.
        own: Whether it is an aggregate of the very SELECT in which it stands.
    """

    source: int
    level: int
    computed: bool
    own: bool = False


@dataclass(frozen=True, slots=True)
class _Value:
    written: Written = _PLAIN
    origins: frozenset[_Origin] = frozenset()


@dataclass(frozen=True, slots=True)
class _Output:
    name: str
    written: Written
    level: int
    computed: bool


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known of a measured step.

    Attributes:
        level: Its stage.
        outputs: Its outputs, as far as their names are known.
        compared: Arithmetic depth of what it compares, the steps that it reads included.
    """

    level: int
    outputs: tuple[_Output, ...]
    compared: int


@dataclass(frozen=True, slots=True)
class _Source:
    number: int
    alias: str
    facts: _Facts | None

    def output(self, name: str) -> _Output | None:
        if self.facts is None:
            return None
        return next((each for each in self.facts.outputs if each.name == name), None)


@dataclass(slots=True)
class _Scope:
    """The names that the expressions of one step can use, and what reading them has shown.

    Attributes:
        sources: The step's sources.
        outer: The scope around a subquery.
        row_level: The stage of a row of the step.
        own: Number of the step's own aggregates.
        compared: Arithmetic depth of what was compared.
        comparing: The stage of the deepest comparison with a computed value; 0 without one.
        reached: The deepest stage of any value that was used.
    """

    sources: tuple[_Source, ...]
    outer: _Scope | None
    row_level: int = 0
    own: int = 0
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    windows: dict[str, exp.Window] = field(default_factory=dict)
    compared: int = 0
    comparing: int = 0
    reached: int = 0


class _Measure:
    def __init__(self, steps: QuerySteps) -> None:
        self._steps = steps
        self._facts: dict[int, _Facts] = {}
        self._numbers = count()

    def depth(self) -> Depth:
        facts = self._of(len(self._steps.steps) - 1, None)
        returned = max((each.written.depth for each in facts.outputs), default=0)
        return Depth(max(facts.level, 1), max(returned, facts.compared))

    def _of(self, index: int, outer: _Scope | None) -> _Facts:
        if index not in self._facts:
            step = self._steps.steps[index]
            # Only a WITH entry can be read from several places, and it sees none of them.
            outer = None if step.kind is StepKind.WITH else outer
            facts = self._set_operation(step, outer) if step.branches else self._select(step, outer)
            self._facts[index] = _renamed(facts, step.columns)
        return self._facts[index]

    def _set_operation(self, step: QueryStep, outer: _Scope | None) -> _Facts:
        sides = [self._of(branch, outer) for branch in step.branches]
        rows = zip(*(side.outputs for side in sides), strict=False)
        outputs = tuple(
            _Output(
                name=row[0].name,
                written=nested(each.written for each in row),
                level=max(each.level for each in row),
                computed=any(each.computed for each in row),
            )
            for row in rows
        )
        level = max(side.level for side in sides)
        together = _Facts(level, outputs, max(side.compared for side in sides))
        scope = _Scope((_Source(next(self._numbers), "", together),), outer, row_level=level)
        self._read_tail(step.query, scope)
        level = max(scope.comparing, scope.reached, level, int(_is_cut(step.query)))
        return _Facts(level, outputs, max(together.compared, scope.compared))

    def _select(self, step: QueryStep, outer: _Scope | None) -> _Facts:
        select = step.query
        assert isinstance(select, exp.Select)
        sources = tuple(
            _Source(
                next(self._numbers),
                source.alias,
                None if source.step is None else self._of(source.step, outer),
            )
            for source in step.sources
        )
        read = [source.facts for source in sources if source.facts is not None]
        below = max((facts.level for facts in read), default=0)
        stages = sum(facts.level > 0 for facts in read)
        is_stage = _aggregates(select) or stages > 1
        scope = _Scope(
            sources=sources,
            outer=outer,
            row_level=below + is_stage,
            own=next(self._numbers),
            windows={
                each.name.lower(): each
                for each in select.args.get("windows") or ()
                if isinstance(each, exp.Window)
            },
        )
        values = [(each, self._value(each, scope)) for each in select.expressions]
        # Only now: the select list itself cannot use its aliases.
        scope.aliases = {
            each.alias.lower(): each.this
            for each in select.expressions
            if isinstance(each, exp.Alias)
        }
        self._read_conditions(select, scope)
        row_level = scope.row_level
        if not is_stage and scope.comparing <= below:
            # Else the rank is computed where the ranked value is, and adds nothing.
            row_level += _ranks(select, scope)
        if row_level == 0:
            row_level = int(_is_cut(select))
        outputs = tuple(
            output
            for node, value in values
            for output in self._outputs(node, value, scope, row_level)
        )
        level = max(row_level, below, scope.comparing, scope.reached)
        compared = max([scope.compared, *(facts.compared for facts in read)])
        return _Facts(level, outputs, compared)

    def _outputs(
        self, node: exp.Expr, value: _Value, scope: _Scope, row_level: int
    ) -> list[_Output]:
        if node.is_star:
            table = node.table.lower() if isinstance(node, exp.Column) else ""
            return [
                output
                for source in scope.sources
                if source.facts is not None and table in ("", source.alias)
                for output in source.facts.outputs
            ]
        level = max([row_level, _comparing(value.origins), *(o.level for o in value.origins)])
        computed = any(origin.computed for origin in value.origins)
        return [_Output(node.alias_or_name.lower(), value.written, level, computed)]

    def _read_conditions(self, select: exp.Select, scope: _Scope) -> None:
        for condition in join_conditions(select):
            self._compare(condition, scope)
        for part in ("where", "group", "having"):
            node = select.args.get(part)
            if node is not None:
                self._compare(node, scope)
        self._read_tail(select, scope)

    def _read_tail(self, query: exp.Query, scope: _Scope) -> None:
        order = query.args.get("order")
        for term in order.expressions if order is not None else ():
            key = term.this
            if isinstance(key, exp.Column) and not key.table and key.name.lower() in scope.aliases:
                key = scope.aliases[key.name.lower()]
            self._compare(key, scope)
        for part in ("limit", "offset"):
            node = query.args.get(part)
            value = _Value() if node is None else self._value(node, scope)
            # The number of rows is set by a computed value.
            if any(origin.computed for origin in value.origins):
                scope.comparing = max(scope.comparing, scope.reached + 1)

    def _compare(self, node: exp.Expr, scope: _Scope) -> None:
        scope.compared = max(scope.compared, self._value(node, scope).written.depth)

    def _value(self, node: exp.Expr, scope: _Scope) -> _Value:
        if isinstance(node, exp.Column):
            return self._column(node, scope)
        if isinstance(node, exp.Window):
            return self._window(node, scope)
        if isinstance(unwrapped(node), exp.Select | exp.SetOperation):
            return self._subquery(unwrapped(node), scope, membership=False)
        if isinstance(node, exp.Exists):
            return self._subquery(unwrapped(node.this), scope, membership=True)
        if isinstance(node, exp.In) and node.args.get("query") is not None:
            inside = self._subquery(unwrapped(node.args["query"]), scope, membership=True)
            return _together([self._value(node.this, scope), inside])
        parts = [self._value(child, scope) for child in node.iter_expressions()]
        if _is_aggregate(node):
            own = _Origin(scope.own, scope.row_level, computed=True, own=True)
            return _Value(nested(part.written for part in parts), frozenset({own}))
        if isinstance(node, _COMBINING):
            self._combine(parts, scope)
        value = _together(parts)
        if isinstance(node, _ARITHMETIC):
            return _Value(_calculated(node, parts), value.origins)
        if isinstance(node, exp.Paren | exp.Neg | exp.Cast | exp.Round | exp.Alias) and parts:
            return _Value(parts[0].written, value.origins)
        return value

    def _combine(self, parts: list[_Value], scope: _Scope) -> None:
        everything = frozenset[_Origin]().union(*(part.origins for part in parts))
        scope.comparing = max(scope.comparing, _comparing(everything))

    def _column(self, column: exp.Column, scope: _Scope) -> _Value:
        if isinstance(column.this, exp.Star):
            return _Value()
        found = self._found(column, scope)
        if found is not None:
            return found
        name = column.name.lower()
        if not column.table and name in scope.aliases:
            # Outside the select list an alias stands for its expression. It is taken away for the
            # while, since inside that expression the name is a column's.
            expression = scope.aliases.pop(name)
            try:
                return self._value(expression, scope)
            finally:
                scope.aliases[name] = expression
        return _Value(origins=frozenset({_Origin(scope.own, 0, computed=False)}))

    def _found(self, column: exp.Column, scope: _Scope) -> _Value | None:
        name, table = column.name.lower(), column.table.lower()
        around: _Scope | None = scope
        while around is not None:
            named = [each for each in around.sources if table in ("", each.alias)]
            for source in named:
                output = source.output(name)
                if output is not None:
                    origin = _Origin(source.number, output.level, output.computed)
                    return _Value(output.written, frozenset({origin}))
            if table and named:
                return _Value(origins=frozenset({_Origin(named[0].number, 0, computed=False)}))
            if not table and (name in around.aliases and around is scope):
                return None
            tables = [each for each in named if each.facts is None]
            if not table and tables:
                return _Value(origins=frozenset({_Origin(tables[0].number, 0, computed=False)}))
            around = around.outer
        return None

    def _window(self, window: exp.Window, scope: _Scope) -> _Value:
        function = window.this
        kind = function.this if isinstance(function, exp.Filter) else function
        named = scope.windows.get(window.alias.lower()) if window.alias else None
        frame = [
            child
            for each in (window, named)
            if each is not None
            for child in each.iter_expressions()
            if child is not function and not isinstance(child, exp.Identifier)
        ]
        # The function itself is no aggregate of the SELECT; what stands inside it may be.
        inside = [
            child
            for each in ({id(function): function, id(kind): kind}.values())
            for child in each.iter_expressions()
            if child is not kind
        ]
        parts = [self._value(child, scope) for child in (*inside, *frame)]
        written = nested(part.written for part in parts)
        if isinstance(kind, _RANKS):
            origin = _Origin(scope.own, scope.row_level, computed=True, own=True)
            return _Value(written, frozenset({origin}))
        inner = _together(parts).origins
        level = 1 + max([scope.row_level, _comparing(inner), *(each.level for each in inner)])
        scope.reached = max(scope.reached, level)
        return _Value(written, frozenset({_Origin(next(self._numbers), level, computed=True)}))

    def _subquery(self, query: exp.Expr, scope: _Scope, *, membership: bool) -> _Value:
        facts = self._of(self._steps.index_of(query), scope)
        scope.reached = max(scope.reached, facts.level)
        scope.compared = max(scope.compared, facts.compared)
        if membership:
            # Rows are kept by what a computed set holds.
            scope.comparing = max(scope.comparing, facts.level + 1 if facts.level else 0)
            scope.compared = max(
                [scope.compared, *(output.written.depth for output in facts.outputs)]
            )
            return _Value()
        written = facts.outputs[0].written if facts.outputs else Written()
        origin = _Origin(next(self._numbers), facts.level, computed=facts.level > 0)
        return _Value(written, frozenset({origin}))


def _comparing(origins: frozenset[_Origin]) -> int:
    """Return the stage of what combines values of these origins; 0 where that is no stage."""
    deepest = 0
    for one in origins:
        others = (other for other in origins if other != one)
        if one.computed and not one.own and any(_apart(one, other) for other in others):
            deepest = max(deepest, 1 + max(each.level for each in origins))
    return deepest


def _apart(one: _Origin, other: _Origin) -> bool:
    if one.source != other.source:
        return True
    return other.computed and one.level != other.level


def _together(parts: list[_Value]) -> _Value:
    return _Value(
        nested(part.written for part in parts),
        frozenset[_Origin]().union(*(part.origins for part in parts)),
    )


def _calculated(node: exp.Expr, parts: list[_Value]) -> Written:
    left, right = (part.written for part in parts[:2])
    if isinstance(node, exp.Mul):
        if _is_free_factor(node.this):
            return right
        if _is_free_factor(node.expression):
            return left
        return combined(left, right, Chain.PRODUCT)
    return combined(
        left, right, Chain.NONE if isinstance(node, exp.Div | exp.IntDiv) else Chain.SUM
    )


def _is_free_factor(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren | exp.Neg):
        node = node.this
    if not isinstance(node, exp.Literal) or node.is_string:
        return False
    try:
        return float(node.name) in (1.0, 100.0)
    except ValueError:
        return False


def _aggregates(select: exp.Select) -> bool:
    """Whether a SELECT makes one row of several."""
    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    parts = [*select.expressions, select.args.get("order")]
    return any(_holds_aggregate(part) for part in parts if part is not None)


def _holds_aggregate(node: exp.Expr) -> bool:
    if isinstance(unwrapped(node), exp.Select | exp.SetOperation):
        return False
    if isinstance(node, exp.Window):
        function = node.this
        kind = function.this if isinstance(function, exp.Filter) else function
        inner = [*kind.iter_expressions(), *node.iter_expressions()]
        return any(_holds_aggregate(each) for each in inner if each is not function)
    return _is_aggregate(node) or any(_holds_aggregate(each) for each in node.iter_expressions())


def _is_aggregate(node: exp.Expr) -> bool:
    if isinstance(node, exp.Max | exp.Min):
        # With several arguments these are the greatest and the least of them.
        return not node.expressions
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in _AGGREGATE_NAMES
    return isinstance(node, exp.AggFunc | exp.JSONArrayAgg | exp.JSONObjectAgg)


def _ranks(select: exp.Select, scope: _Scope) -> bool:
    """Whether a SELECT ranks its rows by values that it did not compute itself."""
    keys = [
        term.this
        for each in select.expressions
        for window in each.find_all(exp.Window)
        if isinstance(window.this, _RANKS)
        for part in (window, scope.windows.get(window.alias.lower()))
        if part is not None and part.args.get("order") is not None
        for term in part.args["order"].expressions
    ]
    return any(isinstance(key, exp.Column) for key in keys)


def _is_cut(query: exp.Query) -> bool:
    """Whether a query keeps only its first rows."""
    return query.args.get("limit") is not None


def _renamed(facts: _Facts, columns: tuple[str, ...]) -> _Facts:
    if not columns:
        return facts
    named = tuple(
        _Output(name.lower(), output.written, output.level, output.computed)
        for name, output in zip(columns, facts.outputs, strict=False)
    )
    return _Facts(facts.level, named, facts.compared)
