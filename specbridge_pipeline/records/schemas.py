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
            rows: One mapping a row, with exactly the declared columns.

        Returns:
            The frame.

        Raises:
            StaleRecordError: A row has other columns, or two rows have the same key.
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
        frame = pl.DataFrame(listed, schema=self.types(), orient="row")
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
