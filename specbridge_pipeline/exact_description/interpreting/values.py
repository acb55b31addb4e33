"""From syntax to values, names bound and conversions made plain."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.interpreting.affinity import (
    NUMERIC_NATURES,
    REAL_NATURES,
    Affinity,
    Nature,
    Typed,
    calculated_nature,
    literal_number,
    shared_nature,
    usual,
)
from specbridge_pipeline.exact_description.interpreting.bindings import Refusals, Scope, resolve
from specbridge_pipeline.exact_description.interpreting.conditions import ConditionReader
from specbridge_pipeline.exact_description.interpreting.functions import FunctionReader
from specbridge_pipeline.exact_description.interpreting.places import (
    Place,
    Subqueries,
    calculated,
)
from specbridge_pipeline.exact_description.queries.canonical import content_of
from specbridge_pipeline.exact_description.queries.model import (
    Aggregate,
    Arithmetic,
    Case,
    Condition,
    Converted,
    Expression,
    Function,
    Joined,
    Literal,
    Operation,
    OrderKey,
    ScalarOf,
    Signed,
    Truth,
    Window,
    nodes_in,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ColumnKind
from specbridge_pipeline.sql.syntax import nodes

_LEAST_INTEGER = -(2**63)
_CALCULATIONS = frozenset("+-*/")
_OPERATIONS = frozenset({"%", "&", "|", "<<", ">>", "->", "->>"})
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
        self.scope = scope
        self.rules = rules_of(schema.engine)
        self.subqueries = subqueries
        self.refusals = refusals
        self._functions = FunctionReader(self)
        self._conditions = ConditionReader(self)
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
            nodes.Call: self._functions.call,
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
        found = resolve(node, self.scope, self.refusals)
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
        if not self.rules.strict_types:
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
            inner = calculated(inner)
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
                self._functions.refuse_collated((side,), node.at)
                parts += side.value.parts if isinstance(side.value, Joined) else [side.value]
            return Typed(Joined(tuple(parts)), nature=Nature.TEXT)
        if operator in _OPERATIONS:
            left, right = self.value(node.left, place), self.value(node.right, place)
            if operator not in ("->", "->>"):
                left, right = calculated(left), calculated(right)
            nature = Nature.NUMBER if operator == "%" else Nature.INTEGER
            if operator in ("->", "->>"):
                nature = Nature.ANY
            elif operator == "%" and left.nature is right.nature is Nature.INTEGER:
                nature = Nature.INTEGER
            return Typed(Operation(operator, left.value, right.value), nature=nature)
        return Typed(Truth(self.condition(node, place)), nature=Nature.INTEGER)

    def _calculation(self, operator: str, left: Typed, right: Typed) -> Typed:
        left, right = calculated(left), calculated(right)
        if left.explicit or right.explicit:
            self._functions.refuse_collated((left, right), 0)
        one, other = left.value, right.value
        if operator == "*":
            # A factor 1.0 of what is real by its calculation changes nothing.
            if _is_unit(one) and right.nature is Nature.COMPUTED_REAL:
                return right._replace(affinity=Affinity.NOTHING)
            if _is_unit(other) and left.nature is Nature.COMPUTED_REAL:
                return left._replace(affinity=Affinity.NOTHING)
        whole = False
        if operator == "/":
            whole = self.rules.drops_fractions and not (
                left.nature in REAL_NATURES or right.nature in REAL_NATURES
            )
            if not whole:
                one, other = _without_units(one), _without_units(other)
        nature = calculated_nature(operator, left.nature, right.nature, whole)
        return Typed(Arithmetic(operator, one, other, whole), nature=nature)

    def _scalar(self, node: nodes.Scalar, place: Place) -> Typed:
        step, columns = self.subqueries.subquery(node.query, self.scope)
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
                condition = self._conditions.compared("=", operand, self.value(when, place))
            result = self.value(then, place)
            self._functions.refuse_collated((result,), node.at)
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
        kind = self.rules.kind_of(node.type_name)
        if kind in (ColumnKind.SINGLE, ColumnKind.DECIMAL):
            kind = ColumnKind.REAL
        if kind not in _CONVERSIONS:
            raise self._error(f"a CAST to {node.type_name} cannot be described", node.at)
        to, affinity, nature = _CONVERSIONS[kind]
        value: Expression = Converted(inner.value, to)
        if to == "real" and inner.nature is Nature.COMPUTED_REAL:
            value = inner.value
        elif to == "real":
            value = Converted(calculated(inner).value, to)
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

    # Orders.

    def order(self, terms: tuple[nodes.Ordering, ...], place: Place) -> tuple[OrderKey, ...]:
        """Read the keys of an order inside a value."""
        return self.keys((term, self.value(term.value, place)) for term in terms)

    def keys(self, terms: Iterable[tuple[nodes.Ordering, Typed]]) -> tuple[OrderKey, ...]:
        """Return the keys of an order, constants left out, from terms and their values."""
        found: list[OrderKey] = []
        for term, typed in terms:
            if isinstance(typed.value, Literal):
                # All rows are alike in a constant.
                continue
            missing_first = self.rules.missing_first(descending=term.descending)
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
        return self._conditions.condition(node, place, negated=negated)

    def compared(self, operator: str, left: Typed, right: Typed) -> Condition:
        """Compare two values as the engine does."""
        return self._conditions.compared(operator, left, right)

    def _error(self, problem: str, at: int) -> UndescribableQueryError:
        return self.refusals.error(problem, at)


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


def _is_least(node: nodes.Expression) -> bool:
    """Say whether a number is whole with the sign before it, and real without."""
    return isinstance(node, nodes.Number) and node.text == str(-_LEAST_INTEGER)
