"""A hash over the rows of a database, the same wherever and however they are stored."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Self

_ROWS_A_STEP = 1_000


class ContentDigest:
    """A hash that rows are added to.

    Args:
        heading: What is hashed, and by which version of these rules; hashed first.
    """

    def __init__(self, heading: str) -> None:
        self._digest = hashlib.sha256(f"{heading}\n".encode())

    def begin(self, table: str) -> None:
        """Begin another table's rows.

        Args:
            table: Its name.
        """
        self._digest.update(b"\n" + _canonical([table]) + b"\n")

    def add_rows(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows.

        Args:
            rows: They, in an order that their content decides.

        Raises:
            TypeError: If a cell is of a kind that has no canonical form.
        """
        iterator = iter(rows)
        while step := list(itertools.islice(iterator, _ROWS_A_STEP)):
            # Without the outer brackets the bytes do not depend on where the steps end.
            self._digest.update(_canonical(step)[1:-1] + b",")

    def copy(self) -> Self:
        """Return a digest of what was added so far, to go on from."""
        twin = type(self)("")
        twin._digest = self._digest.copy()
        return twin

    def hexadecimal(self) -> str:
        """Return the hash."""
        return self._digest.hexdigest()


def _canonical(value: list[Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=_tagged)
    return text.encode("ascii")


def _tagged(value: Any) -> dict[str, Any]:
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, datetime):
        return {"datetime": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, time):
        return {"time": value.isoformat()}
    if isinstance(value, timedelta):
        return {"interval": [value.days, value.seconds, value.microseconds]}
    raise TypeError(type(value).__name__)
