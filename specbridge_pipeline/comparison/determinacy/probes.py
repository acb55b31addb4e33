"""The second net: a determined query gives an accepted result on copies in another order.

A probe can only show that a result is open, never that it is not: of ties that pass through
GROUP BY or a set operation no order of the stored rows may show anything. It can also show a fault
of the analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from specbridge_pipeline.comparison.determinacy.findings import Finding, Reason
from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure
from specbridge_pipeline.errors import WorkerError


def probe_determinacy(
    reference: ReferenceExtension, runs: Sequence[Callable[[str], Outcome]], sql: str
) -> Finding | None:
    """Say whether a reference gives another result on a copy of its database.

    Args:
        reference: The reference's extension on the database itself.
        runs: Each runs one statement on a copy of the database with its rows in another order.
        sql: The reference query.

    Returns:
        The finding: `SHUFFLED_COPY` where a copy's result is none of those that the reference
        allows, or lies beyond its tolerance; `UNDECIDED` where the query does not run on a copy,
        which has no indexes, or the results cannot be compared. None where all agree.

    Raises:
        WorkerError: A worker was lost, which says nothing about the query.
    """
    for number, run in enumerate(runs, start=1):
        outcome = run(sql)
        if isinstance(outcome, QueryFailure):
            if outcome.kind is FailureKind.WORKER_LOST:
                raise WorkerError(
                    f"a probe lost its worker: {outcome.message}", advice="run it again"
                )
            return Finding(
                Reason.UNDECIDED,
                f"it does not run on shuffled copy {number}: {outcome.kind.value}: "
                f"{outcome.message}",
            )
        verdict = compare(reference, outcome)
        if verdict.kind is VerdictKind.UNDECIDED:
            return Finding(Reason.UNDECIDED, f"shuffled copy {number}: {verdict.reason}")
        if verdict.kind is not VerdictKind.EQUAL:
            return Finding(
                Reason.SHUFFLED_COPY,
                f"shuffled copy {number} of the database gives another result: {verdict.reason}",
            )
    return None
