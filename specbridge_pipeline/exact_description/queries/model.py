"""A query as it is described: steps with their sources, conditions, groups and outputs.

It is read from the SQL alone, names bound and conversions made plain as the engine makes them, and
the exact description is rendered from it alone, so that nothing is said that is not in it. The plan
of a request set has a smaller `Structure` of its own, which holds fewer constructs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import date
from enum import StrEnum
from typing import Any


class JoinKind(StrEnum):
    """What becomes of rows without a match."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    CROSS = "cross"
    """Every row meets every row."""


class Reading(StrEnum):
    """What a value is taken for before it is compared."""

    NUMBER = "number"
    """Text that looks like a number counts as that number; other text stays text."""
    TEXT = "text"
    """A number counts as the text that it is written as."""
    BEGINNING = "beginning"
    """Of a text, the number that it begins with, or 0: what a calculation takes."""


# Values.


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A column of a table.

    Attributes:
        depth: How many queries stand around the one whose source it is.
        source: Position of the table among that query's sources, from 0.
        table: The table's name as the schema declares it.
        column: The column's name as the schema declares it.
    """

    depth: int
    source: int
    table: str
    column: str


@dataclass(frozen=True, slots=True)
class RowNumberOf:
    """The number by which SQLite keeps a row of a table (rowid)."""

    depth: int
    source: int
    table: str


@dataclass(frozen=True, slots=True)
class OutputOf:
    """An output of an earlier step that is a source.

    Attributes:
        depth: As in `ColumnOf`.
        source: Position of the step among the sources.
        output: Position of the output in the step, from 0.
    """

    depth: int
    source: int
    output: int


@dataclass(frozen=True, slots=True)
class OwnOutput:
    """An output of the step itself, for the order of rows put together."""

    output: int


@dataclass(frozen=True, slots=True)
class ScalarOf:
    """The only value of a step's first row; missing where it has no row."""

    step: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written in the query. None is NULL."""

    value: int | float | str | bytes | date | None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Two values combined by one of + - * /.

    Attributes:
        operator: The sign.
        left: Left operand.
        right: Right operand.
        whole: For a division, whether the fraction is dropped where both operands are whole
            numbers. It is True unless declared types, aggregates or a factor make one of them a
            real number; a factor 1.0 or a CAST that only does that is no part of a division.
    """

    operator: str
    left: Expression
    right: Expression
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """Two values combined by % & | << >> -> or ->>."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Joined:
    """Texts one behind the other."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Signed:
    """A value behind a minus sign or ~."""

    operator: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Function:
    """A function of values, by its name in lower case.

    Attributes:
        name: The name.
        arguments: The values.
        collation: How it compares texts, if it does; empty for the usual.
    """

    name: str
    arguments: tuple[Expression, ...]
    collation: str = ""


@dataclass(frozen=True, slots=True)
class Converted:
    """A value made into a whole number, a real number, a number, text or a blob (CAST)."""

    value: Expression
    to: str


@dataclass(frozen=True, slots=True)
class ReadAs:
    """A value as it is taken in a comparison."""

    value: Expression
    reading: Reading


@dataclass(frozen=True, slots=True)
class Case:
    """The value of the first branch whose condition holds, else the default."""

    branches: tuple[tuple[Condition, Expression], ...]
    default: Expression


@dataclass(frozen=True, slots=True)
class Truth:
    """A condition as a value: 1, 0, or missing."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A value computed from all rows of a group.

    Attributes:
        function: What is computed: count_rows, count, sum, average, minimum, maximum, total,
            joined, json_array or json_object.
        arguments: What it is computed from; empty for the count of rows.
        distinct: Whether equal values count once.
        condition: Which rows count (FILTER); None for all.
        order: In which order values are joined; empty for any.
        collation: How texts are told apart or ordered; empty for the usual.
    """

    function: str
    arguments: tuple[Expression, ...]
    distinct: bool = False
    condition: Condition | None = None
    order: tuple[OrderKey, ...] = ()
    collation: str = ""


