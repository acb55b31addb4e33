"""What the judgement of a column rests on, and what its values look like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from specbridge_pipeline.catalogue.model import Evidence
from specbridge_pipeline.catalogue.naming import singular
from specbridge_pipeline.catalogue.profiles import FEWEST_ALIKE, ColumnMeasures
from specbridge_pipeline.databases.schema import Column

FEW_ROWS = 20
"""In so small a table values differ or agree by chance."""
_ROWS_FOR_NAMES = 50
_FEWEST_ROWS_COUNTED = 5


@dataclass(frozen=True, slots=True)
class ColumnContext:
    """A column with all that its judgement rests on.

    Attributes:
        column: The column as declared.
        measures: What was measured.
        rows: Rows of its table.
        words: The words of its name, or of the better name that a document gives it.
        table_words: The words of its table's name.
        sole_key: Where it comes from that the column alone is its table's key; None if it is not.
        in_key: Where its table's key comes from, if the column is in it; None if it is not.
        refers: Where it comes from that the column refers to another table; None if it does not.
        refers_to: The table that it refers to; empty where it refers to none.
        other_nouns: What one row of each other table is, in lower case.
        meaning: What a document says of it.
        is_first: Whether it is the table's first column.
    """

    column: Column
    measures: ColumnMeasures
    rows: int
    words: tuple[str, ...]
    table_words: tuple[str, ...]
    sole_key: Evidence | None
    in_key: Evidence | None
    refers: Evidence | None
    refers_to: str
    other_nouns: frozenset[str]
    meaning: str
    is_first: bool

    @property
    def lowered(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(word.lower() for word in self.words)

    @property
    def last(self) -> str:
        """The last word in lower case; empty without words."""
        return self.lowered[-1] if self.words else ""

    @property
    def present(self) -> int:
        """Rows that have a value."""
        return self.rows - self.measures.profile.missing

    @property
    def numbers(self) -> int:
        """Rows whose value is stored as a number."""
        return self.measures.profile.integers + self.measures.profile.reals

    @property
    def are_numbers_in_text(self) -> bool:
        """Whether all values are texts that the engine can take for numbers as they stand."""
        profile = self.measures.profile
        return profile.texts == self.present > 0 and self.measures.plain_numbers == self.present

    def repeats(self) -> bool:
        """Tell whether several rows share a value, as rows of groups do."""
        distinct = self.measures.profile.distinct
        if distinct * 2 <= self.present:
            return True
        return self.present <= FEW_ROWS and distinct * 10 <= self.present * 7

    def hardly_repeats(self) -> bool:
        """Tell whether nearly each row has its own value, as numbers that are names do."""
        distinct = self.measures.profile.distinct
        return self.present >= _ROWS_FOR_NAMES and distinct >= FEWEST_ALIKE * self.present

    def counts_rows(self) -> bool:
        """Tell whether the values are whole numbers that count up the rows."""
        profile = self.measures.profile
        if not isinstance(profile.minimum, int) or not isinstance(profile.maximum, int):
            return False
        span = profile.maximum - profile.minimum + 1
        return self.rows >= _FEWEST_ROWS_COUNTED and profile.distinct == self.rows == span


def with_singulars(words: Iterable[str]) -> set[str]:
    """Return words together with their singulars."""
    listed = list(words)
    return {*listed, *(singular(word) for word in listed)}


def as_number(value: int | float | str | None) -> float | None:
    """Return a least or greatest value as a number; None where it is none."""
    return float(value) if isinstance(value, int | float) else None


def lies_within(
    least: int | float | str | None, greatest: int | float | str | None, span: tuple[int, int]
) -> bool:
    """Tell whether a least and a greatest value are numbers that lie within a span."""
    low, high = as_number(least), as_number(greatest)
    return low is not None and high is not None and span[0] <= low and high <= span[1]
