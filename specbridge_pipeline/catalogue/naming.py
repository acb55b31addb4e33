"""The words that stand for tables and columns in a sentence, made from their names by rules."""

from __future__ import annotations

import re

from specbridge_pipeline.catalogue.vocabulary import (
    ABBREVIATIONS,
    CODE_LIKE,
    COMPOUNDS,
    INVARIABLE,
    IRREGULAR_PLURALS,
    MASS_NOUNS,
    PREPOSITIONS,
    RECORD_WORDS,
    UNIT_ENDINGS,
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+|[^\W\d_]+")
_PLAIN_ENDING = re.compile(r"(?:ss|us|is)$")
_ADDS_ES = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")

_RUN_TOGETHER_ID = re.compile(r"[a-z]{1,6}(?:id|no)|[a-z]", re.I)
"""Names like "dormid" and "p" (of "pID"), which say less than the table that they refer to."""

IDENTIFIER_WORDS = frozenset({"id", "ids", "uuid", "guid"})
"""Last words that make a column the identifier of something."""

CODE_WORDS = frozenset({"code", "key", "number", "abbreviation", "symbol", "reference"})
"""Last words that make a column a code of something; whether it identifies the data decide."""

_VAGUE = frozenset(
    {
        "name",
        "type",
        "status",
        "category",
        "kind",
        "class",
        "code",
        "number",
        "description",
        "title",
        "date",
        "level",
        "rank",
        "position",
        "details",
        "comment",
        "comments",
        "notes",
        "text",
        "state",
        "label",
        "value",
        "other details",
    }
)
"""Phrases that say too little without the noun of their table."""


def words_of(name: str) -> tuple[str, ...]:
    """Split a name into words.

    Args:
        name: The name of a table or column: snake_case, camelCase, with digits or without.

    Returns:
        Its words in lower case, common abbreviations written out; capitals in a name of mixed
        case stay capitals ("GNPOld": "GNP", "old"). Empty for a name without letters or digits.
    """
    found: list[str] = []
    for part in re.split(r"[\W_]+", name):
        is_known = part.lower() in COMPOUNDS or part.lower() in ABBREVIATIONS
        pieces = [part] if is_known else _WORD.findall(part)
        # "A11" and "2nd" are one word each, "address2" is two.
        joined: list[str] = []
        for piece in pieces:
            if joined and ((piece.isdigit() and len(joined[-1]) <= 2) or joined[-1].isdigit()):
                joined[-1] += piece
            else:
                joined.append(piece)
        found += joined
    mixed = any(letter.islower() for letter in name)
    words: list[str] = []
    for word in found:
        lowered = word.lower()
        if lowered in COMPOUNDS:
            words += COMPOUNDS[lowered].split()
        elif lowered in ABBREVIATIONS:
            words += ABBREVIATIONS[lowered].split()
        elif _is_acronym(word, mixed):
            words.append(word)
        else:
            words.append(lowered)
    return tuple(words)


def singular(noun: str) -> str:
    """Return the singular of a noun phrase by the spelling of its last word.

    A participle at the end stays, and the noun before it changes: "outs pitched" becomes
    "out pitched".
    """
    if (split := _at_preposition(noun)) is not None:
        head, rest = split
        return f"{singular(head)} {rest}" if head.split()[-1] != "number" else noun
    head, word = _last_word(noun)
    if head and _is_participle(word):
        return f"{singular(head.rstrip())} {word}"
    return head + _singular_word(word)


def plural(noun: str) -> str:
    """Return the plural of a noun phrase by the spelling of its last word.

    Where a preposition joins the phrase, the word before it is changed: "date of birth" becomes
    "dates of birth".
    """
    if (split := _at_preposition(noun)) is not None:
        return f"{plural(split[0])} {split[1]}"
    head, word = _last_word(noun)
    if _is_participle(word):
        return f"{plural(head.rstrip())} {word}" if head else word
    return head + _plural_word(word)


def is_plural(word: str) -> bool:
    """Tell whether a word is spelled as a plural."""
    lowered = word.lower()
    if lowered in INVARIABLE or lowered in MASS_NOUNS:
        return False
    return _singular_word(word) != word


def row_noun(table: str, *, links: bool) -> tuple[str, str]:
    """Return what one row of a table is called, and several.

    Args:
        table: The table's name.
        links: Whether the table's key is made of references to other tables.

    Returns:
        Singular and plural: ("team", "teams"), ("batting record", "batting records").
    """
    words = [word for word in words_of(table) if word not in ("table", "tbl", "tb")]
    words = words or ["row"]
    if words[-1] == "list" and len(words) > 1:
        words.pop()
    last = words[-1].lower()
    if last == "record":
        return " ".join(words), " ".join([*words[:-1], "records"])
    joined = any(word in PREPOSITIONS or word == "and" for word in words[1:])
    starts_with_verb = words[0] in ("has", "is")
    is_activity = last.endswith("ing") and len(last) > 5
    if joined or starts_with_verb or last in MASS_NOUNS or last in RECORD_WORDS or is_activity:
        if last == "data" and len(words) > 1 and not joined:
            words = [*words[:-2], singular(words[-2]), "data"]
        name = " ".join(words) if joined else singular(" ".join(words))
        return f"{name} record", f"{name} records"
    if links and not is_plural(words[-1]):
        name = " ".join(words)
        return f"{name} record", f"{name} records"
    one = singular(" ".join(words))
    return one, plural(one)


def column_noun(
    name: str, row: tuple[str, str], *, identifies: bool, own_key: bool, stands_for: str | None
) -> tuple[str, str, str]:
    """Return what a column is called, what one of its values stands for, and several.

    Args:
        name: The column's name.
        row: Singular and plural of its table's rows.
        identifies: Whether its role is an identifier.
        own_key: Whether it alone is the key of its table.
        stands_for: The row noun of the table that it refers to, if it refers to one; used where
            the column's own name says no noun.

    Returns:
        (phrase, singular, plural): ("team id", "team", "teams").
    """
    words = words_of(name) or ("column",)
    if words[0] == "number" and len(words) > 1 and words[1] != "of" and not identifies:
        words = ("number", "of", *words[1:])
    phrase = " ".join(words)
    if identifies:
        is_reference = own_key or stands_for is not None
        # A code that is neither key nor reference may repeat: it stands for itself.
        is_code = is_reference and words[-1] in CODE_WORDS and not CODE_LIKE & set(words)
        is_id = words[-1] in IDENTIFIER_WORDS
        rest = words[:-1] if is_id or is_code else words
        noun = " ".join(rest)
        if len(words) == 1 and (is_id or words[-1] in CODE_WORDS):
            phrase = f"{row[0]} {phrase}"
            noun = phrase if not (is_id or is_code) else stands_for or row[0]
        elif stands_for is not None and (
            PREPOSITIONS & set(rest) or _RUN_TOGETHER_ID.fullmatch(rest[-1])
        ):
            noun = stands_for
        if own_key and (stands_for is None or not rest):
            noun = row[0]
        one = singular(noun)
        return phrase, one, plural(one)
    if phrase in _VAGUE and len(row[0].split()) <= 3:
        owner = row[0].removesuffix(" record")
        # "transaction type type" and "school name name" say no more.
        if owner.split()[-1] != phrase:
            phrase = f"{owner} {phrase}"
    if words[0] in ("is", "has"):
        return phrase, phrase, phrase
    phrase = without_unit(phrase)
    one = singular(phrase)
    return phrase, one, plural(one)


def without_unit(phrase: str) -> str:
    """Return a phrase without the abbreviated unit at its end: "height cm" is a height."""
    words = phrase.split(" ")
    end = len(words)
    if words[-1] == "2" and end > 1:
        end -= 1
    if end < 2 or words[end - 1].lower() not in UNIT_ENDINGS:
        return phrase
    end -= 1
    if end > 1 and words[end - 1] == "in":
        end -= 1
    return " ".join(words[:end])


def _is_acronym(word: str, in_mixed_case: bool) -> bool:
    if len(word) < 2 or not word.isupper() or word.lower() in IDENTIFIER_WORDS:
        return False
    # In a name that is all capitals, only what nobody could pronounce.
    return in_mixed_case or not set(word) & set("AEIOUY")


def _at_preposition(noun: str) -> tuple[str, str] | None:
    """Return a phrase cut before its first preposition; None without one."""
    words = noun.split(" ")
    for place, word in enumerate(words):
        if place and word in PREPOSITIONS:
            return " ".join(words[:place]), " ".join(words[place:])
    return None


def _is_participle(word: str) -> bool:
    return word.lower().endswith("ed") and word.lower() not in ("seed", "bed", "speed", "breed")


def _last_word(noun: str) -> tuple[str, str]:
    head, space, word = noun.rpartition(" ")
    return head + space, word


def _singular_word(word: str) -> str:
    lowered = word.lower()
    if (
        word.isupper()
        or word[-1:].isdigit()
        or lowered in INVARIABLE
        or lowered in MASS_NOUNS
        or len(word) < 3
    ):
        return word
    for one, many in IRREGULAR_PLURALS.items():
        if lowered == many:
            return one
    if not lowered.endswith("s") or _PLAIN_ENDING.search(lowered):
        return word
    if lowered.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:sses|shes|ches|xes|zzes|uses)$", lowered) and not lowered.endswith(
        ("houses", "causes", "aches", "axes", "clauses", "purchases")
    ):
        return word[:-2]
    return word[:-1]


def _plural_word(word: str) -> str:
    lowered = word.lower()
    if lowered in INVARIABLE or lowered in MASS_NOUNS or word[-1:].isdigit():
        return word
    if lowered in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[lowered]
    if word.isupper() and len(word) > 1:
        return word + "s"
    if _singular_word(word) != word:
        return word
    if _CONSONANT_Y.search(lowered):
        return word[:-1] + "ies"
    if _ADDS_ES.search(lowered):
        return word + "es"
    return word + "s"
