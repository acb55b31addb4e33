"""The words of a request, tagged: names of the catalogue, numbers, places, values."""

from __future__ import annotations

import re
from functools import lru_cache

from specbridge_pipeline.catalogue.model import Catalogue

Reference = tuple[str, str]
"""A table and one of its columns; the column is empty for the table's rows."""

Nouns = frozenset[Reference]
"""All that a noun can refer to."""

_Lexicon = dict[str, list[tuple[tuple[str, ...], Nouns]]]

_TOKENS = re.compile(
    r"""
    (?<!\w)'(?P<single>[^']+(?:''[^']*)*)'(?!\w) | "(?P<double>[^"]+)"
    | (?P<date>\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?)
    | (?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<ending>[A-Za-z]\w*)?
    | (?P<word>[^\W\d_][\w]*)(?:'s|’s|'|’)?
    | (?P<mark>[.,;:?()]) | (?P<sign>>=|<=|[<>=≥≤])
    """,
    re.VERBOSE,
)
_CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_NUMBER_WORDS = {word: number for number, word in enumerate(_CARDINALS.split())}
_PLACES = (
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_PLACE_WORDS = {word: number for number, word in enumerate(_PLACES.split(), start=3)}


class TaggedWords:
    """A request with its words tagged.

    Args:
        text: The request.
        catalogue: The database, whose names are the nouns that are known.

    Attributes:
        line: Its words in lower case; a noun as ``<i>``, a number as ``#n``, a place ("tenth") as
            ``@n``, and a value (quoted, or a name with a capital) as ``"i"``.
        nouns: The nouns, each with its words.
        values: The values.
    """

    def __init__(self, text: str, catalogue: Catalogue) -> None:
        self.nouns: list[tuple[str, Nouns]] = []
        self.values: list[str] = []
        self.line = self._tagged(text, catalogue)

    def named(self, tagged: str) -> list[Nouns]:
        """Return what each noun in a part of the line can refer to."""
        return [self.nouns[int(index)][1] for index in re.findall(r"<(\d+)>", tagged)]

    def named_at_all(self, tagged: str) -> Nouns:
        """Return what any noun in a part of the line can refer to."""
        return frozenset().union(*self.named(tagged))

    def spoken(self, tagged: str) -> str:
        """Return a part of the line in words."""
        spoken = re.sub(r"<(\d+)>", lambda found: self.nouns[int(found[1])][0], tagged)
        spoken = re.sub(r'"(\d+)"', lambda found: f"'{self.values[int(found[1])]}'", spoken)
        return re.sub(r" (?=[.,;:?)])", "", spoken.replace("#", "").replace("@", "")).strip()

    def _tagged(self, text: str, catalogue: Catalogue) -> str:
        tokens = list(_TOKENS.finditer(text))
        lexicon = _lexicon(catalogue)
        pieces: list[str] = []
        index, starts = 0, True
        while index < len(tokens):
            token = tokens[index]
            word = token["word"]
            quoted = token["single"] or token["double"] or token["date"]
            step = 1
            if quoted:
                pieces.append(self._value(quoted))
            elif token["number"]:
                pieces.append(self._number(token["number"], token["ending"] or ""))
            elif token["mark"] or token["sign"]:
                pieces.append(token["mark"] or token["sign"])
            else:
                length, references = _longest_name(tokens, index, lexicon)
                if length == 1 and _is_used_otherwise(tokens, index):
                    length = 0
                value = _capitalised(tokens, index, starts)
                if length and length >= len(value):
                    words = " ".join(tokens[index + at]["word"].lower() for at in range(length))
                    self.nouns.append((words, references))
                    pieces.append(f"<{len(self.nouns) - 1}>")
                    step = length
                elif value:
                    pieces.append(self._value(" ".join(value)))
                    step = len(value)
                elif word.lower() in _TRUTH_VALUES and pieces[-1:] in (["is"], ["not"]):
                    pieces.append(self._value(word.lower()))
                else:
                    pieces.append(_plain_word(word))
            starts = bool(token["mark"]) and token["mark"] in ".?:;"
            index += step
        return " ".join(pieces)

    def _value(self, text: str) -> str:
        self.values.append(text.replace("''", "'"))
        return f'"{len(self.values) - 1}"'

    def _number(self, digits: str, ending: str) -> str:
        number = digits.replace(",", "")
        if ending.lower() in ("st", "nd", "rd", "th"):
            return f"@{number}"
        if ending:
            return self._value(digits + ending)
        return f"#{number}"


def _plain_word(word: str) -> str:
    lower = word.lower()
    if lower in _NUMBER_WORDS and lower != "one":
        return f"#{_NUMBER_WORDS[lower]}"
    return f"@{_PLACE_WORDS[lower]}" if lower in _PLACE_WORDS else lower


_TRUTH_VALUES = frozenset({"true", "false"})
_QUANTITIES = (
    "number numbers total totals average averages rate rates share value values maximum maximums "
    "minimum minimums difference differences"
)
_QUANTITY_WORDS = frozenset(_QUANTITIES.split())


def _is_used_otherwise(tokens: list[re.Match[str]], index: int) -> bool:
    """Say whether a word that some column has as its name means a quantity here.

    "The number of races" and "that number" do, "the average number" does not.
    """
    if tokens[index]["word"].lower() not in _QUANTITY_WORDS:
        return False
    before = (tokens[index - 1]["word"] or "").lower() if index else ""
    after = (tokens[index + 1]["word"] or "").lower() if index + 1 < len(tokens) else ""
    return before in ("that", "these", "those", "whose", "highest", "lowest", "a") or (
        after in ("of", "is", "are", "above", "below", "that", "for")
    )


def _capitalised(tokens: list[re.Match[str]], index: int, starts: bool) -> list[str]:
    """Return the words of a name that begins here; empty where none does."""
    name: list[str] = []
    for token in tokens[index:]:
        word = token["word"]
        if not word or not word[0].isupper():
            break
        first = not name and starts
        if first and not (len(word) > 1 and word.isupper()) and not any(c.isdigit() for c in word):
            break
        if word in ("I", "A") or word.lower() in _NUMBER_WORDS:
            break
        name.append(word)
    return name


def _longest_name(
    tokens: list[re.Match[str]],
    index: int,
    lexicon: _Lexicon,
) -> tuple[int, Nouns]:
    """Return how many words from here are a name of the catalogue, and what it refers to."""
    best, references = 0, Nouns()
    first = (tokens[index]["word"] or "").lower()
    for words, refers in lexicon.get(first[:2], ()):
        if len(words) < best or index + len(words) > len(tokens):
            continue
        spoken = [tokens[index + at]["word"] or "" for at in range(len(words))]
        if all(_same_word(said.lower(), word) for said, word in zip(spoken, words, strict=True)):
            references = references | refers if len(words) == best else refers
            best = len(words)
    return best, references


def _same_word(said: str, word: str) -> bool:
    """Say whether a word is a word of a name, in the singular or plural, or what it abbreviates."""
    if _one(said) == _one(word):
        return True
    return (
        len(word) >= 3
        and len(said) >= len(word) + 3
        and said.startswith(word)
        and said[-3:] not in ("ing", "ers")
        and said[-2:] not in ("er", "ed")
    )


def _one(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", "")):
        if (
            word.endswith(ending)
            and len(word) > len(ending) + 2
            and not word.endswith(("ss", "us", "is"))
        ):
            return word[: -len(ending)] + instead
    return word


@lru_cache(maxsize=64)
def _lexicon(
    catalogue: Catalogue,
) -> _Lexicon:
    """Return names by their first two letters: the words of each, and what it can refer to."""
    names: dict[tuple[str, ...], set[Reference]] = {}

    def add(name: str, reference: Reference) -> None:
        words = tuple(re.findall(r"[^\W_]+", name.lower()))
        if words:
            names.setdefault(words, set()).add(reference)

    for table in catalogue.tables:
        # Of a long name the last two words will do: "award records" for player award records.
        short = [
            " ".join(name.split()[-2:])
            for name in (table.singular, table.plural)
            if name.count(" ") > 1
        ]
        for name in (table.singular, table.plural, table.name, *short):
            add(name, (table.name, ""))
            if len(table.key) == 1:
                add(name, (table.name, table.column(table.key[0]).name))
        for column in table.columns:
            for name in (column.phrase, column.singular, column.plural, column.name):
                add(name, (table.name, column.name))
    for link in catalogue.relationships:
        if len(link.child_columns) == 1:
            parent = catalogue.table(link.parent)
            for name in (parent.singular, parent.plural):
                add(name, (link.child, link.child_columns[0]))
    lexicon: _Lexicon = {}
    for words in sorted(names, key=lambda each: (len(each), each)):
        lexicon.setdefault(words[0][:2], []).append((words, frozenset(names[words])))
    return lexicon
