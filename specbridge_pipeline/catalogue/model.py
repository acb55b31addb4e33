"""The catalogue of a database: tables, columns and relationships with what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from specbridge_pipeline.databases.engine import Engine

_Named = TypeVar("_Named", "CatalogueColumn", "CatalogueTable")


class Role(StrEnum):
    """What a column is for in a calculation."""

    IDENTIFIER = "identifier"
    """Names one entity: a key, a reference to one, a code that is unique."""
    CATEGORY = "category"
    """Few values that many rows share; rows are grouped by it."""
    MEASURE = "measure"
    """A quantity that is averaged, compared and, where it is summable, added up."""
    DATE = "date"
    """A date, a time, or a year."""
    FLAG = "flag"
    """Two values at most."""
    FREE_TEXT = "free_text"
    """Text that hardly repeats."""
    OTHER = "other"
    """Empty, constant, of mixed types, or not understood."""


class Quantity(StrEnum):
    """What kind of thing a number measures."""

    MONEY = "money"
    COUNT = "count"
    """How many of something."""
    DURATION = "duration"
    LENGTH = "length"
    AREA = "area"
    VOLUME = "volume"
    MASS = "mass"
    TEMPERATURE = "temperature"
    PRESSURE = "pressure"
    ANGLE = "angle"
    POWER = "power"
    ENERGY = "energy"
    FREQUENCY = "frequency"
    DATA_SIZE = "data size"
    SHARE = "share"
    """A part of a whole: a percentage, a probability, a proportion."""
    SCORE = "score"
    """A mark on somebody's scale: a rating, a grade, an index."""
    RANK = "rank"
    """A place in an order."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Dimension:
    """What a measure is a number of, and per what.

    Attributes:
        quantity: What is measured.
        of: What a count counts, in the singular ("game"); empty for all else and where unknown.
        per: What it is divided by: a daily price is money per duration. None for a plain quantity.
        per_of: What the divisor counts, in the singular, where it is a count.
    """

    quantity: Quantity
    of: str = ""
    per: Quantity | None = None
    per_of: str = ""

    @property
    def is_rate(self) -> bool:
        """Whether it is one quantity per another."""
        return self.per is not None

    def __str__(self) -> str:
        """Return it in words: "money per duration", "count of goal per count of game"."""
        plain = f"{self.quantity.value} of {self.of}" if self.of else self.quantity.value
        if self.per is None:
            return plain
        return f"{plain} per {self.per.value}" + (f" of {self.per_of}" if self.per_of else "")


class Evidence(StrEnum):
    """Where a judgement of the catalogue comes from."""

    DECLARED = "declared"
    """The schema says so."""
    DOCUMENT = "document"
    """A catalogue file or a document beside the database says so."""
    NAME = "name"
    """The name says so, and the data do not contradict it."""
    DATA = "data"
    """The data say so."""
    MODEL = "model"
    """A model proposed it, and the data do not contradict it."""


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What one pass over its table measured of a column.

    Attributes:
        missing: Rows in which it is NULL.
        distinct: Different values, NULL left out.
        minimum: Its least value, as the engine orders values; None where all are NULL.
        maximum: Its greatest value.
        integers: Rows whose value is stored as an integer.
        reals: Rows whose value is stored as a floating-point number.
        texts: Rows whose value is stored as text.
        negative: Rows with a number below zero.
        zero: Rows with a number equal to zero.
    """

    missing: int
    distinct: int
    minimum: int | float | str | None
    maximum: int | float | str | None
    integers: int
    reals: int
    texts: int
    negative: int
    zero: int


