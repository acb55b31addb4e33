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
_NUMBERED = re.compile(r"(?<=\bnumbered )from 1 ")
_SAME_MATCHES = "Matches are treated in the same way."
_MATCHES = re.compile(r"A row with several matches is repeated[^.]*\.|" + re.escape(_SAME_MATCHES))
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

    That is the words behind a label that remind of its value, and what becomes of tied rows. Where
    it says that something is as before, what was before is put in its place.

    Args:
        text: The description without explanations.
    """
    shorter = _NUMBERED.sub("", _PLACES.sub("", _TIES.sub("", _REMINDER.sub(r"\1", text))))
    said = ""

    def in_full(found: re.Match[str]) -> str:
        nonlocal said
        said = found[0] if found[0] != _SAME_MATCHES else said
        return said or found[0]

    return _MATCHES.sub(in_full, shorter)
