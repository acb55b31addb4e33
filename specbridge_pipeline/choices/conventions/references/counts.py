"""Counts of open questions by the side that their references take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.choices.conventions.convention import Side
from specbridge_pipeline.choices.conventions.registry import CONVENTIONS
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.statistics.intervals import Interval, wilson


@dataclass(frozen=True, slots=True)
class Count:
    """How often references of open questions take each side of a choice.

    Attributes:
        usual: Open questions whose reference takes the usual side; nobody has read these.
        other: Those whose reference takes the other side: confirmed by a reading, or unread.
        unread: Those of `other` that nobody has read.
        dropped: Those that were read and do not count.
        usual_that_could_differ: Those of `usual` where the other side could give another answer,
            as far as keys tell.
        settled: Questions whose wording settles the choice, whatever the reference does.
    """

    usual: int
    other: int
    unread: int
    dropped: int
    usual_that_could_differ: int
    settled: int

    @property
    def open(self) -> int:
        """Open questions that count."""
        return self.usual + self.other

    @property
    def share(self) -> float | None:
        """The share of the other side; None without open questions."""
        return self.other / self.open if self.open else None

    @property
    def interval(self) -> Interval:
        """Wilson's interval of the share."""
        return wilson(self.other, self.open)


def count_rows(rows: Iterable[Mapping[str, Any]]) -> Count:
    """Count rows of REFERENCE_CONVENTIONS of one choice type."""
    usual = other = unread = dropped = differing = settled = 0
    for row in rows:
        if not row["open"]:
            settled += 1
        elif row["side"] == Side.USUAL:
            usual += 1
            differing += row["could_differ"]
        elif row["verdict"] == "dropped":
            dropped += 1
        else:
            other += 1
            unread += row["verdict"] is None
    return Count(usual, other, unread, dropped, differing, settled)


def by_type(rows: Sequence[Mapping[str, Any]]) -> dict[ChoiceType, Count]:
    """Count each choice type that references show, in the order of the paper's Table S1."""
    return {
        choice_type: count_rows(row for row in rows if row["choice_type"] == choice_type)
        for choice_type, convention in CONVENTIONS.items()
        if convention.read is not None
    }


def as_json(count: Count) -> dict[str, Any]:
    """Return a count as plain JSON values."""
    interval = count.interval
    return {
        "open": count.open,
        "usual": count.usual,
        "other": count.other,
        "share": count.share,
        "low": None if count.share is None else interval.low,
        "high": None if count.share is None else interval.high,
        "unread": count.unread,
        "dropped": count.dropped,
        "usual_that_could_differ": count.usual_that_could_differ,
        "settled": count.settled,
    }
