"""The exact description of one query, and its structure as a tree of plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.exact_description.rendering import render
from specbridge_pipeline.exact_description.structure import Structure
from specbridge_pipeline.records.canonical import plain_tree


@dataclass(frozen=True, slots=True)
class Description:
    """A query in English.

    Attributes:
        structure: What was read from the SQL.
        text: What is rendered from it.
    """

    structure: Structure
    text: str


def describe(sql: str, schema: Schema, catalogue: Catalogue | None = None) -> Description:
    """Describe a query so exactly that its result can be computed from the text alone.

    The paper calls this the exact description (Section 2.2).

    Args:
        sql: One statement, for the engine of the schema.
        schema: The tables that it can read.
        catalogue: What tables and columns are called; None for names alone.

    Returns:
        The description; the same SQL and catalogue always give the same one.

    Raises:
        UndescribableQueryError: The query holds a construct without words; the error names the
            construct and its place.
        UnusableReferenceError: The query cannot be parsed, or is not one query.
    """
    structure = read_structure(sql, schema)
    return Description(structure, render(structure, catalogue, schema.engine))


def structure_json(structure: Structure) -> dict[str, Any]:
    """Return a structure as a tree that JSON can hold.

    Args:
        structure: The structure.

    Returns:
        A mapping of field names to values; what can be of several kinds has its kind beside them.
        Steps and outputs are named by position, from 0, as in the structure.
    """
    tree: dict[str, Any] = plain_tree(structure, class_key="kind")
    return tree
