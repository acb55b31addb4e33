"""What is suspicious about a query, and what finds one kind of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.looking import Look
from specbridge_pipeline.databases.engine import Engine


class SuspicionKind(StrEnum):
    """What a query does that hardly anyone means; the value is its name in stored rows."""

    CANCELLED_LEFT_JOIN = "cancelled_left_join"
    """A left join keeps rows without a match, and WHERE drops them again."""
    NOT_IN_MISSING = "not_in_missing"
    """NOT IN is true of no row, since a value is missing among those compared with."""
    EXCLUDING_CONDITIONS = "excluding_conditions"
    """Two conditions that no row can meet at once."""
    EQUALS_MISSING = "equals_missing"
    """A comparison with NULL, which is never true."""
    MISSING_FIRST = "missing_first"
    """Rows without a value come first in ascending order, before the least value."""
    REPEATED_ROWS = "repeated_rows"
    """An aggregate takes a row as often as a join repeats it."""
    ARBITRARY_ROW = "arbitrary_row"
    """A value beside groups comes from any one of their rows, which differ in it."""
    ONE_FOR_NONE = "one_for_none"
    """COUNT(*) after a left join counts one where there is no match."""
    DROPPED_FRACTION = "dropped_fraction"
    """The quotient of two whole numbers loses its fraction."""
    TEXT_ORDER = "text_order"
    """Numbers that are stored as text are compared letter by letter."""
    CUT_WITHOUT_ORDER = "cut_without_order"
    """LIMIT keeps some rows and no order says which."""
    OTHER_SPELLING = "other_spelling"
    """A text is compared that the column only has in other letter case or with other blanks."""
    DISTINCT_VALUES_ADDED = "distinct_values_added"
    """SUM or AVG takes equal values of different rows once."""
    UNCONNECTED_TABLES = "unconnected_tables"
    """Every row of one table is combined with every row of another."""
    DAY_IN_TIME_ZONE = "day_in_time_zone"
    """Times are cut into days, and nothing says in which time zone."""
    STATUS_KEPT = "status_kept"
    """Rows count whose status says that they may not be meant to."""
    ROUNDED_OUTPUT = "rounded_output"
    """The answer is rounded."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A place of a query that hardly anyone means, or that may matter.

    Attributes:
        kind: Which kind it is of.
        noted: Whether it may matter and the data cannot decide it; False where it is suspicious.
        does: What the query does, in one sentence with its own tables and columns.
        meant: What is probably meant, in one sentence.
        evidence: What was measured on the database or what its schema says; empty without.
        edited: The query that does what is probably meant; None where code cannot write it
            soundly.
        node: The place in the query's tree.
    """

    kind: SuspicionKind
    noted: bool
    does: str
    meant: str
    evidence: str
    edited: str | None
    node: exp.Expr


@dataclass(frozen=True, slots=True)
class Detector:
    """What finds one kind of suspicion.

    Attributes:
        kind: The kind.
        engines: The engines on which the SQL that it looks for means what it says.
        find: Yields what it finds in a query.
    """

    kind: SuspicionKind
    engines: frozenset[Engine]
    find: Callable[[Look], Iterator[Suspicion]]


BOTH_ENGINES = frozenset(Engine)
ONLY_SQLITE = frozenset({Engine.SQLITE})
