"""The 1% rule: a choice is tested where references differ on it.

A type is kept where at least 1% of the open questions have a reference that takes the other side,
confirmed by a reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType

from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.configuration_files import StrictModel, read_configuration

LEAST_SHARE = 0.01
"""The least share of the other side among open questions."""


class CountSource(StrEnum):
    """Whose counts decide."""

    PAPER = "paper"
    OWN = "own"


class DecidingCount(StrictModel):
    """Open questions of one type: those of the usual side, and the confirmed ones of the other."""

    usual: int
    other: int

    @property
    def share(self) -> float:
        """The share of the other side; 0 without open questions."""
        counted = self.usual + self.other
        return self.other / counted if counted else 0.0


class _DecidingCounts(StrictModel):
    paper: dict[ChoiceType, DecidingCount]
    own: dict[ChoiceType, DecidingCount]


@cache
def deciding_counts(source: CountSource = CountSource.PAPER) -> Mapping[ChoiceType, DecidingCount]:
    """Return the counts that decide, by choice type.

    Args:
        source: Whose counts.

    Returns:
        Those types that references show.
    """
    path = Path(__file__).with_name("deciding_counts.yaml")
    counts = read_configuration(path).parse(_DecidingCounts)
    return MappingProxyType(counts.paper if source is CountSource.PAPER else counts.own)


def keeps(choice_type: ChoiceType, source: CountSource = CountSource.PAPER) -> bool | None:
    """Say whether references differ on a choice often enough for it to be tested.

    Args:
        choice_type: The type.
        source: Whose counts decide.

    Returns:
        None where no reference shows the type, so that the rule does not decide.
    """
    count = deciding_counts(source).get(choice_type)
    return None if count is None else count.share >= LEAST_SHARE
