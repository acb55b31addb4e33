"""Values and conditions of one SELECT, from the syntax tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlglot import exp

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.names import Scope, undescribable
from specbridge_pipeline.exact_description.number_types import (
    NumberType,
    as_compared,
    computed_real,
    holds_text,
    kind_of_value,
    number_type,
)
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Comparison,
    Condition,
    Expression,
    Literal,
    Membership,
    Missing,
    OrderKey,
    Rank,
    Step,
    StepValue,
    ZeroIfMissing,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import NUMERIC_KINDS, TEXT_KINDS, ColumnKind

OutputNames = Callable[[str], Expression | None]
"""Returns the value of an output by its name, or None."""

_OPERATORS: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_AGGREGATES: dict[type[exp.Expr], AggregateFunction] = {
    exp.Sum: AggregateFunction.SUM,
    exp.Avg: AggregateFunction.AVERAGE,
    exp.Min: AggregateFunction.MINIMUM,
    exp.Max: AggregateFunction.MAXIMUM,
}
_MOMENTS = (exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP)
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_FLIPPED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

_WORDS: dict[type[exp.Expr], str] = {
    exp.Case: "CASE",
    exp.If: "CASE",
    exp.In: "IN",
    exp.Exists: "EXISTS",
    exp.Or: "OR",
    exp.Like: "LIKE",
    exp.Glob: "GLOB",
    exp.DPipe: "joining of text (||)",
    exp.Mod: "% (remainder)",
    exp.Collate: "COLLATE",
    exp.Filter: "FILTER",
    exp.NullSafeEQ: "IS with a value",
    exp.NullSafeNEQ: "IS NOT with a value",
    exp.Tuple: "a row value",
    exp.Boolean: "TRUE or FALSE",
    exp.HexString: "a blob literal",
    exp.Greatest: "MAX of several values",
    exp.Least: "MIN of several values",
}


def construct(node: exp.Expr) -> str:
    """Return what a construct is called in SQL."""
    for kind, word in _WORDS.items():
        if isinstance(node, kind):
            return word
    if isinstance(node, exp.Anonymous):
        return f"the function {node.name.upper()}"
    if isinstance(node, exp.Func):
        return f"the function {node.sql_name()}"
    return type(node).__name__.upper()


class ValueReader:
    """Reads the values and conditions of one SELECT.

    Args:
        scope: What its names stand for.
        schema: Gives the declared types.
        steps: The steps read so far; read when a value is, so that subqueries may add to it.
        subquery: Reads a subquery and returns the index of its step.
        records: Reads the SELECT of an IN, and returns it as a step of its own.
    """

    def __init__(
        self,
        scope: Scope,
        schema: Schema,
        steps: Sequence[Step],
        subquery: Callable[[exp.Expr, Scope], int],
        records: Callable[[exp.Expr, Scope], Step],
    ) -> None:
        self._scope = scope
        self._schema = schema
        self._rules = rules_of(schema.engine)
        self._steps = steps
        self._subquery = subquery
        self._records = records

    def value(
        self,
        node: exp.Expr,
        *,
        aggregates: bool,
        ranks: bool = False,
        names: OutputNames | None = None,
    ) -> Expression:
        """Read a value.

        Args:
            node: Its tree.
            aggregates: Whether it may hold aggregates.
            ranks: Whether it may be a rank.
            names: Output names, where they count.

        Raises:
            UndescribableQueryError: It holds a construct without words.
        """
        node = bare(node)
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            found = self._scope.column(node, names)
            # An output's name can bring in what could not be written in its place.
            if not aggregates and holds_aggregate_or_rank(found):
                raise self._error(f"{node.name} is computed only after this is read", node)
            if not ranks and _holds_rank(found):
                raise self._error("a calculation with a rank cannot be described", node)
            return found
        if isinstance(node, exp.Literal | exp.Null):
            return self._literal(node)
        if isinstance(node, exp.Boolean) and self._rules.strict_types:
            return Literal(bool(node.this))
        if isinstance(node, exp.Neg):
            inner = self.value(node.this, aggregates=aggregates, names=names)
            if isinstance(inner, Literal) and isinstance(inner.value, int | float):
                return Literal(-inner.value)
            return self._arithmetic("-", Literal(0), inner, node)
        if isinstance(node, exp.Cast) and not isinstance(node, exp.TryCast):
            return self._cast(node, aggregates, names)
        if isinstance(node, exp.IntDiv):
            return self._whole_division(node, aggregates, names)
        if type(node) in _OPERATORS:
            left = self.value(node.this, aggregates=aggregates, names=names)
            right = self.value(node.expression, aggregates=aggregates, names=names)
            return self._arithmetic(_OPERATORS[type(node)], left, right, node)
        if isinstance(node, exp.Count) or type(node) in _AGGREGATES:
            if not aggregates:
                raise self._error("an aggregate cannot stand here", node)
            return self._aggregate(node, names)
        if isinstance(node, exp.Window):
            if not ranks:
                raise self._error(
                    "a window function that is not an output by itself cannot be described", node
                )
            return self._rank(node, aggregates)
        if isinstance(node, exp.Subquery):
            step = self._subquery(node, self._scope)
            if len(self._steps[step].outputs) != 1:
                raise self._error("a subquery used as a value returns several columns", node)
            return StepValue(None, step, 0)
        raise self._unknown(node)

    def conditions(
        self, node: exp.Expr, *, aggregates: bool, names: OutputNames | None
    ) -> tuple[Condition, ...]:
        """Read conditions that must all hold.

        Args:
            node: Their tree.
            aggregates: Whether they may compare aggregates.
            names: Output names, where they count.

        Raises:
            UndescribableQueryError: It holds a construct without words.
        """
        node = bare(node)
        if isinstance(node, exp.And):
            return (
                *self.conditions(node.this, aggregates=aggregates, names=names),
                *self.conditions(node.expression, aggregates=aggregates, names=names),
            )

        def value(part: exp.Expr) -> Expression:
            return self.value(part, aggregates=aggregates, names=names)

        if isinstance(node, exp.Between) and not node.args.get("symmetric"):
            between = value(node.this)
            return (
                self._comparison(">=", between, value(node.args["low"]), node),
                self._comparison("<=", between, value(node.args["high"]), node),
            )
        negated = False
        outermost = node
        while isinstance(node, exp.Not):
            negated = not negated
            node = bare(node.this)
        if isinstance(node, exp.Is) and isinstance(bare(node.expression), exp.Null):
            return (Missing(value(node.this), negated),)
        if isinstance(node, exp.In) and isinstance(node.args.get("query"), exp.Subquery):
            return (self._membership(value(node.this), node, negated=negated),)
        if type(node) in _COMPARISONS:
            operator = _COMPARISONS[type(node)]
            operator = _NEGATED[operator] if negated else operator
            return (
                self._comparison(operator, value(node.this), value(node.expression), outermost),
            )
        if isinstance(node, exp.Column | exp.Literal):
            raise self._error("a value used as a condition cannot be described", outermost)
        raise self._unknown(node)

    def _membership(self, sought: Expression, node: exp.In, *, negated: bool) -> Membership:
        step = self._records(node.args["query"].this, self._scope)
        column = step.outputs[0].value
        conditions = tuple(each for each in step.conditions if not isinstance(each, Membership))
        if len(conditions) < len(step.conditions):
            raise self._error("IN within IN cannot be described", node)
        assert isinstance(column, ColumnValue)
        return Membership(sought, column, conditions, negated)

    def order(
        self,
        node: exp.Order,
        *,
        aggregates: bool,
        key: Callable[[exp.Expr], Expression | None] | None = None,
        names: OutputNames | None = None,
    ) -> tuple[OrderKey, ...]:
        """Read the keys of an ORDER BY.

        Args:
            node: The ORDER BY.
            aggregates: Whether keys may hold aggregates.
            key: Returns the value of a key that stands for an output; None for other keys.
            names: Output names, where they count inside a key.

        Raises:
            UndescribableQueryError: It holds a construct without words.
        """
        keys = []
        for term in node.expressions:
            if not isinstance(term, exp.Ordered) or term.args.get("with_fill"):
                raise self._unknown(term)
            descending = bool(term.args.get("desc"))
            natural = self._rules.missing_first(descending=descending)
            if bool(term.args.get("nulls_first")) is not natural:
                raise self._error(
                    "NULLS FIRST or LAST against the engine's own order cannot be described", term
                )
            core = bare(term.this)
            found = key(core) if key is not None else None
            if found is None:
                found = self.value(core, aggregates=aggregates, ranks=key is not None, names=names)
            if isinstance(found, Literal):
                raise self._error("an order by a constant cannot be described", term)
            self._require_order(found, term)
            keys.append(OrderKey(found, descending))
        return tuple(keys)

    def _literal(self, node: exp.Expr) -> Literal:
        if isinstance(node, exp.Null):
            return Literal(None)
        if node.args.get("is_string"):
            return Literal(node.name)
        try:
            whole = int(node.name)
        except ValueError:
            return Literal(float(node.name))
        return Literal(whole if whole <= self._rules.largest_integer else float(whole))

    def _cast(self, node: exp.Cast, aggregates: bool, names: OutputNames | None) -> Expression:
        to = node.args["to"]
        if to.this in _MOMENTS and self._rules.strict_types and not node.args.get("format"):
            return self._moment(node)
        if to.this.value not in self._rules.real_types or node.args.get("format"):
            real = "DOUBLE" if self._rules.strict_types else "REAL"
            raise self._error(f"a CAST to another type than {real} cannot be described", node)
        return self._as_real(self.value(node.this, aggregates=aggregates, names=names), node)

    def _moment(self, node: exp.Cast) -> Literal:
        """Read a day or a moment that is written out: DATE '2020-01-31'."""
        text = bare(node.this)
        if isinstance(text, exp.Literal) and text.is_string:
            try:
                moment = datetime.fromisoformat(text.name)
            except ValueError:
                raise self._error("this is no day or moment", node) from None
            midnight = datetime(moment.year, moment.month, moment.day)
            if node.args["to"].this is not exp.DataType.Type.DATE:
                return Literal(moment)
            if moment == midnight:
                return Literal(moment.date())
        raise self._error("a CAST to a day or a moment cannot be described", node)

    def _whole_division(
        self, node: exp.IntDiv, aggregates: bool, names: OutputNames | None
    ) -> Expression:
        left, right = (
            self.value(each, aggregates=aggregates, names=names)
            for each in (node.this, node.expression)
        )
        kinds = {kind_of_value(each, self._steps, self._schema) for each in (left, right)}
        if kinds != {ColumnKind.INTEGER}:
            raise self._error("// of other than whole numbers cannot be described", node)
        return Arithmetic("/", left, right, whole=True)

    def _as_real(self, value: Expression, node: exp.Expr) -> Expression:
        self._require_numbers((value,), node)
        if computed_real(value, self._steps):
            return value
        return Arithmetic("*", Literal(1.0), value)

    def _arithmetic(
        self, operator: str, left: Expression, right: Expression, node: exp.Expr
    ) -> Expression:
        self._require_numbers((left, right), node)
        if operator == "*":
            if _is_unit(left):
                return self._as_real(right, node)
            if _is_unit(right):
                return self._as_real(left, node)
        if operator != "/":
            return Arithmetic(operator, left, right)
        if not self._rules.drops_fractions:
            return Arithmetic("/", _without_units(left), _without_units(right))
        types = {number_type(each, self._steps, self._schema) for each in (left, right)}
        if NumberType.REAL not in types:
            return Arithmetic("/", left, right, whole=True)
        return Arithmetic("/", _without_units(left), _without_units(right))

    def _require_numbers(self, values: Sequence[Expression], node: exp.Expr) -> None:
        if self._rules.strict_types:
            kinds = {kind_of_value(each, self._steps, self._schema) for each in values}
            if not kinds <= NUMERIC_KINDS:
                raise self._error("a calculation with other than numbers cannot be described", node)
            if ColumnKind.SINGLE in kinds and ColumnKind.REAL not in kinds:
                raise self._error(
                    "a calculation in numbers of four bytes cannot be described", node
                )
            return
        # The engine reads text as a number as far as it looks like one, which a reader would not.
        for value in values:
            if holds_text(value, self._steps, self._schema):
                raise self._error("a calculation with text cannot be described", node)

    def _aggregate(self, node: exp.Expr, names: OutputNames | None) -> Aggregate:
        self._allow(node, "this", "big_int")
        if not isinstance(node.args.get("this"), exp.Expr):
            raise self._error("an aggregate of nothing cannot be described", node)
        argument = bare(node.this)
        if isinstance(node, exp.Count):
            if isinstance(argument, exp.Star):
                return Aggregate(AggregateFunction.COUNT_ROWS, None)
            if isinstance(argument, exp.Distinct):
                self._allow(argument, "expressions")
                if len(argument.expressions) != 1:
                    raise self._error("a count of several columns cannot be described", node)
                counted = self.value(argument.expressions[0], aggregates=False, names=names)
                return Aggregate(AggregateFunction.COUNT_DISTINCT, counted)
            counted = self.value(argument, aggregates=False, names=names)
            if isinstance(counted, Literal) and counted.value is not None:
                return Aggregate(AggregateFunction.COUNT_ROWS, None)
            return Aggregate(AggregateFunction.COUNT_VALUES, counted)
        if isinstance(argument, exp.Distinct):
            raise self._error("DISTINCT in another aggregate than COUNT cannot be described", node)
        function = _AGGREGATES[type(node)]
        completed = _with_zero(argument) if function is AggregateFunction.AVERAGE else None
        inner = self.value(completed or argument, aggregates=False, names=names)
        if function in (AggregateFunction.MINIMUM, AggregateFunction.MAXIMUM):
            self._require_order(inner, node)
        elif self._rules.strict_types:
            if kind_of_value(inner, self._steps, self._schema) not in NUMERIC_KINDS:
                raise self._error("a calculation with other than numbers cannot be described", node)
        else:
            self._require_numbers((inner,), node)
        if completed is not None:
            if not isinstance(inner, ColumnValue):
                raise self._unknown(argument)
            return Aggregate(function, ZeroIfMissing(inner))
        return Aggregate(function, inner)

    def _rank(self, node: exp.Window, aggregates: bool) -> Rank:
        self._allow(node, "this", "partition_by", "order", "over")
        function = node.this
        ranked = isinstance(function, exp.Rank) or (
            isinstance(function, exp.Anonymous) and function.name.upper() == "RANK"
        )
        if not ranked or function.expressions:
            raise self._error(
                "another window function than RANK cannot be described: "
                f"{construct(function).removeprefix('the function ')}",
                node,
            )
        order = node.args.get("order")
        if order is None:
            raise self._error("a RANK without an order cannot be described", node)
        return Rank(
            self.order(order, aggregates=aggregates),
            tuple(
                self.value(each, aggregates=aggregates)
                for each in node.args.get("partition_by") or []
            ),
        )

    def _comparison(
        self, operator: str, left: Expression, right: Expression, node: exp.Expr
    ) -> Comparison:
        if isinstance(left, Literal) and not isinstance(right, Literal):
            operator, left, right = _FLIPPED[operator], right, left
        if any(isinstance(each, Literal) and each.value is None for each in (left, right)):
            raise self._error("a comparison with NULL never holds and cannot be described", node)
        if isinstance(right, Literal):
            compared = as_compared(left, right, self._steps, self._schema)
            if compared is None:
                raise self._error("a comparison of different types cannot be described", node)
            right = compared
        elif self._rules.strict_types:
            self._require_alike(left, right, node)
        if operator not in ("=", "<>"):
            self._require_order(left, node)
        return Comparison(operator, left, right)

    def _require_alike(self, left: Expression, right: Expression, node: exp.Expr) -> None:
        """Refuse to compare columns that the engine would first make into something else."""
        kinds = {kind_of_value(each, self._steps, self._schema) for each in (left, right)}
        numbers = kinds <= NUMERIC_KINDS and kinds != {ColumnKind.SINGLE, ColumnKind.DECIMAL}
        if len(kinds) > 1 and not numbers and not kinds <= TEXT_KINDS:
            raise self._error("a comparison of different types cannot be described", node)

    def _require_order(self, value: Expression, node: exp.Expr) -> None:
        """Refuse an order that a value has by its type alone, which no reader knows."""
        if not self._rules.strict_types:
            return
        kind = kind_of_value(value, self._steps, self._schema)
        if kind in (ColumnKind.LISTED_TEXT, ColumnKind.TRUTH, ColumnKind.OTHER):
            raise self._error("the order that a type gives its values cannot be described", node)

    def _allow(self, node: exp.Expr, *known: str) -> None:
        for name, part in node.args.items():
            if name not in known and part:
                word = name.strip("_").upper()
                raise self._error(f"{word} of {construct(node)} cannot be described", node)

    def _unknown(self, node: exp.Expr) -> UndescribableQueryError:
        return self._error(f"{construct(node)} cannot be described", node)

    def _error(self, problem: str, node: exp.Expr) -> UndescribableQueryError:
        return undescribable(problem, self._scope.place, node, engine=self._scope.engine)


def bare(node: exp.Expr) -> exp.Expr:
    """Return a node without the parentheses around it."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def holds_aggregate_or_rank(value: Expression) -> bool:
    """Say whether a value can be known only once rows are grouped or ordered."""
    if isinstance(value, Arithmetic):
        return holds_aggregate_or_rank(value.left) or holds_aggregate_or_rank(value.right)
    return isinstance(value, Aggregate | Rank)


def _holds_rank(value: Expression) -> bool:
    # A rank is always a whole output, so it is never inside another value.
    return isinstance(value, Rank)


def _with_zero(node: exp.Expr) -> exp.Expr | None:
    """Return the column of COALESCE(column, 0); None for anything else."""
    if not isinstance(node, exp.Coalesce) or len(node.expressions) != 1:
        return None
    column, instead = bare(node.this), bare(node.expressions[0])
    is_zero = isinstance(instead, exp.Literal) and not instead.is_string and instead.name == "0"
    return column if isinstance(column, exp.Column) and is_zero else None


def _is_unit(value: Expression) -> bool:
    return isinstance(value, Literal) and isinstance(value.value, float) and value.value == 1.0


def _without_units(value: Expression) -> Expression:
    """Return an operand of a division without the factors 1.0 among its own factors."""
    if not isinstance(value, Arithmetic) or value.operator != "*":
        return value
    left, right = _without_units(value.left), _without_units(value.right)
    if _is_unit(left):
        return right
    if _is_unit(right):
        return left
    return Arithmetic("*", left, right)
