"""An exact description without what it repeats or explains."""

from __future__ import annotations

import re

_PLAIN_WORDS = (
    "a all alike an and any are as at average back be becomes beside between both by calculation "
    "cannot column columns combination come counted counts cut decimals descending determined "
    "different divided division each either else equals every fewer first for form from gives "
    "greater group groups has if in is it its keep keeps kept largest last least leaves left less "
    "match matches minus missing more most name names no not nothing null number of on once one "
    "only or order ordered other out over own pair place places plus position put quotient rank "
    "remaining repeated resulting return returned row rows same share single smallest sort step "
    "still sum take taken text than that the their them there these they this those tied times "
    "together total unit until value values when where which while whole with within without work "
    "zero "
)
PLAIN_WORDS = frozenset(_PLAIN_WORDS.split())
"""Words of plain sentences, which can be names of columns too."""
_EXPLANATION = re.compile(r"\s*\[[^\[\]]*\]")
_REMINDER = re.compile(
    r"(\b\d+[a-z]+\b(?: of (?:the \w+ )?step \d+ row)?) \([^()]*(?:\([^()]*\)[^()]*)*\)"
)
_TIES = re.compile(r"Where (?:several )?rows are tied[^.]*\.")
_PLACES = re.compile(r"; tied \w+ share a place[^)]*\)")


def without_explanations(text: str) -> str:
    """Return a description without the meanings that stand in brackets.

    Args:
        text: The description.
    """
    while True:
        shorter = _EXPLANATION.sub("", text)
        if shorter == text:
            return text
        text = shorter


def without_reminders(text: str) -> str:
    """Return a description without what it only says again.

    That is the words behind a label that remind of its value, and what becomes of tied rows.

    Args:
        text: The description without explanations.
    """
    return _PLACES.sub("", _TIES.sub("", _REMINDER.sub(r"\1", text)))
