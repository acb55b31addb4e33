"""Words that no rule can list: names, numbers, texts and labels."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from specbridge_pipeline.databases.schema import Schema

Word = Callable[[str, int], Iterator[tuple[int, Any]]]
"""From a text and a place to where a word that begins there can end, and what it stands for."""

_NAME = re.compile(r"`(?:[^`]|``)*`|[^\W\d]\w*")
_LABEL = re.compile(r"([0-9]+)([a-z]+)(?!\w)")
_WHOLE = re.compile(r"[0-9]+(?![\w.])|[0-9]+(?=\.(?: |$))")
_NUMERAL = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?|inf)(?!\w)")
_DIGITS = re.compile(r"(?:[0-9A-F]{2})+(?!\w)")
_BRACKETED = re.compile(r"[^\[\]]*")
_PLACE = re.compile(r"([0-9]+)th(?!\w)")
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_DECODER = json.JSONDecoder(strict=False)


def words_of(schema: Schema) -> dict[str, Word]:
    """Return the parts of the language that are words, for the texts about a database."""
    tables = {table.name for table in schema.tables}
    columns = {column.name for table in schema.tables for column in table.columns}
    return {
        "name": _name,
        "table": _known(tables),
        "column": _known(columns),
        "label": _label,
        "whole": _whole,
        "place": _place,
        "text": _text,
        "numeral": _numeral,
        "digits": _digits,
        "reminder": _reminder,
        "bracketed": _bracketed,
    }


def _name(text: str, at: int) -> Iterator[tuple[int, str]]:
    found = _NAME.match(text, at)
    if found:
        yield found.end(), _plain(found[0])


def _plain(written: str) -> str:
    """Return a name as it is, without the backticks around it."""
    if written[0] != "`":
        return written
    name = written[1:-1].replace("``", "`")
    if not name.startswith('"'):
        return name
    try:
        return str(_DECODER.decode(name))
    except json.JSONDecodeError:
        return name


def _known(names: set[str]) -> Word:
    def known(text: str, at: int) -> Iterator[tuple[int, str]]:
        for end, name in _name(text, at):
            if name in names:
                yield end, name

    return known


def _label(text: str, at: int) -> Iterator[tuple[int, tuple[int, int]]]:
    found = _LABEL.match(text, at)
    if found:
        output = 0
        for letter in found[2]:
            output = output * 26 + ord(letter) - ord("a") + 1
        yield found.end(), (int(found[1]), output - 1)


def _whole(text: str, at: int) -> Iterator[tuple[int, int]]:
    found = _WHOLE.match(text, at)
    if found:
        yield found.end(), int(found[0])


def _place(text: str, at: int) -> Iterator[tuple[int, int]]:
    for place, word in enumerate(_PLACES):
        if text.startswith(word, at):
            yield at + len(word), place
            return
    found = _PLACE.match(text, at)
    if found:
        yield found.end(), int(found[1]) - 1


def _text(text: str, at: int) -> Iterator[tuple[int, str]]:
    if text.startswith("'", at):
        end = text.find("'", at + 1)
        if end > 0:
            yield end + 1, text[at + 1 : end]
    elif text.startswith('"', at):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError:
            return
        yield end, value


def _numeral(text: str, at: int) -> Iterator[tuple[int, int | float]]:
    found = _NUMERAL.match(text, at)
    if found:
        written = found[0]
        yield found.end(), int(written) if written.lstrip("-").isdigit() else float(written)


def _digits(text: str, at: int) -> Iterator[tuple[int, str]]:
    found = _DIGITS.match(text, at)
    if found:
        yield found.end(), found[0]


def _reminder(text: str, at: int) -> Iterator[tuple[int, str]]:
    """Yield what stands up to the parenthesis that closes a reminder; it says nothing new."""
    depth, place = 0, at
    while place < len(text):
        sign = text[place]
        if sign == "`":
            found = _NAME.match(text, place)
            place = found.end() if found else len(text)
            continue
        if sign == ")" and not depth:
            yield place, text[at:place]
            return
        depth += {"(": 1, ")": -1}.get(sign, 0)
        place += 1


def _bracketed(text: str, at: int) -> Iterator[tuple[int, str]]:
    found = _BRACKETED.match(text, at)
    if found:
        yield found.end(), found[0]
