"""Reviews of tasks: two readers read the description of each query against the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.request_sets.tasks.reading_by_requirements import BY_REQUIREMENTS
from specbridge_pipeline.request_sets.tasks.reading_by_way_back import BY_WAY_BACK
from specbridge_pipeline.request_sets.tasks.task import Task, TaskReader

RULE_READERS: tuple[TaskReader, ...] = (BY_REQUIREMENTS, BY_WAY_BACK)
"""The two readers by rules, which share no code with each other or with who wrote the texts."""


def task_review_rows(
    database: str,
    queries: Iterable[Mapping[str, Any]],
    descriptions: Iterable[Mapping[str, Any]],
    schema: Schema,
    readers: Sequence[TaskReader] = RULE_READERS,
) -> Iterator[dict[str, Any]]:
    """Have every described query read by each reader.

    Args:
        database: Registry id.
        queries: Rows of GENERATED_QUERIES.
        descriptions: Rows of EXACT_DESCRIPTIONS.
        schema: The database's schema.
        readers: Who reads.

    Yields:
        Rows of TASK_REVIEWS.
    """
    texts = {row["query_id"]: row["description"] for row in descriptions if row["described"]}
    tasks = [
        Task(row["query_id"], row["sql"], texts[row["query_id"]], schema)
        for row in queries
        if row["kept"] and row["query_id"] in texts
    ]
    for reader in readers:
        for task, faults in zip(tasks, reader.read(tasks, where=database), strict=True):
            yield {
                "database": database,
                "query_id": task.query_id,
                "reviewer": reader.name,
                "accepted": not faults,
                "faults": list(faults),
            }


def is_accepted(task: Task, readers: Sequence[TaskReader] = RULE_READERS) -> bool:
    """Return whether all readers accept a task.

    Args:
        task: The query and the text.
        readers: Who reads.
    """
    return not any(faults for each in readers for faults in each.read([task], where=task.query_id))
