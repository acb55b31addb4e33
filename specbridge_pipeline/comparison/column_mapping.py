"""The second score: a candidate that carries the reference's columns among others, or reordered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from specbridge_pipeline.comparison.acceptance import accept_bag
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.row_groups import rows_of_columns
from specbridge_pipeline.comparison.verdict import (
    Verdict,
    VerdictKind,
    failure_verdict,
    row_count_reason,
)
from specbridge_pipeline.databases.results import Outcome, QueryFailure, Row

MAXIMUM_PAIRINGS = 2_000
"""So many pairings of rows, under whole or partial mappings, are tried for one comparison."""


@dataclass(slots=True)
class _Search:
    """A search through the injective mappings of reference columns to candidate columns."""

    reference: ReferenceExtension
    rows: Sequence[Row]
    choices: list[list[int]]
    left: int = MAXIMUM_PAIRINGS
    undecided: bool = False

    def accepts(self, columns: list[int], mapped: list[int]) -> bool:
        """Say whether the rows are accepted in these columns alone, so mapped."""
        if self.left == 0:
            self.undecided = True
            return False
        self.left -= 1
        groups = tuple(group.of_columns(columns) for group in self.reference.groups)
        rows = rows_of_columns(self.rows, mapped)
        found = accept_bag(groups, rows, len(columns))
        if not found.decided:
            self.undecided = True
        return found.possible

    def extend(self, columns: list[int], mapped: list[int]) -> bool:
        """Map the next columns; whatever is refused in some columns is refused in more of them."""
        if len(columns) == len(self.choices):
            return True
        column = len(columns)
        for choice in self.choices[column]:
            if choice in mapped:
                continue
            longer, further = [*columns, column], [*mapped, choice]
            # A single column was tried when the choices were made.
            if (column == 0 or self.accepts(longer, further)) and self.extend(longer, further):
                return True
            if self.left == 0:
                return False
        return False


def compare_allowing_columns(reference: ReferenceExtension, candidate: Outcome) -> Verdict:
    """Compare a candidate that may carry extra columns, or the columns in another order.

    There has to be one injective mapping of the reference's columns to the candidate's under which
    whole rows are accepted. Numbers never stand against text here, and row order does not count.

    Args:
        reference: The reference.
        candidate: What running the candidate gave.

    Returns:
        The verdict; undecided where more mappings would have to be tried than are allowed.
    """
    if isinstance(candidate, QueryFailure):
        return failure_verdict(candidate)
    width, expected = len(candidate.columns), len(reference.columns)
    if width < expected:
        return Verdict(VerdictKind.NOT_EQUAL, f"only {width} of {expected} columns")
    if candidate.row_count != reference.row_count:
        return Verdict(VerdictKind.NOT_EQUAL, row_count_reason(reference, candidate))
    search = _Search(reference, candidate.contents, [])
    for column in range(expected):
        choices = [choice for choice in range(width) if search.accepts([column], [choice])]
        if not choices and not search.undecided:
            return Verdict(
                VerdictKind.NOT_EQUAL,
                f"no column holds the values of the reference's column {column + 1}",
            )
        search.choices.append(choices)
    if search.extend([], []):
        return Verdict(VerdictKind.EQUAL)
    if search.undecided:
        return Verdict(VerdictKind.UNDECIDED, "too many ways to assign the columns")
    return Verdict(VerdictKind.NOT_EQUAL, "no assignment of the columns makes whole rows agree")
