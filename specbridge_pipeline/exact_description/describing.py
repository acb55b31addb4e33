"""The exact description of one query, and the query as a tree of plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.exact_description.interpreting.queries import read_query
from specbridge_pipeline.exact_description.queries.canonical import canonical
from specbridge_pipeline.exact_description.queries.model import Query
from specbridge_pipeline.exact_description.wording.sentences import sentences
from specbridge_pipeline.records.canonical import plain_tree


@dataclass(frozen=True, slots=True)
class Description:
    """A query in English.

    Attributes:
        query: What was read from the SQL, parts whose order means nothing in one order.
        text: What is rendered from it.
    """

    query: Query
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
    query = canonical(read_query(sql, schema))
    return Description(query, sentences(query, catalogue, schema.engine))


def query_json(query: Query) -> dict[str, Any]:
    """Return a query as a tree that JSON can hold.

    Args:
        query: The query.

    Returns:
        A mapping of field names to values; what can be of several kinds has its kind beside them.
        Steps, sources and outputs are named by position, from 0.
    """
    tree: dict[str, Any] = plain_tree(query, class_key="kind")
    return tree
