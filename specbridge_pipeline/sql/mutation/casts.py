"""CAST, and divisions whose sides a cast would turn from whole numbers into others."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.statement import Span, Statement

_TYPES = ("INTEGER", "REAL", "TEXT")
_COMPARISONS = frozenset(
    {TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE}
)
_REAL = frozenset({"REAL", "FLOAT", "DOUBLE"})


def casts(statement: Statement) -> Iterator[Change]:
    """Cast to another type, do not cast, cast a dividend, or compare without a column's type."""
    for index in range(len(statement.tokens) - 1):
        if statement.word(index) == "CAST" and statement.kind(index + 1) is TokenType.L_PAREN:
            closing = statement.partners[index + 1]
            inside = Span(index + 2, closing)
            target = next(
                (at for at in statement.level(inside) if statement.kind(at) is TokenType.ALIAS),
                None,
            )
            if target is None:
                continue
            now = statement.word(target + 1)
            for other in _TYPES:
                if other != now and not (other == "REAL" and now in _REAL):
                    edit = statement.replace(Span(target + 1, closing), other)
                    yield Change(MutationKind.CAST, (edit,))
            value = statement.written(Span(index + 2, target))
            edit = statement.replace(Span(index, closing + 1), f"({value})")
            yield Change(MutationKind.CAST, (edit,))
        elif statement.kind(index) is TokenType.SLASH:
            left = statement.primary_before(index)
            if left is not None:
                for other in ("REAL", "INTEGER"):
                    text = f"CAST({statement.written(left)} AS {other})"
                    yield Change(MutationKind.CAST, (statement.replace(left, text),))
        elif statement.kind(index) in _COMPARISONS:
            left = statement.primary_before(index)
            if left is not None and left.stop - 1 in statement.columns:
                # SQLite compares what is calculated, if only by a sign, as it is stored.
                yield Change(MutationKind.CAST, (statement.before(left.start, "+"),))
