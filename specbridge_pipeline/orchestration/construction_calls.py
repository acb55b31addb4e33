"""What the stale part of a draft would ask models: counted from what is asked for, before it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from specbridge_pipeline.catalogue.model_review import COLUMNS_A_QUESTION
from specbridge_pipeline.language_models.registry import Role
from specbridge_pipeline.orchestration.planner import StaleCell
from specbridge_pipeline.orchestration.stage import database_of
from specbridge_pipeline.orchestration.workspace import Workspace

_ROUNDS = 2
"""A proposal is repaired once, a set revised and read again once."""

_PLACES_A_QUERY = 3
"""Places where a query takes a side that an edit can change: 1.3 on average on the sample
databases, and few have more than three."""


@dataclass(frozen=True, slots=True)
class ConstructionCalls:
    """What one model would be asked in one role.

    Attributes:
        role: The role.
        model: The model's id.
        databases: On how many databases.
        calls: At most so many calls, if every query is delivered and every draft revised, without
            the turns that mend replies which cannot be read; archived replies are not taken off.
    """

    role: Role
    model: str
    databases: int
    calls: int


def construction_calls(workspace: Workspace, stale: Iterable[StaleCell]) -> list[ConstructionCalls]:
    """Count what making the stale cells of a draft asks of models.

    Which requests these are is known only once the cells before them are made, so that the counts
    are bounds from the profile.

    Args:
        workspace: The project.
        stale: The cells that would be made.

    Returns:
        One count a role and model, in the order in which they are asked; none for rules.
    """
    calls: Counter[tuple[Role, str]] = Counter()
    databases: dict[tuple[Role, str], set[str]] = {}
    for cell in stale:
        asked = _ASKED.get(cell.stage)
        if asked is None:
            continue
        database = database_of(cell.partition)
        for role, name, count in asked(workspace, database):
            if name in workspace.all_models and count:
                calls[role, name] += count
                databases.setdefault((role, name), set()).add(database)
    return [
        ConstructionCalls(role, name, len(databases[role, name]), count)
        for (role, name), count in calls.items()
    ]


_Asked = Iterator[tuple[Role, str, int]]


def _cataloguing(workspace: Workspace, database: str) -> _Asked:
    tables = workspace.schema(database).tables
    questions = sum(ceil(len(table.columns) / COLUMNS_A_QUESTION) for table in tables)
    yield Role.CATALOGUER, workspace.profile.cataloguer, questions


def _proposing(workspace: Workspace, database: str) -> _Asked:
    construction = workspace.profile.construction
    queries = construction.short_queries + construction.paper_queries
    yield Role.PROPOSER, construction.proposer, queries * _ROUNDS
    by_rules = construction.proposer not in workspace.all_models
    proposals = queries * (_PLACES_A_QUERY if by_rules else _ROUNDS)
    yield Role.REVIEWER, construction.reviewers[0], proposals + construction.filter_queries


def _writing(workspace: Workspace, database: str) -> _Asked:
    yield Role.WRITER, workspace.profile.construction.writer, _sets(workspace)


def _reviewing(workspace: Workspace, database: str) -> _Asked:
    construction = workspace.profile.construction
    for name in construction.reviewers:
        yield Role.REVIEWER, name, _sets(workspace) * _ROUNDS
    yield Role.WRITER, construction.writer, _sets(workspace)


def _reading_tasks(workspace: Workspace, database: str) -> _Asked:
    construction = workspace.profile.construction
    for name in workspace.profile.task_reviewers:
        yield Role.REVIEWER, name, construction.short_queries + construction.paper_queries


def _sets(workspace: Workspace) -> int:
    """Return how many sets there are if every query gets its choice."""
    asked_for = workspace.profile.construction
    return asked_for.short_queries + asked_for.paper_queries + asked_for.filter_queries


_ASKED: dict[str, Callable[[Workspace, str], _Asked]] = {
    "catalogue": _cataloguing,
    "task_reviews": _reading_tasks,
    "choice_proposals": _proposing,
    "request_sets": _writing,
    "set_reviews": _reviewing,
}
"""Stage → the roles that are asked when one of its cells is made, with how much at most."""
