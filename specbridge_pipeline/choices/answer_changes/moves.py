"""How far an answer moves from one result to another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from specbridge_pipeline.databases.results import Cell, QueryResult

_TENTH, _HALF = 0.1, 0.5


class Move(StrEnum):
    """What changes in an answer that changes; the value is the name in stored rows."""

    OVER_HALF = "over half"
    """A single number moves by more than half of the reference's; from 0, by anything."""
    TENTH_TO_HALF = "tenth to half"
    """A single number moves by a tenth of the reference's up to half of it."""
    UNDER_TENTH = "under a tenth"
    """A single number moves by less."""
    MISSING = "missing value"
    """A single value becomes missing, or a missing one a value."""
    VALUE = "another value"
    """A single value that is no number becomes another one, or a number something else."""
    ROWS = "other rows"
    """One of both results is not a single value."""


MOVES_OF_NUMBERS = (Move.OVER_HALF, Move.TENTH_TO_HALF, Move.UNDER_TENTH)


@dataclass(frozen=True, slots=True)
class Moved:
    """How far an answer moved.

    Attributes:
        move: What changed.
        relative: The distance of two single numbers as a share of the reference's size; None for
            all else, and where the reference's number is 0.
    """

    move: Move
    relative: float | None = None


def measure_move(reference: QueryResult, other: QueryResult) -> Moved:
    """Say how far an answer moves from the reference's result to another one, which differs.

    Args:
        reference: The result of the reference.
        other: The result of the other interpretation.
    """
    if not (_is_single(reference) and _is_single(other)):
        return Moved(Move.ROWS)
    return measure_cells(reference.rows[0][0], other.rows[0][0])


def measure_cells(before: Cell, after: Cell) -> Moved:
    """Say how far a single value moves to another one, which differs; see `measure_move`."""
    if before is None or after is None:
        return Moved(Move.MISSING)
    start, end = _number(before), _number(after)
    if start is None or end is None:
        return Moved(Move.VALUE)
    if not start:
        return Moved(Move.OVER_HALF)
    relative = abs(end - start) / abs(start)
    if relative > _HALF:
        return Moved(Move.OVER_HALF, relative)
    return Moved(Move.TENTH_TO_HALF if relative >= _TENTH else Move.UNDER_TENTH, relative)


def _is_single(result: QueryResult) -> bool:
    return result.row_count == 1 and len(result.columns) == 1


def _number(cell: Cell) -> float | None:
    if not isinstance(cell, int | float | Decimal):
        return None
    try:
        value = float(cell)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None
