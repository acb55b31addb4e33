"""Counts for each entity that rows refer to, and the entities that no row refers to."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.catalogue.model import Catalogue, Relationship
from specbridge_pipeline.choices.base_steps import always_there, column_of
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    ColumnValue,
    Step,
    TableSource,
)
from specbridge_pipeline.sql.engines import rules_of

_COUNTS = (AggregateFunction.COUNT_ROWS, AggregateFunction.COUNT_DISTINCT)


@dataclass(frozen=True, slots=True)
class CountedEntities:
    """A count of a table's rows for each entity that they refer to.

    Attributes:
        key: The column that refers to the entity.
        relationship: Whom it refers to.
    """

    key: ColumnValue
    relationship: Relationship

    @property
    def parent_column(self) -> str:
        """The column that the key refers to."""
        return self.relationship.parent_columns[0]


def counted_entities(step: Step, value: Aggregate, catalogue: Catalogue) -> CountedEntities | None:
    """Return whom a step counts rows for.

    Args:
        step: The step.
        value: The one value that it computes for each group.
        catalogue: The database.

    Returns:
        The entities; None where the step does more than count all rows of a table for each, where
        rows refer to none or to one that there is not, or where the column stands for some of the
        entities only: of all people, players alone have salaries.
    """
    if len(step.sources) != 1 or not isinstance(step.sources[0], TableSource):
        return None
    if step.conditions or len(step.keys) != 1 or value.function not in _COUNTS:
        return None
    [key] = step.keys
    if not isinstance(key, ColumnValue) or not always_there(step, key, catalogue):
        return None
    column = column_of(catalogue, key)
    for each in catalogue.relationships_of(key.table):
        if [name.lower() for name in each.child_columns] != [key.column.lower()]:
            continue
        parent = catalogue.table(each.parent)
        named_alike = column is not None and column.singular.lower() == parent.singular.lower()
        is_itself = parent.name.lower() == key.table.lower()
        if named_alike and not is_itself and not each.unmatched_children:
            return CountedEntities(key, each)
    return None


def childless(counted: CountedEntities, engine: Engine) -> exp.Select:
    """Return the query for the number of entities, and of those that no row refers to.

    Args:
        counted: Whom rows are counted for.
        engine: The engine that it is for.
    """
    column = exp.Column(this=_name(counted.parent_column, engine))
    child = exp.Column(this=_name(counted.key.column, engine))
    referring = exp.select(child).from_(_table(counted.key.table, engine))
    test = exp.Not(this=exp.In(this=column, query=referring.subquery()))
    alone = exp.Count(this=exp.Case().when(test, exp.Literal.number(1)))
    return exp.select(exp.Count(this=exp.Star()), alone).from_(
        _table(counted.relationship.parent, engine)
    )


def counting_all(select: exp.Select, counted: CountedEntities, engine: Engine) -> bool:
    """Let a step count for every entity, and zero for those that no row refers to.

    Args:
        select: The step; it is changed.
        counted: Whom it counts for.
        engine: The engine that it is for.

    Returns:
        Whether the step is written so that it can be changed.
    """
    child = select.args["from_"].this
    if select.args.get("joins") or not isinstance(child, exp.Table) or child.alias:
        return False
    names = {item.alias_or_name.lower() for item in select.expressions}
    order = select.args.get("order")
    if order is not None and any(
        each.table or each.name.lower() not in names for each in order.find_all(exp.Column)
    ):
        return False
    parent = _table(counted.relationship.parent, engine)
    entity = exp.Column(this=_name(counted.parent_column, engine), table=parent.this.copy())
    key = exp.Column(this=_name(counted.key.column, engine), table=child.this.copy())
    outputs = [
        item if item.alias else exp.alias_(item.copy(), _name(item.name, engine))
        for item in select.expressions
    ]
    select.set("expressions", outputs)
    for part in (*select.expressions, select.args["group"]):
        for count in list(part.find_all(exp.Count)):
            if isinstance(count.this, exp.Star):
                count.set("this", key.copy())
        for found in list(part.find_all(exp.Column)):
            if found.find_ancestor(exp.Count) is not None:
                found.set("table", child.this.copy())
            elif found.name.lower() != key.name.lower():
                return False
            else:
                found.replace(entity.copy())
    select.set("from_", exp.From(this=parent))
    matched = exp.EQ(this=entity.copy(), expression=key)
    select.set("joins", [exp.Join(this=child.copy(), side="LEFT", on=matched)])
    return True


def _name(name: str, engine: Engine) -> exp.Identifier:
    return exp.to_identifier(name, quoted=rules_of(engine).quoted(name) != name)


def _table(name: str, engine: Engine) -> exp.Table:
    return exp.Table(this=_name(name, engine))
