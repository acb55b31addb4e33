"""Cells of results for a reader in a terminal, and for a program as JSON that keeps their type."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from specbridge_pipeline.databases.results import Cell

_SHOWN_BYTES = 8
_KEPT_BEFORE_DIFFERENCE = 6


def typed_cell(cell: Cell) -> dict[str, Any]:
    """Return a cell as JSON that no type is lost in.

    Args:
        cell: The cell.

    Returns:
        ``{"type": ..., "value": ...}``. An integer is a number; a real is a number, or its name
        (``NaN``, ``Infinity``, ``-Infinity``); a blob is hexadecimal text; decimals, dates and
        times are their text, an interval is seconds as text, a list holds typed cells.
    """
    kind, value = _type_and_value(cell)
    return {"type": kind, "value": value}


def _type_and_value(cell: Any) -> tuple[str, Any]:
    if cell is None:
        return "null", None
    if isinstance(cell, int):
        return "integer", int(cell)
    if isinstance(cell, float):
        if math.isfinite(cell):
            return "real", cell
        return "real", "NaN" if math.isnan(cell) else "Infinity" if cell > 0 else "-Infinity"
    if isinstance(cell, str):
        return "text", cell
    if isinstance(cell, bytes):
        return "blob", cell.hex()
    if isinstance(cell, Decimal):
        return "decimal", str(cell)
    if isinstance(cell, datetime):
        return "timestamp", cell.isoformat(" ")
    if isinstance(cell, date):
        return "date", cell.isoformat()
    if isinstance(cell, time):
        return "time", cell.isoformat()
    if isinstance(cell, timedelta):
        return "interval", str(Decimal(cell // timedelta(microseconds=1)) / 1_000_000)
    return "list", [typed_cell(each) for each in cell]


def shown_cell(cell: Cell, other: Cell = None, *, width: int) -> str:
    """Return a cell as text of limited width that shows its type.

    Text stands in quotes and its unprintable characters are escaped, so that nothing in a
    database can steer a terminal, and 1 and '1' are told apart.

    Args:
        cell: The cell.
        other: A cell that it is shown beside: the first difference of two texts stays in sight.
        width: Characters at most.

    Returns:
        One line.
    """
    text = _whole(cell)
    if len(text) <= width:
        return text
    start = 0
    if isinstance(cell, str) and isinstance(other, str):
        beside = _whole(other)
        agree = next(
            (at for at, pair in enumerate(zip(text, beside, strict=False)) if pair[0] != pair[1]),
            min(len(text), len(beside)),
        )
        if agree >= width - 1:
            start = agree - _KEPT_BEFORE_DIFFERENCE
    if start == 0:
        return f"{text[: width - 1]}…"
    end = start + width - 2
    return f"…{text[start:end]}…" if end < len(text) else f"…{text[start:]}"


def _whole(cell: Any) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        more = "…" if len(cell) > _SHOWN_BYTES else ""
        return f"x'{cell[:_SHOWN_BYTES].hex()}{more}' ({len(cell)} bytes)"
    if isinstance(cell, str):
        quoted = cell.replace("'", "''")
        escaped = "".join(
            each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
            for each in quoted
        )
        return f"'{escaped}'"
    if isinstance(cell, tuple):
        return f"[{', '.join(_whole(each) for each in cell)}]"
    return str(cell)
