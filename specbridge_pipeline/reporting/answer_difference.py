"""How the answers to the two interpretations of a set differ, in a line."""

from __future__ import annotations

import math
from collections.abc import Sequence

from specbridge_pipeline.reporting.differences import (
    MarkedRow,
    RowStatus,
    cells_agree,
    result_differences,
)
from specbridge_pipeline.reporting.formatting import cell_text, counted

_LONGEST_COMPARED = 5_000
"""Rows beyond which results are not paired row by row: a line for readers is not worth minutes."""

_LONGEST_VALUE = 40

_LONGEST_LABEL = 2
"""Cells by which a row is called."""

_LARGE = 100_000

Cells = Sequence[tuple[object, ...]]


def answer_difference(columns: Sequence[str], first: Cells, second: Cells) -> str:
    """Say how the results of A and B differ.

    Args:
        columns: Column names of A's result.
        first: All rows of A's result.
        second: All rows of B's result.

    Returns:
        For instance "rows: A has 10, B 12; 2 only in B", or "values: in 3 of 30 rows, for instance
        n for NL is 4 for A and 3 for B".
    """
    sizes = f"rows: A has {len(first):,}, B {len(second):,}"
    if max(len(first), len(second)) > _LONGEST_COMPARED:
        return sizes if len(first) != len(second) else f"both have {counted(len(first), 'row')}"
    left, right = result_differences(first, second)
    changed = [row for row in left if row.status is RowStatus.CHANGED]
    only = [sum(row.status is RowStatus.ONLY_HERE for row in rows) for rows in (left, right)]
    parts = []
    if len(first) != len(second) or any(only):
        found = [f"{count} only in {name}" for count, name in zip(only, "AB", strict=True) if count]
        parts.append("; ".join([sizes, *found]))
    if changed:
        where = "" if len(first) == len(second) == 1 else f"in {len(changed)} of {len(first)} rows"
        example = _example(columns, changed, right)
        parts.append("values: " + ", for instance ".join(part for part in (where, example) if part))
    return "; ".join(parts) or "the same rows in another order"


def _example(
    columns: Sequence[str], changed: Sequence[MarkedRow], right: Sequence[MarkedRow]
) -> str:
    """Return the first changed value with what it is for B; empty where B's row is not found."""
    row = changed[0]
    shared = [place for place in range(len(row.cells)) if place not in row.differing]
    partner = next(
        (
            other
            for other in right
            if other.status is RowStatus.CHANGED
            and all(cells_agree(row.cells[place], other.cells[place]) for place in shared)
        ),
        None,
    )
    if partner is None:
        return ""
    place = min(row.differing)
    name = columns[place] if place < len(columns) else f"column {place + 1}"
    labels = [place for place in shared if not isinstance(row.cells[place], float)] or shared
    who = ", ".join(_value(row.cells[place]) for place in labels[:_LONGEST_LABEL])
    who = f" for {who}" if who else ""
    first, second = _values(row.cells[place], partner.cells[place])
    return f"{name}{who} is {first} for A and {second} for B"


def _values(first: object, second: object) -> tuple[str, str]:
    """Write two values with few digits where those tell them apart."""
    if isinstance(first, float) or isinstance(second, float):
        short = [
            _few_digits(value) if isinstance(value, float) else _value(value)
            for value in (first, second)
        ]
        if short[0] != short[1]:
            return short[0], short[1]
    return _value(first), _value(second)


def _few_digits(value: float) -> str:
    return f"{value:,.0f}" if _LARGE <= abs(value) < math.inf else f"{value:.5g}"


def _value(cell: object) -> str:
    text = cell_text(cell)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