@dataclass(frozen=True, slots=True)
class OfOneRow:
    """A column that is neither grouped by nor aggregated: its value in one row of the group.

    Attributes:
        value: The column.
        extreme: The only MIN or MAX beside it, whose row it is of; None for any row.
    """

    value: Expression
    extreme: Aggregate | None


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a frame.

    Attributes:
        kind: first, before, this, after or last.
        offset: How far before or after.
    """

    kind: str
    offset: Expression | None


@dataclass(frozen=True, slots=True)
class Frame:
    """Which rows around a row count.

    Attributes:
        unit: rows, range or groups.
        start: Where they begin.
        end: Where they end.
        exclude: What is left out: empty, `row`, `group` or `ties`.
    """

    unit: str
    start: Bound
    end: Bound
    exclude: str


@dataclass(frozen=True, slots=True)
class Window:
    """A value computed for each row from rows around it.

    Attributes:
        function: The window function's name in lower case; empty where an aggregate is computed.
        arguments: Its arguments.
        aggregate: The aggregate; None for a window function.
        partition: Within which groups; empty for all rows.
        order: How they are ordered.
        frame: Which of them count; None for the engine's default.
    """

    function: str
    arguments: tuple[Expression, ...]
    aggregate: Aggregate | None
    partition: tuple[Expression, ...]
    order: tuple[OrderKey, ...]
    frame: Frame | None


# Conditions.


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values compared.

    Attributes:
        operator: One of = <> < <= > >=.
        left: The left value.
        right: The right value.
        collation: How texts are compared; empty for the usual.
        unlike: Whether one is a text and the other a number, and nothing makes them alike.
    """

    operator: str
    left: Expression
    right: Expression
    collation: str = ""
    unlike: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """Whether a value is missing (NULL), or with `negated` whether it is there."""

    value: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class Same:
    """Whether two values are the same where missing values are the same too (IS)."""

    left: Expression
    right: Expression
    negated: bool
    collation: str = ""
    unlike: bool = False


@dataclass(frozen=True, slots=True)
class InList:
    """Whether a value equals one of several."""

    value: Expression
    items: tuple[Expression, ...]
    negated: bool
    collation: str = ""
    unlike: bool = False


@dataclass(frozen=True, slots=True)
class InStep:
    """Whether values equal those of a row of a step.

    Attributes:
        values: The values, one for each output of the step.
        step: The step.
        negated: Whether they must not.
        readings: What the step's values are taken for, None for what they are.
        collation: How texts are compared; empty for the usual.
    """

    values: tuple[Expression, ...]
    step: int
    negated: bool
    readings: tuple[Reading | None, ...]
    collation: str = ""


@dataclass(frozen=True, slots=True)
class HasRows:
    """Whether a step gives a row (EXISTS)."""

    step: int
    negated: bool


@dataclass(frozen=True, slots=True)
class Matches:
    """Whether a text matches a pattern.

    Attributes:
        kind: like, glob, regexp or match.
        value: The text.
        pattern: The pattern.
        escape: The character that takes signs of the pattern literally; None for none.
        negated: Whether it must not match.
    """

    kind: str
    value: Expression
    pattern: Expression
    escape: Expression | None
    negated: bool


