"""What an answering method gives for one request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alternative:
    """A further interpretation that a response offers.

    Attributes:
        interpretation: What the model says it means.
        sql: Its query.
    """

    interpretation: str
    sql: str


@dataclass(frozen=True, slots=True)
class Response:
    """A model's response to one request (the paper, Section 3).

    Attributes:
        sql: The main query; empty where the reply was malformed.
        alternatives: At most two further interpretations, each with its query.
        explanation: What the response says in words.
        problem: Why the reply could not be read; empty where it could.
        calls: Archive keys of the calls it took, in order.
    """

    sql: str
    alternatives: tuple[Alternative, ...]
    explanation: str
    problem: str
    calls: tuple[str, ...]

    @property
    def queries(self) -> tuple[str, ...]:
        """The main query and the alternatives' queries, in this order."""
        return (self.sql, *(alternative.sql for alternative in self.alternatives))
