"""Where a statement reads the clock, and the same statement with the clock at another time.

Two runs in a row read nearly the same clock, so that running a statement twice shows a result that
depends on it by luck only. Writing other times in place of the clock shows it every time.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import Token, TokenType
from sqlglot.errors import SqlglotError

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ClockWords

_OTHER_TIMES = (("2071-09-23", "21:47:53"), ("2082-04-10", "08:12:29"))
"""Two, which differ in each of their fields: the real time can agree in a field with one of them,
never with both."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """A place at which the clock is read.

    Attributes:
        start: Where the text begins that stands for the clock.
        end: Where it ends; the start itself where the time is left out.
        template: What can stand there instead, with the date and time to be filled in.
    """

    start: int
    end: int
    template: str


def calls_clock(sql: str, engine: Engine = Engine.SQLITE) -> bool:
    """Say whether a statement reads the clock, whether or not its result depends on it.

    Args:
        sql: The statement.
        engine: The engine that it is for.

    Returns:
        Whether it does; False for a text that cannot be divided into words.
    """
    return bool(_readings(sql, engine))


def at_other_times(sql: str, engine: Engine = Engine.SQLITE) -> tuple[str, ...]:
    """Return a statement as it would read at other times than now.

    Args:
        sql: The statement.
        engine: The engine that it is for.

    Returns:
        The statement with literals in place of the clock, once for each of two times that have no
        field in common; nothing where it does not read the clock.
    """
    readings = _readings(sql, engine)
    if not readings:
        return ()
    moved = []
    for date, time in _OTHER_TIMES:
        text = sql
        for reading in reversed(readings):
            literal = reading.template.format(date=date, time=time)
            text = text[: reading.start] + literal + text[reading.end :]
        moved.append(text)
    return tuple(moved)


@dataclass(slots=True)
class _Call:
    """A pair of parentheses that is open: the function before it, and the arguments so far.

    Attributes:
        function: The function's name; empty where none stands before the parenthesis.
        start: Where its name begins.
        inside: Where the text after the parenthesis begins.
        arguments: How many arguments there are so far.
        commas: How many commas.
    """

    function: str
    start: int
    inside: int
    arguments: int = 0
    commas: int = 0


def _readings(sql: str, engine: Engine) -> list[_Reading]:
    rules = rules_of(engine)
    words = rules.clock
    try:
        tokens = sqlglot.tokenize(sql, read=rules.dialect)
    except SqlglotError:
        return []
    found: list[_Reading] = []
    calls: list[_Call] = []
    for at, token in enumerate(tokens):
        word = _word(token)
        following = tokens[at + 1].token_type if at + 1 < len(tokens) else None
        if token.token_type is TokenType.L_PAREN:
            if calls:
                calls[-1].arguments = calls[-1].commas + 1
            before = tokens[at - 1] if at else token
            calls.append(_Call(_word(before), before.start, token.end + 1))
            continue
        if token.token_type is TokenType.R_PAREN:
            if calls:
                found += _read_by(calls.pop(), token, words)
            continue
        if calls:
            calls[-1].arguments = calls[-1].commas + 1
            if token.token_type is TokenType.COMMA:
                calls[-1].commas += 1
        if word in words.keywords and following is not TokenType.L_PAREN:
            found.append(_Reading(token.start, token.end + 1, words.keywords[word]))
        elif (
            words.now is not None
            and token.token_type is TokenType.STRING
            and token.text.strip().lower() == "now"
            and any(call.function in words.time_functions for call in calls)
        ):
            found.append(_Reading(token.start, token.end + 1, words.now))
    return sorted(found, key=lambda reading: reading.start)


def _read_by(call: _Call, closing: Token, words: ClockWords) -> list[_Reading]:
    """Return where a call reads the clock other than by a word among its arguments."""
    if call.function in words.functions and not call.arguments:
        return [_Reading(call.start, closing.end + 1, words.functions[call.function])]
    if call.function in words.measured_from_now and call.arguments == 1:
        return [_Reading(call.inside, call.inside, words.measured_from_now[call.function])]
    before = words.time_functions.get(call.function)
    if before is None or words.now is None or call.arguments != before:
        return []
    return [_Reading(closing.start, closing.start, (", " if before else "") + words.now)]


def _word(token: Token) -> str:
    """Return an unquoted word in lower case, nothing for all other tokens."""
    if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
        return ""
    return str(token.text).lower()
