"""What the steps of plans give on the data, each found once.

What costs is reading tables. So the first aggregation of a grouping is run once, together with
others that are likely to be asked for, and its rows are kept in a scratch database of the same
engine; all later steps run there.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.catalogue.profiles import whole
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryFailure, QueryResult, Row
from specbridge_pipeline.databases.scratch import Scratch
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Base,
    Column,
    Function,
    Grouped,
    Overall,
    Plan,
    RankedRows,
    Source,
    Top,
)
from specbridge_pipeline.query_generation.rendering import (
    SqlStep,
    base_statement,
    ranked_statement,
    render,
    sql_steps,
    statement,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules

RANKED_ROWS_READ = 200
"""Of the rows of a table that are ranked themselves, this many from the highest down are read."""
_MOST_WRITTEN_ROWS = 1_500
_MOST_WRITTEN_CHARACTERS = 80_000
_MOST_CELLS_REMEMBERED = 4_000_000
_KEPT_TYPES = frozenset({type(None), int, float, str})

Companions = Callable[[Grouped | Overall], Sequence[Aggregate]]
"""What is likely to be asked of the same groups as a step: read in the same pass."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """Rows of a first step that are known.

    Attributes:
        outcome: Them, or why there are none.
        query: What reads them in the scratch database, or as values; empty where nothing does.
        source_rows: How many rows were grouped; 0 where it is not known.
    """

    outcome: Outcome
    query: str
    source_rows: int = 0


class StepResults:
    """Runs the steps of plans, each once.

    Args:
        catalogue: The catalogue.
        run: Runs a query on the database.
        companions: Says what else to read with a first step; by default nothing.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        run: Callable[[str], Outcome],
        companions: Companions | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._rules = rules_of(catalogue.engine)
        self._run = run
        self._companions = companions
        self._scratch = Scratch() if catalogue.engine is Engine.SQLITE else None
        self._bases: dict[Base, _Kept] = {}
        self._outcomes: OrderedDict[str, Outcome] = OrderedDict()
        self._cells = 0
        self._steps: dict[Plan, tuple[SqlStep, ...]] = {}

    @property
    def known(self) -> tuple[Base, ...]:
        """The first steps whose rows are known, in the order in which they were read."""
        return tuple(
            base for base, kept in self._bases.items() if isinstance(kept.outcome, QueryResult)
        )

    def run(self, sql: str) -> Outcome:
        """Run a statement on the database, or return what it gave before."""
        if sql not in self._outcomes:
            self._remember(sql, self._run(sql))
        return self._outcomes[sql]

    def steps(self, plan: Plan) -> tuple[SqlStep, ...]:
        """Return a plan's SELECTs; see `sql_steps`."""
        if plan not in self._steps:
            self._steps[plan] = sql_steps(plan, self._catalogue)
        return self._steps[plan]

    def of(self, steps: Sequence[SqlStep], index: int) -> Outcome:
        """Return the outcome of one of a plan's steps."""
        base = steps[index].base
        if base is not None:
            return self._base(base).outcome
        known: dict[int, str] = {}
        for position, step in enumerate(steps[: index + 1]):
            if step.base is not None:
                kept = self._base(step.base)
                if isinstance(kept.outcome, QueryFailure):
                    return kept.outcome
                if kept.query:
                    known[position] = kept.query
        text = statement(steps, index, self._rules, known)
        if text in self._outcomes:
            self._outcomes.move_to_end(text)
            return self._outcomes[text]
        needed = _tables_needed(steps, index)
        if self._scratch is not None and needed <= known.keys():
            outcome = self._scratch.run(text)
        else:
            outcome = self._run(text)
        self._remember(text, outcome)
        return outcome

    def rows(self, plan: Plan) -> tuple[Row, ...] | None:
        """Return the rows of a plan, cut as it says; None where it does not run.

        Which of several tied rows a limit keeps is decided by the rows' other values. Of ranked
        rows that are not cut only the first ones are returned.
        """
        steps = self.steps(plan)
        outcome = self.of(steps, len(steps) - 1)
        if isinstance(outcome, QueryFailure):
            return None
        if not isinstance(plan, Top):
            return outcome.rows
        position = steps[-1].value
        values = sorted((number(row[position]) for row in outcome.rows), reverse=True)
        if not values:
            return ()
        kept = min(plan.count, len(values))
        if plan.keeps_ties:
            kept += ties_beyond(values, plan.count)
        lowest = values[kept - 1]
        candidates = [row for row in outcome.rows if number(row[position]) >= lowest]
        return tuple(ordered_by_value(candidates, position)[:kept])

    def result(self, plan: Plan, *, tied: bool = False) -> Outcome:
        """Return what the finished query of a plan returns.

        Args:
            plan: The plan.
            tied: Whether its limit cuts through tied rows, so that the engine alone can say which
                of them it keeps.
        """
        if self._scratch is None or (tied and isinstance(plan, Top) and not plan.keeps_ties):
            return self.run(render(plan, self._catalogue))
        steps = self.steps(plan)
        outcome = self.of(steps, len(steps) - 1)
        if isinstance(outcome, QueryFailure) or not isinstance(plan, Top):
            return outcome
        return QueryResult((), (), self.rows(plan) or (), 0.0)

    def source_rows(self, base: Grouped) -> int:
        """Return how many rows a step groups; 0 where they cannot be read."""
        return self._base(base).source_rows

    def frequencies(self, column: Column, most: int) -> tuple[Row, ...]:
        """Return the values of a column with how many rows have each, from the most frequent."""
        counted = Grouped(Source(column.table), (column,), Aggregate(Function.COUNT_ROWS))
        outcome = self._base(counted).outcome
        if isinstance(outcome, QueryFailure):
            return ()
        rows = [row for row in outcome.rows if row[0] is not None]
        return tuple(sorted(rows, key=lambda row: -number(row[1]))[:most])

    def _base(self, base: Base) -> _Kept:
        if base not in self._bases:
            if isinstance(base, RankedRows):
                outcome = self._run(ranked_statement(base, self._rules, RANKED_ROWS_READ))
                self._bases[base] = _Kept(outcome, "")
            else:
                self._read(base)
        return self._bases[base]

    def _read(self, base: Grouped | Overall) -> None:
        """Read a first step's rows, and those of its companions with them."""
        further = () if self._companions is None else self._companions(base)
        aggregates = tuple(dict.fromkeys([base.aggregate, *further]))
        outcome = self._run(base_statement(base, aggregates, self._rules))
        if isinstance(outcome, QueryFailure) and len(aggregates) > 1:
            aggregates = aggregates[:1]
            outcome = self._run(base_statement(base, aggregates, self._rules))
        if isinstance(outcome, QueryFailure):
            self._bases[base] = _Kept(outcome, "")
            return
        keys = len(base.keys) if isinstance(base, Grouped) else 0
        source_rows = sum(whole(row[-1]) for row in outcome.rows)
        width = keys + len(aggregates)
        table = ""
        if self._scratch is not None and _can_be_kept(outcome.rows):
            table = self._scratch.keep([row[:width] for row in outcome.rows], width)
        for position, aggregate in enumerate(aggregates, keys):
            read = base if aggregate == base.aggregate else _with_aggregate(base, aggregate)
            if read in self._bases:
                continue
            rows = tuple((*row[:keys], row[position]) for row in outcome.rows)
            if table:
                columns = ", ".join(f"c{each}" for each in (*range(keys), position))
                query = f"SELECT {columns} FROM {table}"
            else:
                query = _as_values(rows, self._rules)
            self._bases[read] = _Kept(QueryResult((), (), rows, 0.0), query, source_rows)

    def _remember(self, text: str, outcome: Outcome) -> None:
        self._outcomes[text] = outcome
        self._cells += _cells(outcome)
        while self._cells > _MOST_CELLS_REMEMBERED and len(self._outcomes) > 1:
            _, forgotten = self._outcomes.popitem(last=False)
            self._cells -= _cells(forgotten)


