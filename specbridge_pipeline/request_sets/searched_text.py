"""A request as the requirements reviewer searches it: one line of plain words, names joined."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from specbridge_pipeline.catalogue.model import Catalogue, CatalogueColumn, CatalogueTable

_PIECES = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|[^\W_]+|>=|<=|[≥≤<>=.,;:?()]")

_CARDINALS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_ORDINALS = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "hundred": 100}
_DIGITS = {
    **{word: str(number) for number, word in enumerate(_CARDINALS)},
    **{word: str(number) for word, number in _TENS.items()},
    # "first" and "second" have other uses, as in "first average, then": they stay words.
    **{word: f"{number}th" for number, word in enumerate(_ORDINALS) if number > 2},
}

_NO_PLURALS = frozenset(
    [
        "has",
        "is",
        "was",
        "this",
        "its",
        "as",
        "us",
        "does",
        "plus",
        "less",
        "minus",
        "across",
        "always",
        "whose",
        "various",
        "series",
        "status",
        "versus",
        "thus",
        "gas",
        "bus",
        "lens",
        "bias",
    ]
)
_IRREGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child"}

_END_OF_SENTENCE = r"[.;?]"


def plain_words(text: str) -> list[str]:
    """Return a text as words in lower case and the singular, numbers as digits, and marks.

    Args:
        text: English.

    Returns:
        Words and marks in order: "Ten teams' averages." is 10, team, average, and a full stop.
    """
    text = re.sub(r"[’']s\b|[’'\"“”‘`]", " ", text.lower())
    return [_plain(piece) for piece in _PIECES.findall(text)]


def phrase_pattern(phrase: str) -> str:
    """Return a pattern that finds a name in a searched text, in the singular or plural.

    A word of three letters or more may be written out: "dep" also finds "departure".
    """
    return "_".join(re.escape(word) for word in plain_words(phrase))


def table_names(table: CatalogueTable) -> tuple[str, ...]:
    """Return what a request may call the rows of a table.

    Of a long name the last two words will do: "award records" for player award records.
    """
    names = [table.singular, table.plural, table.name]
    names += [
        " ".join(name.split()[-2:])
        for name in (table.singular, table.plural)
        if name.count(" ") > 1
    ]
    return _different(names)


def column_names(column: CatalogueColumn) -> tuple[str, ...]:
    """Return what a request may call a column or its values."""
    names = [column.phrase, column.singular, column.plural, column.name]
    names += [re.sub(r"[\s_](?:id|code|name|number)$", "", name) for name in names]
    return _different(names)


def entity_names(catalogue: Catalogue, table: str, column: str) -> tuple[str, ...]:
    """Return what a request may call the values of a column, or what they stand for.

    A column that is its table's key, or refers to another table, stands for the rows of that table.
    """
    names = [*column_names(catalogue.column(table, column))]
    own = catalogue.table(table)
    if [each.lower() for each in own.key] == [column.lower()]:
        names += table_names(own)
    for link in catalogue.relationships_of(table):
        if [each.lower() for each in link.child_columns] == [column.lower()]:
            names += table_names(catalogue.table(link.parent))
    return _different(names)


def names_pattern(names: Iterable[str]) -> str:
    """Return a pattern that finds any of several names in a searched text."""
    patterns = sorted({phrase_pattern(name) for name in names} - {""}, key=lambda each: -len(each))
    return f"(?:{'|'.join(patterns)})" if patterns else "(?!)"


class SearchedText:
    """A request, ready to be searched.

    Args:
        text: The request.
        catalogue: The database. The words of each of its names are joined by underscores, the
            longest name first, so that "runs" is not found in "home runs".
    """

    def __init__(self, text: str, catalogue: Catalogue) -> None:
        self.words = _joined(text, catalogue)

    def has(self, pattern: str) -> bool:
        """Say whether whole words match a pattern."""
        return _compiled(pattern).search(self.words) is not None

    def found(self, pattern: str) -> list[str]:
        """Return every match of a pattern, without overlaps."""
        return [match[0] for match in _compiled(pattern).finditer(self.words)]

    def sentences(self) -> list[str]:
        """Return its sentences, each with its mark."""
        pieces = re.split(rf"(?<= {_END_OF_SENTENCE}) ", self.words)
        return [f" {piece.strip()} " for piece in pieces if piece.strip()]

    def narrowed(self, words: str) -> SearchedText:
        """Return a part of it as a text of its own."""
        part = object.__new__(SearchedText)
        part.words = f" {words.strip()} "
        return part


def _plain(word: str) -> str:
    if word in _DIGITS:
        return _DIGITS[word]
    if word[0].isdigit():
        number = word.replace(",", "")
        if re.fullmatch(r"\d+(?:\.\d+)?", number):
            return f"{float(number):.15g}"
        return re.sub(r"(?<=\d)(?:st|nd|rd)$", "th", number)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word in _NO_PLURALS or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def _joined(text: str, catalogue: Catalogue) -> str:
    line = f" {' '.join(plain_words(text))} "
    for pattern, name in _joiners(catalogue):
        line = pattern.sub(name, line)
    return line


@lru_cache(maxsize=64)
def _joiners(catalogue: Catalogue) -> tuple[tuple[re.Pattern[str], str], ...]:
    names: set[tuple[str, ...]] = set()
    for table in catalogue.tables:
        spoken = [*table_names(table)]
        for column in table.columns:
            spoken += column_names(column)
        names |= {tuple(plain_words(name)) for name in spoken}
    listed = sorted(names - {()}, key=lambda words: (-len(words), words))
    known = {word for words in names for word in words}
    return tuple(
        (re.compile(f"(?<= ){' '.join(_written(word, known) for word in words)}(?= )"), joined)
        for words in listed
        if (joined := "_".join(words))
    )


def _written(word: str, known: set[str]) -> str:
    """Return a pattern for a word of a name, which may be an abbreviation."""
    if len(word) < 3 or not word.isalpha():
        return re.escape(word)
    others = "|".join(sorted(each for each in known if each.startswith(word) and each != word))
    guard = rf"(?!(?:{others}) )" if others else ""
    return rf"{guard}{re.escape(word)}(?:[a-z]{{3,}}(?<!er)(?<!ing)(?<!ed))?"


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<= )(?:{pattern})(?= )")


def _different(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name.strip()))
