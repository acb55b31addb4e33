"""The outline of the steps that an exact description tells, read from its words."""

from __future__ import annotations

import re
from string import ascii_lowercase

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.request_sets.tasks.plain_text import (
    without_explanations,
    without_reminders,
)
from specbridge_pipeline.request_sets.tasks.step_outlines import (
    Outline,
    References,
    StepOutline,
    value_of,
)

_STEP = re.compile(r"(?m)^(\d+)\. ")
_NAME = r"(`[^`]+`|\w+)"
_TABLE = re.compile(rf"(?:Take all rows of|with every row of) (?!step \d){_NAME}")
_READ = re.compile(
    r"(?:Take the rows of|Take the single row of|with every row of|put the single row of) "
    r"step (\d+)"
)
_OUTPUT = re.compile(rf"(?m)^\s*(?:\(\d+[a-z]+\) |- (?:(?:\(any name\)|{_NAME})(?:: |$))?)(.*)$")
_KEYS = re.compile(r"Form one group for each (?:different value|combination) of (.*?);")
_KEPT = re.compile(r"Keep only the (?:rows|groups) where (.*?)\.(?:\s|$)")
_MATCHED = re.compile(r"with every row of [^.]*? for which (.*?)\.(?:\s|$)")
_ORDER = re.compile(r"Sort the rows (.*?)\.(?:\s|$)")
_RETURNED = re.compile(rf"the returned {_NAME}")
_LABEL = re.compile(r"\b(\d+)([a-z]+)\b")
_LITERAL = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"")
_WORD = re.compile(r"(?:(?:`[^`]+`|\w+)\.)?(?:`([^`]+)`|([^\W\d]\w*))")


def outline_of_text(text: str, schema: Schema) -> Outline:
    """Return what each numbered step of a description reads and gives.

    Args:
        text: The description.
        schema: The tables that the query can read; only their columns' names are known for such.
    """
    plain = without_reminders(without_explanations(text))
    starts = list(_STEP.finditer(plain))
    ends = [start.start() for start in starts[1:]] + [len(plain)]
    parts = [plain[start.end() : end] for start, end in zip(starts, ends, strict=True)]
    return tuple(_StepReader(part, place, schema).outline() for place, part in enumerate(parts))


class _StepReader:
    def __init__(self, text: str, place: int, schema: Schema) -> None:
        self._text = text
        self._place = place
        self._tables = [_bare(name) for name in _TABLE.findall(text)]
        self._columns = {
            column.name.lower()
            for table in schema.tables
            if table.name.lower() in self._tables
            for column in table.columns
        }
        self._listed = _OUTPUT.findall(text)
        self._own: list[References] = []

    def outline(self) -> StepOutline:
        for name, words in self._listed:
            # A column that is returned under its own name stands there alone.
            self._own.append(self._of(words or name))
        return StepOutline(
            tuple(sorted(self._tables)),
            tuple(int(step) - 1 for step in _READ.findall(self._text)),
            tuple(self._own),
            keys=self._of(" ".join(_KEYS.findall(self._text))),
            kept=self._of(" ".join(_KEPT.findall(self._text))),
            matched=self._of(" ".join(_MATCHED.findall(self._text))),
            order=self._ordered(" ".join(_ORDER.findall(self._text))),
        )

    def _of(self, words: str) -> References:
        said = _LITERAL.sub(" ", words)
        found: set[str] = set()
        for step, letters in _LABEL.findall(said):
            place = _place(letters)
            if int(step) - 1 != self._place:
                found.add(value_of(int(step) - 1, place))
            elif place < len(self._own):
                found |= self._own[place]
        for quoted, plain in _WORD.findall(said):
            if (quoted or plain).lower() in self._columns:
                found.add((quoted or plain).lower())
        return frozenset(found)

    def _ordered(self, words: str) -> References:
        names = [_bare(name) for name, _ in self._listed]
        returned = [_bare(name) for name in _RETURNED.findall(words)]
        found = set(self._of(_RETURNED.sub(" ", words)))
        for name in returned:
            if name in names:
                found |= self._own[names.index(name)]
        return frozenset(found)


def _bare(name: str) -> str:
    return name.strip("`").lower()


def _place(letters: str) -> int:
    """Return the position of a label's letters: a is 0, z is 25, aa is 26."""
    number = 0
    for letter in letters:
        number = number * len(ascii_lowercase) + ascii_lowercase.index(letter) + 1
    return number - 1
