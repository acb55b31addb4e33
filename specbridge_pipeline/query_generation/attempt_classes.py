"""What became of an attempt, judged apart from how it was made (the paper, Figure S2).

The ablation takes each attempt of a generator that lacks a mechanism, and asks of the query that it
built what the whole generator would have seen to: is it at the depths asked, does it pass all data
checks, was it built before, and does it keep every rule, also the one that was switched off.

    requests = plain_requests(2_350, (3, 6), (1, 2))
    classes = AttemptClasses(catalogue, run)
    attempts = generate(catalogue, run, requests=requests, seed=1, attempts_per_request=1,
                        mechanisms=Mechanisms().without("look_ahead"))
    counts = Counter(classes.of(attempt, requests[attempt.request]) for attempt in attempts)

One attempt is one construction: a step that a check rejects is taken back and another is drawn in
its place, but nothing is begun a second time. With `attempts_per_request=1` every request gives
exactly one attempt.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.results import Outcome
from specbridge_pipeline.query_generation.data_checks import check_plan, varies
from specbridge_pipeline.query_generation.generation import (
    Attempt,
    SeenQueries,
    measured_depths,
)
from specbridge_pipeline.query_generation.mechanisms import Mechanisms
from specbridge_pipeline.query_generation.other_sides import WantedChoice
from specbridge_pipeline.query_generation.requests import QueryRequest
from specbridge_pipeline.query_generation.shapes import Goal, Operation
from specbridge_pipeline.query_generation.soundness import broken_rules_of
from specbridge_pipeline.query_generation.step_results import StepResults
from specbridge_pipeline.query_generation.type_rules import TypeRules


class AttemptClass(StrEnum):
    """The six classes of Figure S2."""

    SOUND = "valid, on target and sound"
    """Passes every data check and every rule, and is what was asked for."""
    NOT_SOUND = "valid, on target, not sound"
    """Passes every data check, and breaks a rule."""
    DUPLICATE = "duplicate"
    """An earlier attempt asked or answered the same."""
    OFF_TARGET = "off target depth"
    """Its depths, measured from the SQL, or its operations are not those asked for."""
    INVALID = "invalid on the data"
    """It does not run, or a data check rejects one of its steps."""
    NOT_BUILT = "not built"
    """The attempt ended without a query."""


class AttemptClasses:
    """Classes attempts on one database, in the order in which they were made.

    Args:
        catalogue: The catalogue.
        run: Runs a query on the database. What is run for one attempt is kept for the others.
    """

    def __init__(self, catalogue: Catalogue, run: Callable[[str], Outcome]) -> None:
        self._engine = catalogue.engine
        self._results = StepResults(catalogue, run)
        # What was measured of the data is judged by the data checks, on the data themselves.
        self._rules = TypeRules(catalogue, Mechanisms(column_profile=False))
        self._seen = SeenQueries()

    def of(self, attempt: Attempt, request: QueryRequest) -> AttemptClass:
        """Return the class of an attempt: the first one that applies, from the last one up.

        Args:
            attempt: The attempt.
            request: What was asked for.
        """
        plan = attempt.plan
        if plan is None or not attempt.kept:
            return AttemptClass.NOT_BUILT
        if not self._is_on_target(attempt, request):
            return AttemptClass.OFF_TARGET
        tied = request.choice is WantedChoice.TIES
        if check_plan(plan, self._results, tied=tied) is not None:
            return AttemptClass.INVALID
        rows = self._results.rows(plan) or ()
        if self._seen.has(plan, rows):
            return AttemptClass.DUPLICATE
        self._seen.add(plan, rows)
        sound = varies(plan, self._results) and not broken_rules_of(plan, self._rules)
        return AttemptClass.SOUND if sound else AttemptClass.NOT_SOUND

    def _is_on_target(self, attempt: Attempt, request: QueryRequest) -> bool:
        steps, arithmetic = measured_depths(attempt.sql, self._engine)
        done = frozenset(Operation(name) for name in attempt.operations)
        return any(target.met_by(Goal(steps, arithmetic, done)) for target in request.targets())
