"""What a column is for, judged by rules from its type, data, keys, name and documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from specbridge_pipeline.catalogue.model import Evidence, Role
from specbridge_pipeline.catalogue.naming import (
    CODE_WORDS,
    IDENTIFIER_WORDS,
    plural,
    singular,
    unit_in,
)
from specbridge_pipeline.catalogue.profiles import ColumnMeasures
from specbridge_pipeline.catalogue.vocabulary import (
    ADDED_UP,
    CALENDAR_WORDS,
    CODE_LIKE,
    DATE_WORDS,
    EXPOSURE_PHRASES,
    EXPOSURES,
    FLAG_VALUES,
    GROUPING_WORDS,
    NEVER_SUMMED,
    PLACE_WORDS,
    REFERENCE_WORDS,
    UNITS_IN_NAMES,
)
from specbridge_pipeline.databases.schema import Column

_YEARS = (1000, 2200)
_LIKELY_YEARS = (1700, 2100)
_FOUNDING_WORDS = frozenset(
    {
        "founded",
        "established",
        "opened",
        "built",
        "since",
        "season",
        "introduced",
        "released",
        "formed",
        "constructed",
    }
)

_MOST_VALUES_OF_CATEGORY = 1_000
_MOST_CODES_OF_CATEGORY = 100
_MOST_GROUPS = 30
_LONGEST_CATEGORY = 100
_FEW_ROWS = 20
_ROWS_FOR_NAMES = 50
_CLEARLY = 0.9
"""Share of the values that must look alike for the data to decide."""

_SCALES = frozenset({"millions", "billions"})
_TIME_UNITS = frozenset({"days", "weeks", "months", "years", "hours"})
_MONEY_WORDS = frozenset(
    {"amount", "salary", "wage", "revenue", "cost", "payment", "price", "fee", "income", "budget"}
)
_NAMES_OF_PEOPLE = frozenset({"first name", "last name", "middle name", "full name", "user name"})
_PROSE_WORDS = frozenset(
    {
        "address",
        "email",
        "phone",
        "fax",
        "telephone",
        "mobile",
        "website",
        "URL",
        "url",
        "password",
        "description",
        "comment",
        "comments",
        "notes",
        "note",
        "details",
        "text",
        "summary",
        "biography",
        "street",
        "abstract",
        "image",
        "picture",
        "photo",
        "line",
        "remarks",
    }
)
_STATEMENTS_OF_UNIT = (
    re.compile(r"\bunit\s*(?:is|[:：])\s*(?P<unit>[^\W\d_][\w/ $%°]{0,25}?)\s*(?:[.,;)]|$)", re.I),
    re.compile(r"\((?P<unit>[a-z][a-z /]{1,20})\)", re.I),
    re.compile(
        r"\b(?:measured|expressed|given|recorded)?\s*in (?P<unit>[a-z]+(?: per [a-z]+)?)\b", re.I
    ),
)
_NOT_ADDED_IN_TEXT = re.compile(
    r"\b(?:average|percentage|percent|ratio|rate|index|score|median|rank|ranking|cumulative|"
    r"year[- ]to[- ]date|season[- ]to[- ]date|so far)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules think of a column; the attributes are those of `CatalogueColumn`."""

    role: Role
    evidence: Evidence
    unit: str = ""
    summable: bool = False
    denominator: bool = False


