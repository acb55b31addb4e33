"""What a reader of tasks is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.databases.schema import Schema


@dataclass(frozen=True, slots=True)
class Task:
    """A query and the text that is to say exactly what it computes.

    Attributes:
        query_id: Content id of the query.
        sql: The query.
        description: Its exact description.
        schema: The tables that it can read, and the engine that it is for.
        run: Runs a query on the database; None where readers are to do without.
    """

    query_id: str
    sql: str
    description: str
    schema: Schema
    run: Callable[[str], Outcome] | None = None


class TaskReader(Protocol):
    """Who reads the descriptions of queries against the queries."""

    @property
    def name(self) -> str:
        """A model's id, or 'rules/…'."""

    def read(self, tasks: Sequence[Task], *, where: str) -> list[tuple[str, ...]]:
        """Say what each text lacks, changes or adds.

        Args:
            tasks: The queries and texts.
            where: What they belong to, for messages.

        Returns:
            A sentence for each fault of a text, in the tasks' order; none where it says what its
            query computes.
        """


@dataclass(frozen=True, slots=True)
class RuleReader:
    """A reader by rules: a stand-in for a model that reads one task after the other.

    Attributes:
        name: Its name, beginning with "rules/".
        faults: Says what one text lacks, changes or adds.
    """

    name: str
    faults: Callable[[Task], tuple[str, ...]]

    def read(self, tasks: Sequence[Task], *, where: str) -> list[tuple[str, ...]]:
        """Say what each text lacks, changes or adds; see `TaskReader`."""
        return [self.faults(task) for task in tasks]
