"""Values that conditions test for, drawn from the data."""

from __future__ import annotations

from random import Random

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.query_generation.column_rules import is_year
from specbridge_pipeline.query_generation.plan import Column, Condition, Operator
from specbridge_pipeline.query_generation.step_results import StepResults
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ColumnKind

_LOWEST_SHARE = 0.01
_HIGHEST_SHARE = 0.5
_MOST_VALUES = 500
_LONGEST_TEXT = 40


class Values:
    """Draws conditions on columns that keep between 1% and 50% of the rows.

    Args:
        catalogue: The catalogue.
        results: Where steps are run.
    """

    def __init__(self, catalogue: Catalogue, results: StepResults) -> None:
        self._catalogue = catalogue
        self._rules = rules_of(catalogue.engine)
        self._results = results
        self._frequencies: dict[Column, tuple[tuple[int | str, int], ...]] = {}

    def condition(self, column: Column, random: Random) -> Condition | None:
        """Draw a condition on a column: one value, or for years also a first year.

        Args:
            column: The column.
            random: Where chance comes from.

        Returns:
            The condition; None where no value has a fitting share of the rows.
        """
        rows = self._catalogue.table(column.table).rows
        counted = self._counted(column)
        open_ended = is_year(self._catalogue.column(column.table, column.name)) and (
            random.random() < 0.5
        )
        if open_ended:
            # From the last year back, so that a count says how many rows are of that year or later.
            later, running = [], 0
            for value, count in sorted(counted, key=lambda each: -float(each[0])):
                running += count
                later.append((value, running))
            counted = tuple(later)
        fitting = [
            value
            for value, count in counted
            if _LOWEST_SHARE * rows <= count <= _HIGHEST_SHARE * rows
        ]
        if not fitting:
            return None
        operator = Operator.AT_LEAST if open_ended else Operator.EQUALS
        return Condition(column, operator, random.choice(fitting))

    def _counted(self, column: Column) -> tuple[tuple[int | str, int], ...]:
        if column not in self._frequencies:
            declared = self._catalogue.column(column.table, column.name).declared_type
            # A truth value is a number in a result, and is none in the engine's SQL.
            is_truth = self._rules.kind_of(declared) is ColumnKind.TRUTH
            self._frequencies[column] = tuple(
                (bool(value) if is_truth else value, count)
                for value, count in self._results.frequencies(column, _MOST_VALUES)
                if isinstance(value, int | str) and isinstance(count, int) and _is_short(value)
            )
        return self._frequencies[column]


def _is_short(value: int | str) -> bool:
    if isinstance(value, int):
        return True
    return 0 < len(value) <= _LONGEST_TEXT and value.isprintable() and value == value.strip()
