"""The stored rows of construction that a report counts: the draft, from attempts to sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specbridge_pipeline.choices.records import CHOICE_OPPORTUNITIES, CHOICE_PROPOSALS
from specbridge_pipeline.exact_description.records import EXACT_DESCRIPTIONS
from specbridge_pipeline.query_generation.records import FILTER_QUERIES, GENERATED_QUERIES
from specbridge_pipeline.records.cells import CellStore, Partition
from specbridge_pipeline.records.schemas import FrameSchema
from specbridge_pipeline.request_sets.construction_records import (
    ACCEPTED_REQUEST_SETS,
    HUMAN_VERDICTS,
    NATURAL_REQUESTS,
    REQUEST_SETS,
    SET_REVIEWS,
)

Rows = Sequence[Mapping[str, Any]]

CONSTRUCTION_SCHEMAS: tuple[FrameSchema, ...] = (
    GENERATED_QUERIES,
    FILTER_QUERIES,
    EXACT_DESCRIPTIONS,
    NATURAL_REQUESTS,
    CHOICE_OPPORTUNITIES,
    CHOICE_PROPOSALS,
    REQUEST_SETS,
    SET_REVIEWS,
    HUMAN_VERDICTS,
    ACCEPTED_REQUEST_SETS,
)
"""What construction stores, in its order. All but the verdicts of people have a cell a database."""


@dataclass(frozen=True, slots=True)
class ConstructionRows:
    """The rows of a draft.

    Attributes:
        databases: Ids of the databases that sets are built on, in registry order.
        generated_queries: Rows of GENERATED_QUERIES of these databases; the others likewise.
        human_verdicts: Rows of HUMAN_VERDICTS, of any sets.
    """

    databases: tuple[str, ...]
    generated_queries: Rows = ()
    filter_queries: Rows = ()
    exact_descriptions: Rows = ()
    natural_requests: Rows = ()
    choice_opportunities: Rows = ()
    choice_proposals: Rows = ()
    request_sets: Rows = ()
    set_reviews: Rows = ()
    human_verdicts: Rows = ()
    accepted_request_sets: Rows = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been built yet."""
        return not self.generated_queries


def read_construction(store: CellStore, databases: Iterable[str]) -> ConstructionRows:
    """Read the draft from the warehouse; a cell that is not there has no rows.

    Args:
        store: The warehouse.
        databases: Ids of the databases that sets are built on.

    Raises:
        StaleRecordError: A stored cell cannot be read.
    """
    listed = tuple(dict.fromkeys(databases))
    rows: dict[str, list[dict[str, Any]]] = {}
    for schema in CONSTRUCTION_SCHEMAS:
        stored = set(store.partitions(schema.name))
        wanted = (
            [Partition()] if schema is HUMAN_VERDICTS else [Partition(database=n) for n in listed]
        )
        rows[schema.name] = [
            row for part in wanted if part in stored for row in store.read(schema, part).to_dicts()
        ]
    return ConstructionRows(databases=listed, **rows)
