"""Small words that all choices use: numbers, places, superlatives."""

from __future__ import annotations

import re

_PREPOSITION = re.compile(r" (?:of|in|per|for|to|from) ")
_NUMBERS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_PLACES = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)


def number_word(number: int) -> str:
    """Return a number as it stands in a sentence: a word up to twelve, then digits."""
    return _NUMBERS[number - 1] if 1 <= number <= len(_NUMBERS) else f"{number:,}"


def place_word(place: int) -> str:
    """Return a place as it stands in a sentence: "tenth", "21st"."""
    if 1 <= place <= len(_PLACES):
        return _PLACES[place - 1]
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10)
    return f"{place:,}{ending or 'th'}"


def last_word(name: str) -> str:
    """Return the noun of a name: "record" for "salary record"."""
    return name.split()[-1] if name.split() else name


def row_word(name: str) -> str:
    """Return a row noun where it is said again: "record" for "salary record".

    Any other noun stays whole: "every maker" of "car makers" might be something else.
    """
    return "record" if last_word(name) == "record" else name


def listed(names: list[str]) -> str:
    """Return names as a list in words: "team, league and year"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def looks_plural(name: str) -> bool:
    """Say whether a name reads as a plural: "home runs", not "status" or "number of seats"."""
    word = last_word(_PREPOSITION.split(name)[0]).lower()
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def capitalised(text: str) -> str:
    """Return a text with its first letter as a capital, the others as they are."""
    return text[:1].upper() + text[1:]
