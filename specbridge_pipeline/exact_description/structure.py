"""The structure of a query as the plan of a request set lists it.

It is read from the SQL alone, and knows the constructs that rules can write requests for: SELECTs
with joins, conditions that must all hold, groups, aggregates, arithmetic, RANK, ORDER BY and LIMIT.
Exact descriptions are made of the wider `queries.model`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class AggregateFunction(StrEnum):
    """What an aggregate computes from the rows of a group."""

    COUNT_ROWS = "count_rows"
    COUNT_VALUES = "count_values"
    COUNT_DISTINCT = "count_distinct"
    SUM = "sum"
    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"


class JoinKind(StrEnum):
    """What becomes of rows without a match."""

    INNER = "inner"
    """They are left out on both sides."""
    LEFT = "left"
    """Those of the left side stay, with missing values on the right."""
    CROSS = "cross"
    """Every row meets every row."""


@dataclass(frozen=True, slots=True)
class ColumnValue:
    """A column of a table.

    Attributes:
        source: Position of the table among the step's sources, from 0.
        table: The table's name as the schema declares it.
        column: The column's name as the schema declares it.
    """

    source: int
    table: str
    column: str


@dataclass(frozen=True, slots=True)
class StepValue:
    """An output of an earlier step.

    Attributes:
        source: Position of the step among the sources; None for a scalar subquery, whose one value
            is used without being a source.
        step: Index of the earlier step in the structure.
        output: Position of the output in that step, from 0.
    """

    source: int | None
    step: int
    output: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written in the query. None is NULL."""

    value: int | float | str | date | None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Two values combined by one of + - * /.

    A factor 1.0 (or a CAST to REAL) that only makes a division keep its fraction is no part of it:
    ``1.0 * a / b``, ``a * 1.0 / b`` and ``CAST(a AS REAL) / b`` are all the division of a by b that
    is not `whole`. Elsewhere the factor stays, as a product whose left operand is 1.0; of a value
    that is real by the way it is computed it is dropped. A negative sign is a subtraction from 0.

    Attributes:
        operator: The sign.
        left: Left operand.
        right: Right operand.
        whole: For a division, whether the fraction is dropped where both operands are whole
            numbers. It is True unless declared types, aggregates or a factor make one of them a
            real number: what no type decides is decided by the stored values, and the mark says
            just that.
    """

    operator: str
    left: Expression
    right: Expression
    whole: bool = False


@dataclass(frozen=True, slots=True)
class ZeroIfMissing:
    """A column's value, and zero in rows where it is missing; it is read where it is averaged."""

    value: ColumnValue


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A value computed from all rows of a group.

    Attributes:
        function: What is computed.
        argument: What it is computed from; None for the count of rows.
    """

    function: AggregateFunction
    argument: Expression | None

    @property
    def column(self) -> ColumnValue | None:
        """The column whose values it takes, as they are or with zero where they are missing."""
        argument = self.argument
        if isinstance(argument, ZeroIfMissing):
            return argument.value
        return argument if isinstance(argument, ColumnValue) else None


@dataclass(frozen=True, slots=True)
class Rank:
    """The place of a row when rows are ordered: tied rows share a place, and places are left free.

    Attributes:
        order: The keys.
        partition: Within which groups places are given; empty for all rows.
    """

    order: tuple[OrderKey, ...]
    partition: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values compared by one of = <> < <= > >=."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Missing:
    """Whether a value is missing (NULL), or with `negated` whether it is there."""

    value: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class Membership:
    """Whether a row of a table has the same value in a column, or with `negated` whether none has.

    ``value IN (SELECT column FROM table WHERE conditions)`` where the inner SELECT does no more.

    Attributes:
        value: What is looked for.
        column: Where it is looked for; its table is the first and only source of the conditions.
        conditions: What must hold for a row that counts.
        negated: Whether no row may have it.
    """

    value: Expression
    column: ColumnValue
    conditions: tuple[Comparison | Missing, ...]
    negated: bool


Expression = ColumnValue | StepValue | Literal | Arithmetic | ZeroIfMissing | Aggregate | Rank
Condition = Comparison | Missing | Membership
"""One condition. A step's conditions must all hold."""


def compared(condition: Condition) -> tuple[Expression, ...]:
    """Return the values of a step that one of its conditions tests."""
    if isinstance(condition, Comparison):
        return (condition.left, condition.right)
    return (condition.value,)


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A key by which rows are ordered, missing values where the engine puts them by itself."""

    value: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class TableSource:
    """Rows of a table."""

    table: str


@dataclass(frozen=True, slots=True)
class StepSource:
    """Rows of an earlier step."""

    step: int


Source = TableSource | StepSource


@dataclass(frozen=True, slots=True)
class Join:
    """How a source after the first comes in.

    Attributes:
        kind: What becomes of unmatched rows.
        source: Position of the source that comes in.
        on: Conditions of a match, all of which must hold; empty for a cross join.
    """

    kind: JoinKind
    source: int
    on: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """A value that a step returns, under a name."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Step:
    """One SELECT.

    Attributes:
        name: Name of its WITH entry; empty for the query's own SELECT and for subqueries.
        sources: Where its rows come from, in the order of the FROM clause.
        joins: One for each source after the first.
        conditions: Conditions on source rows.
        keys: What rows are grouped by; empty without GROUP BY.
        outputs: What it returns, in order.
        group_conditions: Conditions on groups (HAVING).
        distinct: Whether equal rows are returned once.
        order: Keys of its ORDER BY.
        limit: How many rows it returns at most; None without a limit.
        offset: How many rows are passed over first.
    """

    name: str
    sources: tuple[Source, ...]
    joins: tuple[Join, ...]
    conditions: tuple[Condition, ...]
    keys: tuple[Expression, ...]
    outputs: tuple[Output, ...]
    group_conditions: tuple[Condition, ...]
    distinct: bool
    order: tuple[OrderKey, ...]
    limit: int | None
    offset: int

    @property
    def aggregates(self) -> bool:
        """Whether it returns one row a group, or one row in all."""
        values = [
            *(each.value for each in self.outputs),
            *(each.value for each in self.order),
            *(side for each in self.group_conditions for side in compared(each)),
        ]
        return bool(self.keys) or any(holds_aggregate(value) for value in values)


@dataclass(frozen=True, slots=True)
class Structure:
    """A query as steps, each after those that it reads; the last one is the query's own SELECT."""

    steps: tuple[Step, ...]

    @property
    def result(self) -> Step:
        """The query's own SELECT."""
        return self.steps[-1]

    def index(self, name: str) -> int:
        """Return the index of a step by its name; the empty name is the query's own SELECT.

        Raises:
            KeyError: There is no such step.
        """
        if not name:
            return len(self.steps) - 1
        for index, step in enumerate(self.steps):
            if step.name.lower() == name.lower():
                return index
        raise KeyError(name)


def holds_aggregate(value: Expression) -> bool:
    """Say whether a value is an aggregate, or computed from one."""
    if isinstance(value, Aggregate):
        return True
    if isinstance(value, Arithmetic):
        return holds_aggregate(value.left) or holds_aggregate(value.right)
    if isinstance(value, Rank):
        return any(
            holds_aggregate(each)
            for each in (*(key.value for key in value.order), *value.partition)
        )
    return False
