"""What an engine's SQL is asked for: everything in which one engine differs from another."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Cell

_PLAIN_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ColumnKind(Enum):
    """What a column's declared type says of its values."""

    INTEGER = auto()
    REAL = auto()
    """Floating-point numbers of eight bytes."""
    SINGLE = auto()
    """Floating-point numbers of four bytes, with which the engine also calculates in four."""
    DECIMAL = auto()
    """Exact numbers with a fraction."""
    NUMBER = auto()
    """Numbers, whole or not: what is stored decides."""
    TEXT = auto()
    LISTED_TEXT = auto()
    """Texts that the type itself lists, and orders as it lists them."""
    TRUTH = auto()
    TIME = auto()
    """A date, a time of day, or both."""
    OTHER = auto()
    """Anything else, or no type that says anything."""


NUMERIC_KINDS = frozenset(
    {
        ColumnKind.INTEGER,
        ColumnKind.REAL,
        ColumnKind.SINGLE,
        ColumnKind.DECIMAL,
        ColumnKind.NUMBER,
    }
)
TEXT_KINDS = frozenset({ColumnKind.TEXT, ColumnKind.LISTED_TEXT})


class ZeroDivision(Enum):
    """What a division by zero gives."""

    MISSING = auto()
    INFINITE = auto()
    """Plus or minus infinity; NaN for zero by zero."""


@dataclass(frozen=True, slots=True)
class ProfileStatements:
    """How the values of a column are measured, each a template with ``{column}`` in it.

    Attributes:
        extents: For a kind of column: how many values there are, how many different ones, the
            least, the greatest.
        early: For a kind of column: the names of the counts that are taken together with the
            extents, since nearly every column of that kind needs them.
        counts: What is counted where the extents leave it open, by name: `integers`, `numbers`,
            `blobs`, `negative`, `zero`, `dates`, `numerals`, `plain_numbers`, and `longest`, the
            characters of the longest text. `digits_first` counts at least the texts that can be
            dates or numerals; an engine that takes these early needs none.
    """

    extents: Callable[[ColumnKind], tuple[str, str, str, str]]
    early: Callable[[ColumnKind], tuple[str, ...]]
    counts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ClockWords:
    """The words by which a statement reads the clock, in lower case.

    What can stand in the clock's place is a template with ``{date}`` and ``{time}`` in it.

    Attributes:
        keywords: Words that are the clock where no parenthesis follows, and what can stand in
            their place.
        functions: Functions that do nothing but read the clock, and what can stand in the place
            of a call of theirs without arguments.
        time_functions: Functions that read the clock where their time value is left out, and how
            many arguments come before it; None for those that ask for one.
        now: What can stand in the place of the string ``'now'`` as an argument of these.
        measured_from_now: Functions that measure from now where they have one argument, and what
            can be written before it.
    """

    keywords: Mapping[str, str]
    functions: Mapping[str, str]
    time_functions: Mapping[str, int | None]
    now: str | None
    measured_from_now: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EngineRules:
    """What holds for one engine's SQL.

    Attributes:
        engine: The engine.
        dialect: The parser's name for its dialect.
        quoted_words: Words in upper case that are no identifiers unless they are quoted.
        strict_types: Whether a column holds values of its declared type alone, and text is never
            taken for a number nor a number for text. Without it any column can hold anything.
        kind_of: Returns what a declared type says of a column's values.
        missing_first_ascending: Whether NULLs come first in ascending order where the statement
            does not say.
        missing_first_descending: The same for descending order.
        drops_fractions: Whether ``/`` drops the fraction where both operands are whole numbers.
        quotient: A division that keeps its fraction, with ``{0}`` and ``{1}`` in it.
        zero_division: What a division by zero gives.
        real_types: The parser's names of the types that are floating-point numbers of eight bytes
            in a CAST.
        largest_integer: The largest integer that a literal can be.
        negative_limits: Whether a negative LIMIT means none, and a negative OFFSET zero.
        columns_follow_keys: Whether a column may stand beside groups ungrouped where the keys of
            the groups determine it.
        bare_columns: Whether a column may stand beside groups that is neither grouped by nor
            aggregated.
        exact: A value, with ``{value}`` in it, as it compares with others of its type letter by
            letter, whatever collation its column has.
        collations: A query for the number of tables that name a collation; None where what a
            column declares is not looked at.
        near: Whether two values are floats that differ by at most a part of the second, with
            ``{left}``, ``{right}`` and ``{part}`` in it.
        rewritten_casts: The parser's names of types that it would not write back as they are in a
            CAST.
        name_only: A quoted identifier that is never read as a string, with ``{name}`` in it, and
            the quotation mark that doubles inside it.
        literal: Returns a value of a result as SQL that gives that very value again; None where
            it cannot be written.
        missing_column: Finds the name in the message about a column that there is not.
        views: A query for the names of the views; None where the schema says which they are.
        profile: How columns are measured.
        clock: How a statement reads the clock.
    """

    engine: Engine
    dialect: str
    quoted_words: frozenset[str]
    strict_types: bool
    kind_of: Callable[[str], ColumnKind]
    missing_first_ascending: bool
    missing_first_descending: bool
    drops_fractions: bool
    quotient: str
    zero_division: ZeroDivision
    real_types: frozenset[str]
    largest_integer: int
    negative_limits: bool
    columns_follow_keys: bool
    bare_columns: bool
    exact: str
    collations: str | None
    near: str
    rewritten_casts: frozenset[str]
    name_only: tuple[str, str]
    literal: Callable[[Cell], str | None]
    missing_column: re.Pattern[str]
    views: str | None
    profile: ProfileStatements
    clock: ClockWords

    def quoted(self, name: str) -> str:
        """Return an identifier as SQL, quoted only when it would not be read as itself.

        Args:
            name: The identifier.

        Returns:
            The identifier, in double quotes if it is a keyword or not made of ASCII letters,
            digits and underscores.
        """
        if _PLAIN_IDENTIFIER.fullmatch(name) and name.upper() not in self.quoted_words:
            return name
        return '"' + name.replace('"', '""') + '"'

    def named(self, name: str) -> str:
        """Return an identifier so that nothing but a column can be meant."""
        template, mark = self.name_only
        return template.format(name=name.replace(mark, 2 * mark))

    def missing_first(self, *, descending: bool) -> bool:
        """Say whether NULLs come first in an order that does not say where they come."""
        return self.missing_first_descending if descending else self.missing_first_ascending

    def divided(self, numerator: str, denominator: str) -> str:
        """Return the SQL of a division that keeps its fraction."""
        return self.quotient.format(numerator, denominator)


def text_literal(value: str) -> str | None:
    """Return a text between single quotes, as every engine here reads it; None where none can."""
    # The parsers would end the statement there.
    if "\x00" in value:
        return None
    return "'" + value.replace("'", "''") + "'"
