"""Reported numbers: each with an id, a formula, and the keys of the rows behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from specbridge_pipeline.statistics.bootstrap import bootstrap_ratio
from specbridge_pipeline.statistics.intervals import wilson
from specbridge_pipeline.statistics.paired import exact_mcnemar, paired_counts

Row = Mapping[str, Any]

SOURCE = "outcomes"


@dataclass(frozen=True, slots=True)
class Measure:
    """A share of something over the rows of `outcomes`.

    Attributes:
        name: Its name in number ids.
        label: Its name for people.
        explanation: What it says, in a sentence.
        formula: How it is computed from columns of `outcomes`.
        count: Row → (numerator, denominator) that it adds.
        pooled: Whether a row can add more than one, so that intervals resample whole sets.
    """

    name: str
    label: str
    explanation: str
    formula: str
    count: Callable[[Row], tuple[int, int]]
    pooled: bool = False


def _missed(row: Row) -> bool:
    return not row["both_returned"]


def _missed_computable(row: Row) -> bool:
    return all(row[f"right_{side}"] for side in "ab" if not row[f"found_{side}"])


MEASURES: tuple[Measure, ...] = (
    Measure(
        "specific_right",
        "Specific requests right",
        "Share of specific requests whose main query gives the result that they ask for.",
        "(right_a + right_b) / 2 requests a set",
        lambda row: (row["right_a"] + row["right_b"], 2),
        pooled=True,
    ),
    Measure(
        "both_computable",
        "Both specific right",
        "Share of sets of which both specific requests are computed right.",
        "both_computable / sets",
        lambda row: (int(row["both_computable"]), 1),
    ),
    Measure(
        "both_returned",
        "Both returned",
        "Share of open requests that are answered with both interpretations.",
        "both_returned / sets",
        lambda row: (int(row["both_returned"]), 1),
    ),
    Measure(
        "both_returned_computable",
        "Both returned, of computable",
        "The same over the sets of which the model computes both when asked for each alone, where "
        "a miss cannot be a failure to compute.",
        "(both_returned and both_computable) / both_computable",
        lambda row: (
            int(row["both_returned"] and row["both_computable"]),
            int(row["both_computable"]),
        ),
    ),
    Measure(
        "named",
        "Choice named",
        "Share of open requests whose explanation says that the choice is open.",
        "named / sets",
        lambda row: (int(row["named"]), 1),
    ),
    Measure(
        "missed_computable",
        "Missed but computable",
        "Of the open requests that miss an interpretation, the share in which the same model "
        "computes every missed one when asked for it alone: failures to report, not to compute.",
        "(not both_returned and right_i for every i not found) / not both_returned",
        lambda row: (int(_missed(row) and _missed_computable(row)), int(_missed(row))),
    ),
    Measure(
        "false_alarm",
        "False alarms",
        "Share of specific requests on which the model offers the other interpretation or calls "
        "the choice open, although the wording settles it.",
        "(false_alarm_alternative_i or false_alarm_named_i, over i = a, b) / 2 requests a set",
        lambda row: (
            sum(
                row[f"false_alarm_alternative_{side}"] or row[f"false_alarm_named_{side}"]
                for side in "ab"
            ),
            2,
        ),
        pooled=True,
    ),
    Measure(
        "specific_right_allowing_columns",
        "Specific right, extra columns allowed",
        "Specific requests right when extra or reordered output columns are forgiven.",
        "(right_a_allowing_columns + right_b_allowing_columns) / 2 requests a set",
        lambda row: (row["right_a_allowing_columns"] + row["right_b_allowing_columns"], 2),
        pooled=True,
    ),
)
"""Every measure of the headline table, in its order (the paper, Section 3)."""

COMPARED: tuple[str, ...] = ("both_computable", "both_returned", "named")
"""Measures on which models are compared set by set."""


def measure_named(name: str) -> Measure:
    """Return a measure by name."""
    return next(measure for measure in MEASURES if measure.name == name)


def reported_numbers(
    outcomes: Iterable[Row],
    *,
    seed: int,
    resamples: int,
    reviewed: Mapping[str, frozenset[str]] | None = None,
) -> list[dict[str, Any]]:
    """Compute every reported number.

    A measure with one observation a set has a Wilson interval; one that pools A and B of a set has
    a percentile bootstrap over whole sets (the paper, Section 4.1).

    Args:
        outcomes: Rows of `outcomes`.
        seed: Seed of the bootstrap.
        resamples: Number of its resamples.
        reviewed: Scope → ids of the sets that it covers, for scopes that people's verdicts decide.

    Returns:
        Rows of `statistics`.
    """
    groups: dict[tuple[str, str, str, str], dict[str, list[Row]]] = {}
    for row in outcomes:
        group = (row["edition"], row["method"], row["round"], row["judge"])
        groups.setdefault(group, {}).setdefault(row["model"], []).append(row)
    numbers = []
    for (edition, method, round, judge), models in sorted(groups.items()):
        origin = {"edition": edition, "method": method, "round": round, "judge": judge}
        for model, rows in sorted(models.items()):
            for scope, chosen in _scopes(rows, reviewed or {}):
                for measure in MEASURES:
                    numbers.append(_share(origin, measure, model, scope, chosen, seed, resamples))
        for first, second in combinations(sorted(models), 2):
            for name in COMPARED:
                number = _comparison(origin, measure_named(name), models, first, second)
                if number is not None:
                    numbers.append(number)
    return numbers


def recomputed(
    number: Row, rows: Sequence[Row], *, seed: int, resamples: int
) -> dict[str, Any] | None:
    """Compute one number again from the rows behind it.

    Args:
        number: Its row of `statistics`.
        rows: The rows of `outcomes` under its `row_keys`.
        seed: Seed of the bootstrap.
        resamples: Number of its resamples.

    Returns:
        What its row of `statistics` should be, or None where the rows give no number.
    """
    origin = {name: number[name] for name in ("edition", "method", "round", "judge")}
    measure = measure_named(number["measure"])
    if number["compared_with"]:
        names = (number["model"], number["compared_with"])
        models = {name: [row for row in rows if row["model"] == name] for name in names}
        return _comparison(origin, measure, models, *names)
    return _share(origin, measure, number["model"], number["scope"], rows, seed, resamples)


def counts(measure: Measure, rows: Iterable[Row]) -> tuple[int, int]:
    """Return numerator and denominator of a measure over rows of `outcomes`."""
    pairs = [measure.count(row) for row in rows]
    return sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)


def _scopes(
    rows: Sequence[Row], reviewed: Mapping[str, frozenset[str]]
) -> Iterable[tuple[str, list[Row]]]:
    yield "all", list(rows)
    for column in ("tier", "choice_type"):
        for value in sorted({row[column] for row in rows}):
            yield f"{column}={value}", [row for row in rows if row[column] == value]
    for scope, sets in reviewed.items():
        chosen = [row for row in rows if row["set_id"] in sets]
        if chosen:
            yield scope, chosen


def _share(
    origin: Mapping[str, str],
    measure: Measure,
    model: str,
    scope: str,
    rows: Sequence[Row],
    seed: int,
    resamples: int,
) -> dict[str, Any]:
    numerator, denominator = counts(measure, rows)
    low = high = error = math.nan
    kind = "n/a"
    if denominator and measure.pooled:
        pairs = [measure.count(row) for row in rows]
        drawn = bootstrap_ratio(
            [pair[0] for pair in pairs],
            [pair[1] for pair in pairs],
            [row["set_id"] for row in rows],
            seed=seed,
            resamples=resamples,
        )
        low, high, error, kind = drawn.low, drawn.high, drawn.standard_error, "bootstrap"
    elif denominator:
        interval = wilson(numerator, denominator)
        low, high, kind = interval.low, interval.high, "wilson"
    return {
        "number_id": _number_id(origin, measure.name, model, "", scope),
        **origin,
        "measure": measure.name,
        "label": measure.label,
        "model": model,
        "compared_with": "",
        "scope": scope,
        "numerator": numerator,
        "denominator": denominator,
        "value": numerator / denominator if denominator else math.nan,
        "low": low,
        "high": high,
        "standard_error": error,
        "interval": kind,
        "p_value": math.nan,
        "formula": measure.formula,
        "source": SOURCE,
        "row_keys": sorted(row["outcome_id"] for row in rows if measure.count(row)[1]),
    }


def _comparison(
    origin: Mapping[str, str],
    measure: Measure,
    models: Mapping[str, Sequence[Row]],
    first: str,
    second: str,
) -> dict[str, Any] | None:
    sides = [{row["set_id"]: row for row in models[name]} for name in (first, second)]
    shared = sorted(sides[0].keys() & sides[1].keys())
    if not shared:
        return None
    hits = [[bool(measure.count(side[name])[0]) for name in shared] for side in sides]
    pairs = paired_counts(*hits)
    test = exact_mcnemar(*pairs)
    return {
        "number_id": _number_id(origin, measure.name, first, second, "all"),
        **origin,
        "measure": measure.name,
        "label": measure.label,
        "model": first,
        "compared_with": second,
        "scope": "all",
        "numerator": test.only_first - test.only_second,
        "denominator": len(shared),
        "value": (test.only_first - test.only_second) / len(shared),
        "low": math.nan,
        "high": math.nan,
        "standard_error": math.nan,
        "interval": "n/a",
        "p_value": test.p_value,
        "formula": f"(sets only {first} - sets only {second}) / sets both answered: "
        f"{test.only_first} - {test.only_second}; exact McNemar",
        "source": SOURCE,
        "row_keys": sorted(side[name]["outcome_id"] for side in sides for name in shared),
    }


def _number_id(
    origin: Mapping[str, str], measure: str, model: str, compared_with: str, scope: str
) -> str:
    who = f"{model}-vs-{compared_with}" if compared_with else model
    parts = [measure, who, scope, origin["method"], origin["round"], origin["judge"]]
    return "/".join(parts)
