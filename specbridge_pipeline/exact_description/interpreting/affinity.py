"""What SQLite makes of values before it compares them, and what they can be."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from specbridge_pipeline.exact_description.queries.model import Expression, Literal, ReadAs, Reading
from specbridge_pipeline.sql.engines.rules import ColumnKind


class Affinity(StrEnum):
    """What a value leans towards; expressions other than columns and CASTs lean to nothing."""

    NOTHING = "nothing"
    BLOB = "blob"
    TEXT = "text"
    NUMBER = "number"


class Nature(StrEnum):
    """What a value can be besides missing, as far as declared types and calculations tell."""

    INTEGER = "integer"
    REAL = "real"
    COMPUTED_REAL = "computed real"
    """Real by the way it is computed, whatever is stored."""
    NUMBER = "number"
    TEXT = "text"
    LEANING = "leaning to numbers"
    """What a column that leans to numbers holds: no text that looks like one."""
    ANY = "any"


NUMERIC_NATURES = frozenset({Nature.INTEGER, Nature.REAL, Nature.COMPUTED_REAL, Nature.NUMBER})
REAL_NATURES = frozenset({Nature.REAL, Nature.COMPUTED_REAL})

_AFFINITIES = {
    ColumnKind.INTEGER: Affinity.NUMBER,
    ColumnKind.REAL: Affinity.NUMBER,
    ColumnKind.SINGLE: Affinity.NUMBER,
    ColumnKind.DECIMAL: Affinity.NUMBER,
    ColumnKind.NUMBER: Affinity.NUMBER,
    ColumnKind.TEXT: Affinity.TEXT,
    ColumnKind.LISTED_TEXT: Affinity.TEXT,
    ColumnKind.OTHER: Affinity.BLOB,
}
_NATURES = {
    ColumnKind.INTEGER: Nature.INTEGER,
    ColumnKind.REAL: Nature.REAL,
    ColumnKind.SINGLE: Nature.REAL,
    ColumnKind.DECIMAL: Nature.REAL,
    ColumnKind.NUMBER: Nature.LEANING,
    ColumnKind.TEXT: Nature.TEXT,
    ColumnKind.LISTED_TEXT: Nature.TEXT,
}
_NUMERAL = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_LARGEST_INTEGER = 2**63 - 1
_LARGEST_EXACT = 2**53


class Typed(NamedTuple):
    """A value and what decides how it is compared.

    Attributes:
        value: The value.
        affinity: What it leans towards.
        nature: What it can be.
        collation: The collation that it brings along, as a column does; empty for none.
        explicit: Whether COLLATE is written on it.
        kind: The declared type of a day, a moment or a truth value of a strictly typed engine.
    """

    value: Expression
    affinity: Affinity = Affinity.NOTHING
    nature: Nature = Nature.ANY
    collation: str = ""
    explicit: bool = False
    kind: str = ""


def affinity_of(kind: ColumnKind) -> Affinity:
    """Return what a column of a kind leans towards."""
    return _AFFINITIES.get(kind, Affinity.NUMBER)


def nature_of(kind: ColumnKind) -> Nature:
    """Return what a column of a kind holds by its declared type."""
    return _NATURES.get(kind, Nature.ANY)


def collation_between(left: Typed, right: Typed) -> str:
    """Return the collation by which two values are compared."""
    for explicit in (True, False):
        for side in (left, right):
            if side.explicit is explicit and side.collation:
                return usual(side.collation)
    return ""


def usual(collation: str) -> str:
    """Return a collation, empty for the usual one."""
    return "" if collation == "BINARY" else collation


def reading_between(left: Affinity, right: Affinity) -> Reading | None:
    """Return what two values are taken for when they are compared; None for what they are."""
    if Affinity.NOTHING not in (left, right):
        return Reading.NUMBER if Affinity.NUMBER in (left, right) else None
    leaning = right if left is Affinity.NOTHING else left
    return {Affinity.NUMBER: Reading.NUMBER, Affinity.TEXT: Reading.TEXT}.get(leaning)


def taken_for(typed: Typed, reading: Reading | None) -> Expression:
    """Return a value as it is taken in a comparison.

    Args:
        typed: The value.
        reading: What it is taken for.

    Returns:
        The value itself where that changes nothing, a literal made into what it counts as, or the
        value marked with its reading.
    """
    value = typed.value
    if reading is None or (isinstance(value, Literal) and value.value is None):
        return value
    if reading is Reading.NUMBER:
        if typed.nature in NUMERIC_NATURES or typed.affinity is Affinity.NUMBER:
            return value
        if typed.nature is Nature.LEANING:
            return value
        if isinstance(value, Literal):
            return _number(value)
        return ReadAs(value, Reading.NUMBER)
    if typed.nature is Nature.TEXT or typed.affinity is Affinity.TEXT:
        return value
    if isinstance(value, Literal) and isinstance(value.value, int):
        return Literal(str(value.value))
    return ReadAs(value, Reading.TEXT)


def _number(literal: Literal) -> Expression:
    written = literal.value
    if not isinstance(written, str) or not _NUMERAL.fullmatch(written):
        return literal
    number = float(written)
    if number.is_integer() and abs(number) <= _LARGEST_EXACT:
        return Literal(int(number))
    return Literal(number)


def literal_number(text: str) -> Typed:
    """Return a number that is written in a statement."""
    plain = text.replace("_", "")
    if plain[:2].lower() == "0x":
        whole = int(plain, 16)
        return Typed(
            Literal(whole - 2**64 if whole > _LARGEST_INTEGER else whole), nature=Nature.INTEGER
        )
    if plain.isdigit() and int(plain) <= _LARGEST_INTEGER:
        return Typed(Literal(int(plain)), nature=Nature.INTEGER)
    return Typed(Literal(float(plain)), nature=Nature.COMPUTED_REAL)


def shared_nature(natures: Iterable[Nature]) -> Nature:
    """Return what a value can be that is one of several."""
    found = set(natures)
    if len(found) == 1:
        return found.pop()
    if found <= REAL_NATURES:
        return Nature.REAL
    if found <= NUMERIC_NATURES:
        return Nature.NUMBER
    return Nature.LEANING if found <= NUMERIC_NATURES | {Nature.LEANING} else Nature.ANY


def calculated_nature(operator: str, left: Nature, right: Nature, whole: bool) -> Nature:
    """Return what the result of + - * / can be."""
    if operator == "/" and not whole:
        return Nature.COMPUTED_REAL
    if Nature.COMPUTED_REAL in (left, right):
        return Nature.COMPUTED_REAL
    if Nature.REAL in (left, right):
        return Nature.REAL
    return Nature.INTEGER if left is right is Nature.INTEGER else Nature.NUMBER
