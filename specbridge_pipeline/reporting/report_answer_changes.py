"""The tables of answers that change (the paper, Section 6.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.choices.answer_changes.counts import ANY, PUBLISHED, label_of
from specbridge_pipeline.choices.answer_changes.data_kinds import DataKind
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.reporting.report_studies import StudyTable
from specbridge_pipeline.reporting.study_rows import SHIPPED
from specbridge_pipeline.statistics.intervals import wilson

Row = Mapping[str, Any]

_COLUMNS = (
    *("open", "edited", "changed", "share", "95%"),
    *("over half", "10–50%", "less", "other value", "other rows", "not settled"),
)
LEAST_FOR_SHARE = 10
"""Of fewer questions only counts are given."""
_BENCHMARKS = {"bird": "BIRD", "spider": "Spider"}


@dataclass(frozen=True, slots=True)
class AnswerChangeTables:
    """The tables of answers that change.

    Attributes:
        note: Where the rows come from.
        by_questions: Name of a benchmark's questions → their table, a row a choice type.
        kinds: The kinds of data, a row a database; None where none were counted.
    """

    note: str
    by_questions: tuple[tuple[str, StudyTable], ...]
    kinds: StudyTable | None


def arrange_answer_changes(rows: Sequence[Row], kinds: Sequence[Row]) -> AnswerChangeTables | None:
    """Arrange counts of answers, and kinds of data, into the report's tables.

    Args:
        rows: Rows of ANSWER_CHANGE_COUNTS.
        kinds: Rows of DATA_KINDS.

    Returns:
        The tables; None where there is nothing to show.
    """
    if not rows and not kinds:
        return None
    note = ""
    if rows:
        note = (
            "The rows ship with the project: ids and counts, no text and no values."
            if rows[0]["origin"] == SHIPPED
            else "The answers were compared here."
        )
    tables = [
        (questions_name(*key), _table([row for row in rows if _questions(row) == key]))
        for key in sorted({_questions(row) for row in rows})
    ]
    return AnswerChangeTables(note, tuple(tables), _kinds(kinds) if kinds else None)


def questions_name(benchmark: str, split: str) -> str:
    """Return what a benchmark's questions are called: "BIRD dev"."""
    return f"{_BENCHMARKS.get(benchmark, benchmark)} {split}"


def _questions(row: Row) -> tuple[str, str]:
    return (row["benchmark"], row["split"])


def ordered_types(rows: Sequence[Row]) -> list[Row]:
    """Return rows of one benchmark and split in the order of the types, sums last."""
    order = [*(each.value for each in ChoiceType), PUBLISHED, ANY]
    return sorted(rows, key=lambda row: order.index(row["choice_type"]))


def _table(rows: Sequence[Row]) -> StudyTable:
    [total] = [row for row in rows if row["choice_type"] == ANY]
    published = next((row for row in rows if row["choice_type"] == PUBLISHED), None)
    of_five = (
        ""
        if published is None
        else f" By the five choices that the paper counts, {published['changed']:,} of "
        f"{published['edited']:,} change."
    )
    return StudyTable(
        _COLUMNS,
        tuple((label_of(row["choice_type"]), _cells(row)) for row in ordered_types(rows)),
        f"{total['open']:,} questions leave a choice open; the databases of "
        f"{total['with_database']:,} are at hand, {total['edited']:,} have a proved edit, and "
        f"{total['changed']:,} change their answer by it.{of_five} Of fewer than "
        f"{LEAST_FOR_SHARE} no share is given.",
    )


def _cells(row: Row) -> tuple[str, ...]:
    edited, changed = row["edited"], row["changed"]
    share = ("–", "–")
    if edited >= LEAST_FOR_SHARE:
        interval = wilson(changed, edited)
        share = (f"{changed / edited:.1%}", f"{interval.low:.1%} to {interval.high:.1%}")
    return (
        f"{row['open']:,}",
        f"{edited:,}",
        f"{changed:,}",
        *share,
        f"{row['over_half']:,}",
        f"{row['tenth_to_half']:,}",
        f"{row['under_a_tenth']:,}",
        f"{row['missing_value'] + row['another_value']:,}",
        f"{row['other_rows']:,}",
        f"{row['undetermined'] + row['no_result']:,}",
    )


def _kinds(rows: Sequence[Row]) -> StudyTable:
    databases = dict.fromkeys((row["source"], row["database"]) for row in rows)
    found = {(row["source"], row["database"], row["kind"]): row for row in rows}
    present = {
        key: sum(bool(found[*key, kind]["present"]) for kind in DataKind if (*key, kind) in found)
        for key in databases
    }
    least = min(present.values())
    return StudyTable(
        ("kinds", *(kind.value for kind in DataKind)),
        tuple(
            (
                f"{name} ({source})",
                (
                    f"{present[source, name]}",
                    *(_places(found.get((source, name, kind.value))) for kind in DataKind),
                ),
            )
            for source, name in databases
        ),
        f"Columns or joins of each kind, of those that could be. Each of these {len(databases)} "
        f"databases has at least {least} kind{'' if least == 1 else 's'} of data on which an "
        f"unstated choice can change an answer.",
    )


def _places(row: Row | None) -> str:
    if row is None or not row["of_count"]:
        return "–"
    return f"{row['count']:,} of {row['of_count']:,}"
