"""When one cell of a result counts as equal to one cell of a reference."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from specbridge_pipeline.databases.results import Cell, Row

RELATIVE_TOLERANCE = 1e-9
FLOOR_UNITS = 64
"""The absolute floor of a float's tolerance, in units in the last place of its magnitude."""

_INTEGER_NUMERAL = re.compile(r"0|-?[1-9][0-9]*")
_FLOAT_NUMERAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-][0-9]+)?")


@dataclass(frozen=True, slots=True)
class ColumnTolerance:
    """How far a value may lie from a float of one reference column.

    Attributes:
        magnitude: The magnitude whose last place sets the absolute floor. For now the largest
            absolute value in the reference's column; measured magnitudes of the operands that
            made the cell come later.
        widen: A factor on the whole tolerance, for asking whether two references stay apart.
    """

    magnitude: float
    widen: float = 1.0

    def of(self, cell: Cell) -> float:
        """Return the tolerance around one reference cell; 0 for all but finite floats."""
        if not isinstance(cell, float) or not math.isfinite(cell):
            return 0.0
        floor = FLOOR_UNITS * math.ulp(self.magnitude)
        return self.widen * max(RELATIVE_TOLERANCE * abs(cell), floor)


def column_tolerances(rows: tuple[Row, ...], width: int) -> tuple[ColumnTolerance, ...]:
    """Return the tolerances of a reference's columns from the largest value in each.

    Args:
        rows: All rows that the reference can consist of.
        width: How many columns they have.

    Returns:
        One tolerance per column.
    """
    magnitudes = [0.0] * width
    for row in rows:
        for index in range(width):
            cell = row[index]
            if isinstance(cell, int | float) and math.isfinite(cell):
                magnitudes[index] = max(magnitudes[index], abs(float(cell)))
    return tuple(ColumnTolerance(magnitude) for magnitude in magnitudes)


def cells_agree(
    left: Cell,
    left_tolerance: ColumnTolerance | None,
    right: Cell,
    right_tolerance: ColumnTolerance | None,
) -> bool:
    """Say whether some value is equal to both cells.

    A side with a tolerance is a reference, a side without one a candidate, which stands for itself.
    So with one tolerance this is equality with a reference, and with two it asks whether two
    references can accept the same cell. An integer is exactly its value, whatever its type; a float
    reaches as far as its tolerance; NaN is equal to NaN, an infinity and NULL only to themselves;
    text goes by code point and bytes are equal to bytes only.

    Args:
        left: One cell.
        left_tolerance: The tolerance of its column, None for a candidate's cell.
        right: The other cell.
        right_tolerance: The tolerance of its column, None for a candidate's cell.

    Returns:
        Whether the cells agree.
    """
    if isinstance(left, int | float) and isinstance(right, int | float):
        if left == right:
            return True
        if not (math.isfinite(left) and math.isfinite(right)):
            return math.isnan(left) and math.isnan(right)
        tolerance = (left_tolerance.of(left) if left_tolerance else 0.0) + (
            right_tolerance.of(right) if right_tolerance else 0.0
        )
        return tolerance > 0 and abs(left - right) <= tolerance
    return type(left) is type(right) and left == right


def cell_equal(reference: Cell, candidate: Cell, tolerance: ColumnTolerance) -> bool:
    """Say whether a candidate's cell is equal to a reference's.

    Args:
        reference: The reference's cell.
        candidate: The candidate's cell.
        tolerance: The tolerance of the reference's column.

    Returns:
        Whether they are equal.
    """
    return cells_agree(reference, tolerance, candidate, None)


def cells_agree_but_for_format(
    left: Cell,
    left_tolerance: ColumnTolerance | None,
    right: Cell,
    right_tolerance: ColumnTolerance | None,
) -> bool:
    """Say whether two cells agree, or one is a number and the other its canonical numeral as text.

    Args:
        left: One cell.
        left_tolerance: The tolerance of its column, None for a candidate's cell.
        right: The other cell.
        right_tolerance: The tolerance of its column, None for a candidate's cell.

    Returns:
        Whether the cells agree or differ in format only.
    """
    if isinstance(left, str) and isinstance(right, int | float):
        value = canonical_number(left)
        return value is not None and cells_agree(value, left_tolerance, right, right_tolerance)
    if isinstance(right, str) and isinstance(left, int | float):
        value = canonical_number(right)
        return value is not None and cells_agree(left, left_tolerance, value, right_tolerance)
    return cells_agree(left, left_tolerance, right, right_tolerance)


def format_only(reference: Cell, candidate: Cell, tolerance: ColumnTolerance) -> bool:
    """Say whether two cells are unequal, but one is the other's canonical numeral as text.

    A date needs no rule: among SQLite's storage classes it is ISO text already.

    Args:
        reference: The reference's cell.
        candidate: The candidate's cell.
        tolerance: The tolerance of the reference's column.

    Returns:
        Whether they differ in format only.
    """
    return not cell_equal(reference, candidate, tolerance) and cells_agree_but_for_format(
        reference, tolerance, candidate, None
    )


def canonical_number(text: str) -> int | float | None:
    """Return the number whose canonical numeral a text is.

    Args:
        text: The text.

    Returns:
        The number, or None: ``007``, ``1,000``, ``10.50`` and `` 10`` are no canonical numerals.
    """
    if _INTEGER_NUMERAL.fullmatch(text):
        return int(text)
    if text == "-0" or not _FLOAT_NUMERAL.fullmatch(text):
        return None
    value = float(text)
    if not math.isfinite(value):
        return None
    return value if text in _numerals(value) else None


def _numerals(value: float) -> set[str]:
    """Return the ways in which engines of today write a float in full."""
    found = {repr(value)}
    for digits in (15, 16, 17):
        numeral = format(value, f".{digits}g")
        mantissa, mark, exponent = numeral.partition("e")
        pointed = mantissa if "." in mantissa else f"{mantissa}.0"
        found |= {numeral, f"{pointed}{mark}{exponent}"}
    return found
