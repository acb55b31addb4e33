"""Which numbers a value can be, so far as declared types and the way it is computed tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Expression,
    Literal,
    Rank,
    Step,
    StepValue,
)


class NumberType(Enum):
    """Whether a number is whole or real."""

    INTEGER = auto()
    REAL = auto()
    UNKNOWN = auto()
    """What is stored decides."""


_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_REAL = re.compile(r"[+-]?[0-9]{1,12}\.[0-9]{1,6}")
_LARGEST_EXACT = 2**53

_COUNTS = (
    AggregateFunction.COUNT_ROWS,
    AggregateFunction.COUNT_VALUES,
    AggregateFunction.COUNT_DISTINCT,
)


def number_type(value: Expression, steps: Sequence[Step], schema: Schema) -> NumberType:
    """Return the type of a value.

    Args:
        value: The value.
        steps: The steps before the one in whose terms the value is written.
        schema: Gives the declared types.

    Returns:
        The type; UNKNOWN for text and for columns whose declared type leaves it open.
    """
    while isinstance(value, StepValue):
        value = steps[value.step].outputs[value.output].value
    if isinstance(value, ColumnValue):
        return _declared(value, schema)
    if isinstance(value, Rank):
        return NumberType.INTEGER
    if isinstance(value, Literal):
        if isinstance(value.value, float):
            return NumberType.REAL
        return NumberType.INTEGER if isinstance(value.value, int) else NumberType.UNKNOWN
    if isinstance(value, Aggregate):
        if value.function is AggregateFunction.AVERAGE:
            return NumberType.REAL
        if value.function in _COUNTS or value.argument is None:
            return NumberType.INTEGER
        return number_type(value.argument, steps, schema)
    if value.operator == "/" and not value.whole:
        return NumberType.REAL
    operands = {number_type(each, steps, schema) for each in (value.left, value.right)}
    if NumberType.REAL in operands:
        return NumberType.REAL
    return NumberType.INTEGER if operands == {NumberType.INTEGER} else NumberType.UNKNOWN


def computed_real(value: Expression, steps: Sequence[Step]) -> bool:
    """Say whether a value is real by the way it is computed, whatever is stored.

    A column that is declared REAL can still hold text, which a factor 1.0 would change.
    """
    while isinstance(value, StepValue):
        value = steps[value.step].outputs[value.output].value
    if isinstance(value, Aggregate):
        return value.function is AggregateFunction.AVERAGE
    if isinstance(value, Arithmetic):
        if value.operator == "/":
            return not value.whole
        return computed_real(value.left, steps) or computed_real(value.right, steps)
    return isinstance(value, Literal) and isinstance(value.value, float)


def holds_text(value: Expression, steps: Sequence[Step], schema: Schema) -> bool:
    """Say whether a value is text by its declared type, or a text literal.

    Args:
        value: The value.
        steps: The steps before the one in whose terms the value is written.
        schema: Gives the declared types.
    """
    while isinstance(value, StepValue):
        value = steps[value.step].outputs[value.output].value
    if isinstance(value, Literal):
        return isinstance(value.value, str)
    if isinstance(value, Aggregate) and value.argument is not None:
        extremes = (AggregateFunction.MINIMUM, AggregateFunction.MAXIMUM)
        return value.function in extremes and holds_text(value.argument, steps, schema)
    return isinstance(value, ColumnValue) and _is_text(_declared_type(value, schema))


def as_compared(
    value: Expression, literal: Literal, steps: Sequence[Step], schema: Schema
) -> Literal:
    """Return a literal as the engine compares it with a value.

    A column declared for text turns numbers into text before they are compared, one declared for
    numbers turns text that is a number into that number.

    Args:
        value: What it is compared with.
        literal: The literal as written.
        steps: The steps before the one in whose terms the value is written.
        schema: Gives the declared types.
    """
    while isinstance(value, StepValue) and value.source is not None:
        value = steps[value.step].outputs[value.output].value
    if not isinstance(value, ColumnValue):
        return literal
    declared, written = _declared_type(value, schema), literal.value
    if _is_text(declared):
        # How the engine writes a real number as text is its own affair: such a one stays.
        return Literal(str(written)) if isinstance(written, int) else literal
    if not isinstance(written, str) or not (declared and "BLOB" not in declared):
        return literal
    if _INTEGER.fullmatch(written) and abs(int(written)) <= _LARGEST_EXACT:
        return Literal(int(written))
    return Literal(float(written)) if _REAL.fullmatch(written) else literal


def _declared(value: ColumnValue, schema: Schema) -> NumberType:
    declared = _declared_type(value, schema)
    # The engine's own rules of affinity, in their order.
    if "INT" in declared:
        return NumberType.INTEGER
    if _is_text(declared) or "BLOB" in declared:
        return NumberType.UNKNOWN
    if any(part in declared for part in ("REAL", "FLOA", "DOUB")):
        return NumberType.REAL
    return NumberType.UNKNOWN


def _is_text(declared: str) -> bool:
    return "INT" not in declared and any(part in declared for part in ("CHAR", "CLOB", "TEXT"))


def _declared_type(value: ColumnValue, schema: Schema) -> str:
    table = next(each for each in schema.tables if each.name == value.table)
    column = next(each for each in table.columns if each.name == value.column)
    return column.declared_type.upper()
