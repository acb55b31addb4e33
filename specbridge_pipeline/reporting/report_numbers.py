"""The tables of numbers in the report."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.reporting.formatting import (
    ShareText,
    counted,
    difference_text,
    p_value_text,
    share_text,
)
from specbridge_pipeline.reporting.numbers import MEASURES, Measure
from specbridge_pipeline.reporting.respondents import Respondent, answered_by, respondents
from specbridge_pipeline.reporting.review_numbers import reviewed_ids, shown_scopes
from specbridge_pipeline.reporting.wording import (
    CONDITIONAL_MEASURES,
    HEADLINE_SCOPES,
    scope_words,
    spaced,
)

if TYPE_CHECKING:
    from specbridge_pipeline.reporting.report_data import ReportData


@dataclass(frozen=True, slots=True)
class Number:
    """A reported number as a cell of a table.

    Attributes:
        id: Its number id, by which it can be traced.
        text: The number.
        label: Its measure, for people.
        who: Whom it is about.
        scope: Which sets it covers, in words.
        formula: How it is computed.
        interval: How its interval is computed.
        row_count: How many rows are behind it.
        p_value: The p-value of a comparison.
        shown: Whether a table shows it, besides the list of every number.
    """

    id: str
    text: ShareText
    label: str
    who: str
    scope: str
    formula: str
    interval: str
    row_count: int
    p_value: str
    shown: bool


@dataclass(frozen=True, slots=True)
class NumberRow:
    """A row of a table: who, and a number or nothing a measure."""

    who: str
    numbers: tuple[Number | None, ...]


@dataclass(frozen=True, slots=True)
class NumberGroup:
    """Rows that share a scope, such as a choice type; its title says how many sets it has."""

    title: str
    rows: tuple[NumberRow, ...]


@dataclass(frozen=True, slots=True)
class ReportNumbers:
    """Every number of a report, arranged.

    Attributes:
        measures: The measures of the columns.
        headline: A row a respondent, over all sets, over those that people judged and those that
            they keep where there are any, and over those of each tier.
        choice_types: The same by choice type.
        comparisons: Numbers that compare two models.
        every: All numbers by id.
    """

    measures: tuple[Measure, ...]
    headline: tuple[NumberGroup, ...]
    choice_types: tuple[NumberGroup, ...]
    comparisons: tuple[Number, ...]
    every: tuple[Number, ...]


def arrange_numbers(data: ReportData) -> ReportNumbers:
    """Arrange the statistics into the report's tables.

    Args:
        data: The report's data.

    Returns:
        The tables. What fits none of them stands in the list of every number.
    """
    import polars as pl

    rows = data.statistics.rows(named=True)
    shares = data.statistics.filter(pl.col("compared_with").fill_null("") == "")
    people = respondents(shares, data.names)
    measures = tuple(m for m in MEASURES if m.name in shares["measure"].to_list())
    label_of = {
        row["number_id"]: person.label
        for row in shares.iter_rows(named=True)
        for person in people
        if answered_by(row, person)
    }
    counts = {scope: len(found) for scope, found in reviewed_ids(data.verdicts).items()}
    scopes = [HEADLINE_SCOPES[0], *shown_scopes(counts, data.sets.height), *HEADLINE_SCOPES[1:]]
    tabled = {scope for scope, _ in scopes}
    every = {row["number_id"]: _number(row, label_of, data.names, measures, tabled) for row in rows}

    def group(scope: str, title: str) -> NumberGroup:
        sets = counts[scope] if scope in counts else _set_count(data, scope)
        found = _rows([r for r in rows if r["scope"] == scope], every, people, measures, sets)
        return NumberGroup(f"{title}: {counted(sets, 'set') if sets else 'no sets'}", found)

    types = sorted(set(data.sets["choice_type"].to_list()))
    compared = [every[row["number_id"]] for row in rows if row["compared_with"]]
    return ReportNumbers(
        measures=measures,
        headline=tuple(group(*each) for each in scopes) if rows else (),
        choice_types=tuple(group(f"choice_type={each}", spaced(each)) for each in types)
        if rows
        else (),
        comparisons=tuple(compared),
        every=tuple(every.values()),
    )


def _rows(
    rows: Sequence[Mapping[str, Any]],
    every: Mapping[str, Number],
    people: Sequence[Respondent],
    measures: Sequence[Measure],
    sets: int,
) -> tuple[NumberRow, ...]:
    """Return a row a respondent who has a number here, with the sets it answered if not all."""
    found = []
    for person in people:
        own = {
            row["measure"]: every[row["number_id"]]
            for row in rows
            if not row["compared_with"] and answered_by(row, person)
        }
        if own:
            answered = max(number.row_count for number in own.values())
            note = f" ({answered} of {counted(sets, 'set')} answered)" if answered < sets else ""
            cells = tuple(own.get(measure.name) for measure in measures)
            found.append(NumberRow(person.label + note, cells))
    return tuple(found)


def _set_count(data: ReportData, scope: str) -> int:
    """Return how many sets of the edition a scope covers."""
    column, _, value = scope.partition("=")
    return data.sets.height if scope == "all" else data.sets[column].to_list().count(value)


def _number(
    row: Mapping[str, Any],
    label_of: Mapping[str, str],
    names: Mapping[str, str],
    measures: Sequence[Measure],
    tabled_scopes: Container[str],
) -> Number:
    compared = bool(row["compared_with"])
    if compared:
        first, second = (names.get(row[key], row[key]) for key in ("model", "compared_with"))
        who = f"{first} − {second}"
        text = difference_text(row["numerator"], row["denominator"], row["low"], row["high"])
    else:
        who = label_of[row["number_id"]]
        text = share_text(
            row["numerator"],
            row["denominator"],
            row["low"],
            row["high"],
            conditional=row["scope"] != "all" or row["measure"] in CONDITIONAL_MEASURES,
        )
    tabled = row["scope"] in tabled_scopes or row["scope"].startswith("choice_type=")
    return Number(
        id=row["number_id"],
        text=text,
        label=row["label"],
        who=who,
        scope=scope_words(row["scope"]),
        formula=row["formula"],
        interval=row["interval"],
        row_count=len(row["row_keys"] or ()),
        p_value=p_value_text(row["p_value"]),
        shown=compared or (tabled and row["measure"] in {m.name for m in measures}),
    )
