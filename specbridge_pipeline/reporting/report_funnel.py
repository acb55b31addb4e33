"""The tables of the funnel of construction in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.reporting.formatting import percent
from specbridge_pipeline.reporting.funnel import FUNNEL, FUNNEL_STAGES, REJECTED
from specbridge_pipeline.reporting.wording import scope_words

if TYPE_CHECKING:
    from specbridge_pipeline.reporting.draft import Draft

Row = Mapping[str, Any]

_MOST_REASONS = 10

UNIT_WORDS = {"query": "Queries", "choice": "Choices", "set": "Request sets"}
"""What the stages of the funnel count, as a heading."""


@dataclass(frozen=True, slots=True)
class Count:
    """A count of the funnel as a cell of a table.

    Attributes:
        id: Its number id, by which it can be traced.
        text: The count, or "none read" where no person has read a set.
        share: Its share of the stage that it is a part of; empty where there is none.
        label: What is counted.
        where: On which databases, and in which scope, in words.
        formula: The query of the warehouse that lists the rows behind it.
    """

    id: str
    text: str
    share: str
    label: str
    where: str
    formula: str


@dataclass(frozen=True, slots=True)
class CountRow:
    """A stage of the funnel: what it is a part of, and a count or nothing a column."""

    label: str
    of: str
    counts: tuple[Count | None, ...]


@dataclass(frozen=True, slots=True)
class CountGroup:
    """The stages that count the same thing: queries, choices, or sets."""

    title: str
    rows: tuple[CountRow, ...]


@dataclass(frozen=True, slots=True)
class FunnelTables:
    """The funnel, arranged.

    Attributes:
        scopes: Heads of the columns of `groups`: everything, tiers, filters, choice types.
        groups: The stages over all databases.
        databases: Heads of the columns of `by_database`.
        by_database: The stages on each database.
        reasons: The most frequent reasons for rejecting an attempt: reason and count.
        other_reasons: How many attempts were rejected for how many further reasons.
        every: All counts.
    """

    scopes: tuple[str, ...]
    groups: tuple[CountGroup, ...]
    databases: tuple[str, ...]
    by_database: tuple[CountGroup, ...]
    reasons: tuple[tuple[str, Count], ...]
    other_reasons: tuple[int, int]
    every: tuple[Count, ...]


def arrange_funnel(draft: Draft) -> FunnelTables:
    """Arrange the counts of a draft into the report's tables.

    Args:
        draft: The draft.

    Returns:
        The tables.
    """
    counts = {row["number_id"]: _count(row) for row in draft.funnel}
    stages = [row for row in draft.funnel if row["stage"] != REJECTED]
    # Rows of the warehouse are sorted by id; everything comes first, then tiers, then types.
    kinds = ("all", "tier", "source", "choice_type")
    scopes = sorted(
        {row["scope"] for row in stages},
        key=lambda scope: (kinds.index(scope.partition("=")[0]), scope != "tier=short", scope),
    )
    databases = sorted({row["database"] for row in stages} - {""})
    found = {
        (row["stage"], row["database"], row["scope"]): counts[row["number_id"]] for row in stages
    }
    reasons = sorted(
        (row for row in draft.funnel if row["stage"] == REJECTED and not row["database"]),
        key=lambda row: (-row["count"], row["scope"]),
    )
    others = reasons[_MOST_REASONS:]
    return FunnelTables(
        scopes=tuple(map(_head, scopes)),
        groups=_groups(found, [("", scope) for scope in scopes]),
        databases=tuple(databases),
        by_database=_groups(found, [(name, "all") for name in databases]),
        reasons=tuple(
            (row["scope"].partition("=")[2] or "no reason given", counts[row["number_id"]])
            for row in reasons[:_MOST_REASONS]
        ),
        other_reasons=(sum(row["count"] for row in others), len(others)),
        every=tuple(counts.values()),
    )


def _groups(
    found: Mapping[tuple[str, str, str], Count], columns: Sequence[tuple[str, str]]
) -> tuple[CountGroup, ...]:
    return tuple(
        CountGroup(
            title,
            tuple(
                CountRow(
                    stage.label,
                    FUNNEL_STAGES[stage.of].label if stage.of else "",
                    tuple(found.get((stage.name, *column)) for column in columns),
                )
                for stage in FUNNEL
                if stage.unit == unit
            ),
        )
        for unit, title in UNIT_WORDS.items()
    )


def _head(scope: str) -> str:
    if scope.startswith("tier="):
        return f"{scope_words(scope)} tier"
    if scope.startswith("source="):
        return "choices of a filter"
    return "everything" if scope == "all" else scope_words(scope)


def _count(row: Row) -> Count:
    nobody = row["stage"] == "read_by_people" and not row["count"]
    where = [row["database"] or "all databases"]
    if row["scope"] != "all":
        where.append(_head(row["scope"]))
    return Count(
        id=row["number_id"],
        text="none read" if nobody else f"{row['count']:,}",
        share=percent(row["count"], row["of_count"]) if row["of_count"] and not nobody else "",
        label=row["label"],
        where=", ".join(where),
        formula=row["formula"],
    )
