"""One candidate statement against one reference statement, with all there is to say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from specbridge_pipeline.comparison.column_mapping import compare_allowing_columns
from specbridge_pipeline.comparison.reference import ReferenceExtension, build_reference
from specbridge_pipeline.comparison.repeats import find_varying, nondeterministic
from specbridge_pipeline.comparison.side_by_side import SideBySide, side_by_side
from specbridge_pipeline.comparison.verdict import Verdict, VerdictKind, compare
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryResult


@dataclass(frozen=True, slots=True)
class StatementComparison:
    """What comparing two statements shows.

    Attributes:
        verdict: The verdict by position of columns.
        allowing_columns: The verdict that allows extra or reordered columns.
        reference: All results that the reference allows.
        outcome: What the candidate's first run gave.
        differences: The rows in which the results differ; none where the verdict is no statement
            about rows.
    """

    verdict: Verdict
    allowing_columns: Verdict
    reference: ReferenceExtension
    outcome: Outcome
    differences: SideBySide | None


def compare_statements(
    run: Callable[[str], Outcome],
    reference_sql: str,
    candidate_sql: str,
    *,
    engine: Engine = Engine.SQLITE,
    ordered: bool = False,
    most: int = 10,
) -> StatementComparison:
    """Run two statements and compare their results.

    Args:
        run: Runs one statement on the database.
        reference_sql: The reference.
        candidate_sql: The candidate, trusted in nothing.
        engine: The engine of the database.
        ordered: Whether the request asks for an order, so that the order of rows counts.
        most: How many differing rows are wanted.

    Returns:
        The verdicts and the differing rows.

    Raises:
        UnusableReferenceError: The reference does not run, or does not determine its result; one
            that depends on the clock does not.
        WorkerError: A worker was lost, which says nothing about the statements.
    """
    reference = build_reference(run, reference_sql, engine)
    outcome = run(candidate_sql)
    verdict = compare(reference, outcome, ordered=ordered)
    varying = find_varying(
        lambda statements: [run(statement) for statement in statements],
        {candidate_sql: outcome},
        {candidate_sql} if verdict.kind is VerdictKind.EQUAL else (),
        engine,
    )
    if candidate_sql in varying:
        verdict = nondeterministic(varying[candidate_sql])
        return StatementComparison(verdict, verdict, reference, outcome, None)
    if verdict.kind is VerdictKind.EQUAL or not isinstance(outcome, QueryResult):
        return StatementComparison(verdict, verdict, reference, outcome, None)
    relaxed = compare_allowing_columns(reference, outcome)
    differences = None
    if verdict.kind is not VerdictKind.UNDECIDED:
        differences = side_by_side(reference, outcome, ordered=ordered, most=most)
    return StatementComparison(verdict, relaxed, reference, outcome, differences)
