"""Checks on what each step of a plan gives on the data.

An analyst would not ask for what is empty, the same everywhere, or divided by nothing; the checks
reject it as soon as the step is there (the paper, Section 2.2).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import StrEnum
from statistics import median

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.results import Outcome, QueryFailure, Row
from specbridge_pipeline.query_generation.plan import (
    Compare,
    Contrast,
    FilterAbove,
    Grouped,
    Overall,
    Plan,
    RankedRows,
    Reaggregate,
    Share,
    Source,
    Step,
    Summary,
    Top,
    keys_of,
)
from specbridge_pipeline.query_generation.rendering import (
    SqlStep,
    count_rows_statement,
    sql_steps,
    statement,
)
from specbridge_pipeline.query_generation.type_rules import (
    FEWEST_GROUPS,
    FEWEST_ROWS_A_GROUP,
    RATIOS,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules

MOST_RESULT_ROWS = 1_000
CUTS = (1, 3, 5, 10)
"""How many rows a top may keep."""
MOST_ROWS_OF_ONE = 10
"""Rows that an entity may have within a group, on average, where rows or entities are counted.
Where it has more, no reader takes one number for the other, and the choice is none."""
_MOST_GROUPS_OF_TWO_KEYS = 50_000
_MOST_KNOWN_ROWS = 1_500
_MOST_KNOWN_CHARACTERS = 80_000
_LARGEST_SHARE_OF_ONE_VALUE = 0.8
_FEWEST_SUBGROUPS = 1.5
_MOST_ROWS_WITH_TIES = 25
_SMALLEST_RATIO = 0.005
"""A ratio that is mostly below is one of things that nobody sets against each other."""


class Reason(StrEnum):
    """Why an attempt was rejected."""

    UNREACHABLE = "no rows of this database allow it"
    FAILED = "the query does not run within the limits"
    EMPTY = "empty answer"
    MISSING = "a value is missing"
    CONSTANT = "the value is the same for nearly all"
    REDUNDANT = "a step that changes nothing"
    TINY_RATIO = "the ratio is next to nothing"
    DENOMINATOR = "a denominator is not positive"
    FEW_GROUPS = "too few groups"
    SMALL_GROUPS = "groups of hardly more than one row"
    MANY_GROUPS = "too many groups"
    KEY_DETERMINED = "one key follows from the other"
    TOO_LARGE = "the result is too large"
    KEEPS_NONE = "a filter that keeps nothing"
    NOTHING_TO_CUT = "fewer rows than the limit"
    NO_TIE = "no tie at a cut"
    ONLY_TIES = "a tie at every cut"
    NO_EFFECT = "the choice changes nothing"
    DUPLICATE = "a duplicate"
    DEPTH_DIFFERS = "depth differs"


class StepResults:
    """Runs the steps of plans, each once.

    A step whose rows are known and few is written into later statements as these rows, so that a
    large table is read once for each different first step. A finished query is always run whole.

    Args:
        catalogue: The catalogue.
        run: Runs a query on the database.
    """

    def __init__(self, catalogue: Catalogue, run: Callable[[str], Outcome]) -> None:
        self._catalogue = catalogue
        self._rules = rules_of(catalogue.engine)
        self._run = run
        self._outcomes: dict[str, Outcome] = {}

    def run(self, sql: str) -> Outcome:
        """Run a statement, or return what it gave before."""
        if sql not in self._outcomes:
            self._outcomes[sql] = self._run(sql)
        return self._outcomes[sql]

    def of(self, steps: Sequence[SqlStep], index: int) -> Outcome:
        """Return the outcome of one of a plan's steps."""
        whole = statement(steps, index, self._rules)
        if whole not in self._outcomes:
            known: dict[int, str] = {}
            for position in range(index):
                earlier = self._outcomes.get(statement(steps, position, self._rules))
                text = None if earlier is None else _as_values(earlier, self._rules)
                if text is not None:
                    known[position] = text
            self._outcomes[whole] = self._run(statement(steps, index, self._rules, known))
        return self._outcomes[whole]

    def rows(self, plan: Plan) -> tuple[Row, ...] | None:
        """Return the rows of a plan, cut as it says; None where it does not run.

        Which of several tied rows a limit keeps is decided by the rows' other values.
        """
        steps = sql_steps(plan, self._catalogue)
        rows: tuple[Row, ...] = ()
        for index in range(len(steps)):
            outcome = self.of(steps, index)
            if isinstance(outcome, QueryFailure):
                return None
            rows = outcome.rows
        if not isinstance(plan, Top):
            return rows
        ordered = ordered_by_value(rows, steps[-1].value)
        kept = plan.count
        if plan.keeps_ties:
            kept += ties_beyond([_number(row[steps[-1].value]) for row in ordered], plan.count)
        return tuple(ordered[:kept])

    def source_rows(self, source: Source) -> int:
        """Return how many rows a source has under its conditions; 0 where it cannot be read."""
        if source.join is None and not source.conditions:
            return self._catalogue.table(source.table).rows
        outcome = self.run(count_rows_statement(source, self._rules))
        if isinstance(outcome, QueryFailure):
            return 0
        count = outcome.rows[0][0]
        return count if isinstance(count, int) else 0


