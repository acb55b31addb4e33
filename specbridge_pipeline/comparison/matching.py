"""Whether rows can be paired one to one, asked as one maximum flow.

Both sides are groups of rows of which an exact number, the group's quota, takes part. A candidate
is one group that takes part as a whole; a reference has a group for the rows that every answer
holds and one for each block of ties that a cut goes through. Rows that can be equal are joined by
an edge, and the pairing exists if and only if the flow from the groups of one side to the groups
of the other fills every quota.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from specbridge_pipeline.comparison.bulk_pairing import MINIMUM_ROWS, narrowed_down
from specbridge_pipeline.comparison.row_groups import Side
from specbridge_pipeline.comparison.row_pairs import (
    OverCapError,
    RowClass,
    approximate_columns,
    possible_pairs,
    row_classes,
)
from specbridge_pipeline.databases.results import Row


@dataclass(frozen=True, slots=True)
class Pairing:
    """The answer to whether two sides can be paired.

    Attributes:
        possible: Whether they can; False too where it is not decided.
        decided: Whether the question was decided below the caps.
        lonely_left: Rows of the left side that no row on the right can be equal to.
        lonely_right: Rows of the right side likewise.
    """

    possible: bool
    decided: bool = True
    lonely_left: tuple[Row, ...] = ()
    lonely_right: tuple[Row, ...] = ()


def pair(left: Side, right: Side, width: int, *, allow_format: bool = False) -> Pairing:
    """Decide whether the rows of two sides can be paired one to one.

    Args:
        left: One side.
        right: The other side.
        width: How many columns the rows of both sides have.
        allow_format: Whether a number or date may stand against itself written as text.

    Returns:
        Whether every quota can be filled with pairs of rows whose cells all agree.
    """
    if left.quota != right.quota:
        return Pairing(False)
    if left.quota == 0:
        return Pairing(True)
    whole = all(group.whole for side in (left, right) for group in side.groups)
    if whole and _same_rows(left, right):
        return Pairing(True)
    if whole and not allow_format and left.quota >= MINIMUM_ROWS:
        left, right = narrowed_down(left, right, width) or (left, right)
        if left.quota == right.quota == 0:
            return Pairing(True)
    approximate = approximate_columns(left, right, width)
    if whole and not allow_format and not any(approximate):
        return _counted_pairing(left, right)
    return _flow_pairing(left, right, approximate, allow_format=allow_format)


def _same_rows(left: Side, right: Side) -> bool:
    """Say whether both sides hold equal rows in the same order, which takes no time to see."""
    return (
        len(left.groups) == len(right.groups) == 1 and left.groups[0].rows == right.groups[0].rows
    )


def _counted_pairing(left: Side, right: Side) -> Pairing:
    counted_left, counted_right = Counter(left.rows()), Counter(right.rows())
    if counted_left == counted_right:
        return Pairing(True)
    return Pairing(
        False,
        lonely_left=tuple(row for row in counted_left if row not in counted_right),
        lonely_right=tuple(row for row in counted_right if row not in counted_left),
    )


def _flow_pairing(
    left: Side, right: Side, approximate: tuple[bool, ...], *, allow_format: bool
) -> Pairing:
    left_classes, right_classes = row_classes(left), row_classes(right)
    try:
        edges = possible_pairs(left_classes, right_classes, approximate, allow_format=allow_format)
    except OverCapError:
        return Pairing(False, decided=False)
    lonely_left = _lonely(left, left_classes, {edge[0] for edge in edges})
    lonely_right = _lonely(right, right_classes, {edge[1] for edge in edges})
    if lonely_left or lonely_right:
        return Pairing(False, lonely_left=lonely_left, lonely_right=lonely_right)
    # Pairs taken as they come often fill every quota, and then no other pairing can fill more.
    if _filled_in_turn(left, left_classes, right, right_classes, edges) == left.quota:
        return Pairing(left.quota == right.quota)
    flow = _maximum_flow(left, left_classes, right, right_classes, edges)
    return Pairing(left.quota == right.quota == flow)


def _filled_in_turn(
    left: Side,
    left_classes: list[RowClass],
    right: Side,
    right_classes: list[RowClass],
    edges: list[tuple[int, int]],
) -> int:
    """Take each possible pair as often as rows and quotas still allow; return how many."""
    quotas = [[group.quota for group in side.groups] for side in (left, right)]
    rows = [[each.count for each in classes] for classes in (left_classes, right_classes)]
    filled = 0
    for one, other in edges:
        groups = (left_classes[one].group, right_classes[other].group)
        taken = min(rows[0][one], rows[1][other], quotas[0][groups[0]], quotas[1][groups[1]])
        if taken:
            filled += taken
            rows[0][one] -= taken
            rows[1][other] -= taken
            quotas[0][groups[0]] -= taken
            quotas[1][groups[1]] -= taken
    return filled


def _lonely(side: Side, classes: list[RowClass], joined: set[int]) -> tuple[Row, ...]:
    """Return rows that have to take part and have no counterpart."""
    return tuple(
        row_class.row
        for index, row_class in enumerate(classes)
        if index not in joined and side.groups[row_class.group].whole
    )


def _maximum_flow(
    left: Side,
    left_classes: list[RowClass],
    right: Side,
    right_classes: list[RowClass],
    edges: list[tuple[int, int]],
) -> int:
    import numpy
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_flow

    left_group = 2
    right_group = left_group + len(left.groups)
    left_class = right_group + len(right.groups)
    right_class = left_class + len(left_classes)
    size = right_class + len(right_classes)
    arcs: list[tuple[int, int, int]] = []
    arcs += [(0, left_group + at, group.quota) for at, group in enumerate(left.groups)]
    arcs += [
        (left_group + found.group, left_class + at, found.count)
        for at, found in enumerate(left_classes)
    ]
    arcs += [
        (
            left_class + one,
            right_class + other,
            min(left_classes[one].count, right_classes[other].count),
        )
        for one, other in edges
    ]
    arcs += [
        (right_class + at, right_group + found.group, found.count)
        for at, found in enumerate(right_classes)
    ]
    arcs += [(right_group + at, 1, group.quota) for at, group in enumerate(right.groups)]
    table = numpy.array(arcs, dtype=numpy.int32)
    graph = csr_matrix((table[:, 2], (table[:, 0], table[:, 1])), shape=(size, size))
    return int(maximum_flow(graph, 0, 1).flow_value)
