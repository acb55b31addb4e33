"""What a measure is a number of: its unit and dimension, and whether its values add up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from specbridge_pipeline.catalogue.column_context import (
    ColumnContext,
    as_number,
    with_singulars,
)
from specbridge_pipeline.catalogue.model import Dimension, Quantity
from specbridge_pipeline.catalogue.naming import plural, singular, words_of
from specbridge_pipeline.catalogue.unit_words import (
    NOT_ADDED_QUANTITIES,
    QUANTITY_WORDS,
    RATE_WORDS,
    SCALES,
)
from specbridge_pipeline.catalogue.units import adds_up, dimension_of_unit, stated_unit, unit_in
from specbridge_pipeline.catalogue.vocabulary import (
    ADDED_UP,
    EXPOSURE_PHRASES,
    EXPOSURES,
    LEVEL_WORDS,
    NEVER_SUMMED,
    PREPOSITIONS,
    RUNNING_TABLE_WORDS,
    RUNNING_WORDS,
    TIMED_MEDIA,
)

_TIME_UNITS = frozenset({"days", "weeks", "months", "years", "hours"})
_NOT_ADDED_IN_TEXT = re.compile(
    r"\b(?:average|percentage|percent|ratio|rate|index|score|median|rank|ranking|cumulative|"
    r"year[- ]to[- ]date|season[- ]to[- ]date|so far|above sea level|resolution|accuracy|"
    r"probability|remaining)\b",
    re.I,
)
_MONEY_IN_TEXT = re.compile(r"\b(?:dollar|euro|crown|money|monetary|revenue|salary)\b", re.I)


@dataclass(frozen=True, slots=True)
class Measure:
    """What the rules think of a measure; the attributes are those of `CatalogueColumn`."""

    unit: str
    unit_reason: str
    dimension: Dimension
    summable: bool
    summable_reason: str
    denominator: bool


def judge_measure(context: ColumnContext, *, unit: str = "") -> Measure:
    """Judge what a measure is a number of and whether its values add up over rows.

    Args:
        context: The column.
        unit: Its unit where the project's own catalogue file gives it; empty for none.

    Returns:
        The judgement with its reasons.
    """
    found, source = _unit(context, unit)
    dimension, why = _dimension(context, found)
    reason = "; ".join(part for part in (source, why) if part)
    summable, summable_reason = _summable(context, found, dimension)
    return Measure(
        found, reason, dimension, summable, summable_reason, summable and is_exposure(context)
    )


def is_known_quantity(context: ColumnContext) -> bool:
    """Tell whether a column's name says a quantity: one of known words, a unit, a plural."""
    words = with_singulars(context.lowered)
    return (
        bool(words & (ADDED_UP | NEVER_SUMMED | QUANTITY_WORDS.keys() | RATE_WORDS.keys()))
        or bool(unit_in(context.words))
        or context.lowered[:1] == ("number",)
        or is_named_as_count(context)
    )


def is_named_as_count(context: ColumnContext) -> bool:
    """Tell whether numbers stand under a plural: "walks", "saves", "home runs"."""
    profile, phrase = context.measures.profile, " ".join(context.words)
    is_plural = plural(phrase) == phrase and singular(phrase) != phrase
    return is_plural and not profile.texts and not profile.negative


def is_exposure(context: ColumnContext) -> bool:
    """Tell whether other measures are sensibly divided by a column."""
    profile = context.measures.profile
    greatest = as_number(profile.maximum)
    if profile.negative or profile.texts or greatest is None or greatest <= 0:
        return False
    phrase = " ".join(context.lowered)
    if phrase in EXPOSURE_PHRASES or phrase.startswith("number of "):
        return True
    return bool(context.lowered) and context.last in EXPOSURES


def _unit(context: ColumnContext, given: str) -> tuple[str, str]:
    if given:
        return given, f"the catalogue file gives {given}"
    stated = stated_unit(context.meaning)
    # "unit: month" of a monthly payment says how often, not how much.
    if stated in _TIME_UNITS and _says_money(context):
        stated = ""
    if stated:
        return stated, f"the document says {stated}"
    named = unit_in(context.words) or unit_in(_own_words(context))
    if named in _TIME_UNITS and _says_money(context):
        named = ""
    return (named, f"the name says {named}") if named else ("", "")


def _own_words(context: ColumnContext) -> tuple[str, ...]:
    """Return the words of the column's own name, which a document's better name may leave out."""
    return words_of(context.column.name)


def _says_money(context: ColumnContext) -> bool:
    words = with_singulars(context.lowered)
    return any(QUANTITY_WORDS.get(word) is Quantity.MONEY for word in words)


