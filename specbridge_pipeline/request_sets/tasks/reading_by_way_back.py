"""The reading that goes from the words back to a query: does it compute the same?

The text alone is read into a query by a grammar of its own. Where the database is at hand, both
queries are run and their results compared as answers are scored; else, and besides, both are
followed step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from specbridge_pipeline.comparison.reference import build_reference
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryFailure
from specbridge_pipeline.errors import UnreadableDescriptionError, UnusableReferenceError
from specbridge_pipeline.exact_description.way_back.reading_back import query_from_text
from specbridge_pipeline.request_sets.tasks.reading_by_steps import differing_steps, step_faults
from specbridge_pipeline.request_sets.tasks.requirements_of_sql import (
    Requirements,
    count_differences,
)
from specbridge_pipeline.request_sets.tasks.steps_of_sql import outline_of_sql
from specbridge_pipeline.request_sets.tasks.task import RuleReader, Task
from specbridge_pipeline.sql.parsing import parse_query

_SENTENCE = "read back it has {thing} {said}, not {needed}"


def way_back_faults(task: Task) -> tuple[str, ...]:
    """Say where the query that a text is read into goes apart from the query that it is about.

    Args:
        task: The query and the text. Only texts about SQLite queries can be read back; for another
            engine its steps are followed in the text itself.

    Returns:
        A sentence for each difference, or why the text cannot be read back.
    """
    if task.schema.engine is not Engine.SQLITE:
        return step_faults(task)
    try:
        back = query_from_text(task.description, task.schema)
    except UnreadableDescriptionError as error:
        return (f"the text cannot be read back: {error}",)
    return tuple(_differences(task, back))


def _differences(task: Task, back: str) -> Iterator[str]:
    try:
        computed = outline_of_sql(task.sql, task.schema)
        yield from differing_steps(outline_of_sql(back, task.schema), computed)
        needed, said = (Requirements.of(parse_query(each)) for each in (task.sql, back))
    except UnusableReferenceError as error:
        yield f"the query cannot be followed: {error.what}"
        return
    yield from count_differences(needed.kinds, said.kinds, _SENTENCE)
    yield from count_differences(needed.literals, said.literals, _SENTENCE)
    if said.outputs != needed.outputs:
        yield f"returns {', '.join(said.outputs)}, not {', '.join(needed.outputs)}"
    if task.run is not None:
        yield from _other_result(task.sql, back, task.run)


def _other_result(sql: str, back: str, run: Callable[[str], Outcome]) -> Iterator[str]:
    original, outcome = run(sql), run(back)
    if isinstance(original, QueryFailure) or isinstance(outcome, QueryFailure):
        yield "one of both queries does not run"
        return
    try:
        reference = build_reference(run, sql)
    except UnusableReferenceError as error:
        yield f"the result cannot be compared: {error.what}"
        return
    verdict = compare(reference, outcome, ordered=reference.ordered_blocks is not None)
    if verdict.kind is not VerdictKind.EQUAL:
        yield f"the query that the text says gives another result: {verdict.reason}"


BY_WAY_BACK = RuleReader("rules/way_back", way_back_faults)
"""Reads the text into a query, and compares both queries and their results."""
