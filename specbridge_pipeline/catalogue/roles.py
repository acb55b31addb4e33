"""What a column is for, judged by rules from its type, data, keys, name and documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from specbridge_pipeline.catalogue.column_context import (
    FEW_ROWS,
    ColumnContext,
    as_number,
    lies_within,
)
from specbridge_pipeline.catalogue.model import Evidence, Role
from specbridge_pipeline.catalogue.naming import CODE_WORDS, IDENTIFIER_WORDS
from specbridge_pipeline.catalogue.profiles import FEWEST_ALIKE
from specbridge_pipeline.catalogue.quantities import is_known_quantity
from specbridge_pipeline.catalogue.vocabulary import (
    CALENDAR_WORDS,
    CODE_LIKE,
    DATE_WORDS,
    FLAG_VALUES,
    FOUNDING_WORDS,
    GROUPING_WORDS,
    NAMES_OF_PEOPLE,
    PLACE_WORDS,
    PREPOSITIONS,
    PROSE_WORDS,
    REFERENCE_WORDS,
)

_YEARS = (1000, 2200)
_LIKELY_YEARS = (1700, 2100)
_RECENT_YEARS = (1900, 2050)
_GLOBE = (-180, 180)
_VALUES_IN_TEXT = re.compile(r"(?<![\w.])\d{1,2}\s*(?:[:=]|means|stands for)\s*(?!\d)", re.I)
_CODES_IN_TEXT = re.compile(r"\b(?:numeric )?codes? (?:for|of|that|classifying)\b", re.I)
_DATES_AS_NUMBERS = 10_000
"""Numbers below it are no days: 20130101, 130101 and seconds since 1970 lie above."""
_TIME_SPENT = re.compile(r"\d+:\d\d[.,]\d+|\d+:\d\d:\d\d[.,]\d+|\+?\d+[.,]\d+")
"""A lap of 1:04.316, and not the moment 10:30."""

_MOST_VALUES_OF_CATEGORY = 1_000
_MOST_CODES_OF_CATEGORY = 100
_MOST_GROUPS = 30
_LONGEST_CATEGORY = 100


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules think of a column's role.

    Attributes:
        role: What it is for.
        evidence: Where that comes from.
        reason: Why, in words.
    """

    role: Role
    evidence: Evidence
    reason: str


def judge(context: ColumnContext) -> Judgement:
    """Judge a column's role by rules.

    Args:
        context: The column.

    Returns:
        The judgement, with where the role comes from and why.
    """
    profile = context.measures.profile
    key = context.sole_key or context.refers
    why = (
        "it is its table's key"
        if context.sole_key is not None
        else f"it refers to {context.refers_to}"
    )
    if not context.present:
        if key is Evidence.DECLARED:
            return Judgement(Role.IDENTIFIER, key, why)
        return Judgement(Role.OTHER, Evidence.DATA, "all its values are missing")
    date = _date(context)
    if date is not None:
        return date
    if key is not None and not (profile.reals and key is not Evidence.DECLARED):
        return Judgement(Role.IDENTIFIER, key, why)
    if context.last in IDENTIFIER_WORDS and not profile.reals:
        return Judgement(Role.IDENTIFIER, Evidence.NAME, f'its name ends in "{context.last}"')
    flag = _flag(context)
    if flag is not None:
        return flag
    if profile.distinct == 1 and context.rows > 2:
        return Judgement(Role.OTHER, Evidence.DATA, "all its values are the same")
    if context.numbers == context.present:
        return _judge_number(context)
    if profile.texts >= FEWEST_ALIKE * context.present:
        return _judge_text(context)
    return Judgement(Role.OTHER, Evidence.DATA, "numbers and texts are mixed in it")


def _date(context: ColumnContext) -> Judgement | None:
    profile, lowered = context.measures.profile, context.lowered
    declared = context.column.declared_type.upper()
    if profile.texts and _holds_time_spent(context):
        return None
    if re.search(r"DATE|TIME", declared) and profile.texts == context.present:
        return Judgement(Role.DATE, Evidence.DECLARED, f"it is declared as {declared}")
    # Where an engine has a type for days and times, their values are neither texts nor numbers.
    if not profile.texts and context.measures.dates == context.present:
        return Judgement(Role.DATE, Evidence.DECLARED, f"it is declared as {declared}")
    if profile.texts and context.measures.dates >= FEWEST_ALIKE * context.present:
        return Judgement(Role.DATE, Evidence.DATA, "its texts are written as days or times")
    named = (
        context.last in DATE_WORDS
        or lowered[-2:] == ("date", "time")
        or lowered[-3:] == ("date", "of", "birth")
    )
    if named and (profile.texts or (as_number(profile.minimum) or 0) >= _DATES_AS_NUMBERS):
        return Judgement(Role.DATE, Evidence.NAME, f'its name ends in "{context.last}"')
    return _year(context, declared)


