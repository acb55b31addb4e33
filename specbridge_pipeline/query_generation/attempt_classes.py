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
from specbridge_pipeline.query_generation.generation import Attempt
from specbridge_pipeline.query_generation.requests import QueryRequest


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
        self._catalogue = catalogue
        self._run = run

    def of(self, attempt: Attempt, request: QueryRequest) -> AttemptClass:
        """Return the class of an attempt; the first that applies, from the last one up.

        Args:
            attempt: The attempt.
            request: What was asked for.
        """
        raise NotImplementedError
