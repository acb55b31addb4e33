"""Names of steps and outputs in generated SQL, which say what they hold."""

from __future__ import annotations

import re

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Column,
    Fold,
    Function,
    Source,
)

_LONGEST_NAME = 60
_LONG_NAME = 40
_FOLDED = {
    Fold.AVERAGE: "average_of",
    Fold.HIGHEST: "highest_of",
    Fold.LOWEST: "lowest_of",
    Fold.TOTAL: "total_of",
}


class Names:
    """Gives out names for one query, none of them twice.

    Args:
        catalogue: What tables and columns are called. A step is never named like a table, which
            it would hide.
        source: The rows that the query reads. An output is never named like one of their columns,
            so that no ORDER BY can mean either.
    """

    def __init__(self, catalogue: Catalogue, source: Source) -> None:
        self._catalogue = catalogue
        self._steps = {table.name.lower() for table in catalogue.tables}
        self._columns = {
            column.name.lower()
            for table in source.tables
            for column in catalogue.table(table).columns
        }

    def step(self, *names: str) -> str:
        """Return a free name for a step: of several the first one that is not long."""
        plain = [_plain(name, "step") for name in names]
        wished = next((name for name in plain if len(name) <= _LONG_NAME), plain[-1])
        free, number = wished, 2
        while free.lower() in self._steps:
            free, number = f"{wished}_{number}", number + 1
        self._steps.add(free.lower())
        return free

    def output(self, name: str) -> str:
        """Return a name for an output that no column of the source rows has."""
        wished = _plain(name, "value")
        return f"{wished}_value" if wished.lower() in self._columns else wished

    def aggregate(self, source: Source, aggregate: Aggregate) -> str:
        """Return a name for a value computed from rows: `average_salary`, `players`."""
        if aggregate.function is Function.COUNT_ROWS:
            counted = aggregate.columns[0].table if aggregate.columns else source.table
            return self._counted(self._catalogue.table(counted).plural)
        columns = [self._catalogue.column(each.table, each.name) for each in aggregate.columns]
        if aggregate.function is Function.COUNT_ENTITIES:
            return self._counted(columns[0].plural)
        phrase = columns[0].phrase
        match aggregate.function:
            case Function.MEAN_OF_RATIOS:
                return self.output(f"average_{phrase}_per_{columns[1].singular}")
            case Function.RATIO_OF_MEANS | Function.TOTAL_PER_ENTITY:
                return self.output(f"{phrase}_per_{columns[1].singular}")
            case Function.ROWS_PER_ENTITY:
                rows = self._catalogue.table(source.table).plural
                return self.output(f"{rows}_per_{columns[0].singular}")
            case Function.DIFFERENCE_OF_TOTALS:
                return self.output(f"total_{phrase}_less_{columns[1].phrase}")
            case Function.DIFFERENCE_OF_AVERAGES:
                return self.output(f"average_{phrase}_less_{columns[1].phrase}")
            case Function.SUM_OF_TOTALS:
                return self.output(f"total_{phrase}_and_{columns[1].phrase}")
            case Function.SPREAD:
                return self.output(f"spread_of_{phrase}")
            case function:
                return self.output(f"{function.value}_{phrase}")

    def fold(self, fold: Fold, value: str, dropped: tuple[Column, ...]) -> str:
        """Return a name for a value computed from the values of an earlier step."""
        if fold is Fold.COUNT:
            return self._counted(self.several(dropped))
        return self.output(f"{_FOLDED[fold]}_{value}")

    def rows(self, source: Source) -> str:
        """Return what several rows of a source are: `flights`."""
        return self._catalogue.table(source.table).plural

    def one(self, keys: tuple[Column, ...]) -> str:
        """Return what one group stands for: `team`, `team_and_year`."""
        return "_and_".join(self._catalogue.column(key.table, key.name).singular for key in keys)

    def several(self, keys: tuple[Column, ...]) -> str:
        """Return what several groups stand for: `teams`, `teams_and_years`."""
        return "_and_".join(self._catalogue.column(key.table, key.name).plural for key in keys)

    def _counted(self, plural: str) -> str:
        name = _plain(plural, "rows")
        return f"number_of_{name}" if name.lower() in self._columns else name


def _plain(name: str, otherwise: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not words or words[0].isdigit():
        words = f"{otherwise}_{words}".strip("_")
    if len(words) > _LONGEST_NAME:
        # Rather a word less than half a word.
        words = words[: _LONGEST_NAME + 1].rpartition("_")[0]
    return words
