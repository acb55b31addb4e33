"""Carrying DuckDB's values into Python without changing any of them.

The driver alone changes some without a word: an infinite date becomes the last day of the year
9999, a month thirty days, and nanoseconds are cut off. Values of these types are fetched as the
engine's own text and read here; what has no counterpart in Python stays that text.

For use inside a worker process: it imports the engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, TypeAlias

from duckdb.sqltypes import DuckDBPyType

from specbridge_pipeline.databases.failures import StopError
from specbridge_pipeline.databases.results import Cell, FailureKind

Reader: TypeAlias = Callable[[Any], Cell]

_AS_FETCHED = frozenset(
    {
        "tinyint",
        "smallint",
        "integer",
        "bigint",
        "hugeint",
        "utinyint",
        "usmallint",
        "uinteger",
        "ubigint",
        "uhugeint",
        "float",
        "double",
        "decimal",
        "varchar",
        "blob",
        "bit",
        "enum",
        "time",
        "time with time zone",
        "null",
    }
)
"""Types whose values the driver hands out as they are."""

_INTERVAL = re.compile(
    r"(?:(-?\d+) years?)? ?(?:(-?\d+) months?)? ?(?:(-?\d+) days?)? ?"
    r"(?:(-?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?"
)
_MONTHS_A_YEAR = 12
_MICROSECONDS_A_SECOND = 1_000_000
_DIGITS_OF_A_MICROSECOND = 6


@dataclass(frozen=True, slots=True)
class Carrier:
    """How values of one type are fetched.

    Attributes:
        type_text: The type to fetch them as, in SQL.
        is_cast: Whether that is another type than their own.
        read: What makes the cell of a fetched value that is no NULL; None where it is one.
        is_nested: Whether the cell may be a tuple.
        has_parts: Whether the type is made of other types.
    """

    type_text: str
    is_cast: bool = False
    read: Reader | None = None
    is_nested: bool = False
    has_parts: bool = False


def carrier_of(kind: DuckDBPyType) -> Carrier:
    """Return how values of a type are fetched without changing any.

    Args:
        kind: The type, as the driver describes it.

    Returns:
        The carrier.

    Raises:
        StopError: If values of this type, or of a type inside it, cannot be carried.
    """
    name = kind.id
    if name in _TEXT_READERS:
        return Carrier(
            "VARCHAR", is_cast=True, read=_TEXT_READERS[name], is_nested=name == "interval"
        )
    if name == "boolean":
        return Carrier("BOOLEAN", read=int)
    if name == "uuid":
        return Carrier("UUID", read=str)
    if name == "bignum":
        return Carrier("BIGNUM", read=int)
    if name in _NESTED:
        return _NESTED[name](kind)
    if name in _AS_FETCHED:
        return Carrier(str(kind))
    raise StopError(
        FailureKind.ERROR,
        f"a value of type {str(kind)[:100]} cannot be handed over unchanged; cast it to VARCHAR",
    )


def read_row(row: Sequence[Any], readers: Sequence[tuple[int, Reader]]) -> tuple[Cell, ...]:
    """Return a fetched row with the cells of its carriers.

    Args:
        row: The row.
        readers: Places of the cells that are read, with what reads them.

    Returns:
        The row.

    Raises:
        ValueError: If the engine's text of a value is not understood.
    """
    cells = list(row)
    for place, read in readers:
        if cells[place] is not None:
            cells[place] = read(cells[place])
    return tuple(cells)


def read_date(text: str) -> Cell:
    """Return a date, or its text where Python has no such date.

    Args:
        text: The engine's text, as ``2024-02-29``, ``0044-03-15 (BC)`` or ``infinity``.

    Returns:
        The date or text.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


def read_timestamp(text: str) -> Cell:
    """Return a point in time, or its text where Python has no such one.

    Args:
        text: The engine's text, with at most an offset of zero.

    Returns:
        The point in time, aware if the text has an offset; or the text.
    """
    without_offset = text.removesuffix("+00")
    seconds, _, fraction = without_offset.partition(".")
    if len(fraction.rstrip("0")) > _DIGITS_OF_A_MICROSECOND:
        return text
    microseconds = fraction[:_DIGITS_OF_A_MICROSECOND].ljust(_DIGITS_OF_A_MICROSECOND, "0")
    offset = "+00:00" if without_offset != text else ""
    try:
        return datetime.fromisoformat(f"{seconds}.{microseconds}{offset}")
    except ValueError:
        return text


