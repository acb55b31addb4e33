"""The table of what references take where words leave a choice open (the paper, Table S1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from specbridge_pipeline.choices.conventions.references.author_groups import author_groups
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.reporting.report_studies import StudyTable
from specbridge_pipeline.reporting.study_rows import SHIPPED
from specbridge_pipeline.statistics.intervals import wilson

Row = Mapping[str, Any]

_COLUMNS = ("what the usual side does", "open", "usual", "other", "share of the other", "95%")


def arrange_conventions(rows: Sequence[Row]) -> StudyTable | None:
    """Arrange counts of references into the report's table, a row a choice type.

    Args:
        rows: Rows of CONVENTION_COUNTS.

    Returns:
        The table, in the order of the paper's Table S1; None where nothing was counted.
    """
    if not rows:
        return None
    read = sum(row[name] for row in rows for name in ("usual", "other", "dropped", "settled"))
    unread = sum(row["unread"] for row in rows)
    origin = (
        "The decisions ship with the project: ids, sides and cues, no text."
        if rows[0]["origin"] == SHIPPED
        else "The references were read here."
    )
    readings = (
        "Every reference of the other side was read and confirmed"
        if not unread
        else f"References of the other side that nobody has read yet: {unread:,}"
    )
    return StudyTable(
        _COLUMNS,
        tuple(_line(each, _of(rows, each)) for each in CONVENTIONS),
        f"{read:,} decisions on references of {_listed(_groups(rows))}. {readings}. The usual "
        f"side is not read, so that shares are rather too low than too high. {origin}",
    )


def _line(choice_type: ChoiceType, rows: Sequence[Row]) -> tuple[str, tuple[str, ...]]:
    convention = CONVENTIONS[choice_type]
    usual, other = (sum(row[name] for row in rows) for name in ("usual", "other"))
    if convention.read is None:
        return choice_type.label, (convention.usual, "–", "–", "–", "–", "–")
    count = usual + other
    if not count:
        return choice_type.label, (convention.usual, "0", "0", "0", "–", "–")
    interval = wilson(other, count)
    return choice_type.label, (
        convention.usual,
        f"{count:,}",
        f"{usual:,}",
        f"{other:,}",
        f"{other / count:.1%}",
        f"{interval.low:.1%} to {interval.high:.1%}",
    )


def _of(rows: Sequence[Row], choice_type: ChoiceType) -> list[Row]:
    return [row for row in rows if row["choice_type"] == choice_type]


def _groups(rows: Sequence[Row]) -> list[str]:
    found = {row["author_group"] for row in rows}
    return [group for group in author_groups() if group in found]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{'; '.join(names[:-1])}; and {names[-1]}"
