"""Names and values as they stand in a sentence, and the catalogue's words for them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date, datetime

from specbridge_pipeline.catalogue.model import Catalogue, CatalogueColumn
from specbridge_pipeline.exact_description.wording.phrases import PLACES

_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_LONGEST_MEANING = 120
# Names that are words of the sentences themselves stand between backticks.
_WORDS = frozenset(
    {
        "a", "an", "and", "any", "as", "at", "by", "converted", "counts", "differs", "divided",
        "else", "equals", "false", "followed", "for", "from", "if", "in", "is", "it", "matches",
        "minus", "modulo", "not", "of", "on", "or", "plus", "read", "rounded", "step", "that",
        "the", "this", "times", "to", "true", "where", "which", "with",
    }
)  # fmt: skip


def shown_name(name: str) -> str:
    """Return a name as it stands in a sentence, between backticks where it could be misread."""
    plain = _PLAIN_NAME.fullmatch(name) and name.lower() not in _WORDS
    if plain:
        return name
    # A line break in a name must not look like a line of the description.
    written = name if name.isprintable() and not name.startswith('"') else json.dumps(name)
    return f"`{written.replace('`', '``')}`"


def shown_literal(value: object) -> str:
    """Return a value as it is stored: numbers plain, text between quotation marks."""
    if value is None:
        return "a missing value"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"the blob {value.hex().upper() or 'of no bytes'}"
    if not isinstance(value, str):
        return repr(value)
    if value.isprintable() and "'" not in value:
        return f"'{value}'"
    if value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return json.dumps(value, ensure_ascii=False)


def listed(parts: Sequence[str]) -> str:
    """Join parts with commas and "and"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def place_word(place: int) -> str:
    """Return the word for a place, from 0: "second"."""
    return PLACES[place] if place < len(PLACES) else f"{place + 1}th"


def letters(output: int) -> str:
    """Return the letters of an output's label, from 0: "a"."""
    text = ""
    output += 1
    while output:
        output, letter = divmod(output - 1, 26)
        text = chr(ord("a") + letter) + text
    return text


class Meanings:
    """The catalogue's words, each said once, where its table or column is first met.

    Args:
        catalogue: The catalogue; None for no words at all.
    """

    def __init__(self, catalogue: Catalogue | None) -> None:
        self._catalogue = catalogue
        self._explained: set[tuple[str, str]] = set()

    def table(self, name: str) -> str:
        """Name a table, with what its rows are where it is first met."""
        shown = shown_name(name)
        if self._catalogue is None or (name, "") in self._explained:
            return shown
        self._explained.add((name, ""))
        try:
            plural = self._catalogue.table(name).plural
        except KeyError:
            return shown
        if any(_says_the_same(plural, said) for said in (name, f"{name} records", f"{name}s")):
            return shown
        return f"{shown} [{_quoted_data(plural)}]"

    def column(self, table: str, name: str) -> str:
        """Return what a column means, in brackets; empty where that was said or is not known."""
        if self._catalogue is None or (table, name) in self._explained:
            return ""
        self._explained.add((table, name))
        try:
            column = self._catalogue.column(table, name)
        except KeyError:
            return ""
        said = _said_of(column)
        return f" [{said}]" if said else ""


def _says_the_same(phrase: str, name: str) -> bool:
    return _squeezed(phrase) == _squeezed(name)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _said_of(column: CatalogueColumn) -> str:
    parts: list[str] = []
    if column.phrase and not _says_the_same(column.phrase, column.name):
        parts.append(_quoted_data(column.phrase))
    meaning = _quoted_data(column.meaning)
    if meaning and not any(_says_the_same(meaning, said) for said in (column.name, column.phrase)):
        parts.append(meaning)
    said = ": ".join(parts)
    unit = _quoted_data(column.unit)
    if unit and _squeezed(unit) not in _squeezed(said or column.name):
        said = f"{said}, in {unit}" if said else f"in {unit}"
    return said


def _quoted_data(text: str) -> str:
    """Return words of a document so that they cannot be taken for a part of the description."""
    line = " ".join(text.split()).translate(str.maketrans("[]", "()")).rstrip(".;")
    if len(line) <= _LONGEST_MEANING:
        return line
    return line[:_LONGEST_MEANING].rsplit(" ", 1)[0] + "…"
