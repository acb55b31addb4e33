"""The first rows of a large table, in which columns already repeat that are no key together."""

from __future__ import annotations

from collections.abc import Sequence

from specbridge_pipeline.catalogue.profiles import Run
from specbridge_pipeline.databases.results import Cell, QueryFailure, Row
from specbridge_pipeline.sql.engines.rules import EngineRules

_ROWS = 5_000


class FirstRows:
    """Some columns of a table's first rows, read once, when one is looked at.

    A statement for each of many candidates would cost far more than the rows themselves.

    Args:
        table: The table's name.
        columns: The columns' names; none of them misses a value.
        run: Runs a query on the database.
        rules: What holds for its engine.
    """

    def __init__(self, table: str, columns: Sequence[str], run: Run, rules: EngineRules) -> None:
        self._table = table
        self._places = {name: place for place, name in enumerate(columns)}
        self._run = run
        self._rules = rules
        self._columns: list[tuple[Cell, ...]] | None = None

    def repeat(self, names: Sequence[str]) -> bool:
        """Tell whether two of the rows have the same values in some of the columns.

        What is equal here is equal to the engine. The reverse need not be, since a column may
        compare its texts in its own way; nor does it say anything of the rows that follow.

        Args:
            names: The columns.
        """
        if self._columns is None:
            self._columns = list(zip(*self._read(), strict=True))
        # Without rows there are no columns either.
        if not self._columns:
            return False
        chosen = [self._columns[self._places[name]] for name in names]
        return len(set(zip(*chosen, strict=True))) < len(chosen[0])

    def _read(self) -> Sequence[Row]:
        names = ", ".join(map(self._rules.quoted, self._places))
        outcome = self._run(f"SELECT {names} FROM {self._rules.quoted(self._table)} LIMIT {_ROWS}")
        # Rows that cannot be fetched show nothing; the engine is asked about all of them then.
        return () if isinstance(outcome, QueryFailure) else outcome.rows
