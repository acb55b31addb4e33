"""What can be changed in a statement, and a change of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MutationKind(StrEnum):
    """What one mutation changes."""

    OPERATOR = "operator"
    CONSTANT = "constant"
    COLUMN = "column"
    TABLE = "table"
    AGGREGATE = "aggregate"
    DISTINCT = "distinct"
    JOIN_KIND = "join kind"
    JOIN_CONDITION = "join condition"
    FILTER_ADDED = "filter added"
    FILTER_DROPPED = "filter dropped"
    GROUPING_KEY = "grouping key"
    HAVING = "having"
    ORDER_KEY = "order key"
    DIRECTION = "direction"
    LIMIT = "limit or offset"
    SET_OPERATION = "set operation"
    NULL_HANDLING = "null handling"
    CASE_BRANCH = "case branch"
    WINDOW_FUNCTION = "window function"
    WINDOW_FRAME = "window frame"
    WINDOW_PARTITION = "window partition"
    WINDOW_ORDER = "window order"
    CAST = "cast"
    OUTPUT_COLUMN = "output column"
    OUTPUT_ORDER = "output order"
    OUTPUT_NAME = "output name"
    CORRELATION = "subquery correlation"
    FUNCTION = "function or its argument"
    CONNECTIVE = "and or or"
    NEGATION = "negation"
    COLLATION = "collation"


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a statement's text and what comes in its place.

    Attributes:
        start: Where the piece begins, in characters from 0.
        end: Where it ends; equal to the start where something is put in.
        text: What comes there.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a statement.

    Attributes:
        kind: What it changes.
        edits: Pieces of text that are changed together, none of which touches another.
    """

    kind: MutationKind
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A statement that differs from another one in one thing.

    Attributes:
        kind: What was changed.
        place: Where in the original's text, as the first changed character counted from 1.
        sql: The changed statement.
    """

    kind: MutationKind
    place: int
    sql: str
