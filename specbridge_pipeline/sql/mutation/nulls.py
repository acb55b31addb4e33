"""How missing values are handled."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.ordering import order_clauses
from specbridge_pipeline.sql.mutation.statement import Span, Statement

_REPLACING = frozenset({"COALESCE", "IFNULL", "NULLIF"})
_SKIPPING = frozenset({"AVG", "SUM", "COUNT", "MIN", "MAX", "TOTAL"})


def null_handling(statement: Statement) -> Iterator[Change]:
    """Ask for missing values where present ones are asked for, keep them, or let them in."""
    yield from _tests(statement)
    yield from _replacements(statement)
    yield from _orders(statement)


def _tests(statement: Statement) -> Iterator[Change]:
    for index, token in enumerate(statement.tokens):
        kind = token.token_type
        span = Span(index, index + 1)
        if kind is TokenType.IS:
            negated = statement.kind(index + 1) is TokenType.NOT
            whole = Span(index, index + 2) if negated else span
            other = "IS" if negated else "IS NOT"
            yield _change(statement, whole, other)
            if statement.kind(whole.stop) is not TokenType.NULL and (
                statement.kind(whole.stop) is not TokenType.DISTINCT
            ):
                yield _change(statement, whole, "<>" if negated else "=")
        elif kind is TokenType.EQ and statement.primary_before(index) is not None:
            yield _change(statement, span, " IS ")
        elif kind is TokenType.NEQ:
            yield _change(statement, span, " IS NOT ")
        elif statement.word(index) in ("ISNULL", "NOTNULL"):
            other = "NOTNULL" if statement.word(index) == "ISNULL" else "ISNULL"
            yield _change(statement, span, other)
        elif kind is TokenType.NOT and statement.kind(index + 1) is TokenType.NULL:
            if statement.kind(index - 1) is not TokenType.IS:
                yield _change(statement, Span(index, index + 2), "ISNULL")
        elif kind is TokenType.IN and statement.kind(index + 1) is TokenType.L_PAREN:
            closing = statement.partners[index + 1]
            if statement.kind(index + 2) not in (TokenType.SELECT, TokenType.WITH) and (
                closing > index + 2
            ):
                edit = statement.before(closing, ", NULL")
                yield Change(MutationKind.NULL_HANDLING, (edit,))


def _replacements(statement: Statement) -> Iterator[Change]:
    for index, arguments in statement.calls():
        name = statement.word(index)
        call = Span(index, statement.partners[index + 1] + 1)
        if name in _REPLACING and len(arguments) > 1:
            yield _change(statement, call, f"({statement.written(arguments[0])})")
            edits = statement.exchange(arguments[0], arguments[1])
            yield Change(MutationKind.NULL_HANDLING, edits)
        elif (
            name in _SKIPPING
            and len(arguments) == 1
            and (statement.kind(index + 2) not in (TokenType.STAR, TokenType.DISTINCT))
        ):
            inside = f"COALESCE({statement.written(arguments[0])}, 0)"
            yield _change(statement, arguments[0], inside)


def _orders(statement: Statement) -> Iterator[Change]:
    for span, _ in order_clauses(statement):
        for key in statement.split(span, {TokenType.COMMA}):
            written = next(
                (index for index in statement.level(key) if statement.word(index) == "NULLS"),
                None,
            )
            if written is not None:
                other = "LAST" if statement.word(written + 1) == "FIRST" else "FIRST"
                yield _change(statement, Span(written + 1, written + 2), other)
                yield _change(statement, Span(written, written + 2), "")
                continue
            descending = any(
                statement.kind(index) is TokenType.DESC for index in statement.level(key)
            )
            # SQLite holds missing values for smaller than all others.
            edit = statement.after(key.stop - 1, f" NULLS {'FIRST' if descending else 'LAST'}")
            yield Change(MutationKind.NULL_HANDLING, (edit,))


def _change(statement: Statement, span: Span, text: str) -> Change:
    return Change(MutationKind.NULL_HANDLING, (statement.replace(span, text),))
