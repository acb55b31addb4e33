"""The condition of a query that can be read in two ways, and how the two are told apart."""

from __future__ import annotations

from specbridge_pipeline.choices.choice import Edit, Phrases
from specbridge_pipeline.exact_description.structure import (
    ColumnValue,
    Comparison,
    Condition,
    Literal,
    Membership,
    Missing,
    Step,
    Structure,
    TableSource,
)

Sides = tuple[str, str]


def first_step(structure: Structure) -> tuple[int, Step]:
    """Return the step of a query that reads rows of tables, and its index.

    Args:
        structure: A query of which one step alone reads tables.
    """
    return next(
        (index, step)
        for index, step in enumerate(structure.steps)
        if all(isinstance(source, TableSource) for source in step.sources)
    )


def own_conditions(structure: Structure, other: Structure) -> tuple[Condition, ...]:
    """Return the conditions of a query's first step that another query's first step lacks.

    Args:
        structure: The query.
        other: The other one, which reads the same tables.
    """
    theirs = first_step(other)[1].conditions
    return tuple(each for each in first_step(structure)[1].conditions if each not in theirs)


def by_side(edit: Edit, structure: Structure, edited: Structure) -> dict[str, Structure]:
    """Return the queries by the side that each takes."""
    return {edit.occurrence.taken: structure, edit.side: edited}


def in_order(edit: Edit, texts: dict[str, tuple[str, str]]) -> tuple[str, str, str, str]:
    """Return phrase and meaning for A, then phrase and meaning for B.

    Args:
        edit: Says which side A takes.
        texts: Side → phrase and meaning.
    """
    (a, meaning_a), (b, meaning_b) = texts[edit.occurrence.taken], texts[edit.side]
    return a, meaning_a, b, meaning_b


def tests_of(condition: Condition) -> tuple[Comparison, ...]:
    """Return what a condition compares with values; of a membership, what its records must meet."""
    if isinstance(condition, Membership):
        return tuple(each for each in condition.conditions if isinstance(each, Comparison))
    return () if isinstance(condition, Missing) else (condition,)


def column_and_value(test: Comparison) -> tuple[ColumnValue, Literal]:
    """Return the column and the value of a comparison that a filter makes."""
    assert isinstance(test.left, ColumnValue)
    assert isinstance(test.right, Literal)
    return test.left, test.right


def has(test: Comparison, phrases: Phrases) -> str:
    """Say that something has a category, after "with": "the award 'Gold Glove'".

    Args:
        test: The column that must equal a value.
        phrases: Names.
    """
    column, value = column_and_value(test)
    return f"the {phrases.value(0, column)} {written(value)}"


def written(value: Literal) -> str:
    """Return a stored value as a sentence has it: texts in quotes, days and numbers as they are."""
    stored = value.value
    if isinstance(stored, bool):
        return "true" if stored else "false"
    if isinstance(stored, str) and not _is_day(stored):
        return f"'{stored}'"
    return str(stored)


def _is_day(text: str) -> bool:
    parts = text.split("-")
    return [len(part) for part in parts] == [4, 2, 2] and all(part.isdigit() for part in parts)
