"""The plan of a query: what is counted or measured, and what is done with it, step by step.

A plan is a value: equal plans are equal queries. Each step holds the step that it goes on from; the
first one holds the rows that it reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, TypeAlias

from specbridge_pipeline.records.canonical import canonical_json

GRAMMAR = "2"
"""Number of the grammar: what plans there are and how each is written as SQL."""


class Function(StrEnum):
    """What a step computes from the rows of a table."""

    COUNT_ROWS = "count_rows"
    COUNT_ENTITIES = "count_entities"
    """Different values of a column that refers to an entity."""
    TOTAL = "total"
    AVERAGE = "average"
    LOWEST = "lowest"
    HIGHEST = "highest"
    MEAN_OF_RATIOS = "mean_of_ratios"
    """Each row's ratio of two columns first, then their average."""
    RATIO_OF_MEANS = "ratio_of_means"
    """The two columns' averages first, then their ratio."""
    DIFFERENCE_OF_TOTALS = "difference_of_totals"
    """One column's total less another's."""
    SUM_OF_TOTALS = "sum_of_totals"
    """Two columns' totals together."""
    DIFFERENCE_OF_AVERAGES = "difference_of_averages"
    """One column's average less another's."""
    SPREAD = "spread"
    """A column's highest value less its lowest."""
    ROWS_PER_ENTITY = "rows_per_entity"
    """The count of rows for each different value of a column."""
    TOTAL_PER_ENTITY = "total_per_entity"
    """A column's total for each different value of another."""


class Fold(StrEnum):
    """What a step computes from the values of an earlier step."""

    AVERAGE = "average"
    HIGHEST = "highest"
    LOWEST = "lowest"
    COUNT = "count"
    """How many there are."""
    TOTAL = "total"


class Contrast(StrEnum):
    """How a value is set against a baseline."""

    DIFFERENCE = "difference"
    RATIO = "ratio"


class BaselineOf(StrEnum):
    """What a baseline is the average of."""

    GROUPS = "groups"
    """The values of the step that is compared, each counting once."""
    ROWS = "rows"
    """The rows that these values were averaged from, each counting once."""


class Operator(StrEnum):
    """How a condition tests a column."""

    EQUALS = "="
    AT_LEAST = ">="
    ABOVE = ">"
    PRESENT = "IS NOT NULL"
    OTHER = "<>"
    AT_MOST = "<="
    BELOW = "<"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, both by their names in the schema."""

    table: str
    name: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on rows.

    Attributes:
        column: The column tested.
        operator: How.
        value: What with; None where the operator takes nothing.
    """

    column: Column
    operator: Operator
    value: int | float | str | None = None


@dataclass(frozen=True, slots=True)
class OfEntities:
    """A condition on what rows refer to: only rows of entities with such a record, or without one.

    Attributes:
        entity: The column that refers to the entity, of the table whose rows are read.
        conditions: What holds for a record, a row of the same table; all of them must.
        present: Whether the entity must have such a record, or must have none.
    """

    entity: Column
    conditions: tuple[Condition, ...]
    present: bool


class Unmatched(StrEnum):
    """What becomes of the rows of a table to which a join brings nothing."""

    LEFT_OUT = "left_out"
    KEPT = "kept"
    """They stay: a count of what was to be joined is zero, any other value of it is missing."""