def _year(context: ColumnContext, declared: str) -> Judgement | None:
    profile, lowered = context.measures.profile, context.lowered
    least, greatest = profile.minimum, profile.maximum
    in_text = context.are_numbers_in_text and context.measures.longest == 4
    if in_text:
        least, greatest = (
            int(str(each)) if str(each).isdecimal() else None for each in (least, greatest)
        )
    if not in_text and context.numbers != context.present:
        return None
    if ("year" in lowered and context.last != "id") or declared == "YEAR":
        if lies_within(greatest, greatest, _YEARS):
            return Judgement(Role.DATE, Evidence.NAME, "its name says that it is a year")
        return None
    whole = in_text or not profile.reals or _are_whole(profile.minimum, profile.maximum)
    if not whole or not lies_within(least, greatest, _LIKELY_YEARS):
        return None
    if found := sorted(FOUNDING_WORDS & set(lowered)):
        return Judgement(Role.DATE, Evidence.NAME, f'"{found[0]}", and its numbers are years')
    if (
        not in_text
        and lies_within(least, greatest, _RECENT_YEARS)
        and profile.distinct > 1
        and context.refers is None
        and context.sole_key is None
        and not is_known_quantity(context)
        and context.last not in CODE_WORDS | IDENTIFIER_WORDS | CODE_LIKE | REFERENCE_WORDS
    ):
        return Judgement(Role.DATE, Evidence.DATA, "all its whole numbers have the size of years")
    if in_text and context.last not in CODE_WORDS | IDENTIFIER_WORDS | CODE_LIKE:
        return Judgement(Role.DATE, Evidence.DATA, "its texts are years")
    return None


def _are_whole(*values: int | float | str | None) -> bool:
    return all((number := as_number(value)) is not None and number.is_integer() for value in values)


def _holds_time_spent(context: ColumnContext) -> bool:
    extremes = (context.measures.profile.minimum, context.measures.profile.maximum)
    return all(isinstance(each, str) and _TIME_SPENT.fullmatch(each.strip()) for each in extremes)


def _flag(context: ColumnContext) -> Judgement | None:
    profile = context.measures.profile
    if profile.distinct > 2:
        return None
    if "BOOL" in context.column.declared_type.upper():
        return Judgement(Role.FLAG, Evidence.DECLARED, "it is declared as true or false")
    values = {str(value).lower() for value in (profile.minimum, profile.maximum)}
    if not values <= FLAG_VALUES:
        return None
    if context.lowered[:1] and context.lowered[0] in ("is", "has"):
        return Judgement(Role.FLAG, Evidence.NAME, f'its name starts with "{context.lowered[0]}"')
    # Two counts in a table of a few rows are 0 and 1 by chance.
    if profile.texts == 0 and (context.rows < FEW_ROWS or is_known_quantity(context)):
        return None
    if profile.distinct != 2:
        return None
    listed = " and ".join(sorted(values))
    return Judgement(Role.FLAG, Evidence.DATA, f"its values are {listed}")


def _judge_number(context: ColumnContext) -> Judgement:
    profile, lowered, last = context.measures.profile, context.lowered, context.last
    is_whole = profile.reals == 0
    if (place := _coordinate(context)) is not None:
        return place
    if context.last in DATE_WORDS and lowered[-2:-1] != ("to",):
        return Judgement(
            Role.OTHER, Evidence.DATA, f'it is named "{last}", and its numbers are none'
        )
    if is_whole and (coded := _coded_in_text(context)):
        return coded
    if (
        last in CALENDAR_WORDS
        and "per" not in lowered
        and lies_within(profile.minimum, profile.maximum, CALENDAR_WORDS[last])
    ):
        return Judgement(Role.CATEGORY, Evidence.NAME, f'"{last}": a place in the calendar')
    if _names_a_code(lowered) and (is_whole or _are_whole(profile.minimum, profile.maximum)):
        if context.repeats() and profile.distinct <= _MOST_CODES_OF_CATEGORY:
            return Judgement(Role.CATEGORY, Evidence.NAME, "it is a code that many rows share")
        return Judgement(Role.IDENTIFIER, Evidence.NAME, "its name says that it is a code")
    if is_whole and last in REFERENCE_WORDS and lowered[0] != "number":
        return Judgement(
            Role.IDENTIFIER, Evidence.NAME, f'a whole number that stands for a "{last}"'
        )
    if is_whole and (noun := _other_noun(context)):
        return Judgement(
            Role.IDENTIFIER, Evidence.NAME, f"a whole number named as the rows of {noun} are"
        )
    few = profile.distinct <= _MOST_GROUPS and context.repeats()
    if is_whole and last in GROUPING_WORDS and few:
        return Judgement(Role.CATEGORY, Evidence.NAME, f'"{last}", and few values that repeat')
    if is_whole and context.in_key is not None and not is_known_quantity(context):
        # It numbers the rows that share the rest of the key.
        few = context.repeats() and profile.distinct <= _MOST_CODES_OF_CATEGORY
        role = Role.CATEGORY if few else Role.IDENTIFIER
        return Judgement(role, context.in_key, "it is part of its table's key")
    if is_whole and context.is_first and not is_known_quantity(context) and context.counts_rows():
        return Judgement(Role.IDENTIFIER, Evidence.DATA, "it counts up the rows")
    if is_whole and not is_known_quantity(context) and context.hardly_repeats():
        return Judgement(
            Role.OTHER, Evidence.DATA, "nearly each row has its own whole number, as names have"
        )
    if is_known_quantity(context):
        return Judgement(Role.MEASURE, Evidence.NAME, "numbers, and its name says a quantity")
    return Judgement(Role.MEASURE, Evidence.DATA, "numbers, and nothing says that they are names")


