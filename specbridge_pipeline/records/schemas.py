"""Declared schemas of stored frames: a frame that lacks a column or has another type is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.errors import StaleRecordError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class FrameSchema:
    """The form of the rows that a stage stores.

    Attributes:
        name: Name of the stage, of its asset and of its view.
        version: Number of this form; cells of another are rebuilt, never migrated.
        columns: Column name → type: text, integer, float, boolean, or texts (a list of them).
        key: The columns that no two rows agree in.
    """

    name: str
    version: int
    columns: Mapping[str, str]
    key: tuple[str, ...]

    def frame(self, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
        """Return rows as a frame of this form, sorted by the key.

        Args:
            rows: One mapping a row, with exactly the declared columns. Any value may be None.

        Returns:
            The frame.

        Raises:
            StaleRecordError: A row has other columns, a value another type, or two rows have the
                same key.
        """
        import polars as pl

        listed = list(rows)
        for row in listed:
            if row.keys() != self.columns.keys():
                difference = sorted(set(row) ^ set(self.columns))
                raise StaleRecordError(
                    f"a row has other columns than declared: {', '.join(difference)}",
                    where=self.name,
                )
        # Column by column and checked here: from rows Polars would cast 1.5 to 1 without a word.
        frame = pl.DataFrame(
            {
                name: [_checked(row[name], kind, f"{self.name}.{name}") for row in listed]
                for name, kind in self.columns.items()
            },
            schema=self.types(),
        )
        if self.key and frame.select(self.key).is_duplicated().any():
            raise StaleRecordError(f"two rows have the same {', '.join(self.key)}", where=self.name)
        return frame.sort(self.key) if self.key else frame

    def types(self) -> dict[str, Any]:
        """Return the columns with their Polars types."""
        import polars as pl

        types = {
            "text": pl.String(),
            "integer": pl.Int64(),
            "float": pl.Float64(),
            "boolean": pl.Boolean(),
            "texts": pl.List(pl.String()),
        }
        return {name: types[kind] for name, kind in self.columns.items()}


def _checked(value: Any, kind: str, where: str) -> Any:
    """Return a value as its column stores it.

    Raises:
        StaleRecordError: It has another type than the column.
    """
    if value is None:
        return None
    if kind == "text" and isinstance(value, str):
        return _encodable(value)
    if kind == "texts" and isinstance(value, list | tuple):
        return [_checked(part, "text", where) for part in value]
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if kind == "integer" and is_number and -(2**63) <= value < 2**63:
        return value
    if kind == "float" and (is_number or isinstance(value, float)):
        return float(value)
    if kind == "boolean" and isinstance(value, bool):
        return value
    raise StaleRecordError(f"{value!r:.60} is no {kind}", where=where)


def _encodable(text: str) -> str:
    # A model's reply can hold half of a surrogate pair (as "\ud800" in JSON), which no file can.
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
