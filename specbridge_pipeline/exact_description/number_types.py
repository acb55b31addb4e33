"""What values can be, so far as declared types and the way they are computed tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
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
    ZeroIfMissing,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import (
    NUMERIC_KINDS,
    TEXT_KINDS,
    ColumnKind,
)


class NumberType(Enum):
    """Whether a number is whole or real."""

    INTEGER = auto()
    REAL = auto()
    UNKNOWN = auto()
    """What is stored decides."""


_NUMBER_TYPES = {
    ColumnKind.INTEGER: NumberType.INTEGER,
    ColumnKind.REAL: NumberType.REAL,
    ColumnKind.SINGLE: NumberType.REAL,
    ColumnKind.DECIMAL: NumberType.REAL,
}
_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_REAL = re.compile(r"[+-]?[0-9]{1,12}\.[0-9]{1,6}")
_LARGEST_EXACT = 2**53

_COUNTS = (
    AggregateFunction.COUNT_ROWS,
    AggregateFunction.COUNT_VALUES,
    AggregateFunction.COUNT_DISTINCT,
)
_EXTREMES = (AggregateFunction.MINIMUM, AggregateFunction.MAXIMUM)


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
    if isinstance(value, ZeroIfMissing):
        value = value.value
    if isinstance(value, ColumnValue):
        return _NUMBER_TYPES.get(_declared_kind(value, schema), NumberType.UNKNOWN)
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


def kind_of_value(value: Expression, steps: Sequence[Step], schema: Schema) -> ColumnKind:
    """Return what a value is where columns hold what their types say.

    Args:
        value: The value.
        steps: The steps before the one in whose terms the value is written.
        schema: Gives the declared types.

    Returns:
        The kind of a column that would hold it.
    """
    while isinstance(value, StepValue):
        value = steps[value.step].outputs[value.output].value
    match value:
        case ColumnValue():
            return _declared_kind(value, schema)
        case ZeroIfMissing(value=column):
            return _declared_kind(column, schema)
        case Rank():
            return ColumnKind.INTEGER
        case Literal():
            return _kind_of_literal(value)
        case Aggregate(function=AggregateFunction.AVERAGE):
            return ColumnKind.REAL
        case Aggregate(function=function, argument=argument):
            if argument is None or function in _COUNTS:
                return ColumnKind.INTEGER
            kind = kind_of_value(argument, steps, schema)
            # Sums of four-byte numbers have eight.
            single_sum = kind is ColumnKind.SINGLE and function not in _EXTREMES
            return ColumnKind.REAL if single_sum else kind
        case Arithmetic():
            kinds = {kind_of_value(each, steps, schema) for each in (value.left, value.right)}
            for kind in (ColumnKind.REAL, ColumnKind.SINGLE):
                if kind in kinds:
                    return kind
            if value.operator == "/" and not value.whole:
                return ColumnKind.REAL
            return ColumnKind.DECIMAL if ColumnKind.DECIMAL in kinds else ColumnKind.INTEGER
    raise AssertionError(value)  # pragma: no cover - these are all kinds of values


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
        return value.function in _EXTREMES and holds_text(value.argument, steps, schema)
    return isinstance(value, ColumnValue) and _declared_kind(value, schema) in TEXT_KINDS


def as_compared(
    value: Expression, literal: Literal, steps: Sequence[Step], schema: Schema
) -> Literal | None:
    """Return a literal as the engine compares it with a value.

    Where any column can hold anything, a column declared for text turns numbers into text before
    they are compared, and one declared for numbers turns text that is a number into that number.
    Elsewhere a text is read as what the column holds.

    Args:
        value: What it is compared with.
        literal: The literal as written.
        steps: The steps before the one in whose terms the value is written.
        schema: Gives the declared types.

    Returns:
        The literal; None where the engine refuses to compare them, or compares something else than
        a reader would.
    """
    if rules_of(schema.engine).strict_types:
        return _read_as(value, literal, steps, schema)
    while isinstance(value, StepValue) and value.source is not None:
        value = steps[value.step].outputs[value.output].value
    if not isinstance(value, ColumnValue):
        return literal
    kind, written = _declared_kind(value, schema), literal.value
    if kind in TEXT_KINDS:
        # How the engine writes a real number as text is its own affair: such a one stays.
        return Literal(str(written)) if isinstance(written, int) else literal
    if not isinstance(written, str) or kind not in NUMERIC_KINDS:
        return literal
    if _INTEGER.fullmatch(written) and abs(int(written)) <= _LARGEST_EXACT:
        return Literal(int(written))
    return Literal(float(written)) if _REAL.fullmatch(written) else literal


def _read_as(
    value: Expression, literal: Literal, steps: Sequence[Step], schema: Schema
) -> Literal | None:
    kind, written = kind_of_value(value, steps, schema), literal.value
    is_number = isinstance(written, int | float) and not isinstance(written, bool)
    match kind:
        case ColumnKind.TEXT | ColumnKind.LISTED_TEXT:
            return literal if isinstance(written, str) else None
        case ColumnKind.TRUTH:
            return Literal(bool(written)) if written in (0, 1) else None
        case ColumnKind.TIME:
            return _moment(value, written, steps, schema)
        case ColumnKind.INTEGER if isinstance(written, str):
            return Literal(int(written)) if _INTEGER.fullmatch(written) else None
        case ColumnKind.SINGLE:
            # A fraction would first be brought to four bytes.
            return literal if is_number and float(str(written)).is_integer() else None
    return literal if is_number and kind in NUMERIC_KINDS else None


def _moment(
    value: Expression, written: object, steps: Sequence[Step], schema: Schema
) -> Literal | None:
    """Return a literal that a day or a moment is compared with; None for any other time."""
    while isinstance(value, StepValue):
        value = steps[value.step].outputs[value.output].value
    if isinstance(value, Aggregate) and value.argument is not None:
        return _moment(value.argument, written, steps, schema)
    if not isinstance(value, ColumnValue):
        return None
    declared = _declared_type(value, schema)
    try:
        moment = datetime.fromisoformat(written) if isinstance(written, str) else written
    except ValueError:
        return None
    if not isinstance(moment, date):
        return None
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is not None:
        return None
    if declared == "DATE":
        is_day = moment == datetime(moment.year, moment.month, moment.day)
        return Literal(moment.date()) if is_day else None
    return Literal(moment) if declared == "TIMESTAMP" else None


def _kind_of_literal(literal: Literal) -> ColumnKind:
    match literal.value:
        case bool():
            return ColumnKind.TRUTH
        case int():
            return ColumnKind.INTEGER
        case float():
            return ColumnKind.DECIMAL
        case str():
            return ColumnKind.TEXT
        case date():
            return ColumnKind.TIME
    return ColumnKind.OTHER


def _declared_kind(value: ColumnValue, schema: Schema) -> ColumnKind:
    return rules_of(schema.engine).kind_of(_declared_type(value, schema))


def _declared_type(value: ColumnValue, schema: Schema) -> str:
    table = next(each for each in schema.tables if each.name == value.table)
    column = next(each for each in table.columns if each.name == value.column)
    return column.declared_type.upper()