@dataclass(frozen=True, slots=True)
class ColumnContext:
    """A column with all that its judgement rests on.

    Attributes:
        column: The column as declared.
        measures: What was measured.
        rows: Rows of its table.
        words: The words of its name, or of the better name that a document gives it.
        table_words: The words of its table's name.
        sole_key: Where it comes from that the column alone is its table's key; None if it is not.
        in_key: Where its table's key comes from, if the column is in it; None if it is not.
        refers: Where it comes from that the column refers to another table; None if it does not.
        meaning: What a document says of it.
        is_first: Whether it is the table's first column.
    """

    column: Column
    measures: ColumnMeasures
    rows: int
    words: tuple[str, ...]
    table_words: tuple[str, ...]
    sole_key: Evidence | None
    in_key: Evidence | None
    refers: Evidence | None
    meaning: str
    is_first: bool

    @property
    def lowered(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(word.lower() for word in self.words)

    @property
    def present(self) -> int:
        """Rows that have a value."""
        return self.rows - self.measures.profile.missing


def judge(context: ColumnContext) -> Judgement:
    """Judge a column by rules: its role, unit, and what may be calculated with it.

    Args:
        context: The column.

    Returns:
        The judgement, with where the role comes from.
    """
    profile = context.measures.profile
    key = context.sole_key or context.refers
    if not context.present:
        if key is Evidence.DECLARED:
            return Judgement(Role.IDENTIFIER, key)
        return Judgement(Role.OTHER, Evidence.DATA)
    date = _date_evidence(context)
    if date is not None:
        return Judgement(Role.DATE, date)
    numbers = profile.integers + profile.reals
    if key is not None and not (profile.reals and key is not Evidence.DECLARED):
        return Judgement(Role.IDENTIFIER, key)
    if context.lowered[-1:] and context.lowered[-1] in IDENTIFIER_WORDS and not profile.reals:
        return Judgement(Role.IDENTIFIER, Evidence.NAME)
    flag = _flag_evidence(context)
    if flag is not None:
        return Judgement(Role.FLAG, flag)
    if profile.distinct == 1 and context.rows > 2:
        return Judgement(Role.OTHER, Evidence.DATA)
    if numbers == context.present:
        return _judge_number(context)
    if profile.texts >= _CLEARLY * context.present:
        return _judge_text(context)
    return Judgement(Role.OTHER, Evidence.DATA)


def stated_unit(meaning: str) -> str:
    """Return the unit that a document's text states for a column; empty without one.

    Units of money and ratios are taken as the text words them; after a bare "in", and in
    parentheses, only what is known as a unit is one.
    """
    for place, pattern in enumerate(_STATEMENTS_OF_UNIT):
        for found in pattern.finditer(meaning):
            text = " ".join(found["unit"].split())
            first, per, second = text.lower().partition(" per ")
            known = UNITS_IN_NAMES.get(first)
            if known is not None and known not in _SCALES:
                return f"{known}{per}{second}"
            if place == 0 and text:
                return _plural_unit(text)
    return ""


def _plural_unit(text: str) -> str:
    if text.lower() in ("us dollar", "us dollars", "$"):
        return "US dollars"
    return plural(text) if text.lower() in ("month", "day", "week", "year", "hour") else text


def _date_evidence(context: ColumnContext) -> Evidence | None:
    profile, lowered = context.measures.profile, context.lowered
    declared = context.column.declared_type.upper()
    numbers = profile.integers + profile.reals
    if re.search(r"DATE|TIME", declared) and profile.texts == context.present:
        return Evidence.DECLARED
    # Where an engine has a type for days and times, their values are neither texts nor numbers.
    if not profile.texts and context.measures.dates == context.present:
        return Evidence.DECLARED
    if profile.texts and context.measures.dates >= _CLEARLY * context.present:
        return Evidence.DATA
    last = lowered[-1] if lowered else ""
    named = (
        last in DATE_WORDS
        or lowered[-2:] == ("date", "time")
        or lowered[-3:]
        == (
            "date",
            "of",
            "birth",
        )
    )
    if named and (profile.texts or _lowest(profile.minimum) >= 10_000):
        return Evidence.NAME
    if ("year" in lowered and lowered[-1:] != ("id",)) or declared == "YEAR":
        if numbers == context.present and _between(profile.maximum, profile.maximum, _YEARS):
            return Evidence.NAME
        if (
            profile.texts == context.present
            and context.measures.longest == 4
            and (context.measures.numerals == context.present)
        ):
            return Evidence.NAME
    if (
        profile.integers == context.present
        and _FOUNDING_WORDS & set(lowered)
        and _between(profile.minimum, profile.maximum, _LIKELY_YEARS)
    ):
        return Evidence.NAME
    return None


def _flag_evidence(context: ColumnContext) -> Evidence | None:
    profile = context.measures.profile
    if profile.distinct > 2:
        return None
    if "BOOL" in context.column.declared_type.upper():
        return Evidence.DECLARED
    values = {str(value).lower() for value in (profile.minimum, profile.maximum)}
    if not values <= FLAG_VALUES:
        return None
    if context.lowered[:1] and context.lowered[0] in ("is", "has"):
        return Evidence.NAME
    # Two counts in a table of a few rows are 0 and 1 by chance.
    if profile.texts == 0 and (context.rows < _FEW_ROWS or _is_known_quantity(context)):
        return None
    return Evidence.DATA if profile.distinct == 2 else None


def _judge_number(context: ColumnContext) -> Judgement:
    profile, lowered = context.measures.profile, context.lowered
    last = lowered[-1] if lowered else ""
    is_whole = profile.reals == 0
    if PLACE_WORDS & set(lowered):
        return Judgement(Role.OTHER, Evidence.NAME)
    if last in CALENDAR_WORDS and _between(profile.minimum, profile.maximum, CALENDAR_WORDS[last]):
        return Judgement(Role.CATEGORY, Evidence.NAME)
    if is_whole and _names_a_code(lowered):
        if _repeats(context) and profile.distinct <= _MOST_CODES_OF_CATEGORY:
            return Judgement(Role.CATEGORY, Evidence.NAME)
        return Judgement(Role.IDENTIFIER, Evidence.NAME)
    if is_whole and last in REFERENCE_WORDS and lowered[0] != "number":
        return Judgement(Role.IDENTIFIER, Evidence.NAME)
    few = profile.distinct <= _MOST_GROUPS and _repeats(context)
    if is_whole and last in GROUPING_WORDS and few:
        return Judgement(Role.CATEGORY, Evidence.NAME)
    if is_whole and context.in_key is not None and not _is_known_quantity(context):
        # It numbers the rows that share the rest of the key.
        few = _repeats(context) and profile.distinct <= _MOST_CODES_OF_CATEGORY
        return Judgement(Role.CATEGORY if few else Role.IDENTIFIER, context.in_key)
    if is_whole and context.is_first and not _is_known_quantity(context) and _counts_rows(context):
        return Judgement(Role.IDENTIFIER, Evidence.DATA)
    if is_whole and not _is_known_quantity(context) and _hardly_repeats(context):
        return Judgement(Role.OTHER, Evidence.DATA)
    unit = stated_unit(context.meaning) or unit_in(context.words)
    if unit in _TIME_UNITS and _MONEY_WORDS & _with_singulars(lowered):
        # "unit: month" of a monthly payment says how often, not how much.
        unit = ""
    summable = _is_summable(context, unit)
    return Judgement(
        Role.MEASURE,
        Evidence.NAME if _is_known_quantity(context) else Evidence.DATA,
        unit,
        summable,
        summable and _is_exposure(context),
    )


def _judge_text(context: ColumnContext) -> Judgement:
    profile, lowered = context.measures.profile, context.lowered
    last = lowered[-1] if lowered else ""
    if " ".join(lowered[-2:]) in _NAMES_OF_PEOPLE or last in _PROSE_WORDS | CODE_LIKE - {"zip"}:
        return Judgement(Role.FREE_TEXT, Evidence.NAME)
    numeric = context.measures.numerals >= _CLEARLY * context.present
    if numeric and not (_names_a_code(lowered) or last in GROUPING_WORDS):
        return Judgement(Role.OTHER, Evidence.DATA)
    if context.measures.longest > _LONGEST_CATEGORY:
        return Judgement(Role.FREE_TEXT, Evidence.DATA)
    if _repeats(context) and profile.distinct <= _MOST_VALUES_OF_CATEGORY:
        return Judgement(Role.CATEGORY, Evidence.DATA)
    if _names_a_code(lowered) and not CODE_LIKE & set(lowered):
        return Judgement(Role.IDENTIFIER, Evidence.NAME)
    return Judgement(Role.FREE_TEXT, Evidence.DATA)


def _names_a_code(lowered: Sequence[str]) -> bool:
    if not lowered or "of" in lowered or lowered[0] == "total":
        return False
    if lowered[0] == "number" and len(lowered) > 1:
        return False
    return lowered[-1] in CODE_WORDS | CODE_LIKE or bool(CODE_LIKE & set(lowered))


def _repeats(context: ColumnContext) -> bool:
    distinct = context.measures.profile.distinct
    if distinct * 2 <= context.present:
        return True
    return context.present <= _FEW_ROWS and distinct * 10 <= context.present * 7


def _hardly_repeats(context: ColumnContext) -> bool:
    """Tell whether nearly each row has its own value, as numbers that are names do."""
    distinct = context.measures.profile.distinct
    return context.present >= _ROWS_FOR_NAMES and distinct >= _CLEARLY * context.present


def _counts_rows(context: ColumnContext) -> bool:
    profile = context.measures.profile
    if not isinstance(profile.minimum, int) or not isinstance(profile.maximum, int):
        return False
    span = profile.maximum - profile.minimum + 1
    return context.rows >= 5 and profile.distinct == context.rows == span


def _is_known_quantity(context: ColumnContext) -> bool:
    words = _with_singulars(context.lowered)
    return (
        bool(words & (ADDED_UP | NEVER_SUMMED))
        or bool(unit_in(context.words))
        or _is_named_as_count(context)
    )


def _is_named_as_count(context: ColumnContext) -> bool:
    """Tell whether numbers stand under a plural: "walks", "saves", "home runs"."""
    profile, phrase = context.measures.profile, " ".join(context.words)
    is_plural = plural(phrase) == phrase and singular(phrase) != phrase
    return is_plural and not profile.texts and not profile.negative


def _is_summable(context: ColumnContext, unit: str) -> bool:
    words = _with_singulars(context.lowered)
    if {"standing", "ranking", "rating"} & _with_singulars(
        word.lower() for word in context.table_words
    ):
        return False
    if unit.startswith(("percent", "degrees")) or " per " in unit or "per" in words:
        return False
    counts = context.lowered[:1] in (("total",), ("number",))
    if words & NEVER_SUMMED and not (counts and not words & {"average", "percentage", "rate"}):
        return False
    if _NOT_ADDED_IN_TEXT.search(context.meaning):
        return False
    return counts or bool(words & ADDED_UP) or unit in _ADDABLE_UNITS or _is_named_as_count(context)


_ADDABLE_UNITS = frozenset(
    {
        "minutes",
        "seconds",
        "milliseconds",
        "hours",
        "days",
        "miles",
        "kilometres",
        "US dollars",
        "dollars",
        "euros",
        "bytes",
        "kilobytes",
        "megabytes",
        "gigabytes",
        "tons",
        "tonnes",
        "acres",
        "hectares",
    }
)


def _is_exposure(context: ColumnContext) -> bool:
    profile = context.measures.profile
    if profile.negative or _lowest(profile.maximum) <= 0:
        return False
    phrase = " ".join(context.lowered)
    if phrase in EXPOSURE_PHRASES or phrase.startswith("number of "):
        return True
    return bool(context.lowered) and context.lowered[-1] in EXPOSURES


def _with_singulars(words: object) -> set[str]:
    listed = [str(word) for word in words]  # type: ignore[attr-defined]
    return {*listed, *(singular(word) for word in listed)}


def _between(
    least: int | float | str | None, greatest: int | float | str | None, span: tuple[int, int]
) -> bool:
    if isinstance(least, str) or isinstance(greatest, str) or least is None or greatest is None:
        return False
    return span[0] <= least and greatest <= span[1]


def _lowest(value: int | float | str | None) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
