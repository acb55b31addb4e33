"""What prompts of construction say of a plan and of a database's names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import ChoiceWording
from specbridge_pipeline.exact_description.structure import ColumnValue, Structure, TableSource
from specbridge_pipeline.request_sets.construction import PlanItem

PROMPTS = "specbridge_pipeline.request_sets"
"""The package whose prompts are those of writers and reviewers."""

_LONGEST_MEANING = 120


def names_of(structure: Structure, catalogue: Catalogue) -> str:
    """List what a query's tables and columns are called in words, one a line.

    Args:
        structure: The query.
        catalogue: The database.
    """
    return "\n".join(dict.fromkeys(_names(structure, catalogue)))


def items_of(items: Iterable[PlanItem]) -> str:
    """List the requirements of a plan with their ids, one a line."""
    return "\n".join(f"{item.id}: {item.text}" for item in items)


def choice_of(wording: ChoiceWording) -> str:
    """Say what both ways of a choice mean, and the phrase for each and for neither."""
    return "\n".join(
        (
            f"A means: {wording.meaning_a}",
            f"B means: {wording.meaning_b}",
            f"Phrase for A: {wording.a}",
            f"Phrase for B: {wording.b}",
            f"Open phrase: {wording.open}",
        )
    )


def _names(structure: Structure, catalogue: Catalogue) -> Iterator[str]:
    for step in structure.steps:
        for source in step.sources:
            if isinstance(source, TableSource):
                table = catalogue.table(source.table)
                yield f"{table.name}: each row is a {table.singular}; several are {table.plural}"
    for value in _column_values(structure):
        column = catalogue.column(value.table, value.column)
        meaning = f" ({column.meaning[:_LONGEST_MEANING]})" if column.meaning else ""
        yield f"{value.table}.{column.name}: {column.phrase}{meaning}"


def _column_values(node: Any) -> Iterator[ColumnValue]:
    if isinstance(node, ColumnValue):
        yield node
    elif is_dataclass(node):
        for field in fields(node):
            yield from _column_values(getattr(node, field.name))
    elif isinstance(node, tuple):
        for each in node:
            yield from _column_values(each)
