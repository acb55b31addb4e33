"""The gallery: examples of every choice type, selected by a fixed rule and not by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.reporting.differences import Piece, word_differences
from specbridge_pipeline.reporting.formatting import counted
from specbridge_pipeline.reporting.respondents import Respondent, answered_by
from specbridge_pipeline.reporting.wording import outcome_words, spaced

if TYPE_CHECKING:
    from specbridge_pipeline.reporting.report_data import ReportData

Row = Mapping[str, Any]

MOST_PER_TYPE = 4
"""Examples of a type, at most (the paper's Table S7)."""


@dataclass(frozen=True, slots=True)
class ExampleOutcome:
    """What became of an example's open request: a model, the outcome as stored, and in words."""

    who: str
    outcome: str
    words: str


@dataclass(frozen=True, slots=True)
class Example:
    """A set of the gallery.

    Attributes:
        id: Its content id.
        database: Its database.
        tier: Its tier.
        open_request: The request that leaves the choice open.
        meanings: What A and B compute, in stretches.
        answers: How the answers differ.
        outcomes: What each model made of the open request.
    """

    id: str
    database: str
    tier: str
    open_request: str
    meanings: tuple[tuple[str, tuple[Piece, ...]], ...]
    answers: str
    outcomes: tuple[ExampleOutcome, ...]


@dataclass(frozen=True, slots=True)
class ExampleGroup:
    """The examples of a choice type, and how many sets of it there are."""

    choice_type: str
    total: int
    examples: tuple[Example, ...]


def selected_examples(
    sets: Sequence[Row], source_of: Mapping[str, str], most: int = MOST_PER_TYPE
) -> list[Row]:
    """Select examples among the sets of one choice type.

    The sources of the databases take turns in the order of their names. Whose turn it is gives,
    from the database that has given fewest so far, the set with the shortest open request; equal
    lengths are settled by content id. So databases differ as long as there are others (the paper,
    Appendix G).

    Args:
        sets: Rows with `set_id`, `database` and `request_open`.
        source_of: Database → where it comes from.
        most: How many examples to select.

    Returns:
        The examples, in the order in which they were selected.
    """
    waiting: dict[str, list[Row]] = {}
    for row in sets:
        waiting.setdefault(source_of.get(row["database"], row["database"]), []).append(row)
    given: Counter[str] = Counter()
    chosen: list[Row] = []
    while len(chosen) < most and any(waiting.values()):
        for source in sorted(waiting):
            if waiting[source] and len(chosen) < most:
                best = min(
                    waiting[source],
                    key=lambda row: (
                        given[row["database"]],
                        len(row["request_open"]),
                        row["set_id"],
                    ),
                )
                waiting[source].remove(best)
                given[best["database"]] += 1
                chosen.append(best)
    return chosen


def gallery(data: ReportData, people: Sequence[Respondent]) -> list[ExampleGroup]:
    """Return the gallery of the evaluated edition.

    Args:
        data: The report's data.
        people: Whose answers are shown, in order.

    Returns:
        One group a choice type, by name.
    """
    source_of = {each.id: each.source for each in data.databases}
    outcomes: dict[str, list[Row]] = {}
    for row in data.outcomes.iter_rows(named=True):
        outcomes.setdefault(row["set_id"], []).append(row)
    rows = data.sets.rows(named=True)
    groups = []
    for choice_type in sorted({row["choice_type"] for row in rows}):
        sets = [row for row in rows if row["choice_type"] == choice_type]
        examples = tuple(
            Example(
                id=row["set_id"],
                database=row["database"],
                tier=row["tier"],
                open_request=row["request_open"],
                meanings=tuple(
                    zip("AB", word_differences(row["meaning_a"], row["meaning_b"]), strict=True)
                ),
                answers=data.differences.get(row["set_id"]) or _sizes(row),
                outcomes=_outcomes(outcomes.get(row["set_id"], []), people),
            )
            for row in selected_examples(sets, source_of)
        )
        groups.append(ExampleGroup(spaced(choice_type), len(sets), examples))
    return groups


def _sizes(row: Row) -> str:
    """Say what is known of the answers where their rows are not at hand."""
    if row["rows_a"] is None or row["rows_b"] is None:
        return "not known: a query did not run"
    if row["rows_a"] == row["rows_b"]:
        return f"both have {counted(row['rows_a'], 'row')}"
    return f"rows: A has {row['rows_a']:,}, B {row['rows_b']:,}"


def _outcomes(rows: Sequence[Row], people: Sequence[Respondent]) -> tuple[ExampleOutcome, ...]:
    found = []
    for person in people:
        outcome = next((row["outcome"] for row in rows if answered_by(row, person)), "")
        words = outcome_words(outcome) if outcome else "not answered whole"
        found.append(ExampleOutcome(person.label, outcome, words))
    return tuple(found)
