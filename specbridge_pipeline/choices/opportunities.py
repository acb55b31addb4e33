"""Where generated queries take a side of a choice, and whether the data make it matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.choices.choice import Occurrence
from specbridge_pipeline.choices.registry import FOUND_CHOICES
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.choices.values_at_cutoffs import cutoffs
from specbridge_pipeline.databases.many_queries import for_each
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.progress import Progress


def find_opportunities(
    queries: Sequence[Mapping[str, Any]],
    schema: Schema,
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
    *,
    progress: Progress | None = None,
    at_once: int = 1,
) -> list[dict[str, Any]]:
    """Find every place where a kept query takes a side of a choice, and measure it.

    A value at a query's own cutoff is measured too, though queries are not edited there.

    Args:
        queries: Rows of GENERATED_QUERIES; those that were not kept are passed over.
        schema: The database's schema.
        catalogue: Its catalogue.
        run: Runs a query on it.
        progress: Told about each query that is done; by default nobody is.
        at_once: How many queries are measured at a time; with more than one, several threads call
            `run`.

    Returns:
        Rows of CHOICE_OPPORTUNITIES. A query whose structure cannot be read has none.
    """
    return for_each(
        [query for query in queries if query["kept"]],
        lambda query: list(_of_query(query, schema, catalogue, run)),
        description="choice opportunities",
        progress=progress,
        at_once=at_once,
    )


def _of_query(
    query: Mapping[str, Any],
    schema: Schema,
    catalogue: Catalogue,
    run: Callable[[str], Outcome],
) -> Iterator[dict[str, Any]]:
    sql = query["sql"]
    try:
        structure = read_structure(sql, schema)
    except SpecBridgeError:
        # Why it cannot be read stands with its exact description.
        return
    found = [
        (occurrence, module.opportunity(occurrence, sql, structure, catalogue, run))
        for module in FOUND_CHOICES.values()
        for occurrence in module.occurrences(sql, structure, catalogue)
    ]
    for occurrence, measured in (*found, *cutoffs(sql, structure, catalogue.engine, run)):
        yield {
            "database": query["database"],
            "query_id": query["query_id"],
            "choice_type": occurrence.choice_type.value,
            "step": occurrence.step,
            "output": occurrence.output,
            "detail": occurrence.detail,
            "taken": occurrence.taken,
            "matters": measured.matters,
            "evidence": measured.evidence,
        }


def occurrence_of(row: Mapping[str, Any]) -> Occurrence:
    """Return the occurrence that a row of CHOICE_OPPORTUNITIES or CHOICE_PROPOSALS tells of."""
    return Occurrence(
        ChoiceType(row["choice_type"]),
        row["step"],
        row["output"],
        row["taken"],
        row["detail"],
    )
