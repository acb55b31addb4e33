"""Operators, connectives and negation."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.statement import AROUND_AND, AROUND_OR, Span, Statement

_OTHERS = {
    TokenType.EQ: ("<>", ">="),
    TokenType.NEQ: ("=", "<"),
    TokenType.LT: ("<=", ">"),
    TokenType.LTE: ("<", ">="),
    TokenType.GT: (">=", "<"),
    TokenType.GTE: (">", "<="),
    TokenType.PLUS: ("-", "*"),
    TokenType.DASH: ("+", "/"),
    TokenType.STAR: ("+", "/"),
    TokenType.SLASH: ("*", "%"),
    TokenType.MOD: ("/",),
    TokenType.DPIPE: ("+",),
    TokenType.AMP: ("|",),
    TokenType.PIPE: ("&",),
    TokenType.LIKE: ("GLOB", "="),
    TokenType.GLOB: ("LIKE",),
    TokenType.ARROW: ("->>",),
    TokenType.DARROW: ("->",),
}
_ONE_SIDED = frozenset(
    {
        TokenType.DASH,
        TokenType.SLASH,
        TokenType.MOD,
        TokenType.DPIPE,
        TokenType.LIKE,
        TokenType.GLOB,
    }
)
_SIGNS = frozenset({TokenType.DASH, TokenType.PLUS, TokenType.TILDE})
_CALCULATING = frozenset(
    {
        TokenType.PLUS,
        TokenType.DASH,
        TokenType.STAR,
        TokenType.SLASH,
        TokenType.MOD,
        TokenType.DPIPE,
        TokenType.AMP,
        TokenType.PIPE,
    }
)
_NEGATABLE = frozenset(
    {TokenType.IN, TokenType.LIKE, TokenType.GLOB, TokenType.BETWEEN, TokenType.EXISTS}
)
_AROUND_CONDITION = AROUND_AND | {TokenType.NOT}


def operators(statement: Statement) -> Iterator[Change]:
    """Put another operator in the place of one, exchange its sides, or let it bind otherwise."""
    for index, token in enumerate(statement.tokens):
        kind = token.token_type
        left, right = statement.primary_before(index), statement.primary_after(index)
        if left is None and kind in _SIGNS:
            yield Change(MutationKind.OPERATOR, (statement.drop(Span(index, index + 1)),))
        elif kind is TokenType.ESCAPE and right is not None:
            yield Change(MutationKind.OPERATOR, (statement.drop(Span(index, right.stop)),))
        if left is None or (kind is TokenType.STAR and right is None):
            continue
        for other in _OTHERS.get(kind, ()):
            edit = statement.replace(Span(index, index + 1), f" {other} ")
            yield Change(MutationKind.OPERATOR, (edit,))
        if kind in _ONE_SIDED and right is not None:
            yield Change(MutationKind.OPERATOR, statement.exchange(left, right))
        if kind is TokenType.BETWEEN:
            yield from _bounds_exchanged(statement, index)
    for opening, closing in statement.partners.items():
        if opening < closing and _groups_a_calculation(statement, opening, closing):
            brackets = (
                statement.drop(Span(opening, opening + 1)),
                statement.drop(Span(closing, closing + 1)),
            )
            yield Change(MutationKind.OPERATOR, brackets)


def _groups_a_calculation(statement: Statement, opening: int, closing: int) -> bool:
    """Say whether brackets hold a calculation that is a part of another one."""
    return (
        statement.kind(opening) is TokenType.L_PAREN
        and not statement.is_word(opening - 1)
        and bool(_CALCULATING & {statement.kind(opening - 1), statement.kind(closing + 1)})
        and len(statement.split(Span(opening + 1, closing), _CALCULATING)) > 1
    )


def _bounds_exchanged(statement: Statement, between: int) -> Iterator[Change]:
    rest = Span(between + 1, len(statement.tokens))
    at = next((at for at in statement.level(rest) if statement.belongs_to_between(at)), None)
    high = None if at is None else statement.primary_after(at)
    if at is not None and high is not None:
        low = Span(between + 1, at)
        yield Change(MutationKind.OPERATOR, statement.exchange(low, high))


def connectives(statement: Statement) -> Iterator[Change]:
    """Put OR in the place of AND and the other way round, or bind their sides in another way."""
    for index, token in enumerate(statement.tokens):
        span = Span(index, index + 1)
        if token.token_type is TokenType.OR:
            yield Change(MutationKind.CONNECTIVE, (statement.replace(span, "AND"),))
        elif token.token_type is TokenType.AND and not statement.belongs_to_between(index):
            yield Change(MutationKind.CONNECTIVE, (statement.replace(span, "OR"),))
    for opening, closing in statement.partners.items():
        if opening < closing and _groups_conditions(statement, opening, closing):
            brackets = (
                statement.drop(Span(opening, opening + 1)),
                statement.drop(Span(closing, closing + 1)),
            )
            yield Change(MutationKind.CONNECTIVE, brackets)


def _groups_conditions(statement: Statement, opening: int, closing: int) -> bool:
    """Say whether brackets bind an OR more tightly than an AND beside them."""
    before, after = statement.kind(opening - 1), statement.kind(closing + 1)
    called = statement.is_word(opening - 1) and before not in _AROUND_CONDITION
    return (
        statement.kind(opening) is TokenType.L_PAREN
        and not called
        and TokenType.AND in (before, after)
        and len(statement.split(Span(opening + 1, closing), {TokenType.OR})) > 1
    )


def negations(statement: Statement) -> Iterator[Change]:
    """Take a NOT away, or put one before a condition."""
    for index, token in enumerate(statement.tokens):
        kind = token.token_type
        if kind is TokenType.NOT:
            if statement.kind(index - 1) is TokenType.IS or statement.word(index + 1) in (
                "NULL",
                "MATERIALIZED",
            ):
                # How missing values are handled is a kind of its own.
                continue
            yield Change(MutationKind.NEGATION, (statement.drop(Span(index, index + 1)),))
        elif kind in _NEGATABLE and statement.kind(index - 1) is not TokenType.NOT:
            if (
                kind is TokenType.BETWEEN
                and not statement.is_word(index - 1)
                and (statement.primary_before(index) is None)
            ):
                continue
            if statement.word(index - 1) in ("ROWS", "RANGE", "GROUPS"):
                continue
            yield Change(MutationKind.NEGATION, (statement.before(index, "NOT "),))
        elif kind is TokenType.OR:
            left = statement.operand_before(index, AROUND_OR)
            if left.start < left.stop:
                brackets = (
                    statement.before(left.start, "NOT ("),
                    statement.after(left.stop - 1, ")"),
                )
                yield Change(MutationKind.NEGATION, brackets)