def check_step(step: Step, catalogue: Catalogue, results: StepResults) -> Reason | None:
    """Check what a step gives; what comes before it has been checked.

    Args:
        step: The step.
        catalogue: The catalogue.
        results: Where steps are run.

    Returns:
        Why no query should have this step, or None.
    """
    steps = sql_steps(step, catalogue)
    rows = results.rows(step)
    if rows is None:
        return Reason.FAILED
    last = steps[-1]
    values = [row[last.value] for row in rows]
    match step:
        case FilterAbove():
            # Not all of them can be above their average.
            return None if rows else Reason.KEEPS_NONE
        case Compare(contrast=Contrast.RATIO) | Share():
            if not all(each > 0 for each in _divisors(steps, results)):
                return Reason.DENOMINATOR
    if not rows:
        return Reason.EMPTY
    if any(value is None for value in values):
        return Reason.MISSING
    match step:
        case Grouped() | Overall() if step.aggregate.function in RATIOS:
            if median(map(_number, values)) < _SMALLEST_RATIO:
                return Reason.TINY_RATIO
    match step:
        case Overall() | Reaggregate(key=None) | Summary():
            return None
        case Grouped():
            found = _check_groups(step, rows, results)
            if found is not None:
                return found
        case Reaggregate(previous=previous):
            if len(rows) < FEWEST_GROUPS:
                return Reason.FEW_GROUPS
            if len(rows) == len(results.rows(previous) or ()):
                return Reason.REDUNDANT
        case RankedRows():
            if len(rows) < FEWEST_GROUPS:
                return Reason.FEW_GROUPS
    return Reason.CONSTANT if _is_constant(values) else None


def check_size(plan: Plan, rows: int) -> Reason | None:
    """Check that a finished query's result can be read.

    Args:
        plan: The plan.
        rows: How many rows it returns.
    """
    if rows == 0:
        return Reason.EMPTY
    if rows > MOST_RESULT_ROWS and not isinstance(plan, Top):
        return Reason.TOO_LARGE
    return None


def fitting_cuts(
    step: Step, catalogue: Catalogue, results: StepResults, *, tied: bool
) -> tuple[int, ...] | Reason:
    """Return at which numbers of rows a top may cut.

    Args:
        step: What is ranked.
        catalogue: The catalogue.
        results: Where steps are run.
        tied: Whether rows are to be tied at the cut, or not to be.

    Returns:
        The numbers among 1, 3, 5 and 10 that fit, or why none does.
    """
    rows = results.rows(step) or ()
    position = sql_steps(step, catalogue)[-1].value
    values = [_number(row[position]) for row in ordered_by_value(rows, position)]
    if not values or any(math.isnan(value) for value in values):
        return Reason.MISSING
    cuts = [count for count in CUTS if count < len(values)]
    if not cuts:
        return Reason.NOTHING_TO_CUT
    fitting = []
    for count in cuts:
        beyond = ties_beyond(values, count)
        kept = count + beyond
        if tied == (beyond > 0) and (not tied or kept <= min(_MOST_ROWS_WITH_TIES, len(rows) - 1)):
            fitting.append(count)
    if not fitting:
        return Reason.NO_TIE if tied else Reason.ONLY_TIES
    return tuple(fitting)


def ordered_by_value(rows: Sequence[Row], position: int) -> list[Row]:
    """Return rows from the highest value down; equal ones by their other values."""
    return sorted(
        sorted(rows, key=lambda row: [str(cell) for cell in row]),
        key=lambda row: _number(row[position]),
        reverse=True,
    )


def ties_beyond(values: Sequence[float], count: int) -> int:
    """Return how many values after the first `count` equal the last of these."""
    if count >= len(values):
        return 0
    return sum(1 for value in values[count:] if value == values[count - 1])


def same_rows(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """Return whether two results are the same bag of rows, floats to nine digits."""
    return Counter(map(_rounded, left)) == Counter(map(_rounded, right))


def _check_groups(step: Grouped, rows: Sequence[Row], results: StepResults) -> Reason | None:
    if len(rows) < FEWEST_GROUPS:
        return Reason.FEW_GROUPS
    if len(rows) > _MOST_GROUPS_OF_TWO_KEYS:
        return Reason.MANY_GROUPS
    if results.source_rows(step.source) < FEWEST_ROWS_A_GROUP * len(rows):
        return Reason.SMALL_GROUPS
    if len(keys_of(step)) == 2:
        fewest = min(len(rows) / len({row[key] for row in rows}) for key in (0, 1))
        if fewest < _FEWEST_SUBGROUPS:
            return Reason.KEY_DETERMINED
        if len({row[0] for row in rows}) < FEWEST_GROUPS:
            return Reason.FEW_GROUPS
    return None


def _divisors(steps: Sequence[SqlStep], results: StepResults) -> list[float]:
    position = steps[-1].reads[1]
    outcome = results.of(steps, position)
    if isinstance(outcome, QueryFailure):
        return [math.nan]
    return [_number(row[steps[position].value]) for row in outcome.rows] or [math.nan]


def _is_constant(values: Sequence[object]) -> bool:
    counts = Counter(_rounded((value,)) for value in values)
    if len(counts) == 1:
        return True
    (_, most), *_ = counts.most_common(1)
    return most > max(_LARGEST_SHARE_OF_ONE_VALUE * len(values), FEWEST_GROUPS)


def _rounded(row: Sequence[object]) -> tuple[object, ...]:
    return tuple(
        float(f"{cell:.9g}") if isinstance(cell, int | float | Decimal) else cell for cell in row
    )


def _number(cell: object) -> float:
    return float(cell) if isinstance(cell, int | float | Decimal) else math.nan


def _as_values(outcome: Outcome, rules: EngineRules) -> str | None:
    if isinstance(outcome, QueryFailure) or not 0 < len(outcome.rows) <= _MOST_KNOWN_ROWS:
        return None
    lines = []
    for row in outcome.rows:
        cells = [rules.literal(cell) for cell in row]
        if None in cells:
            return None
        lines.append(f"({', '.join(filter(None, cells))})")
    text = "VALUES " + ", ".join(lines)
    return text if len(text) <= _MOST_KNOWN_CHARACTERS else None