def _coordinate(context: ColumnContext) -> Judgement | None:
    words = PLACE_WORDS & {*context.lowered, *re.findall(r"[a-z]+", context.meaning.lower())}
    if words:
        return Judgement(Role.OTHER, Evidence.NAME, f'"{min(words)}": it is a coordinate')
    profile = context.measures.profile
    if context.lowered in (("x",), ("y",)) and lies_within(
        profile.minimum, profile.maximum, _GLOBE
    ):
        return Judgement(Role.OTHER, Evidence.NAME, "a coordinate by its name and its size")
    return None


def _coded_in_text(context: ColumnContext) -> Judgement | None:
    """Judge numbers of which a document says that they stand for something else."""
    distinct = context.measures.profile.distinct
    if distinct <= _MOST_GROUPS and len(_VALUES_IN_TEXT.findall(context.meaning)) > 1:
        return Judgement(
            Role.CATEGORY, Evidence.DOCUMENT, "the document lists what its numbers stand for"
        )
    if _CODES_IN_TEXT.search(context.meaning):
        few = context.repeats() and distinct <= _MOST_CODES_OF_CATEGORY
        role = Role.CATEGORY if few else Role.IDENTIFIER
        return Judgement(role, Evidence.DOCUMENT, "the document says that its numbers are codes")
    return None


def _judge_text(context: ColumnContext) -> Judgement:
    profile, lowered, last = context.measures.profile, context.lowered, context.last
    if " ".join(lowered[-2:]) in NAMES_OF_PEOPLE or last in PROSE_WORDS | CODE_LIKE - {"zip"}:
        return Judgement(Role.FREE_TEXT, Evidence.NAME, f'its name ends in "{last}"')
    if _holds_time_spent(context) and not context.are_numbers_in_text:
        return Judgement(Role.OTHER, Evidence.DATA, "times spent, written as text")
    numeric = context.measures.numerals >= FEWEST_ALIKE * context.present
    if numeric and not (_names_a_code(lowered) or last in GROUPING_WORDS):
        if (coded := _coded_in_text(context)) is not None:
            return coded
        if context.are_numbers_in_text and is_known_quantity(context):
            return Judgement(
                Role.MEASURE,
                Evidence.NAME,
                "numbers stored as text, and its name says a quantity",
            )
        return Judgement(Role.OTHER, Evidence.DATA, "digits stored as text")
    if context.measures.longest > _LONGEST_CATEGORY:
        return Judgement(Role.FREE_TEXT, Evidence.DATA, "its texts are long")
    if context.repeats() and profile.distinct <= _MOST_VALUES_OF_CATEGORY:
        return Judgement(Role.CATEGORY, Evidence.DATA, "few texts that many rows share")
    if _names_a_code(lowered) and not CODE_LIKE & set(lowered):
        return Judgement(Role.IDENTIFIER, Evidence.NAME, "its name says that it is a code")
    return Judgement(Role.FREE_TEXT, Evidence.DATA, "texts that hardly repeat")


def _names_a_code(lowered: Sequence[str]) -> bool:
    if not lowered or "of" in lowered or lowered[0] == "total":
        return False
    if lowered[0] == "number" and len(lowered) > 1:
        return False
    return lowered[-1] in CODE_WORDS | CODE_LIKE or bool(CODE_LIKE & set(lowered))


def _other_noun(context: ColumnContext) -> str:
    """Return the noun of another table's rows that a column is named by; empty without one."""
    head: list[str] = []
    for word in context.lowered:
        if word in PREPOSITIONS and head:
            break
        head.append(word)
    noun = " ".join(head)
    return noun if noun in context.other_nouns else ""
