"""Checks on what each step of a plan gives on the data.

An analyst would not ask for what is empty, the same everywhere, or divided by nothing; the checks
reject it as soon as the step is there (the paper, Section 2.2).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from statistics import median

from specbridge_pipeline.databases.results import QueryFailure, Row
from specbridge_pipeline.query_generation.column_rules import FEWEST_GROUPS, FEWEST_ROWS_A_GROUP
from specbridge_pipeline.query_generation.plan import (
    Combine,
    Compare,
    Contrast,
    FilterAbove,
    Grouped,
    Overall,
    Plan,
    RankedRows,
    Reaggregate,
    Share,
    Step,
    Summary,
    Top,
    TopWithin,
    keys_of,
    steps_of,
)
from specbridge_pipeline.query_generation.rendering import SqlStep
from specbridge_pipeline.query_generation.shapes import RATIO_FUNCTIONS
from specbridge_pipeline.query_generation.step_results import (
    StepResults,
    number,
    ties_beyond,
)

MOST_RESULT_ROWS = 1_000
CUTS = (1, 3, 5, 10)
"""How many rows a top may keep."""
CUTS_WITHIN = (1, 2, 3, 5)
"""How many rows of each group a top may keep."""
MOST_ROWS_OF_ONE = 10
"""Rows that an entity may have within a group, on average, where rows or entities are counted.
Where it has more, no reader takes one number for the other, and the choice is none."""
_MOST_GROUPS_OF_TWO_KEYS = 50_000
_LARGEST_SHARE_OF_ONE_VALUE = 0.8
_FEWEST_SUBGROUPS = 1.25
_FEWEST_GROUPS_WITHIN = 2
"""The first ones of each of two groups are a question: rows are ranked inside of them."""
_MOST_ROWS_WITH_TIES = 25
_MOST_VALUES_ROUNDED = 5_000
_ROUNDING = 1e-12
"""Larger than what two orders of adding up differ by, and far below what two groups do."""
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
    ONE_VALUE = "one value is put together"
    TINY_RATIO = "the ratio is next to nothing"
    DENOMINATOR = "a denominator is not positive"
    FEW_GROUPS = "too few groups"
    SMALL_GROUPS = "groups of hardly more than one row"
    MANY_GROUPS = "too many groups"
    KEY_DETERMINED = "one key follows from the other"
    TOO_LARGE = "the result is too large"
    KEEPS_NONE = "a filter that keeps nothing"
    ON_BASELINE = "a value lies on its baseline but for the last bits"
    NOTHING_TO_CUT = "fewer rows than the limit"
    NO_TIE = "no tie at a cut"
    ONLY_TIES = "a tie at every cut"
    NO_EFFECT = "the choice changes nothing"
    DUPLICATE = "a duplicate"
    DEPTH_DIFFERS = "depth differs"


def check_step(step: Step, results: StepResults, *, must_vary: bool = True) -> Reason | None:
    """Check what a step gives; what comes before it has been checked.

    Args:
        step: The step.
        results: Where steps are run.
        must_vary: Whether its quantity must differ between rows.

    Returns:
        Why no query should have this step, or None.
    """
    steps = results.steps(step)
    rows = results.rows(step)
    if rows is None:
        return Reason.FAILED
    last = steps[-1]
    values = [row[last.value] for row in rows]
    match step:
        case FilterAbove():
            if not rows:
                return Reason.KEEPS_NONE
            if _lies_on_baseline(step, steps, results):
                return Reason.ON_BASELINE
            # One group may be left, but what several groups have in common is no finding.
            alike = len(rows) > 1 and len({rounded((value,)) for value in values}) == 1
            return Reason.CONSTANT if must_vary and alike else None
        case Compare(contrast=Contrast.RATIO) | Combine(contrast=Contrast.RATIO) | Share():
            if not all(each > 0 for each in _divisors(steps, results)):
                return Reason.DENOMINATOR
    if not rows:
        return Reason.EMPTY
    if any(value is None for value in values):
        return Reason.MISSING
    found = _check_kind(step, rows, values, results)
    if found is not None:
        return found
    if isinstance(step, Overall | Reaggregate | Summary) and not keys_of(step):
        return None
    return Reason.CONSTANT if must_vary and _is_constant(values) else None


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


def check_plan(plan: Plan, results: StepResults, *, tied: bool = False) -> Reason | None:
    """Check a finished plan as a whole: every step of it, its cut, and its size.

    It asks nothing of how the plan was made, so that it also judges one that was made unchecked.
    Whether quantities vary is a rule of its own: see `varies`.

    Args:
        plan: The plan.
        results: Where steps are run.
        tied: Whether rows are to be tied at its cut.

    Returns:
        The first reason against it, or None.
    """
    for step in reversed(tuple(steps_of(plan))):
        if isinstance(step, Top):
            cuts = fitting_cuts(step.step, results, tied=tied)
            if isinstance(cuts, Reason):
                return cuts
            if step.count not in cuts:
                return Reason.NOTHING_TO_CUT
        else:
            found = check_step(step, results, must_vary=False)
            if found is not None:
                return found
    rows = results.rows(plan)
    return Reason.FAILED if rows is None else check_size(plan, len(rows))


def varies(plan: Plan, results: StepResults) -> bool:
    """Return whether every quantity of a plan differs between rows."""
    return not any(
        check_step(step, results) is Reason.CONSTANT
        for step in steps_of(plan)
        if not isinstance(step, Top)
    )


def fitting_cuts(step: Step, results: StepResults, *, tied: bool) -> tuple[int, ...] | Reason:
    """Return at which numbers of rows a top may cut.

    Args:
        step: What is ranked.
        results: Where steps are run.
        tied: Whether rows are to be tied at the cut, or not to be.

    Returns:
        The numbers among 1, 3, 5 and 10 that fit, or why none does.
    """
    rows = results.rows(step) or ()
    position = results.steps(step)[-1].value
    values = sorted((number(row[position]) for row in rows), reverse=True)
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


def fitting_cuts_within(
    step: Step, within: int, results: StepResults, *, keeps_ties: bool
) -> tuple[int, ...] | Reason:
    """Return at which numbers of rows a top within each group may cut.

    Args:
        step: What is ranked.
        within: Position of the key that makes the groups.
        results: Where steps are run.
        keeps_ties: Whether all rows tied at a cut are kept; else no rows may be tied there.

    Returns:
        The numbers among 1, 2, 3 and 5 that leave something out of at least half of the groups,
        or why none does.
    """
    position = results.steps(step)[-1].value
    groups: dict[object, list[float]] = {}
    for row in results.rows(step) or ():
        groups.setdefault(row[within], []).append(number(row[position]))
    for values in groups.values():
        values.sort(reverse=True)
    if len(groups) < _FEWEST_GROUPS_WITHIN:
        return Reason.FEW_GROUPS
    cuts = [
        count
        for count in CUTS_WITHIN
        if 2 * sum(count < len(values) for values in groups.values()) >= len(groups)
    ]
    if not cuts:
        return Reason.NOTHING_TO_CUT
    fitting = []
    for count in cuts:
        beyond = [ties_beyond(values, count) for values in groups.values()]
        if not any(beyond) or (keeps_ties and sum(beyond) <= count * len(groups)):
            fitting.append(count)
    return tuple(fitting) if fitting else Reason.ONLY_TIES


def same_rows(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """Return whether two results are the same bag of rows, floats to nine digits."""
    return Counter(map(rounded, left)) == Counter(map(rounded, right))


def rounded(row: Sequence[object]) -> tuple[object, ...]:
    """Return a row with its numbers to nine digits, which do not tell how they were added up."""
    return tuple(
        float(f"{cell:.9g}") if isinstance(cell, int | float | Decimal) else cell for cell in row
    )


def _check_kind(
    step: Step, rows: Sequence[Row], values: Sequence[object], results: StepResults
) -> Reason | None:
    match step:
        case Grouped() | Overall() if (
            step.aggregate.function in RATIO_FUNCTIONS
            and abs(median(map(number, values))) < _SMALLEST_RATIO
        ):
            return Reason.TINY_RATIO
        case Grouped():
            return _check_groups(step, rows, values, results)
        case Combine(previous=previous):
            if len(rows) < max(FEWEST_GROUPS, len(results.rows(previous) or ()) / 2):
                return Reason.FEW_GROUPS
        case Reaggregate(previous=previous) | Summary(previous=previous):
            before = len(results.rows(previous) or ())
            if not keys_of(step):
                return Reason.ONE_VALUE if before < 2 else None
            if len(rows) < FEWEST_GROUPS:
                return Reason.FEW_GROUPS
            if len(rows) == before:
                return Reason.REDUNDANT
        case TopWithin(previous=previous, key=key):
            within = keys_of(previous).index(key)
            cuts = fitting_cuts_within(previous, within, results, keeps_ties=step.keeps_ties)
            if isinstance(cuts, Reason):
                return cuts
            if step.count not in cuts:
                return Reason.NOTHING_TO_CUT
        case RankedRows():
            if len(rows) < FEWEST_GROUPS:
                return Reason.FEW_GROUPS
    return None


def _check_groups(
    step: Grouped, rows: Sequence[Row], values: Sequence[object], results: StepResults
) -> Reason | None:
    if len(rows) < FEWEST_GROUPS:
        return Reason.FEW_GROUPS
    if len(rows) > _MOST_GROUPS_OF_TWO_KEYS:
        return Reason.MANY_GROUPS
    if step.source.keeps_unmatched:
        # Else keeping them changes nothing.
        return None if 0 in values else Reason.REDUNDANT
    if results.source_rows(step) < FEWEST_ROWS_A_GROUP * len(rows):
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
    return [number(row[steps[position].value]) for row in outcome.rows] or [math.nan]


def _lies_on_baseline(step: FilterAbove, steps: Sequence[SqlStep], results: StepResults) -> bool:
    """Return whether rounding alone decides if a filter keeps a row.

    In which order an engine adds up numbers with fractions says then which side of the average the
    row falls on. Whole numbers equal an average of theirs or do not.
    """
    position, baseline = steps[-1].reads[:2]
    outcome = results.of(steps, baseline)
    if isinstance(outcome, QueryFailure):
        return False
    key = step.baseline.key
    within = None if key is None else keys_of(step.previous).index(key)
    averages = {None if key is None else row[0]: number(row[-1]) for row in outcome.rows}
    for row in results.rows(step.previous) or ():
        cell = row[steps[position].value]
        value, average = number(cell), averages.get(None if within is None else row[within])
        if average is None or isinstance(cell, int):
            continue
        if abs(value - average) <= _ROUNDING * max(abs(value), abs(average)):
            return True
    return False


def _is_constant(values: Sequence[object]) -> bool:
    if len(values) > _MOST_VALUES_ROUNDED:
        counts = Counter[object](values)
    else:
        counts = Counter[object](rounded((value,)) for value in values)
    if len(counts) == 1:
        return True
    (_, most), *_ = counts.most_common(1)
    return most > max(_LARGEST_SHARE_OF_ONE_VALUE * len(values), FEWEST_GROUPS)
