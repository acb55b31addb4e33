"""Canonical JSON and the content hashes made from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Context, Decimal
from enum import Enum
from typing import Any

_ALL_DIGITS = Context(prec=100)
_MICROSECOND = timedelta(microseconds=1)


def canonical_json(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, NaN and infinities by name.

    Args:
        value: Mappings, lists, tuples, texts, numbers, booleans, None.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_hash(value: Any) -> str:
    """Return the SHA-256, in hexadecimal, of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", errors="surrogatepass")).hexdigest()


def plain_cell(value: Any) -> Any:
    """Return a cell of a result as JSON can hold it; different cells stay different.

    Args:
        value: A number, a text, bytes, a decimal, a day, a time, a span of time, a tuple, or None.

    Returns:
        Numbers, texts and None as they are, anything else with the name of what it is: decimals
        without zeros at the end, since a value is one however many places its column has.
    """
    match value:
        case bytes():
            return {"bytes": value.hex()}
        case Decimal():
            # Neither an integer nor a float holds all that a decimal can.
            return {"decimal": f"{value.normalize(_ALL_DIGITS):f}"}
        case datetime():
            return {"datetime": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case time():
            return {"time": value.isoformat()}
        case timedelta():
            return {"seconds": str(Decimal(value // _MICROSECOND).scaleb(-6))}
        case tuple():
            return [plain_cell(each) for each in value]
    return value


def plain_tree(value: Any, *, class_key: str) -> Any:
    """Return dataclasses as mappings, so that JSON can hold them.

    Args:
        value: A dataclass, or what its fields hold: tuples, enumerations, cells of results.
        class_key: Key under which a mapping names its class; no field may be called so.

    Returns:
        Mappings of field names to values, lists for tuples, and the values of enumerations.
    """
    if is_dataclass(value):
        return {class_key: type(value).__name__} | {
            each.name: plain_tree(getattr(value, each.name), class_key=class_key)
            for each in fields(value)
        }
    if isinstance(value, tuple):
        return [plain_tree(each, class_key=class_key) for each in value]
    return value.value if isinstance(value, Enum) else plain_cell(value)


def rows_hash(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the SHA-256 of named rows, whatever order they come in.

    Args:
        columns: Column names.
        rows: One mapping a row.

    Returns:
        The same text for the same bag of rows, on every machine and in every hash order.
    """
    names = list(columns)
    lines = sorted(canonical_json([row[name] for name in names]) for row in rows)
    digest = hashlib.sha256(canonical_json(names).encode())
    for line in lines:
        digest.update(b"\n")
        digest.update(line.encode("utf-8", errors="surrogatepass"))
    return digest.hexdigest()
