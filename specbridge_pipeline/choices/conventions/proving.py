"""Whether an edit of a query can be trusted: it is made, looked at, described and run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
    make_reference,
)
from specbridge_pipeline.choices.conventions.editing import (
    Data,
    NoData,
    OtherSide,
    Unsound,
    draft,
)
from specbridge_pipeline.choices.statement import with_plain_negations
from specbridge_pipeline.databases.results import Outcome, QueryFailure
from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.errors import UndescribableQueryError, UnusableReferenceError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.sql.changed_step import changed_step
from specbridge_pipeline.sql.column_origins import ResolvedQuery, resolve_names
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline.sql.places import first_member, is_star, written_names

Run = Callable[[str], Outcome]
"""Runs a query on a database."""


class Gate(StrEnum):
    """What an edit has to pass, in this order; the value is its name in stored rows."""

    EDITED = "edited"
    """The type's edit is sound at this place."""
    WRITTEN = "written back"
    """The query written back from its tree means what its own text means."""
    ONE_STEP = "one step"
    """Exactly one step differs."""
    OUTPUTS = "same outputs"
    """The output columns keep their names."""
    DESCRIBED = "described apart"
    """Both have an exact description, and not the same one."""
    READ_AGAIN = "read as the other side"
    """The edited query is read as taking the other side."""
    RUNS = "runs"
    """The edited query gives a result on the database."""


@dataclass(frozen=True, slots=True)
class ProvedEdit:
    """A query that takes the other side of a choice, after all gates.

    Attributes:
        sql: The edited query.
        original: The query itself, written back from its tree.
        taken: What the query does, in one sentence.
        other: What the edited query does.
        ran: Whether both were run on the database; False without one.
    """

    sql: str
    original: str
    taken: str
    other: str
    ran: bool


@dataclass(frozen=True, slots=True)
class NotProved:
    """An edit that did not pass.

    Attributes:
        gate: The first gate that it failed.
        reason: Why.
        sql: The edited query, where there is one.
    """

    gate: Gate
    reason: str
    sql: str | None = None