@dataclass(frozen=True, slots=True)
class Holds:
    """Whether a value, taken for a number, is not zero; with `negated`, whether it is zero."""

    value: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class TruthIs:
    """Whether a value is true or false as a condition, never undecided (IS TRUE, IS FALSE)."""

    condition: Condition
    true: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class All:
    """Conditions that must all hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """Conditions of which one must hold."""

    parts: tuple[Condition, ...]


# Steps.


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A key by which rows are ordered."""

    value: Expression
    descending: bool
    missing_first: bool
    collation: str = ""


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows of a table."""

    table: str


@dataclass(frozen=True, slots=True)
class StepRows:
    """Rows of an earlier step."""

    step: int


@dataclass(frozen=True, slots=True)
class RowsSoFar:
    """The row at hand of the repetition that the step belongs to."""


@dataclass(frozen=True, slots=True)
class FunctionRows:
    """Rows that a function gives."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """How a source after the first comes in: which, how, and what is a match."""

    kind: JoinKind
    source: int
    on: Condition | None


@dataclass(frozen=True, slots=True)
class Selection:
    """The body of a SELECT.

    Attributes:
        sources: Where its rows come from, in order.
        joins: One for each source after the first.
        condition: What source rows must fulfil.
        keys: What rows are grouped by.
        values: What it returns, in order.
        group_condition: What groups must fulfil.
        grouped: Whether it returns one row a group, or one row in all.
        distinct: Whether equal rows are returned once.
        collations: How the texts of its values are told apart where equal rows are returned once;
            empty where all of them are as usual.
    """

    sources: tuple[Source, ...]
    joins: tuple[Join, ...]
    condition: Condition | None
    keys: tuple[GroupKey, ...]
    values: tuple[Expression, ...]
    group_condition: Condition | None
    grouped: bool
    distinct: bool
    collations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupKey:
    """What rows are grouped by, texts told apart by a collation (empty for the usual)."""

    value: Expression
    collation: str = ""


@dataclass(frozen=True, slots=True)
class Combination:
    """Rows of several steps put together from left to right.

    Attributes:
        first: The first step.
        others: union_all, union, intersect or except, each with the step that it brings in.
        collations: As in `Selection`.
    """

    first: int
    others: tuple[tuple[str, int], ...]
    collations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedRows:
    """Rows that are written out."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Repetition:
    """Rows that a step begins with and others find from them, again and again.

    Attributes:
        first: The step that it begins with.
        repeated: The steps that give new rows for a row at hand.
        distinct: Whether equal rows are kept once.
    """

    first: int
    repeated: tuple[int, ...]
    distinct: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One SELECT, set operation, VALUES or recursion.

    Attributes:
        depth: How many queries stand around it, as far as its values can be used in it.
        body: What it does.
        names: Names of its outputs; empty where none is given.
        order: The keys of its order.
        limit: How many rows it returns at most; None without a limit.
        offset: How many rows are passed over first; None for none.
    """

    depth: int
    body: Body
    names: tuple[str, ...]
    order: tuple[OrderKey, ...]
    limit: Expression | None
    offset: Expression | None


@dataclass(frozen=True, slots=True)
class Query:
    """A query as steps, each after those that it reads; the last one gives the result."""

    steps: tuple[Step, ...]


Expression = (
    ColumnOf
    | RowNumberOf
    | OutputOf
    | OwnOutput
    | ScalarOf
    | Literal
    | Arithmetic
    | Operation
    | Joined
    | Signed
    | Function
    | Converted
    | ReadAs
    | Case
    | Truth
    | Aggregate
    | OfOneRow
    | Window
)
Condition = (
    Comparison | Missing | Same | InList | InStep | HasRows | Matches | Holds | TruthIs | All | Some
)
Source = TableRows | StepRows | RowsSoFar | FunctionRows
Body = Selection | Combination | ListedRows | Repetition


_NODES: tuple[type, ...] = tuple(
    each for each in list(globals().values()) if hasattr(each, "__dataclass_fields__")
)
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(each.name for each in fields(kind)) for kind in _NODES
}
_NODE_WORDS = frozenset(
    {"Expression", "Condition", "Source", "Body", *(kind.__name__ for kind in _NODES)}
)
_CHILDREN: dict[type, tuple[str, ...]] = {
    kind: tuple(
        each.name for each in fields(kind) if _NODE_WORDS & set(re.findall(r"\w+", str(each.type)))
    )
    for kind in _NODES
}


def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a class of this module."""
    return _FIELDS[kind]


def child_names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields that hold nodes."""
    return _CHILDREN[kind]


def is_node(value: object) -> bool:
    """Say whether a value is an instance of a class of this module."""
    return type(value) in _FIELDS


def nodes_in(value: object, *, within_aggregates: bool = True) -> list[Any]:
    """Return a node and all that stand in it, those of other steps left out.

    Args:
        value: A node, or a tuple of nodes.
        within_aggregates: Whether to look into the arguments of aggregates.
    """
    found: list[Any] = []
    waiting: list[Any] = [value]
    children = _CHILDREN
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is tuple:
            waiting += reversed(node)
        elif kind in children:
            found.append(node)
            if within_aggregates or kind is not Aggregate:
                waiting += [getattr(node, name) for name in reversed(children[kind])]
    return found
