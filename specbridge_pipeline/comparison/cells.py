"""When one cell of a result counts as equal to one cell of a reference."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import TypeAlias

from specbridge_pipeline.databases.results import Cell

RELATIVE_TOLERANCE = 1e-9
FLOOR_UNITS = 64
"""The absolute floor of a float's tolerance, in units in the last place of its magnitude."""

Number: TypeAlias = int | float | Decimal

# No engine has longer integers, and Python refuses to read very long ones.
_INTEGER_NUMERAL = re.compile(r"0|-?[1-9][0-9]{0,38}")
_DECIMAL_NUMERAL = re.compile(r"-?(0|[1-9][0-9]{0,38})\.[0-9]{1,38}")
_FLOAT_NUMERAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-][0-9]+)?")
_DATE_BEFORE_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2}:)")
_ISO_START = re.compile(r"\d{4}-\d{2}-\d{2}|\d{2}:\d{2}")


def is_finite_number(cell: object) -> bool:
    """Say whether a cell is a number other than NaN and the infinities."""
    return isinstance(cell, int | float | Decimal) and math.isfinite(cell)


def finite_size(cell: Cell) -> float:
    """Return the absolute value of a number; 0 for NaN, the infinities and all that is no number.

    Args:
        cell: The cell.
    """
    if isinstance(cell, int | float | Decimal) and math.isfinite(cell):
        return abs(float(cell))
    return 0.0


def floor_of(magnitude: float) -> float:
    """Return the absolute floor of the tolerance around a float.

    Args:
        magnitude: The magnitude of what was added up to make the float: its own where nothing
            could cancel, the sum of absolute values for a sum or an average.

    Returns:
        64 units in the last place of the magnitude.
    """
    return FLOOR_UNITS * math.ulp(magnitude) if math.isfinite(magnitude) else 0.0


def reach_of(cell: Cell, floor: float = 0.0, widen: float = 1.0) -> float:
    """Return how far a value may lie from a reference's cell and still be equal to it.

    Args:
        cell: The reference's cell.
        floor: The absolute floor of its tolerance, see `floor_of`.
        widen: A factor on the whole tolerance, for asking whether two references stay apart.

    Returns:
        The tolerance; 0 for all but finite floats and decimals. A decimal's is for candidates that
        are floats only, see `cells_agree`.
    """
    if not isinstance(cell, float | Decimal) or not math.isfinite(cell):
        return 0.0
    value = abs(float(cell))
    return widen * max(RELATIVE_TOLERANCE * value, floor, floor_of(value))


def cells_agree(
    left: Cell, left_reach: float | None, right: Cell, right_reach: float | None
) -> bool:
    """Say whether some value is equal to both cells.

    A side with a reach is a reference, a side without one a candidate, which stands for itself.
    So with one reach this is equality with a reference, and with two it asks whether two
    references can accept the same cell. An integer is exactly its value, whatever its type; a float
    reaches as far as its tolerance; a decimal is exactly its value to integers and decimals, and
    has a float's tolerance to floats, which cannot say it exactly. NaN is equal to NaN, an infinity
    and NULL only to themselves; text goes by code point; bytes, dates and times are equal to their
    own kind only.

    Args:
        left: One cell.
        left_reach: Its tolerance by `reach_of`, None for a candidate's cell.
        right: The other cell.
        right_reach: Its tolerance, None for a candidate's cell.

    Returns:
        Whether the cells agree.
    """
    if isinstance(left, int | float | Decimal) and isinstance(right, int | float | Decimal):
        if left == right:
            return True
        if not (math.isfinite(left) and math.isfinite(right)):
            return math.isnan(left) and math.isnan(right)
        reach = (left_reach or 0.0) + (right_reach or 0.0)
        if not reach:
            return False
        references_both = left_reach is not None and right_reach is not None
        if not references_both and not isinstance(left, float) and not isinstance(right, float):
            return False
        return abs(float(left) - float(right)) <= reach
    return type(left) is type(right) and left == right


def cell_equal(reference: Cell, candidate: Cell, floor: float = 0.0) -> bool:
    """Say whether a candidate's cell is equal to a reference's.

    Args:
        reference: The reference's cell.
        candidate: The candidate's cell.
        floor: The absolute floor of the tolerance around the reference's cell.

    Returns:
        Whether they are equal.
    """
    return cells_agree(reference, reach_of(reference, floor), candidate, None)


def cells_agree_but_for_format(
    left: Cell, left_reach: float | None, right: Cell, right_reach: float | None
) -> bool:
    """Say whether two cells agree, or one is the other written as text.

    A number may stand against its canonical numeral, a date or time against its ISO text.

    Args:
        left: One cell.
        left_reach: Its tolerance by `reach_of`, None for a candidate's cell.
        right: The other cell.
        right_reach: Its tolerance, None for a candidate's cell.

    Returns:
        Whether the cells agree or differ in format only.
    """
    if isinstance(left, str) and not isinstance(right, str):
        return _written(left, left_reach, right, right_reach)
    if isinstance(right, str) and not isinstance(left, str):
        return _written(right, right_reach, left, left_reach)
    return cells_agree(left, left_reach, right, right_reach)


def format_only(reference: Cell, candidate: Cell, floor: float = 0.0) -> bool:
    """Say whether two cells are unequal, but one is the other written as text.

    Args:
        reference: The reference's cell.
        candidate: The candidate's cell.
        floor: The absolute floor of the tolerance around the reference's cell.

    Returns:
        Whether they differ in format only.
    """
    return not cell_equal(reference, candidate, floor) and cells_agree_but_for_format(
        reference, reach_of(reference, floor), candidate, None
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


def written_number(text: str) -> Number | None:
    """Return the number that a text may stand for but for its format.

    Args:
        text: The text.

    Returns:
        The number of a canonical numeral, or the decimal that is written with these digits.
    """
    value = canonical_number(text)
    if value is None and _DECIMAL_NUMERAL.fullmatch(text):
        return Decimal(text)
    return value


def moment_text(cell: Cell) -> str | None:
    """Return the ISO text of a date or time, or of a text that begins like one.

    Args:
        cell: The cell.

    Returns:
        The text with a blank between date and time; None for any other cell.
    """
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, str) and _ISO_START.match(cell):
        return _DATE_BEFORE_TIME.sub(r"\1 \2", cell, count=1)
    return None


def _written(text: str, text_reach: float | None, cell: Cell, cell_reach: float | None) -> bool:
    if isinstance(cell, date | time):
        return moment_text(text) == moment_text(cell)
    if isinstance(cell, Decimal) and text == format(cell, "f"):
        return True
    value = canonical_number(text)
    if value is None or not isinstance(cell, int | float | Decimal):
        return False
    # A decimal in writing is no float that has lost digits.
    exact = isinstance(cell, Decimal) and isinstance(value, float)
    return cells_agree(
        Decimal(text) if exact else value,
        None if text_reach is None else reach_of(value),
        cell,
        cell_reach,
    )


def _numerals(value: float) -> set[str]:
    """Return the ways in which engines of today write a float in full."""
    found = {repr(value)}
    for digits in (15, 16, 17):
        numeral = format(value, f".{digits}g")
        mantissa, mark, exponent = numeral.partition("e")
        pointed = mantissa if "." in mantissa else f"{mantissa}.0"
        found |= {numeral, f"{pointed}{mark}{exponent}"}
    return found
