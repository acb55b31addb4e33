"""Collations: under which texts are equal and in which order they come."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.ordering import order_clauses
from specbridge_pipeline.sql.mutation.statement import Span, Statement

_ALL = ("BINARY", "NOCASE", "RTRIM")
_COMPARISONS = frozenset(
    {TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE}
)
_TEXTS = frozenset({TokenType.STRING, TokenType.IDENTIFIER})


def _are_columns(statement: Statement, left: Span, right: Span) -> bool:
    return left.stop - 1 in statement.columns and right.stop - 1 in statement.columns


def collations(statement: Statement) -> Iterator[Change]:
    """Compare or order texts under another collation."""
    for index, token in enumerate(statement.tokens):
        if token.token_type is TokenType.COLLATE:
            named = Span(index + 1, index + 2)
            for other in _ALL:
                if other != statement.word(index + 1):
                    edit = statement.replace(named, other)
                    yield Change(MutationKind.COLLATION, (edit,))
            yield Change(MutationKind.COLLATION, (statement.drop(Span(index, index + 2)),))
        elif token.token_type is TokenType.EQ:
            left, right = statement.primary_before(index), statement.primary_after(index)
            if left is not None and right is not None and _are_columns(statement, left, right):
                # The collation of the left side counts first.
                yield Change(MutationKind.COLLATION, statement.exchange(left, right))
        if token.token_type in _COMPARISONS and statement.kind(index + 1) in _TEXTS:
            left = statement.primary_before(index)
            if left is not None:
                edit = statement.after(index - 1, " COLLATE NOCASE ")
                yield Change(MutationKind.COLLATION, (edit,))
    for span, _ in order_clauses(statement):
        for key in statement.split(span, {TokenType.COMMA}):
            if key.start in statement.columns or key.start + 2 in statement.columns:
                end = key.start if key.start in statement.columns else key.start + 2
                if statement.kind(end + 1) is not TokenType.COLLATE and end < key.stop:
                    edit = statement.after(end, " COLLATE NOCASE")
                    yield Change(MutationKind.COLLATION, (edit,))