@dataclass(frozen=True, slots=True)
class Join:
    """A table joined along a relationship of the catalogue.

    Attributes:
        table: The table that comes in.
        columns: Its columns that are compared.
        owner: The table, already there, to whose rows it is joined.
        owner_columns: That table's columns, in the same order.
        unmatched: What becomes of rows of what is already there without a match. Only where the
            table that comes in holds the rows that are counted, and its owner is what they are
            counted for; whoever is referred to is looked up, and rows without it are left out.
        conditions: What further holds for a match, on columns of the table that comes in: of a
            join that keeps what is unmatched this is not the same as a condition on its rows.
    """

    table: str
    columns: tuple[str, ...]
    owner: str
    owner_columns: tuple[str, ...]
    unmatched: Unmatched = Unmatched.LEFT_OUT
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Rows of a table, all of which must meet all conditions.

    Attributes:
        table: The table.
        joins: The tables joined to it, in order; each brings a row at most one row, but for the
            last one of several rows that are counted for the table's own.
        conditions: The conditions.
    """

    table: str
    joins: tuple[Join, ...] = ()
    conditions: tuple[Condition | OfEntities, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of all its tables."""
        return (self.table, *(join.table for join in self.joins))

    @property
    def keeps_unmatched(self) -> bool:
        """Whether rows without a match stay."""
        return any(join.unmatched is Unmatched.KEPT for join in self.joins)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A value computed from rows.

    Attributes:
        function: What is computed.
        columns: From what: none for the count of rows, two where two are set against each other,
            else one. A count of rows that a join may not bring has the column that then is missing.
    """

    function: Function
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class Grouped:
    """One value a group of rows.

    Attributes:
        source: The rows.
        keys: One or two columns to group by; later steps keep the first and drop the second.
        aggregate: The value.
    """

    source: Source
    keys: tuple[Column, ...]
    aggregate: Aggregate


@dataclass(frozen=True, slots=True)
class Overall:
    """One value from all rows."""

    source: Source
    aggregate: Aggregate


@dataclass(frozen=True, slots=True)
class RankedRows:
    """Rows of a table themselves, to be cut by `Top`.

    Attributes:
        source: The rows, without joins.
        identifiers: One or two columns that name a row.
        measure: What they are ranked by.
    """

    source: Source
    identifiers: tuple[Column, ...]
    measure: Column


@dataclass(frozen=True, slots=True)
class Reaggregate:
    """The values of a step computed together.

    Attributes:
        previous: That step.
        key: What remains as group; None for one value in all.
        fold: What is computed.
    """

    previous: Step
    key: Column | None
    fold: Fold


@dataclass(frozen=True, slots=True)
class Baseline:
    """An average that the values of a step are compared with.

    Attributes:
        of: What it is the average of. Rows only where the step averages a column of rows.
        key: Within which group it is taken; None for one average in all.
    """

    of: BaselineOf
    key: Column | None = None


@dataclass(frozen=True, slots=True)
class Compare:
    """Each value of a step beside a baseline.

    Attributes:
        previous: That step.
        baseline: What it is compared with.
        contrast: How.
    """

    previous: Step
    baseline: Baseline
    contrast: Contrast


@dataclass(frozen=True, slots=True)
class Combine:
    """Each value of a step beside the value that other rows give for the same group.

    Groups that one of both does not have are left out.

    Attributes:
        previous: That step.
        other: The other value, by the same key.
        contrast: How one is set against the other.
    """

    previous: Step
    other: Grouped
    contrast: Contrast


@dataclass(frozen=True, slots=True)
class Share:
    """Each value of a step as a share of a total.

    Attributes:
        previous: That step.
        key: Within which group the total is taken; None for one total in all.
    """

    previous: Step
    key: Column | None = None


@dataclass(frozen=True, slots=True)
class TopWithin:
    """The first rows of each group of a step when its values are ordered from the highest down.

    Attributes:
        previous: That step.
        key: Within which group rows are ordered.
        count: How many rows of each group.
        keeps_ties: Whether all rows tied with a group's last one are kept too.
    """

    previous: Step
    key: Column
    count: int
    keeps_ties: bool


@dataclass(frozen=True, slots=True)
class FilterAbove:
    """The groups of a step whose value is above a baseline.

    Attributes:
        previous: That step.
        baseline: What the value must exceed.
        difference: Whether the excess is returned too.
    """

    previous: Step
    baseline: Baseline
    difference: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """How many groups a step has, and the average of their values."""

    previous: Step


@dataclass(frozen=True, slots=True)
class Top:
    """The first rows of a step when its values are ordered from the highest down.

    Attributes:
        step: That step.
        count: How many rows.
        keeps_ties: Whether all rows tied with the last one are returned too.
    """

    step: Step
    count: int
    keeps_ties: bool


Base: TypeAlias = Grouped | Overall | RankedRows
"""A step that reads rows of tables."""
Step: TypeAlias = Base | Reaggregate | Combine | Compare | Share | FilterAbove | TopWithin | Summary
Plan: TypeAlias = Step | Top

_NODES: dict[str, type] = {
    "column": Column,
    "condition": Condition,
    "of_entities": OfEntities,
    "join": Join,
    "source": Source,
    "aggregate": Aggregate,
    "grouped": Grouped,
    "overall": Overall,
    "ranked_rows": RankedRows,
    "reaggregate": Reaggregate,
    "baseline": Baseline,
    "compare": Compare,
    "combine": Combine,
    "share": Share,
    "filter_above": FilterAbove,
    "top_within": TopWithin,
    "summary": Summary,
    "top": Top,
}
_KINDS = {node: kind for kind, node in _NODES.items()}
_LEFT_OUT_WHEN_EMPTY = {("join", "conditions")}
"""Parts that only some plans have, and that no text of the others names."""
_ENUMERATIONS: dict[tuple[str, str], type[StrEnum]] = {
    ("condition", "operator"): Operator,
    ("join", "unmatched"): Unmatched,
    ("aggregate", "function"): Function,
    ("reaggregate", "fold"): Fold,
    ("baseline", "of"): BaselineOf,
    ("compare", "contrast"): Contrast,
    ("combine", "contrast"): Contrast,
}


def plan_to_json(plan: Plan) -> str:
    """Return the one JSON text of a plan; equal plans have equal texts."""
    return canonical_json(_encoded(plan))


def plan_from_json(text: str) -> Plan:
    """Return the plan of a text that `plan_to_json` wrote.

    Raises:
        ValueError: The text is none of these.
    """
    try:
        plan = _decoded(json.loads(text))
    except (KeyError, TypeError) as error:
        raise ValueError(f"this is no plan: {text:.60}") from error
    if not isinstance(plan, Plan):
        raise ValueError(f"this is a part of a plan: {text:.60}")
    return plan


def kind_of(node: Plan) -> str:
    """Return the name of a plan's last step, as its JSON has it."""
    return _KINDS[type(node)]


