"""The proof that a set can tell its interpretations apart: results differ, regions are disjoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specbridge_pipeline.comparison.determinacy.probes import probe_determinacy
from specbridge_pipeline.comparison.disjointness import disjoint
from specbridge_pipeline.comparison.reference import ReferenceExtension, build_reference
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure
from specbridge_pipeline.errors import UnusableReferenceError, WorkerError
from specbridge_pipeline.request_sets.records import RequestSet, Side


@dataclass(frozen=True, slots=True)
class SetCheck:
    """What running both interpretations of a set shows.

    Attributes:
        rows: Side → number of rows that an answer must have.
        disjoint: Whether no answer can be accepted for both.
        problem: Why the set cannot be used; empty where it can.
    """

    rows: dict[Side, int]
    disjoint: bool
    problem: str


def references(
    run: Callable[[str], Outcome], request_set: RequestSet, engine: Engine = Engine.SQLITE
) -> dict[Side, ReferenceExtension]:
    """Return what answers each interpretation of a set accepts.

    Args:
        run: Runs a query on the set's database.
        request_set: The set.
        engine: The engine of its database.

    Raises:
        UnusableReferenceError: A query does not run, or does not determine its result.
    """
    found = {}
    for side in Side:
        try:
            found[side] = build_reference(run, request_set.interpretations[side].sql, engine)
        except UnusableReferenceError as error:
            raise UnusableReferenceError(
                error.what,
                where=f"set {request_set.id}, interpretation {side.upper()}",
                advice=error.advice,
            ) from error
    return found


def check_set(
    run: Callable[[str], Outcome],
    request_set: RequestSet,
    engine: Engine = Engine.SQLITE,
    copies: Sequence[Callable[[str], Outcome]] = (),
) -> SetCheck:
    """Check a set by running it.

    Each query's own result must be accepted for its interpretation and refused for the other, and
    no result whatever may be acceptable for both (acceptance regions disjoint). On copies of the
    database with its rows in another order each query must give a result that is accepted too.

    Args:
        run: Runs a query on the set's database.
        request_set: The set.
        engine: The engine of its database.
        copies: Each runs a query on such a copy.

    Raises:
        WorkerError: A query could not be run for a reason of ours, which says nothing of the set.
    """
    try:
        sides = references(run, request_set, engine)
    except UnusableReferenceError as error:
        return SetCheck({}, False, str(error))
    rows = {side: reference.row_count for side, reference in sides.items()}
    for side in Side:
        outcome = run(request_set.interpretations[side].sql)
        if isinstance(outcome, QueryFailure) and outcome.kind is FailureKind.WORKER_LOST:
            raise WorkerError(
                f"a query could not be run: {outcome.message}",
                where=f"set {request_set.id}, interpretation {side.upper()}",
                advice="run it again",
            )
        own = compare(sides[side], outcome, ordered=request_set.ordered)
        if own.kind is not VerdictKind.EQUAL:
            return SetCheck(rows, False, f"{side.upper()} against itself: {own.reason}")
        crossed = compare(sides[side.other], outcome, ordered=request_set.ordered)
        if crossed.kind is not VerdictKind.NOT_EQUAL:
            return SetCheck(rows, False, f"{side.upper()} is {crossed.kind} for the other side")
        moved = probe_determinacy(sides[side], copies, request_set.interpretations[side].sql)
        if moved is not None:
            return SetCheck(rows, False, f"{side.upper()} is not determined: {moved.explanation}")
    verdict = disjoint(sides[Side.A], sides[Side.B])
    return SetCheck(rows, verdict.disjoint, "" if verdict.disjoint else verdict.reason)
