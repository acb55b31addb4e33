"""Pieces of SQL, with what decides how SQLite compares them."""

from __future__ import annotations

import re
from typing import NamedTuple

NUMBERS = frozenset({"INTEGER", "REAL", "NUMERIC"})
UNKNOWN = "UNKNOWN"
"""The affinity of what nothing is known of."""
USUAL = "BINARY"

_NUMERAL = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)


class Sql(NamedTuple):
    """A piece of SQL.

    Attributes:
        text: It.
        affinity: Its affinity; empty for a value that has none.
        collation: The collation that it brings into a comparison; empty for none.
        literal: What a value written out is: number, text, null or blob; empty for others.
        written: The text, where it is a text written out.
    """

    text: str
    affinity: str = ""
    collation: str = ""
    literal: str = ""
    written: str = ""


def quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(value: str) -> str:
    """Return a text as SQL has it."""
    return "'" + value.replace("'", "''") + "'"


def number_literal(value: int | float) -> str:
    """Return a number as SQL has it."""
    text = repr(value).replace("inf", "9e999")
    return f"({text})" if text.startswith("-") else text


def declared_affinity(declared_type: str) -> str:
    """Return the affinity of a column by its declared type, as SQLite's documentation has it."""
    declared = declared_type.upper()
    if "INT" in declared:
        return "INTEGER"
    if any(part in declared for part in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in declared or not declared:
        return "BLOB"
    if any(part in declared for part in ("REAL", "FLOA", "DOUB")):
        return "REAL"
    return "NUMERIC"


def collated(piece: Sql, collation: str | None) -> Sql:
    """Return a value whose texts are compared by a collation; None for the usual one."""
    wanted = collation or USUAL
    if (piece.collation or USUAL) == wanted:
        return piece
    return piece._replace(text=f"({piece.text} COLLATE {wanted})", collation=wanted)


def compared(
    left: Sql, left_reading: str | None, right: Sql, right_reading: str | None
) -> tuple[Sql, Sql]:
    """Return two values so that SQLite compares them as what they are, or are read as.

    Args:
        left: The left value.
        left_reading: What it is read as: number, text, or None for what it is.
        right: The right value.
        right_reading: What the right one is read as.
    """
    known = UNKNOWN not in (left.affinity, right.affinity)
    if known:
        reading = _reading(left.affinity, right.affinity)
        if (_changed(left, reading), _changed(right, reading)) == (left_reading, right_reading):
            return left, right
    return as_read(left, left_reading), as_read(right, right_reading)


def compared_with_list(left: Sql, items: list[tuple[Sql, str | None]]) -> tuple[Sql, list[Sql]]:
    """Return a value and a list so that SQLite looks for it among what they are, or are read as."""
    reading = _reading(left.affinity, "")
    if left.affinity != UNKNOWN and all(
        _changed(item, reading) == stated for item, stated in items
    ):
        return left, [item for item, _ in items]
    return as_read(left, None), [as_read(item, stated) for item, stated in items]


def as_read(piece: Sql, reading: str | None) -> Sql:
    """Return a value without affinity, as what it is read as."""
    text = piece.text
    if reading == "number":
        # What a column of numbers makes of a text: a number if it is the text of one.
        number = f"CAST({text} AS NUMERIC)"
        return Sql(f"(CASE WHEN +{text} = {number} THEN {number} ELSE {text} END)")
    if reading == "text":
        is_number = f"typeof({text}) IN ('integer', 'real')"
        return Sql(f"(CASE WHEN {is_number} THEN CAST({text} AS TEXT) ELSE {text} END)")
    if piece.literal or not piece.affinity:
        return piece
    return piece._replace(text=f"(+{text})", affinity="")


def _reading(left: str, right: str) -> str | None:
    """Return what SQLite takes values of two affinities for."""
    if left in NUMBERS or right in NUMBERS:
        return "number"
    return "text" if {left, right} == {"TEXT", ""} else None


def _changed(piece: Sql, reading: str | None) -> str | None:
    """Return what a value is taken for; None where that is what it is anyway."""
    if reading is None or piece.literal in ("null", "blob"):
        return None
    if reading == "number":
        stays = piece.affinity in NUMBERS or piece.literal == "number"
        if piece.literal == "text":
            stays = not _NUMERAL.fullmatch(piece.written)
    else:
        stays = piece.affinity == "TEXT" or piece.literal == "text"
    return None if stays else reading
