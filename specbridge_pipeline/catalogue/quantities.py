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
    AMBIGUOUS_PLURALS,
    MONEY_PHRASES,
    NOT_ADDED_QUANTITIES,
    PACE_WORDS,
    QUANTITY_WORDS,
    RATE_WORDS,
    SALES_TABLES,
    SCALES,
)
from specbridge_pipeline.catalogue.units import (
    adds_up,
    dimension_of_unit,
    never_adds_up,
    stated_unit,
    unit_in,
)
from specbridge_pipeline.catalogue.vocabulary import (
    ADDED_UP,
    EXPOSURE_PHRASES,
    EXPOSURES,
    LEVEL_WORDS,
    NEVER_SUMMED,
    NEVER_SUMMED_AS_HEAD,
    PREPOSITIONS,
    RUNNING_TABLE_WORDS,
    RUNNING_WORDS,
    TIMED_MEDIA,
)

_TIME_UNITS = frozenset({"days", "weeks", "months", "years", "hours"})
_NOT_ADDED_IN_TEXT = re.compile(
    r"\b(?:average|percentage|percent|ratio|rate|index|score|median|rank|ranking|cumulative|"
    r"year[- ]to[- ]date|season[- ]to[- ]date|so far|above sea level|resolution|accuracy|"
    r"probability|per)\b",
    re.I,
)
_COUNT_IN_TEXT = re.compile(
    r"(?:the )?(?:total |overall )?(?:number of|no\. of|count of|how many) "
    r"(?P<words>[^\W\d_]+(?: [^\W\d_]+){0,2})",
    re.I,
)
_MONEY_IN_TEXT = re.compile(r"\b(?:dollar|euro|crown|money|monetary|revenue|salary)\b", re.I)


_NO_PART_OF_NOUN = frozenset({"total", "average", "order", "item", "line", "overall"})


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
        or _names_a_number_of(context.lowered)
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
    named = next(filter(None, map(unit_in, (context.words, *_own_words(context)))), "")
    if _says_money(context):
        # A price in pounds weighs nothing, and a payment of three months is no time.
        named = {"pounds": "pounds sterling"}.get(named, "" if named in _TIME_UNITS else named)
    return (named, f"the name says {named}") if named else ("", "")


