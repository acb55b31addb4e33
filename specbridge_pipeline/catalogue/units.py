"""Units of measure as names and documents state them, and what is measured in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from specbridge_pipeline.catalogue.model import Dimension, Quantity
from specbridge_pipeline.catalogue.naming import plural, singular
from specbridge_pipeline.catalogue.unit_words import (
    SCALES,
    UNITS,
    UNITS_OF_DOCUMENTS,
    UNITS_OF_NAMES,
    UNITS_OF_PROPERTIES,
)

_UNIT = r"[^\W\d_$€£¥%°][\w/ $€£%°²³^-]{0,30}?|[%°$€£¥µ][\w/ ]{0,12}?"
_STATEMENTS = (
    # So say BIRD's documents: the unit is dollar.
    re.compile(
        r"\bunits?(?: of [\w ]{1,30}?)?\s*(?:is|are|[:：=])\s*(?:the |an? )?"
        rf"(?P<unit>{_UNIT})\s*(?:[.,;)(]|$|\bcommonsense\b)",
        re.I,
    ),
    re.compile(rf"[(\[](?:in )?(?P<unit>{_UNIT})[)\]]", re.I),
    re.compile(
        r"\b(?:measured |expressed |given |recorded )?in (?P<unit>"
        r"(?:thousand|million|billion)s? of \w+(?: \w+)?|[^\W\d_]+ per [^\W\d_]+"
        r"|(?:us|czech|square|cubic|light|degrees?)[ -][^\W\d_]+"
        r"|[^\W\d_]{1,14}/[^\W\d_]{1,8}|[^\W\d_]+|[%$€£°]\w?)",
        re.I,
    ),
    re.compile(r"\bas an? (?:[^\W\d_]+ )?(?P<unit>percentage|percent)\b", re.I),
)
_SHORTEST_WORD_ALONE = 2
"""After a bare "in", a single letter is a word of the sentence sooner than a unit."""
_LONGEST_UNIT = 40


def stated_unit(text: str) -> str:
    """Return the unit that a document's text states for a column; empty without one.

    After "unit:" it is taken as the text words it; in parentheses, and after a bare "in", only
    what is known as a unit, or one known unit per another, is one.

    Args:
        text: A sentence or two of a document.

    Returns:
        The unit in words, in the plural: "US dollars", "kilometres per second".
    """
    for place, pattern in enumerate(_STATEMENTS):
        for found in pattern.finditer(text):
            said = " ".join(found["unit"].split())
            if place == 2 and len(said) < _SHORTEST_WORD_ALONE and said.isalpha():
                continue
            unit = known_unit(said)
            # "In millions" may be of anything, and "in days" when, not how long.
            if unit and not (place == 2 and unit in SCALES):
                return unit
            if place == 0 and said:
                return said[:_LONGEST_UNIT]
    return ""


def known_unit(text: str) -> str:
    """Return what a unit is called that a text writes in words or symbols; empty if unknown.

    Args:
        text: "km", "US dollar", "km/s", "points per square metre", "million USD".
    """
    lowered = " ".join(text.strip().split())
    if (unit := UNITS_OF_DOCUMENTS.get(_folded(lowered))) is not None:
        return unit.name
    above, slash, below = lowered.replace(" per ", "/").partition("/")
    if slash:
        divisor = UNITS_OF_DOCUMENTS.get(_folded(below))
        if divisor is None or divisor.per is not None or divisor.name in SCALES:
            return ""
        divided = UNITS_OF_DOCUMENTS.get(_folded(above))
        name = divided.name if divided else plural(above.strip().lower())
        if divided is None and not re.fullmatch(r"[^\W\d_]{4,20}", above.strip()):
            return ""
        return f"{name} per {singular(divisor.name)}"
    first, space, rest = lowered.partition(" ")
    scale = UNITS_OF_DOCUMENTS.get(_folded(first))
    if space and scale is not None and scale.name in SCALES:
        of = UNITS_OF_DOCUMENTS.get(_folded(rest.removeprefix("of ")))
        return f"{scale.name} of {of.name}" if of is not None else ""
    return ""


def unit_in(words: Iterable[str]) -> str:
    """Return the unit that a name's words hold; empty without one.

    Args:
        words: The words of a column's name.

    Returns:
        The unit in words: "centimetres", "pages per minute", "millions of US dollars".
    """
    listed = [word.lower() for word in words]
    rate = _rate_in(listed)
    if rate is not None:
        return rate
    scale = next((place for place, word in enumerate(listed) if _is_scale(word)), None)
    unit = _plain_unit_in(listed)
    if scale is None:
        return unit
    name = UNITS_OF_NAMES[listed[scale]].name
    return f"{name} of {unit}" if unit and unit not in SCALES else name


def dimension_of_unit(unit: str) -> Dimension | None:
    """Return what is measured in a unit.

    Args:
        unit: As this module returns units.

    Returns:
        The dimension; None where the unit does not say it ("millions"). What stands before "per"
        and is no unit is counted: "pages per minute" is a count of pages per duration.
    """
    if (known := UNITS.get(unit)) is not None:
        if known.quantity is Quantity.UNKNOWN:
            return None
        return Dimension(known.quantity, per=known.per)
    scale, of, rest = unit.partition(" of ")
    if of and scale in SCALES:
        return dimension_of_unit(rest)
    above, per, below = unit.partition(" per ")
    if not per:
        return None
    divisor = UNITS.get(plural(below))
    if divisor is None or divisor.per is not None or divisor.quantity is Quantity.UNKNOWN:
        return None
    divided = UNITS.get(above)
    if divided is None:
        return Dimension(Quantity.COUNT, singular(above), divisor.quantity)
    if divided.per is not None or divided.quantity is Quantity.UNKNOWN:
        return None
    return Dimension(divided.quantity, per=divisor.quantity)


def adds_up(unit: str) -> bool:
    """Return whether values in a unit are usually amounts that add up over rows."""
    scale, of, rest = unit.partition(" of ")
    known = UNITS.get(rest if of and scale in SCALES else unit)
    return known is not None and known.adds_up


def never_adds_up(unit: str) -> bool:
    """Return whether a unit is one of properties, such as lux or light years, never of amounts."""
    known = UNITS.get(unit)
    return known is not None and (known.quantity is Quantity.UNKNOWN or unit in UNITS_OF_PROPERTIES)


def _folded(text: str) -> str:
    return " ".join(text.lower().replace("-", " ").split()) if " " in text else text.lower()


def _is_scale(word: str) -> bool:
    unit = UNITS_OF_NAMES.get(word)
    return unit is not None and unit.name in SCALES


def _rate_in(listed: Sequence[str]) -> str | None:
    """Return the unit of "pages per minute"; None where the words say no such thing."""
    if "per" not in listed[1:-1]:
        return None
    place = listed.index("per", 1)
    divisor = UNITS_OF_DOCUMENTS.get(listed[place + 1])
    if divisor is None or divisor.per is not None or len(listed[place + 1]) < 3:
        return ""
    divided = UNITS_OF_NAMES.get(listed[place - 1])
    name = divided.name if divided else plural(listed[place - 1])
    return f"{name} per {singular(divisor.name)}"


def _plain_unit_in(listed: Sequence[str]) -> str:
    for place in reversed(range(len(listed))):
        word = listed[place]
        pair = " ".join(listed[max(place - 1, 0) : place + 1])
        unit = UNITS_OF_NAMES.get(pair) or UNITS_OF_NAMES.get(word)
        if unit is None or unit.name in SCALES:
            continue
        # "pounds" and "degrees" alone may be a currency and university degrees.
        if place == 0 and word == unit.name and word in ("degrees", "pounds"):
            continue
        squared = UNITS.get(f"square {unit.name}")
        if squared is not None and listed[place + 1 : place + 2] == ["2"]:
            return squared.name
        return unit.name
    return ""
