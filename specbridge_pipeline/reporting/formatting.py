"""Numbers and cells as text, the same way wherever they are shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeGuard

FEWEST_FOR_A_CONDITIONAL_SHARE = 10
"""A share of a denominator that itself depends on the answers is printed from this many on."""

NOT_AVAILABLE = "n/a"

_LONGEST_CELL = 200
_LONGEST_BLOB = 16
_SMALLEST_P = 0.001


@dataclass(frozen=True, slots=True)
class ShareText:
    """A share in three parts, so that a table can set them apart.

    Attributes:
        counts: "12/16", or "n/a" where nothing was counted.
        percent: "75%", or empty where only counts are shown.
        interval: "[51–90]", or empty where there is none.
    """

    counts: str
    percent: str = ""
    interval: str = ""

    def __str__(self) -> str:
        """Return the parts that are there, with blanks between."""
        return " ".join(part for part in (self.counts, self.percent, self.interval) if part)


def share_text(
    numerator: int,
    denominator: int,
    low: float | None,
    high: float | None,
    *,
    conditional: bool = False,
) -> ShareText:
    """Write a share with its counts and its interval.

    Args:
        numerator: How many cases have the property.
        denominator: How many cases there are.
        low: Lower bound as a share; NaN or None where there is none.
        high: Upper bound, likewise.
        conditional: Whether the denominator is no choice of the design, because it depends on the
            answers or is a part of the sets; few cases then give counts only.

    Returns:
        The share.
    """
    if denominator == 0:
        return ShareText(NOT_AVAILABLE)
    counts = f"{numerator}/{denominator}"
    if conditional and denominator < FEWEST_FOR_A_CONDITIONAL_SHARE:
        return ShareText(counts)
    return ShareText(counts, percent(numerator, denominator), interval_text(low, high))


def percent(numerator: int, denominator: int) -> str:
    """Return a share as a whole percentage, half a percent rounded up; the counts are exact."""
    return f"{(200 * numerator + denominator) // (2 * denominator)}%"


def interval_text(low: float | None, high: float | None) -> str:
    """Return an interval of a share in percent, or nothing where there is none.

    A bootstrap over rows that are all alike has an interval without width. That is no certainty:
    the resamples could not differ.
    """
    if not (is_number(low) and is_number(high)) or high <= low:
        return ""
    return f"[{100 * low:.0f}–{100 * high:.0f}]"


def difference_text(
    numerator: int, denominator: int, low: float | None, high: float | None
) -> ShareText:
    """Write a difference of two shares over the same cases, in percentage points.

    Args:
        numerator: How many more cases the first has; negative where it has fewer.
        denominator: How many cases were compared.
        low: Lower bound of the difference of shares; NaN or None where there is none.
        high: Upper bound, likewise.

    Returns:
        The difference.
    """
    if denominator == 0:
        return ShareText(NOT_AVAILABLE)
    interval = ""
    if is_number(low) and is_number(high):
        interval = f"[{_signed(100 * low)} to {_signed(100 * high)}]"
    points = _signed(100 * numerator / denominator)
    return ShareText(f"{_signed(numerator)} of {denominator}", f"{points} points", interval)


def p_value_text(p_value: float | None) -> str:
    """Return a p-value with three places; a smaller one is only said to be smaller."""
    if not is_number(p_value):
        return NOT_AVAILABLE
    return f"< {_SMALLEST_P}" if p_value < _SMALLEST_P else f"{p_value:.3f}"


def kappa_text(kappa: float | None) -> str:
    """Return Cohen's κ with two places, or why there is none."""
    return f"{kappa:.2f}" if is_number(kappa) else "n/a (one verdict only)"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which takes a plain s in the plural."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def cell_text(cell: object) -> str:
    """Return a cell of a result as text.

    Floats have twelve digits: queries count as equal within 1e-9, so that what lies beyond would
    show differences where there are none.
    """
    if cell is None:
        return "NULL"
    if isinstance(cell, float):
        return f"{cell:.12g}"
    if isinstance(cell, bytes):
        shown = cell[:_LONGEST_BLOB].hex()
        return f"x'{shown}{'…' if len(cell) > _LONGEST_BLOB else ''}'"
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    text = f"[{', '.join(map(cell_text, cell))}]" if isinstance(cell, tuple) else str(cell)
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"


def is_number(value: float | None) -> TypeGuard[float]:
    """Whether a stored float is there and is no NaN."""
    return value is not None and not math.isnan(value)


def _signed(number: float) -> str:
    """Return a number with its sign, a true minus, and no sign before zero."""
    rounded = math.floor(abs(number) + 0.5)
    if rounded == 0:
        return "0"
    return f"+{rounded}" if number > 0 else f"−{rounded}"
