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

_OTHER_TIMES = (("2071-09-23", "21:47:53"), ("2082-04-10", "08:12:29"))
"""Two, which differ in each of their fields: the real time can agree in a field with one of them,
never with both."""

_KEYWORDS = frozenset({"current_date", "current_time", "current_timestamp"})
_TIME_FUNCTIONS = frozenset(
    {"date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"}
)
"""Functions that read the clock when their time value is 'now', or is not given."""
_CLOCK_FUNCTIONS = frozenset(
    {
        "now",
        "today",
        "get_current_time",
        "get_current_timestamp",
        "transaction_timestamp",
        "current_localtime",
        "current_localtimestamp",
    }
)
"""Functions of DuckDB that do nothing but read the clock."""
_ARGUMENTS_BEFORE_TIME = {"strftime": 1}


@dataclass(frozen=True, slots=True)
class _Reading:
    """A place at which the clock is read.

    Attributes:
        start: Where the text begins that stands for the clock.
        end: Where it ends; the start itself where 'now' is left out.
        kind: `date` or `time` for a keyword that gives only that, else `timestamp`; `unwritable`
            where no literal can take its place.
        before: What has to stand before a literal there.
    """

    start: int
    end: int
    kind: str
    before: str = ""


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
        field in common; nothing where it does not read the clock, or where no literal can take
        the clock's place.
    """
    readings = [reading for reading in _readings(sql, engine) if reading.kind != "unwritable"]
    if not readings:
        return ()
    moved = []
    for date, time in _OTHER_TIMES:
        texts = {"date": date, "time": time, "timestamp": f"{date} {time}"}
        text = sql
        for reading in reversed(readings):
            literal = f"{reading.before}'{texts[reading.kind]}'"
            text = text[: reading.start] + literal + text[reading.end :]
        moved.append(text)
    return tuple(moved)


@dataclass(slots=True)
class _Call:
    """A pair of parentheses that is open: the function before it, and the arguments so far."""

    function: str
    arguments: int = 0
    commas: int = 0


def _readings(sql: str, engine: Engine) -> list[_Reading]:
    try:
        tokens = sqlglot.tokenize(sql, read=rules_of(engine).dialect)
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
            calls.append(_Call(_word(tokens[at - 1]) if at else ""))
            continue
        if token.token_type is TokenType.R_PAREN:
            if calls:
                found += _left_out(calls.pop(), token.start)
            continue
        if calls:
            calls[-1].arguments = calls[-1].commas + 1
            if token.token_type is TokenType.COMMA:
                calls[-1].commas += 1
        if word in _KEYWORDS and following is not TokenType.L_PAREN:
            kind = word.removeprefix("current_")
            kind = kind if kind in ("date", "time") else "timestamp"
            found.append(_Reading(token.start, token.end + 1, kind))
        elif following is TokenType.L_PAREN and word in _CLOCK_FUNCTIONS | _KEYWORDS:
            found.append(_Reading(token.start, token.start, "unwritable"))
        elif (
            token.token_type is TokenType.STRING
            and token.text.strip().lower() == "now"
            and any(call.function in _TIME_FUNCTIONS for call in calls)
        ):
            found.append(_Reading(token.start, token.end + 1, "timestamp"))
    return sorted(found, key=lambda reading: reading.start)


def _left_out(call: _Call, end: int) -> list[_Reading]:
    """Return the reading of a call that leaves its time value out, if it does."""
    before = _ARGUMENTS_BEFORE_TIME.get(call.function, 0)
    if (
        call.function not in _TIME_FUNCTIONS
        or call.function == "timediff"
        or call.arguments != before
    ):
        return []
    return [_Reading(end, end, "timestamp", ", " if before else "")]


def _word(token: Token) -> str:
    """Return an unquoted word in lower case, nothing for all other tokens."""
    if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
        return ""
    return str(token.text).lower()
