"""Mutants of one query against its description: which of them the description tells apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from specbridge_pipeline.comparison.determinacy.analysis import open_on_data
from specbridge_pipeline.comparison.determinacy.chance_and_clock import chance_or_clock
from specbridge_pipeline.comparison.determinacy.findings import Finding
from specbridge_pipeline.comparison.reference import ReferenceExtension, build_reference
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure, QueryResult
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import (
    UndescribableQueryError,
    UnusableReferenceError,
    WorkerError,
)
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.sql.mutation.kinds import Mutant, MutationKind
from specbridge_pipeline.sql.mutation.mutants import mutants
from specbridge_pipeline.sql.parsing import parse_query


class Fate(StrEnum):
    """What becomes of a mutant."""

    KILLED = "killed"
    """It returns something else, and another text says so."""
    REFUSED = "refused"
    """It returns something else, and cannot be described, which tells it apart as well."""
    SURVIVED = "survived"
    """It returns something else under the same text: something was left out."""
    SAME_RESULT = "same_result"
    FAILED = "does_not_run"
    OVER_LIMIT = "over_limit"
    """It reached a limit of time, steps or memory."""
    UNDETERMINED = "undetermined"
    """What it returns is not settled by the query and the data."""


JUDGED = (Fate.KILLED, Fate.REFUSED, Fate.SURVIVED)
"""What becomes of mutants that return something else."""

Run = Callable[[str, int | None], Outcome]
"""Runs a statement, which may return so many rows; None for the usual limits."""


@dataclass(frozen=True, slots=True)
class JudgedMutant:
    """A mutant and what became of it."""

    mutant: Mutant
    fate: Fate


def judge_mutants(run: Run, sql: str, schema: Schema, text: str) -> list[JudgedMutant]:
    """Say of each mutant of a query whether the query's description tells it apart.

    Whether two results differ is decided as answers are scored: within the tolerance of sums, ties
    at a cut interchangeable, the order of rows counted where the query gives one. What columns are
    called counts only where that is what was changed.

    Args:
        run: Runs a statement on the database under the limits for mutants, or with None in the
            place of a number of rows under the usual ones.
        sql: The query.
        schema: The tables that it reads.
        text: Its description.

    Returns:
        The mutants in their order.

    Raises:
        UnusableReferenceError: The query does not run, or does not determine its result, so that
            nothing can differ from it.
        WorkerError: A worker was lost.
    """
    original = run(sql, None)
    reference = build_reference(lambda each: run(each, None), sql, schema.engine)
    assert isinstance(original, QueryResult)
    return [
        JudgedMutant(each, _fate(run, each, schema, text, original, reference))
        for each in mutants(sql, schema)
    ]


def _fate(
    run: Run,
    mutant: Mutant,
    schema: Schema,
    text: str,
    original: QueryResult,
    reference: ReferenceExtension,
) -> Fate:
    # A row more than the original has is enough to know that the result is another one.
    outcome = run(mutant.sql, len(original.rows) + 1)
    if isinstance(outcome, QueryFailure):
        if outcome.kind is FailureKind.WORKER_LOST:
            raise WorkerError(
                f"a mutant lost its worker: {outcome.message}", advice="run the study again"
            )
        if outcome.kind in (FailureKind.ERROR, FailureKind.REFUSED):
            return Fate.FAILED
        if outcome.kind is not FailureKind.TOO_MANY_ROWS:
            return Fate.OVER_LIMIT
    elif _is_alike(mutant, outcome, original):
        return Fate.SAME_RESULT
    elif mutant.kind is not MutationKind.OUTPUT_NAME:
        ordered = reference.ordered_blocks is not None
        verdict = compare(reference, outcome, ordered=ordered).kind
        if verdict is VerdictKind.EQUAL:
            return Fate.SAME_RESULT
        if verdict is VerdictKind.UNDECIDED:
            return Fate.UNDETERMINED
    finding = _open(run, mutant, outcome, schema.engine)
    if finding is not None and not finding.order_only:
        return Fate.UNDETERMINED
    try:
        killed = describe(mutant.sql, schema).text != text
    except (UndescribableQueryError, UnusableReferenceError):
        return Fate.REFUSED
    if killed:
        return Fate.KILLED
    # Where only the order is open, another order of the same rows is no other result.
    return Fate.SURVIVED if finding is None else Fate.UNDETERMINED


def _open(run: Run, mutant: Mutant, outcome: Outcome, engine: Engine) -> Finding | None:
    """Say why a mutant does not settle its result; where it was cut short it is run in full."""
    query = parse_query(mutant.sql, engine)
    original = outcome if isinstance(outcome, QueryResult) else None
    return chance_or_clock(query, engine) or open_on_data(
        lambda each: run(each, None), mutant.sql, query, engine, original=original
    )


def _is_alike(mutant: Mutant, outcome: QueryResult, original: QueryResult) -> bool:
    if mutant.kind is MutationKind.OUTPUT_NAME and outcome.columns != original.columns:
        return False
    return outcome.rows == original.rows and len(outcome.columns) == len(original.columns)
