"""Two choices of one query at once.

One edit alone can end in a tie or change nothing, while both together change the answer: whether
rows or things are counted may matter only where missing values are left out too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from specbridge_pipeline.choices.audit.answers import ShownAnswer, show_answer
from specbridge_pipeline.choices.audit.findings import Finding, Status
from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    make_reference,
)
from specbridge_pipeline.choices.conventions.editing import Data
from specbridge_pipeline.choices.conventions.proving import NotProved, ProvedEdit, Run, prove
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import resolve_names
from specbridge_pipeline.sql.parsing import parse_query

_PAIRED = frozenset(
    {
        ChoiceType.AGGREGATION_LEVEL,
        ChoiceType.COUNTING_UNIT,
        ChoiceType.MISSING_VALUES,
        ChoiceType.POPULATION_SCOPE,
        ChoiceType.TIES,
    }
)
"""Choices on groups, counts and cuts, which act on one another."""
_MOST = 6
"""Pairs that are tried: each takes the time of a query."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A choice that was tried alone.

    Attributes:
        convention: Its type.
        reading: Where the query takes a side of it.
        proof: The edited query.
        answer: What became of the answer.
        settled: Whether something settles the choice.
    """

    convention: Convention
    reading: Reading
    proof: ProvedEdit
    answer: ShownAnswer
    settled: bool


def changing_pairs(
    candidates: Sequence[Candidate], reference: Reference, sql: str, run: Run, data: Data
) -> Iterator[Finding]:
    """Try choices in pairs that change nothing alone.

    Args:
        candidates: The choices that were tried.
        reference: The query with its question.
        sql: The query as written.
        run: Runs a query on the database.
        data: What edits may ask of it.

    Yields:
        A finding for each pair that changes the answer together where neither does alone.
    """
    waiting = [
        each
        for each in candidates
        if each.convention.choice_type in _PAIRED and not each.settled and not each.answer.changed
    ]
    pairs = [
        (one, other)
        for one, other in combinations(waiting, 2)
        if one.convention.choice_type is not other.convention.choice_type
    ]
    for one, other in pairs[:_MOST]:
        both = _both(one, other, reference, run, data) or _both(other, one, reference, run, data)
        if both is None:
            continue
        answer = show_answer(run, sql, both.sql, reference.query.schema.engine)
        if answer.changed:
            labels = [each.convention.choice_type for each in (one, other)]
            yield Finding(
                Status.UNSETTLED,
                " with ".join(each.label for each in labels),
                "+".join(each.value for each in labels),
                f"{one.proof.taken} {other.proof.taken}",
                f"{one.proof.other} {other.proof.other}",
                "neither of the two changes the answer alone",
                answer,
                both.sql,
            )


def _both(
    one: Candidate, other: Candidate, reference: Reference, run: Run, data: Data
) -> ProvedEdit | None:
    """Edit a query that was edited for one choice for the other one as well."""
    assert other.convention.read is not None
    query = resolve_names(
        parse_query(one.proof.sql, reference.query.schema.engine), reference.query.schema
    )
    edited = make_reference(reference.question, reference.evidence, query)
    for reading in other.convention.read(edited):
        if (reading.side, reading.form) != (other.reading.side, other.reading.form):
            continue
        proof = prove(other.convention, edited, reading, one.proof.sql, run=run, data=data)
        if not isinstance(proof, NotProved):
            return proof
    return None
