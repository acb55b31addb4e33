"""Aggregates and DISTINCT."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.names import quoted
from specbridge_pipeline.sql.mutation.statement import Span, Statement

_OTHERS = {
    "SUM": ("AVG", "TOTAL"),
    "TOTAL": ("SUM", "AVG"),
    "AVG": ("SUM", "MAX"),
    "MIN": ("MAX", "AVG"),
    "MAX": ("MIN", "SUM"),
    "COUNT": ("SUM", "MAX"),
    "GROUP_CONCAT": ("COUNT", "MIN"),
    "STRING_AGG": ("GROUP_CONCAT",),
}
_DISTINCTABLE = frozenset({"SUM", "TOTAL", "AVG", "COUNT", "GROUP_CONCAT"})


def aggregates(statement: Statement) -> Iterator[Change]:
    """Take another aggregate of the same values, count something else, or aggregate nothing."""
    for index, arguments in statement.calls():
        name = statement.word(index)
        if name not in _OTHERS or not arguments:
            continue
        if len(arguments) > 1 and name in ("MIN", "MAX"):
            # Of several values these are ordinary functions.
            continue
        call = Span(index, statement.partners[index + 1] + 1)
        inside = statement.written(Span(arguments[0].start, arguments[-1].stop))
        if inside == "*":
            yield from _counts(statement, index, call)
            continue
        if statement.kind(index + 2) is TokenType.STAR:
            continue
        for other in _OTHERS[name]:
            edit = statement.replace(Span(index, index + 1), other)
            yield Change(MutationKind.AGGREGATE, (edit,))
        if name == "COUNT":
            yield Change(MutationKind.AGGREGATE, (statement.replace(call, "COUNT(*)"),))
        distinct = statement.kind(index + 2) is TokenType.DISTINCT
        alone = statement.kind(call.stop) not in (TokenType.OVER, TokenType.FILTER)
        if len(arguments) == 1 and alone and not distinct:
            yield Change(MutationKind.AGGREGATE, (statement.replace(call, f"({inside})"),))


def distinct(statement: Statement) -> Iterator[Change]:
    """Take DISTINCT away or put it in, after SELECT and in aggregates."""
    for block in statement.blocks:
        after = block.first + 1
        if statement.kind(after) in (TokenType.DISTINCT, TokenType.ALL):
            edit = statement.replace(
                Span(after, after + 1),
                "" if statement.kind(after) is TokenType.DISTINCT else "DISTINCT",
            )
        else:
            edit = statement.after(block.first, " DISTINCT")
        yield Change(MutationKind.DISTINCT, (edit,))
    for index, arguments in statement.calls():
        if statement.word(index) not in _DISTINCTABLE or len(arguments) != 1:
            continue
        if statement.kind(index + 2) is TokenType.STAR:
            continue
        if statement.kind(index + 2) is TokenType.DISTINCT:
            yield Change(MutationKind.DISTINCT, (statement.drop(Span(index + 2, index + 3)),))
        elif statement.kind(statement.partners[index + 1] + 1) is not TokenType.OVER:
            yield Change(MutationKind.DISTINCT, (statement.before(index + 2, "DISTINCT "),))


def _counts(statement: Statement, index: int, call: Span) -> Iterator[Change]:
    """Count values or different values of a column in the place of rows."""
    for source, table in list(statement.scope(statement.block_of(index)))[-2:]:
        for column in (table.columns[0], table.columns[-1]):
            name = f"{quoted(source.alias)}.{quoted(column.name)}"
            for counted in (name, f"DISTINCT {name}"):
                if counted.startswith("DISTINCT") and statement.kind(call.stop) is TokenType.OVER:
                    continue
                edit = statement.replace(call, f"COUNT({counted})")
                yield Change(MutationKind.AGGREGATE, (edit,))