class DatabaseData:
    """What edits ask of a database, each question asked once.

    Args:
        run: Runs a query on it.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._known: dict[str, bool | None] = {}

    def missing(self, table: Table, column: Column) -> bool | None:
        """Look for a missing value; see `Data.missing`."""
        name, owner = (
            exp.to_identifier(each.name, quoted=True).sql("sqlite") for each in (column, table)
        )
        return self._some(f"SELECT 1 FROM {owner} WHERE {name} IS NULL LIMIT 1")

    def repeats(self, query: exp.Query) -> bool | None:
        """Compare the rows of a query with its different rows; see `Data.repeats`."""
        inner = emit(query)
        return self._some(
            f"SELECT 1 WHERE (SELECT COUNT(*) FROM ({inner})) "
            f"> (SELECT COUNT(*) FROM (SELECT DISTINCT * FROM ({inner})))"
        )

    def _some(self, sql: str) -> bool | None:
        if sql not in self._known:
            outcome = self._run(sql)
            known = None if isinstance(outcome, QueryFailure) else bool(outcome.row_count)
            self._known[sql] = known
        return self._known[sql]


def prove(
    convention: Convention,
    reference: Reference,
    reading: Reading,
    sql: str,
    *,
    run: Run | None = None,
    data: Data | None = None,
) -> ProvedEdit | NotProved:
    """Edit a query at one of its readings, and pass the edit through all gates.

    Args:
        convention: The choice type; it has an edit.
        reference: The query with its question.
        reading: The place.
        sql: The query as written.
        run: Runs a query on the database; None where it is not at hand.
        data: What edits may ask of it; nothing by default.

    Returns:
        The edited query with both sides in words, or the first gate that it failed.

    Raises:
        ValueError: The choice type has no edit.
    """
    if convention.edit is None:
        raise ValueError(f"{convention.choice_type.label} has no edit")
    query = reference.query
    copy = draft(
        query,
        reading.scope,
        reading.node,
        form=reading.form,
        is_usual=reading.side is Side.USUAL,
        detail=reading.detail,
        data=data or NoData(),
    )
    found = convention.edit(copy)
    if isinstance(found, Unsound):
        return NotProved(Gate.EDITED, found.reason)
    engine = query.schema.engine
    original = emit(query.tree, engine)
    edited = with_plain_negations(emit(found.tree, engine), engine)
    reason = _written_back(sql, original, query.schema, run)
    if reason:
        return NotProved(Gate.WRITTEN, reason, edited)
    return _looked_at(convention, reference, reading, original, edited, found, run)


def _looked_at(
    convention: Convention,
    reference: Reference,
    reading: Reading,
    original: str,
    edited: str,
    found: OtherSide,
    run: Run | None,
) -> ProvedEdit | NotProved:
    schema = reference.query.schema
    try:
        again = resolve_names(parse_query(edited, schema.engine), schema)
        reason = changed_step(original, edited, schema.engine).reason
    except UnusableReferenceError as error:
        return NotProved(Gate.ONE_STEP, error.what, edited)
    if reason:
        return NotProved(Gate.ONE_STEP, reason, edited)
    if not _keeps_names(reference.query.tree, again.tree):
        return NotProved(Gate.OUTPUTS, "the output columns have other names", edited)
    try:
        if describe(edited, schema).text == describe(original, schema).text:
            return NotProved(Gate.DESCRIBED, "both have the same exact description", edited)
    except (UndescribableQueryError, UnusableReferenceError) as error:
        return NotProved(Gate.DESCRIBED, error.what, edited)
    if not _takes_other(convention, reference, reading, again):
        return NotProved(Gate.READ_AGAIN, "it is read as taking the side it took", edited)
    if run is not None:
        outcome = run(edited)
        if isinstance(outcome, QueryFailure):
            return NotProved(Gate.RUNS, outcome.kind.value.replace("_", " "), edited)
    return ProvedEdit(edited, original, found.taken, found.other, run is not None)


def _written_back(sql: str, original: str, schema: Schema, run: Run | None) -> str:
    """Say why the query written back from its tree cannot stand for its text; empty if it can."""
    try:
        if describe(sql, schema).text != describe(original, schema).text:
            return "written back, the query has another exact description"
    except (UndescribableQueryError, UnusableReferenceError) as error:
        return error.what
    if run is None:
        return ""
    first, second = run(sql), run(original)
    if isinstance(first, QueryFailure):
        return "the query itself gives no result"
    if isinstance(second, QueryFailure) or Counter(first.rows) != Counter(second.rows):
        return "written back, the query gives another result"
    return ""


def _takes_other(
    convention: Convention, reference: Reference, reading: Reading, edited: ResolvedQuery
) -> bool:
    """Say whether a place more of the edited query is read as taking the other side.

    What a question must say for a choice to arise may fit one side's form alone: it is read
    without its question too.
    """
    assert convention.read is not None
    wanted = Side.OTHER if reading.side is Side.USUAL else Side.USUAL
    for question, evidence in ((reference.question, reference.evidence), ("", "")):
        counts = [
            sum(
                each.side is wanted
                for each in convention.read(make_reference(question, evidence, query))
            )
            for query in (reference.query, edited)
        ]
        if counts[1] > counts[0]:
            return True
    return False


def _keeps_names(query: exp.Query, edited: exp.Query) -> bool:
    """Say whether each output that has a name keeps it; the engine makes up the others."""
    before, after = (first_member(each) for each in (query, edited))
    if before is None or after is None:
        return before is after
    if any(is_star(item) for item in (*before.expressions, *after.expressions)):
        return written_names(query) == written_names(edited)
    if len(before.expressions) != len(after.expressions):
        return False
    return all(
        not isinstance(one, exp.Alias | exp.Column) or one.alias_or_name == other.alias_or_name
        for one, other in zip(before.expressions, after.expressions, strict=True)
    )