def _own_words(context: ColumnContext) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words of the column's own name, which a document's better name may leave out.

    The second time as the name itself parts them: "RAM_MiB" has no capital where a word starts.
    """
    name = context.column.name
    return words_of(name), re.split(r"[\W_]+", name.lower())


def _says_money(context: ColumnContext) -> bool:
    words = with_singulars(context.lowered)
    return any(QUANTITY_WORDS.get(word) is Quantity.MONEY for word in words)


def _dimension(context: ColumnContext, unit: str) -> tuple[Dimension, str]:
    """Return the dimension, and why where the unit alone does not say it."""
    by_unit = dimension_of_unit(unit)
    if by_unit is not None:
        return by_unit, ""
    unknown = Dimension(Quantity.UNKNOWN)
    if unit and unit not in SCALES:
        return unknown, ""
    lowered = list(context.lowered)
    if "per" in lowered[1:-1]:
        return _rate_of(lowered), 'its name says "per"'
    if _names_a_number_of(lowered):
        counted = lowered[2:] if lowered[1:2] == ["of"] else lowered[1:]
        return _count_of(counted), 'its name says "number of"'
    if lowered[-1:] in (["count"], ["quantity"]) and len(lowered) > 1:
        return _count_of(lowered[:-1]), f'its name ends in "{lowered[-1]}"'
    plain = _of_words(context, lowered)
    if plain.quantity is Quantity.MONEY and PACE_WORDS & set(lowered):
        return Dimension(Quantity.MONEY, per=Quantity.DURATION), f"its name says {plain}, by time"
    if plain.quantity is Quantity.SCORE and unit in SCALES:
        return Dimension(Quantity.COUNT), "it is counted in large numbers"
    if plain.quantity is not Quantity.UNKNOWN:
        return plain, f"its name says {plain}"
    if counted := _counted_in_text(context.meaning):
        return _count_of(counted), "the document speaks of a number of things"
    if _MONEY_IN_TEXT.search(context.meaning):
        return Dimension(Quantity.MONEY), "the document speaks of money"
    if is_named_as_count(context) and head_of(lowered)[-1] not in AMBIGUOUS_PLURALS:
        return _count_of(head_of(lowered)), "it is named by a plural: a count"
    table = QUANTITY_WORDS.get(
        singular(context.table_words[-1].lower()) if context.table_words else ""
    )
    if table in NOT_ADDED_QUANTITIES and table is not None:
        return Dimension(table), f"its table is of {table.value}s"
    return unknown, ""


def _rate_of(lowered: Sequence[str]) -> Dimension:
    """Return the dimension of "residents per officer" and "price per day"."""
    place = lowered.index("per", 1)
    above, below = lowered[:place], lowered[place + 1 :]
    divided = _of_words(None, above)
    divisor = _of_words(None, below)
    if divided.quantity is Quantity.UNKNOWN and plural(above[-1]) == above[-1] != singular(
        above[-1]
    ):
        divided = _count_of(above)
    if divisor.quantity is Quantity.UNKNOWN:
        divisor = dimension_of_unit(plural(below[0])) or _count_of(below)
    if divided.is_rate or divisor.is_rate:
        return Dimension(Quantity.UNKNOWN)
    return Dimension(divided.quantity, divided.of, divisor.quantity, divisor.of)


def _counted_in_text(meaning: str) -> list[str]:
    """Return what a document says that numbers count, up to the first plural; empty without one."""
    found = _COUNT_IN_TEXT.match(meaning)
    words = found["words"].lower().split() if found else []
    for place, word in enumerate(words):
        if word in PREPOSITIONS or word in ("or", "and"):
            break
        if singular(word) != word:
            return words[: place + 1]
    return []


def _names_a_number_of(lowered: Sequence[str]) -> bool:
    """Tell whether words say how many: "number of pupils", and not "number in series"."""
    if tuple(lowered[:1]) != ("number",):
        return False
    return len(lowered) > 1 and (lowered[1] == "of" or lowered[1] not in PREPOSITIONS)


def head_of(words: Sequence[str]) -> Sequence[str]:
    """Return the words before the first preposition: of "sales in billion" the sales."""
    for place, word in enumerate(words):
        if place and word in PREPOSITIONS:
            return words[:place]
    return words


def _of_words(context: ColumnContext | None, words: Sequence[str]) -> Dimension:
    """Return what words name: the last word before a preposition that names a quantity decides."""
    head = head_of(words)
    tables = with_singulars(context.table_words) if context is not None else set()
    if " ".join(head[-2:]) in MONEY_PHRASES or (
        tuple(head) == ("total",) and SALES_TABLES & tables
    ):
        return Dimension(Quantity.MONEY)
    for word in reversed(head):
        if word in RATE_WORDS:
            above, below = RATE_WORDS[word]
            return Dimension(above, per=below)
        quantity = QUANTITY_WORDS.get(word) or QUANTITY_WORDS.get(singular(word))
        if quantity is None:
            continue
        # A film has a length in minutes, a river one in miles.
        if word == "length" and TIMED_MEDIA & tables:
            return Dimension(Quantity.DURATION)
        # Of "height rate" and "cost factor" nobody knows what they are numbers of.
        if head[-1] in ("rate", "ratio", "factor", "multiplier", "coefficient"):
            return Dimension(Quantity.UNKNOWN)
        return Dimension(quantity)
    if tuple(words[:1]) == ("number",) and len(words) > 1:
        return Dimension(Quantity.RANK)
    if tuple(head) in (("point",), ("points",)):
        return Dimension(Quantity.COUNT, "point")
    return Dimension(Quantity.UNKNOWN)


def _count_of(words: Sequence[str]) -> Dimension:
    noun = " ".join(word for word in words if word not in _NO_PART_OF_NOUN and not word.isdecimal())
    return Dimension(Quantity.COUNT, singular(noun) if noun else "")


def _summable(context: ColumnContext, unit: str, dimension: Dimension) -> tuple[bool, str]:
    words = with_singulars(context.lowered)
    if reason := _running_or_level(context, words):
        return False, reason
    if dimension.is_rate or "per" in context.lowered:
        return False, "one quantity per another does not add up"
    counts = context.lowered[:1] == ("total",) or _names_a_number_of(context.lowered)
    # A total score adds up, a total percentage does not.
    if dimension.quantity in NOT_ADDED_QUANTITIES and not (
        counts and dimension.quantity is Quantity.SCORE
    ):
        return False, NOT_ADDED_QUANTITIES[dimension.quantity]
    if unit and unit not in SCALES and never_adds_up(unit):
        return False, f"{unit} are not added up"
    heads = with_singulars(head_of(context.lowered)[-1:])
    never = sorted(words & NEVER_SUMMED - NEVER_SUMMED_AS_HEAD | heads & NEVER_SUMMED_AS_HEAD)
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


def _running_or_level(context: ColumnContext, words: set[str]) -> str:
    """Return why figures contain those of earlier rows or moments; empty where they do not."""
    table = with_singulars(word.lower() for word in context.table_words)
    if running := sorted(RUNNING_TABLE_WORDS & table):
        return f"a row of a {running[0]} says how things stand, earlier rows included"
    if running := sorted(RUNNING_WORDS & words):
        return f'"{running[0]}": it is a running figure'
    if context.lowered[-2:] == ("to", "date"):
        return '"to date": it is a running figure'
    if level := sorted(LEVEL_WORDS & words):
        return f'"{level[0]}": it is a level at one moment, not an amount'
    return ""
