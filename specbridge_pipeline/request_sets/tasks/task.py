"""What a reader of tasks is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from specbridge_pipeline.databases.schema import Schema


@dataclass(frozen=True, slots=True)
class Task:
    """A query and the text that is to say exactly what it computes.

    Attributes:
        query_id: Content id of the query.
        sql: The query.
        description: Its exact description.
        schema: The tables that it can read, and the engine that it is for.
    """

    query_id: str
    sql: str
    description: str
    schema: Schema


class TaskReader(Protocol):
    """Who reads the description of a query against the query."""

    @property
    def name(self) -> str:
        """A model's id, or 'rules/…'."""

    def read(self, task: Task) -> tuple[str, ...]:
        """Say what the text lacks, changes or adds.

        Args:
            task: The query and the text.

        Returns:
            A sentence for each fault; empty where the text says what the query computes.
        """
