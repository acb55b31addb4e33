"""Counting a result's rows and bytes while it is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from specbridge_pipeline.databases.failures import StopError
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import FailureKind

CELL_BYTES = 8
"""What a number or a NULL counts as, and any cell at least."""

# Put together once: doing it for each cell would be a good part of fetching a large result.
_OF_ANY_SIZE = (str, bytes, tuple, Decimal)


class Allowance:
    """What is left of the rows and bytes that a result may have.

    Args:
        limits: What it may have.
        columns: Its column names, which count as bytes.
    """

    def __init__(self, limits: Limits, columns: Sequence[str]) -> None:
        self._limits = limits
        self._rows = limits.rows
        self._bytes = limits.bytes - sum(len(name.encode()) for name in columns)

    def take(self, row: tuple[Any, ...]) -> None:
        """Count one more row.

        Args:
            row: The row.

        Raises:
            StopError: If it is one too many, or its bytes are.
        """
        if self._rows == 0:
            raise StopError(
                FailureKind.TOO_MANY_ROWS, f"the result has more than {self._limits.rows} rows"
            )
        self._rows -= 1
        self._bytes -= CELL_BYTES * len(row)
        for cell in row:
            if isinstance(cell, _OF_ANY_SIZE):
                self._bytes -= max(0, _bytes(cell) - CELL_BYTES)
        self.require_bytes()

    def require_bytes(self) -> None:
        """Stop if the bytes are used up, as column names alone can do.

        Raises:
            StopError: If they are.
        """
        if self._bytes < 0:
            raise StopError(
                FailureKind.TOO_MANY_BYTES, f"the result has more than {self._limits.bytes} bytes"
            )


def _bytes(cell: Any) -> int:
    if isinstance(cell, str):
        return len(cell) if cell.isascii() else len(cell.encode())
    if isinstance(cell, bytes):
        return len(cell)
    if isinstance(cell, tuple):
        return sum(max(CELL_BYTES, _bytes(each)) for each in cell)
    if isinstance(cell, Decimal):
        return len(cell.as_tuple().digits)
    return CELL_BYTES
