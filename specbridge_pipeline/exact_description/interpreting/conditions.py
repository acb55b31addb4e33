"""From syntax to conditions, three-valued as the engine's are."""

from __future__ import annotations

from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.interpreting.affinity import (
    NUMERIC_NATURES,
    Affinity,
    Typed,
    collation_between,
    reading_between,
    taken_for,
    usual,
)
from specbridge_pipeline.exact_description.interpreting.bindings import resolve
from specbridge_pipeline.exact_description.interpreting.comparisons import (
    NEGATED,
    as_moments,
    compared,
    joined_conditions,
    negation,
    unlike,
)
from specbridge_pipeline.exact_description.interpreting.places import Place, Values, is_matching
from specbridge_pipeline.exact_description.queries.model import (
    Condition,
    Expression,
    HasRows,
    Holds,
    InList,
    InStep,
    Literal,
    Matches,
    Missing,
    Reading,
    Same,
    Truth,
    TruthIs,
)
from specbridge_pipeline.sql.syntax import nodes

_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})


class ConditionReader:
    """Reads the conditions of one SELECT.

    Args:
        values: Reads the values in them.
    """

    def __init__(self, values: Values) -> None:
        self._values = values

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
            value = self._value(node.operand, place).value
            return Missing(value, negated is not node.negated)
        elif isinstance(node, nodes.Between):
            return self._between(node, place, negated)
        elif isinstance(node, nodes.InList):
            return self._in_list(node, place, negated is not node.negated)
        elif isinstance(node, nodes.InQuery):
            return self._in_query(node, place, negated is not node.negated)
        elif isinstance(node, nodes.Exists):
            step, _ = self._values.subqueries.subquery(node.query, self._values.scope)
            return HasRows(step, negated)
        elif isinstance(node, nodes.Matched):
            escape = None if node.escape is None else self._value(node.escape, place).value
            return Matches(
                node.operator.lower(),
                self._value(node.operand, place).value,
                self._value(node.pattern, place).value,
                escape,
                negated is not node.negated,
            )
        elif isinstance(node, nodes.Call) and is_matching(node):
            pattern, matched, *rest = (self._value(each, place).value for each in node.arguments)
            return Matches(node.name, matched, pattern, rest[0] if rest else None, negated)
        value = self._value(node, place).value
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
            left, right = (
                self._value(node.left, place),
                self._value(node.right, place),
            )
            return self.compared(NEGATED[operator] if negated else operator, left, right)
        if operator not in ("IS", "IS NOT"):
            return None
        negated = negated is not (operator == "IS NOT")
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(other, nodes.Constant) and other.word == "NULL":
                return Missing(self._value(one, place).value, negated)
        truth = _truth_word(node.right)
        if truth is not None and self._is_no_column(node.right):
            return TruthIs(self.condition(node.left, place), truth, negated)
        left, right = self._value(node.left, place), self._value(node.right, place)
        reading = reading_between(left.affinity, right.affinity)
        taken, beside = taken_for(left, reading), taken_for(right, reading)
        different = unlike(left, taken, right, beside)
        return Same(taken, beside, negated, self._collation(left, right), different)

    def _is_no_column(self, node: nodes.Expression) -> bool:
        assert isinstance(node, nodes.Name)
        return isinstance(resolve(node, self._values.scope, self._values.refusals).value, Literal)

    def _rows_compared(self, node: nodes.Binary, place: Place, negated: bool) -> Condition:
        assert isinstance(node.left, nodes.Row)
        assert isinstance(node.right, nodes.Row)
        equal = (node.operator == "=") is not negated
        if node.operator not in ("=", "<>") or len(node.left.items) != len(node.right.items):
            raise self._error("an order of row values cannot be described", node.at)
        pairs = [
            self.compared(
                "=" if equal else "<>",
                self._value(one, place),
                self._value(other, place),
            )
            for one, other in zip(node.left.items, node.right.items, strict=True)
        ]
        return joined_conditions(pairs, all_hold=equal)

    def compared(self, operator: str, left: Typed, right: Typed) -> Condition:
        """Compare two values as the engine does."""
        collation = self._collation(left, right)
        if self._values.rules.strict_types:
            one, other = as_moments(left, right)
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
        value = self._value(node.operand, place)
        low, high = self._value(node.low, place), self._value(node.high, place)
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
        value = self._value(node.operand, place)
        # Only what stands on the left decides what both are taken for.
        reading = reading_between(value.affinity, Affinity.NOTHING)
        items = []
        different = bool(node.items)
        for each in node.items:
            item = self._value(each, place)._replace(affinity=Affinity.NOTHING)
            items.append(taken_for(item, reading))
            different = different and unlike(value, value.value, item, items[-1])
        collation = "" if value.nature in NUMERIC_NATURES else usual(value.collation)
        if len(items) == 1:
            operator = "<>" if negated else "="
            return compared(operator, value.value, items[0], collation, different)
        return InList(value.value, tuple(items), negated, collation, different)

    def _in_query(self, node: nodes.InQuery, place: Place, negated: bool) -> Condition:
        operands = node.operand.items if isinstance(node.operand, nodes.Row) else (node.operand,)
        step, columns = self._values.subqueries.subquery(node.query, self._values.scope)
        if len(columns) != len(operands):
            raise self._error(
                f"{len(operands)} values are looked for among {len(columns)} columns", node.at
            )
        values: list[Expression] = []
        readings: list[Reading | None] = []
        collations: set[str] = set()
        for operand, (_, column) in zip(operands, columns, strict=True):
            typed = self._value(operand, place)
            reading = reading_between(typed.affinity, column.affinity)
            values.append(taken_for(typed, reading))
            # A column that holds what it is taken for needs no word.
            readings.append(None if taken_for(column, reading) == column.value else reading)
            collations.add(self._collation(typed, column))
        if len(collations) > 1:
            raise self._error("several collations in one IN cannot be described", node.at)
        return InStep(tuple(values), step, negated, tuple(readings), collations.pop())

    def _value(self, node: nodes.Expression, place: Place) -> Typed:
        return self._values.value(node, place)

    def _error(self, problem: str, at: int) -> UndescribableQueryError:
        return self._values.refusals.error(problem, at)


def _truth_word(node: nodes.Expression) -> bool | None:
    if isinstance(node, nodes.Name) and not node.table and not node.quote:
        return {"TRUE": True, "FALSE": False}.get(node.column.upper())
    return None
