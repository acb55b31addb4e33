"""The nouns that a question asks a number of."""

from __future__ import annotations

import re

from specbridge_pipeline.catalogue.naming import singular

_COUNTED = re.compile(
    r"\b(?:how many|number of|numbers of|count of|count the|amount of)\s+((?:[\w'-]+\s?){1,5})",
    re.IGNORECASE,
)
_ENDS = frozenset(
    (
        *("of", "in", "on", "at", "by", "for", "from", "with", "to", "who"),
        *("that", "which", "whose", "are", "is", "was", "were", "have", "has", "had"),
        *("do", "does", "did", "there", "can", "and", "or", "each", "per", "than"),
        *("where", "when", "under", "over", "made", "whom", "also"),
    )
)
"""Words at which a noun phrase is over."""

_MOST = re.compile(r"\b(?:most|fewest|least|more|fewer)\s+((?:[\w'-]+\s?){1,4})", re.IGNORECASE)


def counted_nouns(question: str) -> tuple[str, ...]:
    """Return the nouns, in the singular, that a question counts.

    Args:
        question: The question.

    Returns:
        The last word of each noun phrase after "how many", "number of", "most" and the like, and
        of a phrase before a participle its noun too, in order.
    """
    found: list[str] = []
    for pattern in (_COUNTED, _MOST):
        for match in pattern.finditer(question):
            phrase = []
            for word in match.group(1).lower().split():
                if word in _ENDS:
                    break
                phrase.append(word)
            found += [singular(word.strip("'-")) for word in phrase if word.strip("'-")]
    return tuple(dict.fromkeys(found))
