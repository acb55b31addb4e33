"""What a query gave, where a test knows which of the two it has to be."""

from __future__ import annotations

from specbridge_pipeline.databases.results import (
    FailureKind,
    Outcome,
    QueryFailure,
    QueryResult,
    Row,
)


def rows(outcome: Outcome) -> tuple[Row, ...]:
    assert isinstance(outcome, QueryResult), outcome
    return outcome.rows


def kind(outcome: Outcome) -> FailureKind:
    assert isinstance(outcome, QueryFailure), outcome
    return outcome.kind