def previous_of(plan: Plan) -> Step | None:
    """Return the step that a plan's last step goes on from; None for one that reads rows."""
    if isinstance(plan, Top):
        return plan.step
    if isinstance(plan, Grouped | Overall | RankedRows):
        return None
    return plan.previous


def steps_of(plan: Plan) -> Iterator[Plan]:
    """Yield a plan's steps from the last to the first."""
    current: Plan | None = plan
    while current is not None:
        yield current
        current = previous_of(current)


def question_of(plan: Plan) -> Plan:
    """Return the question that a plan asks: equal for plans that readers take for the same one.

    How many rows a top keeps and whether it keeps ties make no other question, nor does the order
    of keys that no later step tells apart, nor which of two columns comes first in a sum.

    Args:
        plan: The plan.

    Returns:
        A plan that stands for all that ask the same.
    """
    if isinstance(plan, Top):
        plan = replace(plan, count=1, keeps_ties=False)
    for step in tuple(steps_of(plan)):
        if isinstance(step, TopWithin):
            plain = replace(step, count=1, keeps_ties=False)
            plan = with_step_replaced(plan, step, plain)
    base = base_of(plan)
    if isinstance(base, Grouped | Overall) and (base.aggregate.function is Function.SUM_OF_TOTALS):
        columns = tuple(sorted(base.aggregate.columns, key=_written))
        base = replace(base, aggregate=replace(base.aggregate, columns=columns))
        plan = with_base(plan, base)
    ranked = plan.step if isinstance(plan, Top) else plan
    if isinstance(base, Grouped) and ranked == base:
        return with_base(plan, replace(base, keys=tuple(sorted(base.keys, key=_written))))
    return plan


def _written(column: Column) -> tuple[str, str]:
    return column.table, column.name


def base_of(plan: Plan) -> Base:
    """Return the step of a plan that reads rows."""
    *_, base = steps_of(plan)
    assert isinstance(base, Base)
    return base


def keys_of(plan: Plan) -> tuple[Column, ...]:
    """Return what one row of a plan's result stands for; empty where it is one row in all."""
    match plan:
        case Grouped(keys=keys):
            return keys
        case RankedRows(identifiers=identifiers):
            return identifiers
        case Reaggregate(key=key):
            return () if key is None else (key,)
        case Overall() | Summary():
            return ()
        case Top(step=step):
            return keys_of(step)
        case Combine() | Compare() | Share() | FilterAbove() | TopWithin():
            return keys_of(plan.previous)


def with_base(plan: Plan, base: Base) -> Plan:
    """Return a plan whose first step is another."""
    return with_step_replaced(plan, base_of(plan), base)


def with_step_replaced(plan: Plan, old: Plan, new: Step) -> Plan:
    """Return a plan in which one step, and all before it, is another."""
    if isinstance(plan, Top):
        return replace(plan, step=_step_replaced(plan.step, old, new))
    return _step_replaced(plan, old, new)


def _step_replaced(step: Step, old: Plan, new: Step) -> Step:
    if step == old:
        return new
    if isinstance(step, Grouped | Overall | RankedRows):
        return step
    return replace(step, previous=_step_replaced(step.previous, old, new))


def _encoded(node: Any) -> Any:
    if type(node) in _KINDS:
        kind = _KINDS[type(node)]
        parts = {field.name: getattr(node, field.name) for field in fields(node)}
        values = {
            name: _encoded(part)
            for name, part in parts.items()
            if part or (kind, name) not in _LEFT_OUT_WHEN_EMPTY
        }
        return {"kind": kind, **values}
    if isinstance(node, tuple):
        return [_encoded(part) for part in node]
    return node


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decoded(part) for part in value)
    if not isinstance(value, dict):
        return value
    kind = value["kind"]
    parts = {name: _decoded(part) for name, part in value.items() if name != "kind"}
    for (owner, name), enumeration in _ENUMERATIONS.items():
        if owner == kind:
            parts[name] = enumeration(parts[name])
    return _NODES[kind](**parts)
