"""Why a query does not determine its result, as one of a few named reasons."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a query does not determine its result, or why that is not known."""

    RANDOM_FUNCTION = "random_function"
    """It calls a random function."""
    CLOCK = "clock"
    """It reads the clock."""
    CUT_WITHOUT_ORDER = "cut_without_order"
    """A LIMIT at the top without ORDER BY cuts rows that are not alike."""
    SUBQUERY_CUT_WITHOUT_ORDER = "subquery_cut_without_order"
    """A LIMIT below the top without ORDER BY cuts rows that are not alike."""
    SUBQUERY_CUT_TIES = "subquery_cut_ties"
    """A LIMIT below the top cuts through tied rows that are not alike."""
    SEVERAL_ROWS_FOR_A_VALUE = "several_rows_for_a_value"
    """A subquery that stands for one value has several rows that are not alike."""
    ORDER_KEY_OUTSIDE_DISTINCT = "order_key_outside_distinct"
    """A cut orders the rows of DISTINCT by what DISTINCT does not keep."""
    ROW_NUMBER_TIES = "row_number_ties"
    """ROW_NUMBER or NTILE numbers tied rows that are not alike."""
    NEIGHBOUR_TIES = "neighbour_ties"
    """LAG or LEAD looks at tied rows that are not alike."""
    FIRST_OR_LAST_TIES = "first_or_last_ties"
    """FIRST_VALUE, LAST_VALUE or NTH_VALUE picks among tied rows that are not alike."""
    ROWS_FRAME_TIES = "rows_frame_ties"
    """A frame counted in rows begins or ends between tied rows that are not alike."""
    BARE_COLUMN = "bare_column"
    """A column that is neither grouped by nor aggregated differs within a group."""
    EXTREME_ROW_TIES = "extreme_row_ties"
    """A column taken from the row of the MIN or MAX differs between rows that share it."""
    UNORDERED_AGGREGATE = "unordered_aggregate"
    """An aggregate joins or lists different values in no order."""
    ANY_VALUE = "any_value"
    """An aggregate picks one of different values."""
    COLLATION_REPRESENTATIVE = "collation_representative"
    """Rows that a collation takes for the same, and that differ, are represented by one of them."""
    SHUFFLED_COPY = "shuffled_copy"
    """A copy of the database with its rows in another order gives another result."""
    UNDECIDED = "undecided"
    """What would decide it cannot be asked, or the answer cannot be trusted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a query does not determine its result.

    Attributes:
        reason: The kind of reason.
        explanation: What was found, in words, with the part of the query that it was found in.
        order_only: Whether only the order of the rows is open, not which rows there are.
    """

    reason: Reason
    explanation: str
    order_only: bool = False