def ordered_by_value(rows: Sequence[Row], position: int) -> list[Row]:
    """Return rows from the highest value down; equal ones by their other values."""
    return sorted(
        sorted(rows, key=lambda row: [str(cell) for cell in row]),
        key=lambda row: number(row[position]),
        reverse=True,
    )


def ties_beyond(values: Sequence[float], count: int) -> int:
    """Return how many values after the first `count` equal the last of these."""
    if count >= len(values):
        return 0
    return sum(1 for value in values[count:] if value == values[count - 1])


def number(cell: object) -> float:
    """Return a cell's number; NaN where it is none."""
    return float(cell) if isinstance(cell, int | float | Decimal) else math.nan


def _with_aggregate(base: Grouped | Overall, aggregate: Aggregate) -> Grouped | Overall:
    if isinstance(base, Grouped):
        return Grouped(base.source, base.keys, aggregate)
    return Overall(base.source, aggregate)


def _tables_needed(steps: Sequence[SqlStep], index: int) -> set[int]:
    """Return the positions of the steps that read tables and that a step depends on."""
    found: set[int] = set()
    waiting = [index]
    while waiting:
        position = waiting.pop()
        if steps[position].base is not None:
            found.add(position)
        waiting += steps[position].reads
    return found


def _cells(outcome: Outcome) -> int:
    if isinstance(outcome, QueryFailure) or not outcome.rows:
        return 1
    return len(outcome.rows) * len(outcome.rows[0])


def _can_be_kept(rows: Sequence[Row]) -> bool:
    """Return whether rows are of what SQLite stores and gives back as it was."""
    return {type(cell) for row in rows for cell in row} <= _KEPT_TYPES


def _as_values(rows: Sequence[Row], rules: EngineRules) -> str:
    if not 0 < len(rows) <= _MOST_WRITTEN_ROWS:
        return ""
    lines = []
    for row in rows:
        cells = [rules.literal(cell) for cell in row]
        if None in cells:
            return ""
        lines.append(f"({', '.join(filter(None, cells))})")
    text = "VALUES " + ", ".join(lines)
    return text if len(text) <= _MOST_WRITTEN_CHARACTERS else ""