def _dimension(context: ColumnContext, unit: str) -> tuple[Dimension, str]:
    """Return the dimension, and why where the unit alone does not say it."""
    by_unit = dimension_of_unit(unit)
    if by_unit is not None:
        return by_unit, ""
    lowered = list(context.lowered)
    if "per" in lowered[1:-1]:
        place = lowered.index("per", 1)
        above, below = _of_words(context, lowered[:place]), _of_words(context, lowered[place + 1 :])
        if above.per is None and below.per is None:
            return (
                Dimension(above.quantity, above.of, below.quantity, below.of),
                'its name says "per"',
            )
    if lowered[:1] == ["number"]:
        counted = lowered[2:] if lowered[1:2] == ["of"] else lowered[1:]
        return _count_of(counted), 'its name says "number of"'
    if lowered[-1:] in (["count"], ["quantity"]) and len(lowered) > 1:
        return _count_of(lowered[:-1]), f'its name ends in "{lowered[-1]}"'
    plain = _of_words(context, lowered)
    if plain.quantity is not Quantity.UNKNOWN:
        return plain, f"its name says {plain}"
    if _MONEY_IN_TEXT.search(context.meaning):
        return Dimension(Quantity.MONEY), "the document speaks of money"
    if is_named_as_count(context):
        return _count_of(lowered), "it is named by a plural: a count"
    return plain, ""


def _of_words(context: ColumnContext, words: Sequence[str]) -> Dimension:
    """Return what words name: the last word before a preposition that names a quantity decides."""
    head = words
    for place, word in enumerate(words):
        if place and word in PREPOSITIONS:
            head = words[:place]
            break
    for word in reversed(head):
        if word in RATE_WORDS:
            above, below = RATE_WORDS[word]
            return Dimension(above, per=below)
        quantity = QUANTITY_WORDS.get(word) or QUANTITY_WORDS.get(singular(word))
        if quantity is None:
            continue
        # A film has a length in minutes, a river one in miles.
        if word == "length" and TIMED_MEDIA & with_singulars(context.table_words):
            return Dimension(Quantity.DURATION)
        # Of "height rate" and "cost factor" nobody knows what they are numbers of.
        if head[-1] in ("rate", "ratio", "factor", "multiplier", "coefficient"):
            return Dimension(Quantity.UNKNOWN)
        return Dimension(quantity)
    if head and head[-1] in ("point", "points") and len(head) == 1:
        return Dimension(Quantity.COUNT, "point")
    return Dimension(Quantity.UNKNOWN)


def _count_of(words: Sequence[str]) -> Dimension:
    noun = " ".join(word for word in words if word not in ("total", "average"))
    return Dimension(Quantity.COUNT, singular(noun) if noun else "")


def _summable(context: ColumnContext, unit: str, dimension: Dimension) -> tuple[bool, str]:
    words = with_singulars(context.lowered)
    table = with_singulars(word.lower() for word in context.table_words)
    if running := sorted(RUNNING_TABLE_WORDS & table):
        return False, f"a row of a {running[0]} says how things stand, earlier rows included"
    if running := sorted(RUNNING_WORDS & words):
        return False, f'"{running[0]}": it is a running figure'
    if context.lowered[-2:] == ("to", "date"):
        return False, '"to date": it is a running figure'
    if level := sorted(LEVEL_WORDS & words):
        return False, f'"{level[0]}": it is a level at one moment, not an amount'
    if dimension.is_rate or "per" in context.lowered:
        return False, "one quantity per another does not add up"
    counts = context.lowered[:1] in (("total",), ("number",))
    if dimension.quantity in NOT_ADDED_QUANTITIES and not counts:
        return False, NOT_ADDED_QUANTITIES[dimension.quantity]
    never = sorted(words & NEVER_SUMMED)
    if never and not (counts and not words & {"average", "percentage", "rate"}):
        return False, f'"{never[0]}" does not add up over rows'
    if found := _NOT_ADDED_IN_TEXT.search(context.meaning):
        return False, f'the document says "{found[0].lower()}"'
    if counts:
        return True, "it is a count or a total"
    if added := sorted(words & ADDED_UP):
        return True, f'"{added[0]}" adds up over rows'
    if adds_up(unit):
        return True, f"{unit} add up over rows"
    if is_named_as_count(context):
        return True, "counts add up over rows"
    if dimension.quantity is Quantity.MONEY:
        return True, "amounts of money add up over rows"
    if dimension.quantity is Quantity.COUNT and (unit in SCALES or dimension.of):
        return True, "counts add up over rows"
    return False, "nothing says that its values add up"
