"""Canonical JSON and the content hashes made from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def canonical_json(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, NaN and infinities by name.

    Args:
        value: Mappings, lists, tuples, texts, numbers, booleans, None.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_hash(value: Any) -> str:
    """Return the SHA-256, in hexadecimal, of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", errors="surrogatepass")).hexdigest()


def plain_tree(value: Any, *, class_key: str) -> Any:
    """Return dataclasses as mappings, so that JSON can hold them.

    Args:
        value: A dataclass, or what its fields hold: tuples, enumerations, texts, numbers, None.
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
    return value.value if isinstance(value, Enum) else value


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
