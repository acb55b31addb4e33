"""Whether rows are among the results that a reference accepts, as a bag or in order."""

from __future__ import annotations

from specbridge_pipeline.comparison.cells import ColumnTolerance
from specbridge_pipeline.comparison.matching import Pairing, RowGroup, Side, pair, rows_agree
from specbridge_pipeline.databases.results import Row


def accept_bag(
    groups: tuple[RowGroup, ...],
    tolerances: tuple[ColumnTolerance, ...],
    rows: tuple[Row, ...],
    *,
    allow_format: bool = False,
) -> Pairing:
    """Ask whether a bag of rows is one of those that a reference's groups stand for.

    Args:
        groups: The reference's rows with their quotas.
        tolerances: The tolerance of each of its columns.
        rows: The candidate's rows, as wide as the reference's.
        allow_format: Whether a number may stand against its canonical numeral as text.

    Returns:
        The pairing of the candidate's rows (left) with the reference's (right).
    """
    candidate = Side((RowGroup(rows, len(rows)),))
    return pair(candidate, Side(groups, tolerances), len(tolerances), allow_format=allow_format)


def accept_in_order(
    blocks: tuple[RowGroup, ...],
    tolerances: tuple[ColumnTolerance, ...],
    rows: tuple[Row, ...],
    *,
    allow_format: bool = False,
) -> tuple[Pairing, int]:
    """Ask whether rows come in an order that a reference accepts.

    Each block of tied rows fills as many places as its quota says, in any order inside.

    Args:
        blocks: The reference's blocks of tied rows, in the order of the keys.
        tolerances: The tolerance of each of its columns.
        rows: The candidate's rows, as many as the quotas add up to.
        allow_format: Whether a number may stand against its canonical numeral as text.

    Returns:
        The pairing of the first block that is not accepted and the place, counted from 0, at which
        it begins; a possible pairing and the number of rows where all are accepted.
    """
    width = len(tolerances)
    start = 0
    for block in blocks:
        part = rows[start : start + block.quota]
        reference = Side((block,), tolerances)
        candidate = Side((RowGroup(part, len(part)),))
        if len(part) == len(block.rows) == 1:
            agree = rows_agree(
                part[0], block.rows[0], (candidate, reference), allow_format=allow_format
            )
            found = Pairing(agree, lonely_left=() if agree else part)
        else:
            found = pair(candidate, reference, width, allow_format=allow_format)
        if not found.possible:
            return found, start
        start += block.quota
    return Pairing(True), start
