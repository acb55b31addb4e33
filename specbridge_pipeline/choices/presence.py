"""Conditions that leave out rows without a value, in a step and in its text."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.exact_description.structure import (
    ColumnValue,
    Comparison,
    Expression,
    JoinKind,
    Membership,
    Missing,
    Step,
)
from specbridge_pipeline.sql.join_repeats import conjuncts


def presence_condition(step: Step, value: Expression) -> Missing | None:
    """Return the condition by which a step leaves out rows without a value.

    Args:
        step: The step.
        value: A column.

    Returns:
        The condition; None where there is none, or where another one, or a match, leaves the same
        rows out too.
    """
    asked = [each for each in step.conditions if each == Missing(value, negated=True)]
    return asked[0] if len(asked) == 1 and not is_compared(step, value) else None


def is_compared(step: Step, value: Expression) -> bool:
    """Say whether a condition on rows, or on matches, compares a column: no missing value passes.

    Args:
        step: The step.
        value: The column.
    """
    conditions = [*step.conditions]
    for join in step.joins:
        if join.kind is JoinKind.INNER:
            conditions += join.on
    for each in conditions:
        if isinstance(each, Comparison) and value in (each.left, each.right):
            return True
        if isinstance(each, Membership) and each.value == value:
            return True
    return False


def written_column(select: exp.Select, value: ColumnValue) -> exp.Column:
    """Return a column as a step's SELECT names it.

    Args:
        select: The step, which reads tables.
        value: The column.
    """
    sources = [select.args["from_"].this, *(each.this for each in select.args.get("joins") or ())]
    qualifier = sources[value.source].alias_or_name if len(sources) > 1 else None
    return exp.column(value.column, table=qualifier, quoted=True)


def without_presence(select: exp.Select, value: ColumnValue) -> bool:
    """Take the condition that a column has a value out of a step's SELECT.

    Args:
        select: The step; it is changed.
        value: The column.

    Returns:
        Whether the condition was there, once and as AND connects it.
    """
    where = select.args.get("where")
    if where is None:
        return False
    together = list(conjuncts(where.this))
    asked = [each for each in together if _asks_for(each, select, value)]
    if len(asked) != 1:
        return False
    kept = [each.copy() for each in together if each is not asked[0]]
    select.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    return True


def _asks_for(condition: exp.Expr, select: exp.Select, value: ColumnValue) -> bool:
    if not isinstance(condition, exp.Not):
        return False
    test = condition.this.unnest()
    return (
        isinstance(test, exp.Is)
        and isinstance(test.expression, exp.Null)
        and is_written(test.this, select, value)
    )


def is_written(node: exp.Expr, select: exp.Select, value: ColumnValue) -> bool:
    """Say whether a node of a step's SELECT is a column.

    Args:
        node: The node.
        select: The step, which reads tables.
        value: The column.
    """
    if not isinstance(node, exp.Column) or node.name.lower() != value.column.lower():
        return False
    known = written_column(select, value)
    return not node.table or not known.table or node.table.lower() == known.table.lower()
