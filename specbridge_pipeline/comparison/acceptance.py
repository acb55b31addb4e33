"""Whether rows are among the results that a reference accepts, as a bag or in order."""

from __future__ import annotations

from collections.abc import Sequence

from specbridge_pipeline.comparison.matching import Pairing, pair
from specbridge_pipeline.comparison.row_groups import RowGroup, Side
from specbridge_pipeline.comparison.row_pairs import cell_test, rows_agree
from specbridge_pipeline.databases.results import Row


def accept_bag(
    groups: tuple[RowGroup, ...], rows: Sequence[Row], width: int, *, allow_format: bool = False
) -> Pairing:
    """Ask whether a bag of rows is one of those that a reference's groups stand for.

    Args:
        groups: The reference's rows with their quotas.
        rows: The candidate's rows, as wide as the reference's.
        width: How many columns both have.
        allow_format: Whether a number or date may stand against itself written as text.

    Returns:
        The pairing of the candidate's rows (left) with the reference's (right).
    """
    candidate = Side((RowGroup(rows, len(rows)),))
    return pair(candidate, Side(groups, 1.0), width, allow_format=allow_format)


def accept_in_order(
    blocks: tuple[RowGroup, ...], rows: Sequence[Row], width: int, *, allow_format: bool = False
) -> tuple[Pairing, int]:
    """Ask whether rows come in an order that a reference accepts.

    Each block of tied rows fills as many places as its quota says, in any order inside.

    Args:
        blocks: The reference's blocks of tied rows, in the order of the keys.
        rows: The candidate's rows, as many as the quotas add up to.
        width: How many columns both have.
        allow_format: Whether a number or date may stand against itself written as text.

    Returns:
        The pairing of the first block that is not accepted and the place, counted from 0, at which
        it begins; a possible pairing and the number of rows where all are accepted.
    """
    test = cell_test(allow_format=allow_format)
    start = 0
    for block in blocks:
        part = rows[start : start + block.quota]
        reference = Side((block,), 1.0)
        if len(part) == len(block.rows) == 1:
            agree = rows_agree(part[0], None, block.rows[0], reference.reaches(0, 0), test)
            found = Pairing(agree, lonely_left=() if agree else tuple(part))
        else:
            candidate = Side((RowGroup(part, len(part)),))
            found = pair(candidate, reference, width, allow_format=allow_format)
        if not found.possible:
            return found, start
        start += block.quota
    return Pairing(True), start
