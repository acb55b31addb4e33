"""The outline of the steps that an exact description tells, read from its words."""

from __future__ import annotations

import re
from string import ascii_lowercase

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.request_sets.tasks.plain_text import (
    PLAIN_WORDS,
    without_explanations,
    without_reminders,
)
from specbridge_pipeline.request_sets.tasks.step_outlines import (
    MAYBE,
    ROWS,
    Outline,
    References,
    StepOutline,
    value_of,
)

_STEP = re.compile(r"(?m)^\d+\. ")
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
_LITERAL = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"")
_PART = re.compile(
    r"\bthe (?P<function>sum|average|smallest|largest|number of different values of"
    r"|number of rows in which|number of rows)\b"
    r"|\b(?P<step>\d+)(?P<letters>[a-z]+)\b"
    r"|(?:(?P<owner>`[^`]+`|[^\W\d]\w*)\.)?(?P<name>`[^`]+`|[^\W\d]\w*)"
)

_FUNCTIONS = {
    "number of different values of": "different values",
    "number of rows in which": "values",
    "number of rows": ROWS,
}


def outline_of_text(text: str, schema: Schema) -> Outline:
    """Return what each numbered step of a description reads and gives.

    Args:
        text: The description.
        schema: The tables that the query can read; only their columns' names are known for such.
    """
    plain = without_reminders(without_explanations(text))
    parts = _STEP.split(plain)[1:]
    return tuple(_StepReader(part, place, schema).outline() for place, part in enumerate(parts))


class _StepReader:
    def __init__(self, text: str, place: int, schema: Schema) -> None:
        self._text = text
        self._place = place
        self._tables = [_bare(name) for name in _TABLE.findall(text)]
        self._columns = {
            table.name.lower(): {column.name.lower() for column in table.columns}
            for table in schema.tables
            if table.name.lower() in self._tables
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
        found: list[str] = []
        for part in _PART.finditer(_LITERAL.sub(" ", words)):
            if part["function"]:
                found.append(_FUNCTIONS.get(part["function"], part["function"]))
            elif part["step"]:
                found += self._value(int(part["step"]) - 1, _place(part["letters"]))
            else:
                found += self._column(_bare(part["owner"] or ""), _bare(part["name"]))
        return tuple(found)

    def _value(self, step: int, place: int) -> References:
        if step != self._place:
            return (value_of(step, place),)
        return self._own[place] if place < len(self._own) else ()

    def _column(self, owner: str, name: str) -> References:
        for table, columns in self._columns.items():
            if name in columns and owner in ("", table):
                # "The number of rows" names no column "number".
                may_be_plain = not owner and name in PLAIN_WORDS
                return (f"{MAYBE if may_be_plain else ''}{table}.{name}",)
        return ()

    def _ordered(self, words: str) -> References:
        names = [_bare(name) for name, _ in self._listed]
        found: list[str] = []
        start = 0
        for returned in _RETURNED.finditer(words):
            found += self._of(words[start : returned.start()])
            start = returned.end()
            name = _bare(returned[1])
            found += self._own[names.index(name)] if name in names else ()
        return (*found, *self._of(words[start:]))


def _bare(name: str) -> str:
    return name.strip("`").lower()


def _place(letters: str) -> int:
    """Return the position of a label's letters: a is 0, z is 25, aa is 26."""
    number = 0
    for letter in letters:
        number = number * len(ascii_lowercase) + ascii_lowercase.index(letter) + 1
    return number - 1
