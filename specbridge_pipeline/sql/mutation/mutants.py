"""All mutants of a statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from sqlglot.errors import TokenError

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.mutation.aggregates import aggregates, distinct
from specbridge_pipeline.sql.mutation.cases import case_branches
from specbridge_pipeline.sql.mutation.casts import casts
from specbridge_pipeline.sql.mutation.collations import collations
from specbridge_pipeline.sql.mutation.constants import constants
from specbridge_pipeline.sql.mutation.filters import (
    filters_added,
    filters_dropped,
    having_added,
)
from specbridge_pipeline.sql.mutation.functions import functions
from specbridge_pipeline.sql.mutation.grouping import grouping_keys
from specbridge_pipeline.sql.mutation.joins import join_conditions, join_kinds
from specbridge_pipeline.sql.mutation.kinds import Change, Mutant
from specbridge_pipeline.sql.mutation.names import columns, tables
from specbridge_pipeline.sql.mutation.nulls import null_handling
from specbridge_pipeline.sql.mutation.operators import connectives, negations, operators
from specbridge_pipeline.sql.mutation.ordering import cuts, directions, order_keys
from specbridge_pipeline.sql.mutation.outputs import output_columns, output_names, output_order
from specbridge_pipeline.sql.mutation.set_operations import set_operations
from specbridge_pipeline.sql.mutation.statement import Statement
from specbridge_pipeline.sql.mutation.window_changes import (
    window_frames,
    window_functions,
    window_partitions,
)
from specbridge_pipeline.sql.parsing import parse_query, shorten

Family = Callable[[Statement], Iterator[Change]]

_FAMILIES: tuple[Family, ...] = (
    operators,
    constants,
    columns,
    tables,
    aggregates,
    distinct,
    join_kinds,
    join_conditions,
    filters_added,
    filters_dropped,
    grouping_keys,
    having_added,
    order_keys,
    directions,
    cuts,
    set_operations,
    null_handling,
    case_branches,
    window_functions,
    window_partitions,
    window_frames,
    casts,
    output_columns,
    output_order,
    output_names,
    functions,
    connectives,
    negations,
    collations,
)


def mutants(sql: str, schema: Schema) -> Iterator[Mutant]:
    """Change one thing of a statement at a time.

    The change is made in the text, so that everything else stays as it is written. Whether a
    mutant runs, and whether it returns anything else, only a database can tell.

    Args:
        sql: A query in SQLite's dialect.
        schema: The tables that it can read.

    Yields:
        The mutants that can be parsed, in the same order every time; no text comes twice, and none
        is the statement's own.

    Raises:
        UnusableReferenceError: The statement cannot be divided into tokens.
    """
    try:
        statement = Statement(sql, schema)
    except TokenError as error:
        raise UnusableReferenceError(
            "the statement cannot be parsed: an unfinished quotation",
            where=shorten(sql),
            advice="close what is opened",
        ) from error
    seen = {_squeezed(sql)}
    for family in _FAMILIES:
        for change in family(statement):
            text = changed(sql, change)
            squeezed = _squeezed(text)
            if squeezed in seen:
                continue
            seen.add(squeezed)
            if _parses(text, schema):
                place = min(edit.start for edit in change.edits) + 1
                yield Mutant(change.kind, place, text)


def changed(sql: str, change: Change) -> str:
    """Return a statement's text after a change.

    Args:
        sql: The text.
        change: The change of it.

    Returns:
        The text with all edits made.

    Raises:
        ValueError: Two edits are of the same characters.
    """
    edits = sorted(change.edits, key=lambda edit: (edit.start, edit.end))
    if any(one.end > other.start for one, other in pairwise(edits)):
        raise ValueError("two edits of one change are of the same characters")
    pieces, at = [], 0
    for edit in edits:
        pieces += [sql[at : edit.start], _apart(sql, edit.start, edit.text)]
        at = edit.end
    return "".join(pieces) + sql[at:]


def _apart(sql: str, start: int, text: str) -> str:
    """Return what is put in, with a blank where a word would run into the one before it."""
    joined = text[:1].isalnum() and sql[start - 1 : start].isalnum()
    return f" {text}" if joined else text


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _parses(sql: str, schema: Schema) -> bool:
    try:
        parse_query(sql, schema.engine)
    except UnusableReferenceError:
        return False
    return True
