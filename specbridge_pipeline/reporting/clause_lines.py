"""A query that was written in one line, with a line a clause for people to read."""

from __future__ import annotations

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.engines import rules_of

_INDENT = "  "

_BEGINS_QUERY = {TokenType.SELECT, TokenType.WITH}

_CLAUSES = {
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.ORDER_BY,
    TokenType.LIMIT,
    TokenType.UNION,
    TokenType.INTERSECT,
    TokenType.EXCEPT,
}

_BEFORE_JOIN = {
    TokenType.NATURAL,
    TokenType.LEFT,
    TokenType.RIGHT,
    TokenType.FULL,
    TokenType.INNER,
    TokenType.OUTER,
    TokenType.CROSS,
}


def clause_lines(sql: str, engine: Engine = Engine.SQLITE) -> str:
    """Break a query before its clauses. Nothing but blanks between two words is changed.

    Args:
        sql: The query, or a step of one.
        engine: The engine that it is for.

    Returns:
        The query with a line a clause, inner queries indented; the text as it is where it has
        several lines already, has a comment, or cannot be cut into words.
    """
    if "\n" in sql:
        return sql
    try:
        tokens = sqlglot.tokenize(sql, read=rules_of(engine).dialect)
    except SqlglotError:
        return sql
    if any(token.comments for token in tokens):
        return sql
    text, written = "", 0
    for start, depth in _breaks(tokens):
        text += f"{sql[written:start].rstrip()}\n{_INDENT * depth}"
        written = start
    return text + sql[written:]


def _breaks(tokens: list[Token]) -> list[tuple[int, int]]:
    """Return where a line begins, and how deep it is indented."""
    found: list[tuple[int, int]] = []
    # Whether each open parenthesis holds a query: in others, as after OVER, nothing is broken.
    queries = [True]
    for place, token in enumerate(tokens):
        kind = token.token_type
        before = tokens[place - 1].token_type if place else None
        following = tokens[place + 1].token_type if place + 1 < len(tokens) else None
        if kind is TokenType.L_PAREN:
            queries.append(following in _BEGINS_QUERY)
        elif kind is TokenType.R_PAREN:
            if len(queries) > 1:
                queries.pop()
        elif place and queries[-1] and _begins_line(kind, before, following):
            found.append((token.start, queries.count(True) - 1))
    return found


def _begins_line(kind: TokenType, before: TokenType | None, following: TokenType | None) -> bool:
    if kind in _BEGINS_QUERY or kind in _CLAUSES:
        return before is not TokenType.DISTINCT or kind is not TokenType.FROM
    if kind is TokenType.JOIN:
        return before not in _BEFORE_JOIN
    # LEFT and RIGHT are functions too.
    return (
        kind in _BEFORE_JOIN
        and before not in _BEFORE_JOIN
        and (following is TokenType.JOIN or following in _BEFORE_JOIN)
    )
