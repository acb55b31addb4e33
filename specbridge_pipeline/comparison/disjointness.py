"""Whether two references can accept one and the same result."""

from __future__ import annotations

from dataclasses import dataclass

from specbridge_pipeline.comparison.matching import pair
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.row_groups import Side


@dataclass(frozen=True, slots=True)
class Disjointness:
    """The answer to whether two references stay apart.

    Attributes:
        disjoint: Whether no result is accepted for both; False too where it is not decided.
        decided: Whether the question was decided below the caps.
        reason: What was found, for a reader.
    """

    disjoint: bool
    decided: bool
    reason: str


def disjoint(
    a: ReferenceExtension, b: ReferenceExtension, *, widen: float = 1000.0
) -> Disjointness:
    """Ask whether any bag of rows could be accepted for both of two references.

    Different results are not enough: each of them stands for all results that its ties allow, and
    for all values within tolerance. A bag accepted for both pairs the rows of one with the rows of
    the other, each pair so near that both tolerances reach a value in between.

    Args:
        a: One reference.
        b: The other.
        widen: The factor by which all tolerances are widened, so that they stay apart with a
            margin.

    Returns:
        Whether they are disjoint.
    """
    if len(a.columns) != len(b.columns):
        return Disjointness(True, True, f"{len(a.columns)} against {len(b.columns)} columns")
    if a.row_count != b.row_count:
        return Disjointness(True, True, f"{a.row_count} against {b.row_count} rows")
    found = pair(Side(a.groups, widen), Side(b.groups, widen), len(a.columns))
    if not found.decided:
        return Disjointness(False, False, "too many rows could be paired with one another")
    if found.possible:
        return Disjointness(False, True, "one result could be accepted for both")
    return Disjointness(True, True, "no result is accepted for both")
