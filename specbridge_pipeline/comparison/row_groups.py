"""The rows that a result or a reference consists of, and how far each of their cells reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from specbridge_pipeline.comparison.cells import floor_of, reach_of
from specbridge_pipeline.databases.columnar_rows import ColumnarRows
from specbridge_pipeline.databases.results import Row


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows of which exactly `quota` belong to the result.

    Attributes:
        rows: The rows: a tuple, or rows by column.
        quota: How many of them take part.
        magnitudes: For each row the magnitude behind each of its cells, see `cells.floor_of`;
            empty where the magnitude behind each cell is its own.
    """

    rows: Sequence[Row]
    quota: int
    magnitudes: tuple[tuple[float, ...], ...] = ()

    @property
    def whole(self) -> bool:
        """Whether every row takes part."""
        return self.quota == len(self.rows)

    def of_columns(self, columns: list[int]) -> RowGroup:
        """Return the group with only some columns, in the given order."""
        return RowGroup(
            rows_of_columns(self.rows, columns),
            self.quota,
            tuple(tuple(row[column] for column in columns) for row in self.magnitudes),
        )


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pairing.

    Attributes:
        groups: Its rows.
        widen: The factor on all tolerances of a reference; None for a candidate, whose cells stand
            for themselves.
    """

    groups: tuple[RowGroup, ...]
    widen: float | None = None

    @property
    def quota(self) -> int:
        """How many rows take part in all."""
        return sum(group.quota for group in self.groups)

    def reaches(self, group: int, row: int) -> tuple[float, ...] | None:
        """Return how far the cells of a row reach; None for a candidate's.

        Args:
            group: The place of the row's group.
            row: Its place in the group.
        """
        if self.widen is None:
            return None
        cells = self.groups[group].rows[row]
        magnitudes = self.groups[group].magnitudes
        if not magnitudes:
            return tuple(reach_of(cell, widen=self.widen) for cell in cells)
        return tuple(
            reach_of(cell, floor_of(magnitude), self.widen)
            for cell, magnitude in zip(cells, magnitudes[row], strict=True)
        )

    def rows(self) -> Iterator[Row]:
        """Return all rows of all groups."""
        return chain.from_iterable(group.rows for group in self.groups)

    def all_rows(self) -> Sequence[Row]:
        """Return all rows of all groups, by column where they are held so."""
        return self.groups[0].rows if len(self.groups) == 1 else list(self.rows())


def rows_of_columns(rows: Sequence[Row], columns: Sequence[int]) -> Sequence[Row]:
    """Return rows with only some columns, in the given order.

    Args:
        rows: The rows.
        columns: The places of the columns.
    """
    if isinstance(rows, ColumnarRows):
        return rows.of_columns(columns)
    return tuple(tuple(row[column] for column in columns) for row in rows)