def read_time(text: str) -> Cell:
    """Return a time of day, or its text where it has nanoseconds or is 24:00:00.

    Args:
        text: The engine's text.

    Returns:
        The time or text.
    """
    seconds, _, fraction = text.partition(".")
    if len(fraction.rstrip("0")) > _DIGITS_OF_A_MICROSECOND:
        return text
    microseconds = fraction[:_DIGITS_OF_A_MICROSECOND].ljust(_DIGITS_OF_A_MICROSECOND, "0")
    try:
        return time.fromisoformat(f"{seconds}.{microseconds}")
    except ValueError:
        return text


def read_interval(text: str) -> Cell:
    """Return a length of time.

    Args:
        text: The engine's text, as ``1 year 2 months 3 days 04:05:06.7``.

    Returns:
        A timedelta; or, since months have no fixed length, the pairs of an interval's three
        parts where there are any, and where Python has no such timedelta.

    Raises:
        ValueError: If the text is not understood.
    """
    match = _INTERVAL.fullmatch(text)
    if match is None:
        raise ValueError(f"an interval of the form {text!r}")
    years, months, days, sign, hours, minutes, seconds, fraction = match.groups()
    all_months = int(years or 0) * _MONTHS_A_YEAR + int(months or 0)
    whole = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    microseconds = whole * _MICROSECONDS_A_SECOND + int(
        (fraction or "").ljust(_DIGITS_OF_A_MICROSECOND, "0")
    )
    if sign:
        microseconds = -microseconds
    if not all_months:
        try:
            return timedelta(days=int(days or 0), microseconds=microseconds)
        except OverflowError:
            pass
    return (("months", all_months), ("days", int(days or 0)), ("microseconds", microseconds))


_TEXT_READERS: dict[str, Reader] = {
    "date": read_date,
    "timestamp": read_timestamp,
    "timestamp_s": read_timestamp,
    "timestamp_ms": read_timestamp,
    "timestamp_ns": read_timestamp,
    "timestamp with time zone": read_timestamp,
    "timestamptz_ns": read_timestamp,
    "time_ns": read_time,
    "interval": read_interval,
}


def _list(kind: DuckDBPyType) -> Carrier:
    children: dict[str, Any] = dict(kind.children)
    child = carrier_of(children["child"])
    size = children.get("size", "")
    return Carrier(
        f"{child.type_text}[{size}]",
        is_cast=child.is_cast,
        read=lambda values: tuple(_cell(child, value) for value in values),
        is_nested=True,
        has_parts=True,
    )


def _struct(kind: DuckDBPyType) -> Carrier:
    fields = [(name, carrier_of(child)) for name, child in _children(kind)]
    inner = ", ".join(f"{_quoted(name)} {field.type_text}" for name, field in fields)
    return Carrier(
        f"STRUCT({inner})",
        is_cast=any(field.is_cast for _, field in fields),
        read=lambda value: tuple((name, _cell(field, value[name])) for name, field in fields),
        is_nested=True,
        has_parts=True,
    )


def _tuple(kind: DuckDBPyType) -> Carrier:
    fields = [carrier_of(child) for _, child in _children(kind)]
    return Carrier(
        f"TUPLE({', '.join(field.type_text for field in fields)})",
        is_cast=any(field.is_cast for field in fields),
        read=lambda value: tuple(map(_cell, fields, value)),
        is_nested=True,
        has_parts=True,
    )


def _map(kind: DuckDBPyType) -> Carrier:
    (_, key_kind), (_, value_kind) = _children(kind)
    key, value = carrier_of(key_kind), carrier_of(value_kind)

    def read(fetched: dict[Any, Any]) -> Cell:
        # Nested keys arrive as a list beside the list of their values.
        pairs = (
            zip(fetched["key"], fetched["value"], strict=True) if key.has_parts else fetched.items()
        )
        return tuple((_cell(key, left), _cell(value, right)) for left, right in pairs)

    return Carrier(
        f"MAP({key.type_text}, {value.type_text})",
        is_cast=key.is_cast or value.is_cast,
        read=read,
        is_nested=True,
        has_parts=True,
    )


_NESTED: dict[str, Callable[[DuckDBPyType], Carrier]] = {
    "list": _list,
    "array": _list,
    "struct": _struct,
    "tuple": _tuple,
    "map": _map,
}


def _children(kind: DuckDBPyType) -> list[tuple[str, Any]]:
    # Some types have other things than types among their children; a struct, tuple or map has not.
    return list(kind.children)


def _cell(carrier: Carrier, value: Any) -> Cell:
    cell: Cell = value if value is None or carrier.read is None else carrier.read(value)
    return cell


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
