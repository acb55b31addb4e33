"""From syntax to values and conditions, names bound and conversions made plain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.affinity import (
    NUMERIC_NATURES,
    REAL_NATURES,
    Affinity,
    Nature,
    Typed,
    calculated_nature,
    collation_between,
    literal_number,
    reading_between,
    shared_nature,
    taken_for,
    usual,
)
from specbridge_pipeline.exact_description.bindings import Refusals, Scope, resolve
from specbridge_pipeline.exact_description.canonical import content_of
from specbridge_pipeline.exact_description.function_phrases import (
    NATURES,
    NUMBER_FUNCTIONS,
    SAME_FUNCTIONS,
    phrase_of,
)
from specbridge_pipeline.exact_description.query import (
    Aggregate,
    All,
    Arithmetic,
    Bound,
    Case,
    Comparison,
    Condition,
    Converted,
    Expression,
    Frame,
    Function,
    HasRows,
    Holds,
    InList,
    InStep,
    Joined,
    Literal,
    Matches,
    Missing,
    Operation,
    OrderKey,
    ReadAs,
    Reading,
    Same,
    ScalarOf,
    Signed,
    Some,
    Truth,
    TruthIs,
    Window,
    nodes_in,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ColumnKind
from specbridge_pipeline.sql.syntax import nodes

_LEAST_INTEGER = -(2**63)
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
FLIPPED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_CALCULATIONS = frozenset("+-*/")
_OPERATIONS = frozenset({"%", "&", "|", "<<", ">>", "->", "->>"})
_AGGREGATES = {
    "sum": "sum",
    "avg": "average",
    "total": "total",
    "group_concat": "joined",
    "json_group_array": "json_array",
    "json_group_object": "json_object",
}
_EXTREMES = {"min": "minimum", "max": "maximum"}
_WINDOW_FUNCTIONS = {
    "row_number": (0, 0),
    "rank": (0, 0),
    "dense_rank": (0, 0),
    "percent_rank": (0, 0),
    "cume_dist": (0, 0),
    "ntile": (1, 1),
    "lag": (1, 3),
    "lead": (1, 3),
    "first_value": (1, 1),
    "last_value": (1, 1),
    "nth_value": (2, 2),
}
FRAMELESS = frozenset(_WINDOW_FUNCTIONS) - {"first_value", "last_value", "nth_value"}
_CONVERSIONS = {
    ColumnKind.INTEGER: ("integer", Affinity.NUMBER, Nature.INTEGER),
    ColumnKind.TEXT: ("text", Affinity.TEXT, Nature.TEXT),
    ColumnKind.OTHER: ("blob", Affinity.BLOB, Nature.ANY),
    ColumnKind.REAL: ("real", Affinity.NUMBER, Nature.COMPUTED_REAL),
    ColumnKind.NUMBER: ("number", Affinity.NUMBER, Nature.NUMBER),
}
_CONDITIONS = (
    nodes.IsNull,
    nodes.Matched,
    nodes.Between,
    nodes.InList,
    nodes.InQuery,
    nodes.Exists,
)
_WORDS: dict[type, str] = {nodes.Row: "a row value", nodes.Moment: "a typed text"}


class Subqueries(Protocol):
    """Reads the queries that stand among values."""

    def subquery(
        self, node: nodes.Query, scope: Scope
    ) -> tuple[int, tuple[tuple[str, Typed], ...]]:
        """Return the step of a query and the names and types of its columns."""


@dataclass(frozen=True, slots=True)
class Place:
    """What may stand where a value is read.

    Attributes:
        aggregates: Whether aggregates may.
        windows: Whether window functions may.
    """

    aggregates: bool = False
    windows: bool = False


ROWS = Place()
GROUPS = Place(aggregates=True)
OUTPUTS = Place(aggregates=True, windows=True)


class ValueReader:
    """Reads the values and conditions of one SELECT.

    Args:
        scope: What its names stand for.
        schema: The tables, and the engine.
        subqueries: Reads the queries among the values.
        refusals: Makes the errors.
    """

    def __init__(
        self, scope: Scope, schema: Schema, subqueries: Subqueries, refusals: Refusals
    ) -> None:
        self._scope = scope
        self._rules = rules_of(schema.engine)
        self._subqueries = subqueries
        self._refusals = refusals
        self._readers: dict[type, Callable[..., Typed]] = {
            nodes.Name: self._name,
            nodes.Number: lambda node, place: literal_number(node.text),
            nodes.Text: lambda node, place: Typed(Literal(node.value), nature=Nature.TEXT),
            nodes.Blob: lambda node, place: Typed(Literal(bytes.fromhex(node.digits))),
            nodes.Constant: self._constant,
            nodes.Moment: self._moment,
            nodes.Unary: self._unary,
            nodes.Binary: self._binary,
            nodes.Scalar: self._scalar,
            nodes.Case: self._case,
            nodes.Cast: self._cast,
            nodes.Collate: self._collate,
            nodes.Call: self._call,
        }

    def value(self, node: nodes.Expression, place: Place) -> Typed:
        """Read a value.

        Args:
            node: Its syntax.
            place: What may stand there.

        Raises:
            UndescribableQueryError: It holds a construct without words.
        """
        reader = self._readers.get(type(node))
        if reader is not None:
            return reader(node, place)
        if isinstance(node, _CONDITIONS):
            return Typed(Truth(self.condition(node, place)), nature=Nature.INTEGER)
        raise self._error(f"{_WORDS.get(type(node), 'this')} cannot be described here", node.at)

    # Values.

    def _name(self, node: nodes.Name, place: Place) -> Typed:
        found = resolve(node, self._scope, self._refusals)
        if not place.windows and any(isinstance(each, Window) for each in nodes_in(found.value)):
            raise self._error(f"{node.column} is computed only after this is read", node.at)
        if not place.aggregates and self._holds_aggregate(found.value):
            raise self._error(f"{node.column} is computed only after this is read", node.at)
        return found

    def _holds_aggregate(self, value: Expression) -> bool:
        return any(isinstance(each, Aggregate) for each in nodes_in(value))

    def _constant(self, node: nodes.Constant, place: Place) -> Typed:
        if node.word == "NULL":
            return Typed(Literal(None))
        name = {"CURRENT_DATE": "date", "CURRENT_TIME": "time"}.get(node.word, "datetime")
        return Typed(Function(name, ()), nature=Nature.TEXT)

    def _moment(self, node: nodes.Moment, place: Place) -> Typed:
        if not self._rules.strict_types:
            raise self._error(f"{node.word} before a text cannot be described", node.at)
        moment = datetime.fromisoformat(node.text)
        return Typed(Literal(moment.date() if node.word == "DATE" else moment))

    def _unary(self, node: nodes.Unary, place: Place) -> Typed:
        if node.operator == "NOT":
            condition = self.condition(node, place)
            return Typed(Truth(condition), nature=Nature.INTEGER)
        if node.operator == "-" and _is_least(node.operand):
            return Typed(Literal(_LEAST_INTEGER), nature=Nature.INTEGER)
        inner = self.value(node.operand, place)
        if node.operator != "+":
            inner = _calculated(inner)
        if node.operator == "+":
            # The sign takes away what the value leans towards, and nothing else.
            return inner._replace(affinity=Affinity.NOTHING)
        value = inner.value
        if node.operator == "-":
            if isinstance(value, Literal) and isinstance(value.value, int | float):
                return Typed(Literal(-value.value), nature=inner.nature)
            nature = inner.nature if inner.nature in NUMERIC_NATURES else Nature.NUMBER
            return Typed(Signed("-", value), nature=nature)
        return Typed(Signed("~", value), nature=Nature.INTEGER)

    def _binary(self, node: nodes.Binary, place: Place) -> Typed:
        operator = node.operator
        if operator in _CALCULATIONS:
            left, right = self.value(node.left, place), self.value(node.right, place)
            return self._calculation(operator, left, right)
        if operator == "//":
            left, right = self.value(node.left, place), self.value(node.right, place)
            whole = Arithmetic("/", left.value, right.value, whole=True)
            return Typed(whole, nature=Nature.INTEGER)
        if operator == "||":
            parts: list[Expression] = []
            for side in (self.value(node.left, place), self.value(node.right, place)):
                self._refuse_collated((side,), node.at)
                parts += side.value.parts if isinstance(side.value, Joined) else [side.value]
            return Typed(Joined(tuple(parts)), nature=Nature.TEXT)
        if operator in _OPERATIONS:
            left, right = self.value(node.left, place), self.value(node.right, place)
            if operator not in ("->", "->>"):
                left, right = _calculated(left), _calculated(right)
            nature = Nature.NUMBER if operator == "%" else Nature.INTEGER
            if operator in ("->", "->>"):
                nature = Nature.ANY
            elif operator == "%" and left.nature is right.nature is Nature.INTEGER:
                nature = Nature.INTEGER
            return Typed(Operation(operator, left.value, right.value), nature=nature)
        return Typed(Truth(self.condition(node, place)), nature=Nature.INTEGER)

    def _calculation(self, operator: str, left: Typed, right: Typed) -> Typed:
        left, right = _calculated(left), _calculated(right)
        if left.explicit or right.explicit:
            self._refuse_collated((left, right), 0)
        one, other = left.value, right.value
        if operator == "*":
            # A factor 1.0 of what is real by its calculation changes nothing.
            if _is_unit(one) and right.nature is Nature.COMPUTED_REAL:
                return right._replace(affinity=Affinity.NOTHING)
            if _is_unit(other) and left.nature is Nature.COMPUTED_REAL:
                return left._replace(affinity=Affinity.NOTHING)
        whole = False
        if operator == "/":
            whole = self._rules.drops_fractions and not (
                left.nature in REAL_NATURES or right.nature in REAL_NATURES
            )
            if not whole:
                one, other = _without_units(one), _without_units(other)
        nature = calculated_nature(operator, left.nature, right.nature, whole)
        return Typed(Arithmetic(operator, one, other, whole), nature=nature)

    def _scalar(self, node: nodes.Scalar, place: Place) -> Typed:
        step, columns = self._subqueries.subquery(node.query, self._scope)
        if len(columns) != 1:
            raise self._error("a subquery used as a value returns several columns", node.at)
        return columns[0][1]._replace(value=ScalarOf(step), explicit=False, collation="")

    def _case(self, node: nodes.Case, place: Place) -> Typed:
        operand = None if node.operand is None else self.value(node.operand, place)
        branches: list[tuple[Condition, Expression]] = []
        natures: list[Nature] = []
        for when, then in node.branches:
            if operand is None:
                condition = self.condition(when, place)
            else:
                condition = self.compared("=", operand, self.value(when, place))
            result = self.value(then, place)
            self._refuse_collated((result,), node.at)
            branches.append((condition, result.value))
            natures.append(result.nature)
        default: Expression = Literal(None)
        if node.default is not None:
            result = self.value(node.default, place)
            default = result.value
            if default != Literal(None):
                natures.append(result.nature)
        return Typed(Case(tuple(branches), default), nature=shared_nature(natures))

    def _cast(self, node: nodes.Cast, place: Place) -> Typed:
        inner = self.value(node.operand, place)
        kind = self._rules.kind_of(node.type_name)
        if kind in (ColumnKind.SINGLE, ColumnKind.DECIMAL):
            kind = ColumnKind.REAL
        if kind not in _CONVERSIONS:
            raise self._error(f"a CAST to {node.type_name} cannot be described", node.at)
        to, affinity, nature = _CONVERSIONS[kind]
        value: Expression = Converted(inner.value, to)
        if to == "real" and inner.nature is Nature.COMPUTED_REAL:
            value = inner.value
        elif to == "real":
            value = Converted(_calculated(inner).value, to)
        if (
            to == "integer"
            and isinstance(inner.value, Literal)
            and isinstance(inner.value.value, int)
        ):
            value = inner.value
        return Typed(value, affinity, nature, inner.collation, inner.explicit)

    def _collate(self, node: nodes.Collate, place: Place) -> Typed:
        inner = self.value(node.operand, place)
        return self.collated(inner, node.collation, node.at)

    def collated(self, typed: Typed, collation: str, at: int) -> Typed:
        """Return a value with COLLATE on it.

        Raises:
            UndescribableQueryError: There are no words for the collation.
        """
        if collation not in ("BINARY", "NOCASE", "RTRIM"):
            raise self._error(f"the collation {collation} cannot be described", at)
        return typed._replace(collation=collation, explicit=True)

    # Functions.

    def _call(self, node: nodes.Call, place: Place) -> Typed:
        name = SAME_FUNCTIONS.get(node.name, node.name)
        count = len(node.arguments)
        if node.window is not None:
            return self._window(node, name, place)
        if name == "count" or name in _AGGREGATES or (name in _EXTREMES and count == 1):
            if not place.aggregates:
                raise self._error(f"the aggregate {name.upper()} cannot stand here", node.at)
            aggregate = self._aggregate(node, name, ROWS)
            self._scope.aggregated = True
            return aggregate
        if node.distinct or node.star or node.order or node.filter is not None:
            raise self._error(
                f"DISTINCT, *, ORDER BY or FILTER in {name.upper()} cannot be described", node.at
            )
        if name in _WINDOW_FUNCTIONS:
            raise self._error(f"{name.upper()} without OVER cannot be described", node.at)
        if name in ("iif", "if") and count in (2, 3):
            condition = self.condition(node.arguments[0], place)
            results = [self.value(each, place) for each in node.arguments[1:]]
            default = results[1].value if count == 3 else Literal(None)
            return Typed(
                Case(((condition, results[0].value),), default),
                nature=shared_nature(each.nature for each in results),
            )
        if _is_matching(node):
            condition = self.condition(node, place)
            return Typed(Truth(condition), nature=Nature.INTEGER)
        arguments = tuple(self.value(each, place) for each in node.arguments)
        return self._function(node, name, arguments)

    def _function(self, node: nodes.Call, name: str, arguments: tuple[Typed, ...]) -> Typed:
        if name in ("likelihood", "likely", "unlikely") and arguments:
            return arguments[0]._replace(affinity=Affinity.NOTHING)
        if name == "coalesce" and len(arguments) < 2:
            raise self._error("COALESCE of one value", node.at)
        if phrase_of(name, len(arguments)) is None:
            raise self._error(
                f"the function {name.upper()} with {len(arguments)} arguments cannot be described",
                node.at,
            )
        self._refuse_collated(arguments[1:], node.at)
        collation = ""
        if name in ("max", "min", "nullif"):
            collation = next((each.collation for each in arguments if each.collation), "")
            if all(each.nature in NUMERIC_NATURES for each in arguments):
                collation = ""
        else:
            self._refuse_collated(arguments[:1], node.at)
        if name in NUMBER_FUNCTIONS:
            taken = _calculated if name in ("abs", "round") else _number_read
            arguments = tuple(taken(each) for each in arguments)
        nature = NATURES.get(name, Nature.ANY)
        if name in ("coalesce", "max", "min"):
            nature = shared_nature(each.nature for each in arguments if each.value != Literal(None))
        elif name == "nullif":
            nature = arguments[0].nature
        elif name == "abs":
            kept = (Nature.INTEGER, Nature.REAL, Nature.COMPUTED_REAL)
            nature = arguments[0].nature if arguments[0].nature in kept else Nature.NUMBER
        elif name in ("ceil", "floor", "trunc"):
            nature = Nature.NUMBER
        values = tuple(each.value for each in arguments)
        return Typed(Function(name, values, usual(collation)), nature=nature)

    def _refuse_collated(self, parts: tuple[Typed, ...], at: int) -> None:
        """Refuse a COLLATE that the engine would hand on to what is made of the value."""
        if any(each.explicit for each in parts):
            raise self._error("COLLATE inside a calculation cannot be described", at)

    def _aggregate(self, node: nodes.Call, name: str, place: Place) -> Typed:
        """Read an aggregate whose arguments stand at a place."""
        condition = None if node.filter is None else self.condition(node.filter, place)
        if node.star or (name == "count" and not node.arguments):
            if name != "count":
                raise self._error(f"{name.upper()}(*) cannot be described", node.at)
            return Typed(Aggregate("count_rows", (), False, condition), nature=Nature.INTEGER)
        arguments = tuple(self.value(each, place) for each in node.arguments)
        self._check_aggregate(node, name, arguments)
        first = arguments[0]
        order = self.order(node.order, place) if node.order else ()
        values = tuple(each.value for each in arguments)
        distinct = node.distinct
        if name == "count":
            constant = isinstance(first.value, Literal) and first.value.value is not None
            if constant and not distinct:
                return Typed(Aggregate("count_rows", (), False, condition), nature=Nature.INTEGER)
            collation = self._distinct_collation(node, first)
            counted = Aggregate("count", values, distinct, condition, (), collation)
            return Typed(counted, nature=Nature.INTEGER)
        if name in _EXTREMES:
            collation = "" if first.nature in NUMERIC_NATURES else usual(first.collation)
            extreme = Aggregate(_EXTREMES[name], values, False, condition, (), collation)
            return Typed(extreme, nature=first.nature)
        function = _AGGREGATES[name]
        nature = Nature.TEXT
        if function in ("sum", "average", "total"):
            values = (_calculated(first).value,)
            nature = Nature.COMPUTED_REAL
            if function == "sum":
                kept = (Nature.INTEGER, Nature.REAL, Nature.COMPUTED_REAL)
                nature = first.nature if first.nature in kept else Nature.NUMBER
            order = ()
        elif function == "joined" and len(values) == 1:
            values = (*values, Literal(","))
        collation = self._distinct_collation(node, first)
        whole = Aggregate(function, values, distinct, condition, order, collation)
        return Typed(whole, nature=nature)

    def _distinct_collation(self, node: nodes.Call, first: Typed) -> str:
        if not node.distinct or first.nature in NUMERIC_NATURES:
            return ""
        return usual(first.collation)

    def _check_aggregate(self, node: nodes.Call, name: str, arguments: tuple[Typed, ...]) -> None:
        allowed = {"group_concat": (1, 2), "json_group_object": (2, 2)}.get(name, (1, 1))
        if not allowed[0] <= len(arguments) <= allowed[1]:
            raise self._error(
                f"{name.upper()} of {len(arguments)} values cannot be described", node.at
            )
        columns = [
            each.depth
            for argument in arguments
            for each in nodes_in(argument.value)
            if hasattr(each, "depth")
        ]
        if columns and max(columns) < self._scope.depth:
            raise self._error(
                "an aggregate of the rows of a query around it cannot be described", node.at
            )

    def _window(self, node: nodes.Call, name: str, place: Place) -> Typed:
        if not place.windows:
            raise self._error("a window function cannot stand here", node.at)
        assert node.window is not None
        window = self._named_window(node.window, set())
        partition = tuple(self.value(each, GROUPS).value for each in window.partition)
        order = self.order(window.order, GROUPS)
        frame = None if window.frame is None else self._frame(window.frame)
        if name in _WINDOW_FUNCTIONS:
            low, high = _WINDOW_FUNCTIONS[name]
            if not low <= len(node.arguments) <= high or node.distinct or node.star:
                raise self._error(f"{name.upper()} cannot be described like this", node.at)
            if node.filter is not None:
                raise self._error(f"FILTER of {name.upper()} cannot be described", node.at)
            arguments = tuple(self.value(each, GROUPS) for each in node.arguments)
            if name in FRAMELESS:
                frame = None
            nature = Nature.INTEGER
            if name in ("percent_rank", "cume_dist"):
                nature = Nature.COMPUTED_REAL
            elif arguments and name != "ntile":
                nature = arguments[0].nature if len(arguments) < 3 else Nature.ANY
            values = tuple(each.value for each in arguments)
            return Typed(Window(name, values, None, partition, order, frame), nature=nature)
        if name == "count" or name in _AGGREGATES or name in _EXTREMES:
            if node.distinct:
                raise self._error("DISTINCT in a window cannot be described", node.at)
            typed = self._aggregate(node, name, GROUPS)
            assert isinstance(typed.value, Aggregate)
            whole = Window("", (), typed.value, partition, order, frame)
            return typed._replace(value=whole)
        raise self._error(f"the window function {name.upper()} cannot be described", node.at)

    def _named_window(self, window: nodes.Window, seen: set[str]) -> nodes.Window:
        if not window.base:
            return window
        base = window.base.lower()
        if base not in self._scope.windows or base in seen:
            raise self._error(f"there is no window {window.base}", window.at)
        found = self._named_window(self._scope.windows[base], seen | {base})
        return nodes.Window(
            "",
            window.partition or found.partition,
            window.order or found.order,
            window.frame or found.frame,
            window.at,
        )

    def _frame(self, frame: nodes.Frame) -> Frame | None:
        start, end = self._bound(frame.start), self._bound(frame.end)
        unit = frame.unit.lower()
        if (unit, start.kind, end.kind, frame.exclude) == ("range", "first", "this", ""):
            # The engine's default.
            return None
        exclude = {"CURRENT ROW": "row", "GROUP": "group", "TIES": "ties"}.get(frame.exclude, "")
        return Frame(unit, start, end, exclude)

    def _bound(self, bound: nodes.Bound) -> Bound:
        kinds = {
            "UNBOUNDED PRECEDING": "first",
            "PRECEDING": "before",
            "CURRENT ROW": "this",
            "FOLLOWING": "after",
            "UNBOUNDED FOLLOWING": "last",
        }
        offset = None if bound.offset is None else self.value(bound.offset, ROWS).value
        return Bound(kinds[bound.kind], offset)

    # Orders.

    def order(self, terms: tuple[nodes.Ordering, ...], place: Place) -> tuple[OrderKey, ...]:
        """Read the keys of an order inside a value."""
        return self.keys((term, self.value(term.value, place)) for term in terms)

    def keys(self, terms: object) -> tuple[OrderKey, ...]:
        """Return the keys of an order, constants left out, from terms and their values."""
        found: list[OrderKey] = []
        for term, typed in terms:  # type: ignore[attr-defined]
            if isinstance(typed.value, Literal):
                # All rows are alike in a constant.
                continue
            missing_first = self._rules.missing_first(descending=term.descending)
            if term.nulls:
                missing_first = term.nulls == "FIRST"
            collation = "" if typed.nature in NUMERIC_NATURES else usual(typed.collation)
            key = OrderKey(typed.value, term.descending, missing_first, collation)
            if content_of(key.value) not in [content_of(each.value) for each in found]:
                found.append(key)
        return tuple(found)

    # Conditions.

    def condition(
        self, node: nodes.Expression, place: Place, *, negated: bool = False
    ) -> Condition:
        """Read a condition.

        Args:
            node: Its syntax.
            place: What may stand there.
            negated: Whether it must not hold.

        Raises:
            UndescribableQueryError: It holds a construct without words.
        """
        if isinstance(node, nodes.Unary) and node.operator == "NOT":
            return self.condition(node.operand, place, negated=not negated)
        if isinstance(node, nodes.Binary):
            found = self._binary_condition(node, place, negated)
            if found is not None:
                return found
        elif isinstance(node, nodes.IsNull):
            value = self.value(node.operand, place).value
            return Missing(value, negated is not node.negated)
        elif isinstance(node, nodes.Between):
            return self._between(node, place, negated)
        elif isinstance(node, nodes.InList):
            return self._in_list(node, place, negated is not node.negated)
        elif isinstance(node, nodes.InQuery):
            return self._in_query(node, place, negated is not node.negated)
        elif isinstance(node, nodes.Exists):
            step, _ = self._subqueries.subquery(node.query, self._scope)
            return HasRows(step, negated)
        elif isinstance(node, nodes.Matched):
            escape = None if node.escape is None else self.value(node.escape, place).value
            return Matches(
                node.operator.lower(),
                self.value(node.operand, place).value,
                self.value(node.pattern, place).value,
                escape,
                negated is not node.negated,
            )
        elif isinstance(node, nodes.Call) and _is_matching(node):
            pattern, matched, *rest = (self.value(each, place).value for each in node.arguments)
            return Matches(node.name, matched, pattern, rest[0] if rest else None, negated)
        value = self.value(node, place).value
        if isinstance(value, Truth):
            return negation(value.condition) if negated else value.condition
        return Holds(value, negated)

    def _binary_condition(
        self, node: nodes.Binary, place: Place, negated: bool
    ) -> Condition | None:
        operator = node.operator
        if operator in ("AND", "OR"):
            sides = [
                self.condition(each, place, negated=negated) for each in (node.left, node.right)
            ]
            return joined_conditions(sides, all_hold=(operator == "AND") is not negated)
        if operator in _COMPARISONS:
            if isinstance(node.left, nodes.Row) and isinstance(node.right, nodes.Row):
                return self._rows_compared(node, place, negated)
            left, right = self.value(node.left, place), self.value(node.right, place)
            return self.compared(_NEGATED[operator] if negated else operator, left, right)
        if operator not in ("IS", "IS NOT"):
            return None
        negated = negated is not (operator == "IS NOT")
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(other, nodes.Constant) and other.word == "NULL":
                return Missing(self.value(one, place).value, negated)
        truth = _truth_word(node.right)
        if truth is not None and self._is_no_column(node.right):
            return TruthIs(self.condition(node.left, place), truth, negated)
        left, right = self.value(node.left, place), self.value(node.right, place)
        reading = reading_between(left.affinity, right.affinity)
        taken, beside = taken_for(left, reading), taken_for(right, reading)
        different = unlike(left, taken, right, beside)
        return Same(taken, beside, negated, self._collation(left, right), different)

    def _is_no_column(self, node: nodes.Expression) -> bool:
        assert isinstance(node, nodes.Name)
        return isinstance(resolve(node, self._scope, self._refusals).value, Literal)

    def _rows_compared(self, node: nodes.Binary, place: Place, negated: bool) -> Condition:
        assert isinstance(node.left, nodes.Row)
        assert isinstance(node.right, nodes.Row)
        equal = (node.operator == "=") is not negated
        if node.operator not in ("=", "<>") or len(node.left.items) != len(node.right.items):
            raise self._error("an order of row values cannot be described", node.at)
        pairs = [
            self.compared("=" if equal else "<>", self.value(one, place), self.value(other, place))
            for one, other in zip(node.left.items, node.right.items, strict=True)
        ]
        return joined_conditions(pairs, all_hold=equal)

    def compared(self, operator: str, left: Typed, right: Typed) -> Condition:
        """Compare two values as the engine does."""
        collation = self._collation(left, right)
        if self._rules.strict_types:
            one, other = _as_moments(left, right)
            return compared(operator, one, other, collation)
        reading = reading_between(left.affinity, right.affinity)
        one, other = taken_for(left, reading), taken_for(right, reading)
        return compared(operator, one, other, collation, unlike(left, one, right, other))

    def _collation(self, left: Typed, right: Typed) -> str:
        # Numbers know no collation.
        if left.nature in NUMERIC_NATURES or right.nature in NUMERIC_NATURES:
            return ""
        return collation_between(left, right)

    def _between(self, node: nodes.Between, place: Place, negated: bool) -> Condition:
        negated = negated is not node.negated
        value = self.value(node.operand, place)
        low, high = self.value(node.low, place), self.value(node.high, place)
        return joined_conditions(
            [
                self.compared("<" if negated else ">=", value, low),
                self.compared(">" if negated else "<=", value, high),
            ],
            all_hold=not negated,
        )

    def _in_list(self, node: nodes.InList, place: Place, negated: bool) -> Condition:
        if isinstance(node.operand, nodes.Row):
            raise self._error("a row value in a list cannot be described", node.at)
        value = self.value(node.operand, place)
        # Only what stands on the left decides what both are taken for.
        reading = reading_between(value.affinity, Affinity.NOTHING)
        items = []
        different = bool(node.items)
        for each in node.items:
            item = self.value(each, place)._replace(affinity=Affinity.NOTHING)
            items.append(taken_for(item, reading))
            different = different and unlike(value, value.value, item, items[-1])
        collation = "" if value.nature in NUMERIC_NATURES else usual(value.collation)
        if len(items) == 1:
            operator = "<>" if negated else "="
            return compared(operator, value.value, items[0], collation, different)
        return InList(value.value, tuple(items), negated, collation, different)

    def _in_query(self, node: nodes.InQuery, place: Place, negated: bool) -> Condition:
        operands = node.operand.items if isinstance(node.operand, nodes.Row) else (node.operand,)
        step, columns = self._subqueries.subquery(node.query, self._scope)
        if len(columns) != len(operands):
            raise self._error(
                f"{len(operands)} values are looked for among {len(columns)} columns", node.at
            )
        values: list[Expression] = []
        readings: list[Reading | None] = []
        collations: set[str] = set()
        for operand, (_, column) in zip(operands, columns, strict=True):
            typed = self.value(operand, place)
            reading = reading_between(typed.affinity, column.affinity)
            values.append(taken_for(typed, reading))
            # A column that holds what it is taken for needs no word.
            readings.append(None if taken_for(column, reading) == column.value else reading)
            collations.add(self._collation(typed, column))
        if len(collations) > 1:
            raise self._error("several collations in one IN cannot be described", node.at)
        return InStep(tuple(values), step, negated, tuple(readings), collations.pop())

    def _error(self, problem: str, at: int) -> UndescribableQueryError:
        return self._refusals.error(problem, at)


def compared(
    operator: str,
    left: Expression,
    right: Expression,
    collation: str = "",
    different: bool = False,
) -> Comparison:
    """Return a comparison with its literal, if it has one, on the right."""
    if isinstance(left, Literal) and not isinstance(right, Literal):
        operator, left, right = FLIPPED[operator], right, left
    return Comparison(operator, left, right, collation, different)


def unlike(left: Typed, one: Expression, right: Typed, other: Expression) -> bool:
    """Say whether a text is compared with a number, so far as types and calculations tell.

    Args:
        left: The left value.
        one: The left value as it is taken.
        right: The right value.
        other: The right value as it is taken.
    """
    natures = {_nature_taken(left, one), _nature_taken(right, other)}
    return Nature.TEXT in natures and bool(natures & NUMERIC_NATURES)


def _nature_taken(typed: Typed, taken: Expression) -> Nature:
    if isinstance(taken, Literal):
        if isinstance(taken.value, int | float):
            return Nature.NUMBER
        return Nature.TEXT if isinstance(taken.value, str) else Nature.ANY
    if isinstance(taken, ReadAs):
        return Nature.TEXT if taken.reading is Reading.TEXT else Nature.ANY
    if typed.affinity is Affinity.NUMBER and typed.nature not in (Nature.INTEGER, Nature.REAL):
        return Nature.ANY
    return typed.nature


def joined_conditions(parts: list[Condition], *, all_hold: bool) -> Condition:
    """Return conditions that must all hold, or of which one must, without needless nesting."""
    kind = All if all_hold else Some
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else [part]
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def negation(condition: Condition) -> Condition:
    """Return the condition that holds where this one does not, undecided where it is."""
    if isinstance(condition, All | Some):
        parts = [negation(each) for each in condition.parts]
        return joined_conditions(parts, all_hold=isinstance(condition, Some))
    if isinstance(condition, Comparison):
        return replace(condition, operator=_NEGATED[condition.operator])
    return replace(condition, negated=not condition.negated)


def _calculated(typed: Typed) -> Typed:
    """Return a value as a calculation takes it: of a text, the number that it begins with."""
    if typed.nature is not Nature.TEXT:
        return typed
    if isinstance(typed.value, Literal) and isinstance(typed.value.value, str):
        written = typed.value.value.strip()
        if written.isascii() and written.isdigit() and len(written) < 16:
            return Typed(Literal(int(written)), nature=Nature.INTEGER)
    return Typed(ReadAs(typed.value, Reading.BEGINNING), nature=Nature.NUMBER)


def _number_read(typed: Typed) -> Typed:
    """Return a value as mathematical functions take it, which make nothing of other texts."""
    if typed.nature is not Nature.TEXT:
        return typed
    return Typed(ReadAs(typed.value, Reading.NUMBER), nature=Nature.ANY)


def _as_moments(left: Typed, right: Typed) -> tuple[Expression, Expression]:
    """Return two values of a strictly typed engine, a text beside a day or a moment as one."""
    return _moment_beside(left, right.kind), _moment_beside(right, left.kind)


def _moment_beside(typed: Typed, kind: str) -> Expression:
    value = typed.value
    if kind and isinstance(value, Literal) and isinstance(value.value, str):
        moment = datetime.fromisoformat(value.value)
        return Literal(moment.date() if kind == "DATE" else moment)
    if kind == "BOOLEAN" and isinstance(value, Literal) and value.value in (0, 1):
        return Literal(bool(value.value))
    return value


def _is_least(node: nodes.Expression) -> bool:
    """Say whether a number is whole with the sign before it, and real without."""
    return isinstance(node, nodes.Number) and node.text == str(-_LEAST_INTEGER)


def _is_matching(node: nodes.Call) -> bool:
    """Say whether a function is LIKE or GLOB under another spelling."""
    return node.name in ("like", "glob") and len(node.arguments) in (2, 3) and node.window is None


def uncollated(value: nodes.Expression) -> tuple[nodes.Expression, str]:
    """Return a value without the COLLATE around it, and the outermost collation."""
    collation = ""
    while isinstance(value, nodes.Collate):
        collation = collation or value.collation
        value = value.operand
    return value, collation


def _truth_word(node: nodes.Expression) -> bool | None:
    if isinstance(node, nodes.Name) and not node.table and not node.quote:
        return {"TRUE": True, "FALSE": False}.get(node.column.upper())
    return None


def _is_unit(value: Expression) -> bool:
    return isinstance(value, Literal) and isinstance(value.value, float) and value.value == 1.0


def _without_units(value: Expression) -> Expression:
    """Return an operand of a division without what only makes the division keep its fraction."""
    if isinstance(value, Converted) and value.to == "real":
        return _without_units(value.value)
    if not isinstance(value, Arithmetic) or value.operator != "*":
        return value
    left, right = _without_units(value.left), _without_units(value.right)
    if _is_unit(left):
        return right
    if _is_unit(right):
        return left
    return Arithmetic("*", left, right)
