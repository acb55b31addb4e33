"""From the text of a statement to its tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a token is."""

    WORD = "word"
    QUOTED = "quoted"
    """An identifier between quotation marks."""
    TEXT = "text"
    BLOB = "blob"
    NUMBER = "number"
    SIGN = "sign"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        kind: What it is.
        text: A word in upper case, a sign, a number as written; what stands between quotation
            marks, doubled ones undone.
        written: As it stands in the statement.
        at: Where it begins.
    """

    kind: Kind
    text: str
    written: str
    at: int


class TokenError(Exception):
    """A character that begins no token.

    Attributes:
        at: Where it stands.
    """

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


_TOKEN = re.compile(
    r"""
      (?P<space>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<blob>[xX]'[0-9A-Fa-f]*')
    | (?P<word>[^\W\d][\w$]*)
    | (?P<number>0[xX][0-9A-Fa-f]+|(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<text>'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    | (?P<sign>->>|->|\|\||<<|>>|<=|>=|<>|==|!=|//|::|[-+*/%&|~<>=(),.;])
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens_of(sql: str) -> list[Token]:
    """Take a statement apart.

    Args:
        sql: The statement.

    Returns:
        Its tokens without blanks and remarks, and one that marks the end.

    Raises:
        TokenError: A character begins no token, or a quotation does not end.
    """
    found: list[Token] = []
    at, end = 0, len(sql)
    match_at = _TOKEN.match
    while at < end:
        match = match_at(sql, at)
        if match is None:
            raise TokenError(at)
        group, written = match.lastgroup, match.group()
        if group == "word":
            found.append(Token(Kind.WORD, written.upper(), written, at))
        elif group == "sign":
            found.append(Token(Kind.SIGN, written, written, at))
        elif group == "number":
            found.append(Token(Kind.NUMBER, written, written, at))
        elif group == "text":
            found.append(Token(Kind.TEXT, written[1:-1].replace("''", "'"), written, at))
        elif group == "quoted":
            inner = written[1:-1]
            if written[0] != "[":
                inner = inner.replace(2 * written[0], written[0])
            found.append(Token(Kind.QUOTED, inner, written, at))
        elif group == "blob":
            found.append(Token(Kind.BLOB, written[2:-1].upper(), written, at))
        at = match.end()
    found.append(Token(Kind.END, "", "", end))
    return found