@dataclass(frozen=True, slots=True)
class CatalogueColumn:
    """A column and what is known of it.

    Attributes:
        name: Its name as the schema declares it.
        declared_type: Its type as declared; empty where none is.
        role: What it is for.
        role_evidence: Where the role comes from.
        phrase: What it is called in a sentence after "the": "salary", "home runs", "team id".
        singular: What one value stands for, after "each" or "per": "team", "year", "game".
        plural: The same for several: "teams", "years", "games".
        unit: Unit of a measure, in words ("minutes", "US dollars"); empty where it is not known.
        summable: Whether adding its values up over rows means something.
        denominator: Whether other measures are sensibly divided by it (games, at bats, minutes).
        meaning: A sentence from a document; empty without one.
        profile: What was measured.
        dimension: What a measure is a number of; None for every other role.
        role_reason: Why it has its role, in words.
        unit_reason: Why it has its unit and dimension; empty where neither is known.
        summable_reason: Why its values are added up or not; empty where it is no measure.
    """

    name: str
    declared_type: str
    role: Role
    role_evidence: Evidence
    phrase: str
    singular: str
    plural: str
    unit: str
    summable: bool
    denominator: bool
    meaning: str
    profile: ColumnProfile
    dimension: Dimension | None = None
    role_reason: str = ""
    unit_reason: str = ""
    summable_reason: str = ""


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """A table and what is known of it.

    Attributes:
        name: Its name as the schema declares it.
        rows: Number of its rows.
        singular: What one row is, after "each": "salary record", "flight".
        plural: The same for several: "salary records", "flights".
        key: The columns of its key; empty where none is declared and none was found.
        key_evidence: Where the key comes from; None without a key.
        columns: Its columns in declared order.
        key_reason: Why these columns are its key, in words; empty without one.
        entity: What one row is, by its key: "one salary record for each player and year".
    """

    name: str
    rows: int
    singular: str
    plural: str
    key: tuple[str, ...]
    key_evidence: Evidence | None
    columns: tuple[CatalogueColumn, ...]
    key_reason: str = ""
    entity: str = ""
    _by_name: Mapping[str, CatalogueColumn] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the columns: rules look them up many thousand times."""
        object.__setattr__(self, "_by_name", _first_by_name(self.columns))

    def column(self, name: str) -> CatalogueColumn:
        """Return a column by its name, in any case.

        Raises:
            KeyError: The table has no such column.
        """
        found = self._by_name.get(name) or self._by_name.get(name.lower())
        if found is None:
            raise KeyError(f"{self.name}.{name}")
        return found


@dataclass(frozen=True, slots=True)
class Relationship:
    """Rows of one table that refer to rows of another.

    Attributes:
        child: The table that refers.
        child_columns: The columns that refer.
        parent: The table referred to.
        parent_columns: The columns referred to, in the same order; unique in the parent.
        evidence: Declared, or found by names and data.
        unmatched_children: Rows of the child with a value in all these columns and no parent.
        missing_children: Rows of the child with NULL in one of these columns.
        childless_parents: Rows of the parent that no child refers to.
        most_children: The largest number of children of one parent; 1 is one to one.
        matched_children: Rows of the child that have a parent.
        matched_parents: Rows of the parent that a child refers to.
        reason: Why it is taken for a reference, in words.
    """

    child: str
    child_columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]
    evidence: Evidence
    unmatched_children: int
    missing_children: int
    childless_parents: int
    most_children: int
    matched_children: int = 0
    matched_parents: int = 0
    reason: str = ""

    @property
    def cardinality(self) -> str:
        """How rows go together on the data: "1:1" or "n:1", child to parent."""
        return "n:1" if self.most_children > 1 else "1:1"

    @property
    def mean_children(self) -> float:
        """Children of a parent that has any, on average; 0 where none has."""
        return self.matched_children / self.matched_parents if self.matched_parents else 0.0

    @property
    def orphan_share(self) -> float:
        """Share of the child's rows without a parent, NULL or dangling; 0 of an empty table."""
        orphans = self.unmatched_children + self.missing_children
        rows = orphans + self.matched_children
        return orphans / rows if rows else 0.0

    @property
    def childless_share(self) -> float:
        """Share of the parent's rows that no child refers to; 0 of an empty table."""
        rows = self.childless_parents + self.matched_parents
        return self.childless_parents / rows if rows else 0.0


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A database as the generator, the describer and the writer see it.

    Attributes:
        database: Registry id.
        tables: Its tables in the schema's order.
        relationships: Sorted by child, its columns, parent.
        engine: The engine that runs its queries.
    """

    database: str
    tables: tuple[CatalogueTable, ...]
    relationships: tuple[Relationship, ...]
    engine: Engine = Engine.SQLITE
    _by_name: Mapping[str, CatalogueTable] = field(init=False, repr=False, compare=False)
    _by_child: Mapping[str, tuple[Relationship, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index tables and relationships: rules look them up many thousand times."""
        by_child: dict[str, list[Relationship]] = {}
        for each in self.relationships:
            by_child.setdefault(each.child.lower(), []).append(each)
        object.__setattr__(self, "_by_name", _first_by_name(self.tables))
        object.__setattr__(
            self, "_by_child", {name: tuple(found) for name, found in by_child.items()}
        )

    def table(self, name: str) -> CatalogueTable:
        """Return a table by its name, in any case.

        Raises:
            KeyError: There is no such table.
        """
        found = self._by_name.get(name) or self._by_name.get(name.lower())
        if found is None:
            raise KeyError(name)
        return found

    def column(self, table: str, name: str) -> CatalogueColumn:
        """Return a column of a table.

        Raises:
            KeyError: There is no such table or column.
        """
        return self.table(table).column(name)

    def relationships_of(self, child: str) -> tuple[Relationship, ...]:
        """Return what a table refers to."""
        return self._by_child.get(child.lower(), ())


def _first_by_name(items: Iterable[_Named]) -> dict[str, _Named]:
    """Return things by their names in lower case and as they are spelled; the first of a name."""
    listed = tuple(items)
    found: dict[str, _Named] = {}
    for each in listed:
        found.setdefault(each.name.lower(), each)
    # As it is spelled, a name finds what its lower case does.
    return {each.name: found[each.name.lower()] for each in listed} | found
