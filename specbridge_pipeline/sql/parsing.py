"""Reading one query in its engine's dialect into a syntax tree."""

from __future__ import annotations

import threading

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.engines import rules_of

_SHOWN_CHARACTERS = 120
_preparing = threading.Lock()
_prepared: set[str] = set()


def parse_query(sql: str, engine: Engine = Engine.SQLITE) -> exp.Query:
    """Parse one query: a SELECT, a WITH, a set operation or a VALUES list.

    A bare VALUES list comes back as ``SELECT * FROM (VALUES ...)``, which gives the same rows under
    the same names, so that every caller deals with queries only.

    Args:
        sql: The text of one statement; a final semicolon is allowed.
        engine: The engine that it is for.

    Returns:
        The statement's tree, the caller's own to change.

    Raises:
        UnusableReferenceError: The text is empty, is not the engine's SQL as the parser knows it,
            holds more than one statement, or is no query.
    """
    shown, rules = shorten(sql), rules_of(engine)
    advice = f"write it in {engine.label}'s dialect"
    _prepare(rules.dialect)
    try:
        statements = [tree for tree in sqlglot.parse(sql, read=rules.dialect) if tree is not None]
    except ParseError as error:
        description = error.errors[0].get("description") if error.errors else None
        raise UnusableReferenceError(
            f"the statement cannot be parsed: {description or 'syntax error'}",
            where=shown,
            advice=advice,
        ) from error
    except (TokenError, RecursionError) as error:
        raise UnusableReferenceError(
            "the statement cannot be parsed: an unfinished quotation or too deep a nesting",
            where=shown,
            advice=advice,
        ) from error
    # A comment after the final semicolon is a statement of its own to the parser.
    statements = [tree for tree in statements if not isinstance(tree, exp.Semicolon)]
    if not statements:
        raise UnusableReferenceError("there is no statement", where=shown, advice="give a query")
    if len(statements) > 1:
        raise UnusableReferenceError(
            f"there are {len(statements)} statements instead of one",
            where=shown,
            advice="give one query",
        )
    tree = statements[0]
    if isinstance(tree, exp.Values):
        return exp.select("*").from_(exp.Subquery(this=tree))
    if isinstance(tree, exp.Select | exp.SetOperation):
        return tree
    raise UnusableReferenceError(
        f"the statement is no query but a {type(tree).__name__}",
        where=shown,
        advice="give a SELECT, a WITH, a set operation or a VALUES list",
    )


def _prepare(dialect: str) -> None:
    """Let one thread alone read and write a first statement in a dialect.

    The parser builds its tables while it reads the first one: another thread that comes at that
    moment finds them half full, and takes sound statements for errors.
    """
    if dialect in _prepared:
        return
    with _preparing:
        if dialect not in _prepared:
            sqlglot.parse_one("SELECT 1", read=dialect).sql(dialect)
            _prepared.add(dialect)


def shorten(sql: str) -> str:
    """Return a statement on one line and short enough to stand in a message.

    Args:
        sql: The statement.

    Returns:
        At most 120 characters of it, blanks collapsed.
    """
    line = " ".join(sql.split())
    return line if len(line) <= _SHOWN_CHARACTERS else line[: _SHOWN_CHARACTERS - 1] + "…"
