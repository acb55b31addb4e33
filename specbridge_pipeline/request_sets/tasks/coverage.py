"""What the generator can show on a database: which features are possible, delivered and accepted.

After the paper's Figure S4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UndescribableQueryError, UnusableReferenceError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.progress import Progress, SilentProgress
from specbridge_pipeline.query_generation.features import (
    Feature,
    allowed_features,
    features_of,
    requests_for,
)
from specbridge_pipeline.query_generation.generation import Attempt, generate, query_id
from specbridge_pipeline.query_generation.requests import QueryRequest, plain_requests
from specbridge_pipeline.query_generation.usability import why_undelivered, why_unusable
from specbridge_pipeline.request_sets.tasks.reviews import RULE_READERS, is_accepted
from specbridge_pipeline.request_sets.tasks.task import Task, TaskReader

QUERIES = 24
"""Queries that are asked for at the paper's depths before a feature is asked for by itself."""
FOR_A_FEATURE = 8
"""Queries that are asked for with a feature that none of these has."""
STEP_DEPTHS = (3, 6)
ARITHMETIC_DEPTHS = (1, 2)
USABLE = "usable"
"""What stands for a feature where any query counts."""


def coverage_rows(
    catalogue: Catalogue,
    schema: Schema,
    run: Callable[[str], Outcome],
    *,
    seed: int,
    queries: int = QUERIES,
    for_a_feature: int = FOR_A_FEATURE,
    readers: Sequence[TaskReader] = RULE_READERS,
    progress: Progress | None = None,
) -> Iterator[dict[str, Any]]:
    """Generate on a database until each feature that its schema allows was accepted once.

    Args:
        catalogue: The database's catalogue.
        schema: Its schema.
        run: Runs a query on it.
        seed: Seed of generation.
        queries: How many queries are asked for at the paper's depths, whatever their features.
        for_a_feature: How many are asked for with each feature that none of these showed.
        readers: Who accepts a query by its exact description.
        progress: Told about each round of asking.

    Yields:
        Rows of FEATURE_COVERAGE, but for their source; the feature `usable` last.
    """
    wanted = plain_requests(queries, STEP_DEPTHS, ARITHMETIC_DEPTHS)
    unusable = why_unusable(catalogue, wanted)
    allowed = allowed_features(catalogue)
    found = _Found(catalogue, schema, run, seed, readers)
    rounds = len(allowed) + 1
    with (progress or SilentProgress()).task(f"{catalogue.database} · coverage", rounds) as task:
        if not unusable:
            found.ask(wanted, set(allowed))
        usable, usable_accepted = bool(found.delivered), bool(found.accepted)
        reasons = list(found.reasons)
        task.advance()
        for feature in Feature:
            if feature in allowed:
                if feature not in found.accepted:
                    found.ask(requests_for(feature, catalogue, for_a_feature), {feature})
                task.advance()
    for feature in Feature:
        yield {
            "database": catalogue.database,
            "feature": feature.name.lower(),
            "allowed": feature in allowed,
            "delivered": feature in found.delivered,
            "accepted": feature in found.accepted,
            "reason": "",
        }
    yield {
        "database": catalogue.database,
        "feature": USABLE,
        "allowed": not unusable,
        "delivered": usable,
        "accepted": usable_accepted,
        "reason": unusable or ("" if usable else why_undelivered(reasons)),
    }


def uncatalogued_row(database: str, reason: str) -> dict[str, Any]:
    """Return the row of a database that cannot be asked anything.

    Args:
        database: Its id.
        reason: Why.

    Returns:
        A row of FEATURE_COVERAGE, but for its source.
    """
    return {
        "database": database,
        "feature": USABLE,
        "allowed": False,
        "delivered": False,
        "accepted": False,
        "reason": reason,
    }


@dataclass(slots=True)
class _Found:
    """What was delivered and accepted so far."""

    catalogue: Catalogue
    schema: Schema
    run: Callable[[str], Outcome]
    seed: int
    readers: Sequence[TaskReader]
    delivered: set[Feature] = field(default_factory=set)
    accepted: set[Feature] = field(default_factory=set)
    reasons: list[str] = field(default_factory=list)

    def ask(self, requests: Sequence[QueryRequest], wanted: set[Feature]) -> None:
        """Generate until a query with each wanted feature was accepted, or all were asked for."""
        attempts = generate(self.catalogue, self.run, requests=requests, seed=self.seed)
        for attempt in attempts:
            self.reasons += attempt.taken_back
            if not attempt.kept:
                self.reasons.append(attempt.reason)
                continue
            self._take(attempt)
            if wanted <= self.accepted:
                return

    def _take(self, attempt: Attempt) -> None:
        features = features_of(
            attempt.operations, attempt.step_depth or 0, attempt.arithmetic_depth or 0
        )
        self.delivered |= features
        if not features <= self.accepted and self._is_accepted(attempt.sql):
            self.accepted |= features

    def _is_accepted(self, sql: str) -> bool:
        try:
            text = describe(sql, self.schema, self.catalogue).text
        except (UndescribableQueryError, UnusableReferenceError):
            return False
        task = Task(query_id(self.catalogue.database, sql), sql, text, self.schema, self.run)
        return is_accepted(task, self.readers)
