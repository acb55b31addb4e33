"""Whether a candidate gives the same result whenever it is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from specbridge_pipeline.comparison.acceptance import accept_bag
from specbridge_pipeline.comparison.bulk_pairing import MINIMUM_ROWS
from specbridge_pipeline.comparison.clock import at_other_times, calls_clock
from specbridge_pipeline.comparison.row_groups import RowGroup
from specbridge_pipeline.comparison.verdict import Verdict, VerdictKind
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.errors import WorkerError

_TWO_RUNS = "two runs gave different results"
_CLOCK = "the result depends on the clock: at another time it is a different one"


def find_varying(
    run_many: Callable[[Sequence[str]], Sequence[Outcome]],
    outcomes: Mapping[str, Outcome],
    accepted: Collection[str],
    engine: Engine = Engine.SQLITE,
) -> dict[str, str]:
    """Run candidates again, and find those whose result is not always the same.

    Only those are run again that read the clock or that no reference accepts: the others would
    have had to meet a reference by chance. What reads the clock is also run with other times in
    the clock's place, since two runs in a row read nearly the same time.

    Args:
        run_many: Runs statements on the candidates' database; keeps their order.
        outcomes: Candidate → what its first run gave.
        accepted: The candidates that a reference accepts.
        engine: The engine of the candidates' database.

    Returns:
        Candidate → how its result varies, a sentence; only those whose result does.

    Raises:
        WorkerError: A candidate could not be run again for a reason of ours.
    """
    again = {
        sql: (sql, *at_other_times(sql, engine))
        for sql, outcome in outcomes.items()
        if isinstance(outcome, QueryResult) and (sql not in accepted or calls_clock(sql, engine))
    }
    statements = [statement for listed in again.values() for statement in listed]
    if not statements:
        return {}
    later = iter(run_many(statements))
    varying = {}
    for sql, listed in again.items():
        repeat, *moved = [next(later) for _ in listed]
        first = outcomes[sql]
        assert isinstance(first, QueryResult)
        if _changed(first, repeat):
            varying[sql] = _TWO_RUNS
        elif any(isinstance(each, QueryResult) and _changed(first, each) for each in moved):
            varying[sql] = _CLOCK
    return varying


def nondeterministic(reason: str) -> Verdict:
    """Return the verdict on a candidate whose result is not always the same.

    Args:
        reason: How it varies, as `find_varying` says.

    Returns:
        The verdict.
    """
    return Verdict(VerdictKind.NONDETERMINISTIC, reason)


def _changed(first: QueryResult, again: Outcome) -> bool:
    """Say whether a second run gave another bag of rows; a limit reached by chance is none."""
    if isinstance(again, QueryFailure):
        if again.kind is FailureKind.WORKER_LOST:
            raise WorkerError(
                f"a query could not be run again: {again.message}",
                advice="run again; nothing was scored",
            )
        return again.kind in (FailureKind.ERROR, FailureKind.REFUSED)
    if len(first.columns) != len(again.columns) or first.row_count != again.row_count:
        return True
    if first.row_count < MINIMUM_ROWS and Counter(first.rows) == Counter(again.rows):
        return False
    rows = first.contents
    found = accept_bag((RowGroup(rows, len(rows)),), again.contents, len(first.columns))
    return found.decided and not found.possible
