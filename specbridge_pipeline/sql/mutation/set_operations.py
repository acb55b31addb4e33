"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.statement import SET_OPERATORS, Block, Span, Statement

_ALL = ("UNION", "UNION ALL", "INTERSECT", "EXCEPT")


def set_operations(statement: Statement) -> Iterator[Change]:
    """Combine the same rows in another way, exchange the members, or keep one of them."""
    for index, token in enumerate(statement.tokens):
        if token.token_type not in SET_OPERATORS:
            continue
        everything = statement.kind(index + 1) is TokenType.ALL
        span = Span(index, index + 2 if everything else index + 1)
        written = " ".join(statement.written(span).upper().split())
        for other in _ALL:
            if other != written:
                yield Change(MutationKind.SET_OPERATION, (statement.replace(span, other),))
        before = next((each for each in statement.blocks if each.stop == index), None)
        after = next((each for each in statement.blocks if each.first == span.stop), None)
        if before is None or after is None:
            continue
        left, right = Span(before.first, index), _members(after)
        # Members with an order or a cut of their own would change more than their place.
        if token.token_type is TokenType.EXCEPT:
            yield Change(MutationKind.SET_OPERATION, statement.exchange(left, right))
        yield Change(MutationKind.SET_OPERATION, (statement.drop(Span(index, right.stop)),))
        yield Change(MutationKind.SET_OPERATION, (statement.drop(Span(left.start, right.start)),))


def _members(block: Block) -> Span:
    """Return a SELECT without the ORDER BY and LIMIT that belong to the whole."""
    ends = [
        block.clauses[kind].start - 1
        for kind in (TokenType.ORDER_BY, TokenType.LIMIT)
        if kind in block.clauses
    ]
    return Span(block.first, min([block.stop, *ends]))
