"""Steps that read tables, and what holds for every row that they read."""

from __future__ import annotations

from collections.abc import Iterator

from specbridge_pipeline.catalogue.model import Catalogue, CatalogueColumn
from specbridge_pipeline.exact_description.structure import (
    ColumnValue,
    Comparison,
    Condition,
    JoinKind,
    Literal,
    Membership,
    Missing,
    Step,
    Structure,
    TableSource,
)

_STRONGER = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


def named_steps(structure: Structure) -> Iterator[tuple[int, Step]]:
    """Yield the steps that a name points to: WITH entries and the query's own SELECT.

    Args:
        structure: The query.

    Yields:
        Index and step.
    """
    last = len(structure.steps) - 1
    for index, step in enumerate(structure.steps):
        if step.name or index == last:
            yield index, step


def reads_tables(step: Step) -> bool:
    """Say whether a step reads rows of tables alone, joined so that only matching rows stay."""
    return (
        all(isinstance(source, TableSource) for source in step.sources)
        and bool(step.sources)
        and all(join.kind is JoinKind.INNER for join in step.joins)
    )


def same_rows(one: Step, other: Step) -> bool:
    """Say whether two steps read the same rows of tables."""
    return (
        reads_tables(one)
        and one.sources == other.sources
        and one.joins == other.joins
        and set(one.conditions) == set(other.conditions)
    )


def column_of(catalogue: Catalogue, value: ColumnValue) -> CatalogueColumn | None:
    """Return what is known of a column; None where the catalogue does not have it."""
    try:
        return catalogue.column(value.table, value.column)
    except KeyError:
        return None


def always_there(step: Step, value: ColumnValue, catalogue: Catalogue) -> bool:
    """Say whether a column has a value in every row that a step reads."""
    column = column_of(catalogue, value)
    if column is not None and column.profile.missing == 0:
        return True
    for condition in _conditions(step):
        if isinstance(condition, Missing):
            if condition.negated and condition.value == value:
                return True
        elif isinstance(condition, Membership):
            if not condition.negated and condition.value == value:
                return True
        elif value in (condition.left, condition.right):
            return True
    return False


def never_zero(step: Step, value: ColumnValue, catalogue: Catalogue) -> bool:
    """Say whether a column differs from zero in every row that a step reads."""
    column = column_of(catalogue, value)
    if column is not None and column.profile.zero == 0:
        return True
    return any(_excludes_zero(condition, value) for condition in step.conditions)


def numbers_alone(value: ColumnValue, catalogue: Catalogue) -> bool:
    """Say whether a column holds numbers and nothing else."""
    column = column_of(catalogue, value)
    return column is not None and column.profile.texts == 0


def _conditions(step: Step) -> Iterator[Condition]:
    yield from step.conditions
    for join in step.joins:
        if join.kind is JoinKind.INNER:
            yield from join.on


def _excludes_zero(condition: Condition, value: ColumnValue) -> bool:
    if not isinstance(condition, Comparison):
        return False
    operator, bound = condition.operator, condition.right
    if condition.left != value:
        operator, bound = _STRONGER[condition.operator], condition.left
        if condition.right != value:
            return False
    if not isinstance(bound, Literal) or not isinstance(bound.value, int | float):
        return False
    number = bound.value
    return {
        "=": number != 0,
        "<>": number == 0,
        ">": number >= 0,
        ">=": number > 0,
        "<": number <= 0,
        "<=": number < 0,
    }[operator]
