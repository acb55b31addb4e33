"""Rules on columns: which may be grouped by, counted, added up, averaged, divided, selected by.

Two mechanisms meet here, and a study can switch off either: the roles, units and names of columns
(type rules), and what was measured of them (the column profile).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from specbridge_pipeline.catalogue.dimensions import (
    are_compatible,
    are_divisible,
    has_true_zero,
    is_place,
)
from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    Quantity,
    Role,
)
from specbridge_pipeline.catalogue.quantities import head_of
from specbridge_pipeline.catalogue.units import unit_in
from specbridge_pipeline.query_generation.mechanisms import ALL, Mechanisms
from specbridge_pipeline.query_generation.plan import Column
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ColumnKind

FEWEST_GROUPS = 3
MOST_GROUPS = 2_000
MOST_PAIRS = 60_000
FEWEST_ROWS_A_GROUP = 2
"""On average; smaller groups are hardly groups."""
FEWEST_ROWS = 6
"""Of a table: three groups of two rows."""
_REPEATS = 1.2
"""Rows an entity must have on average for a count of rows to differ from a count of entities."""
MISSING_THAT_COUNTS = 0.05
"""Share of missing values from which on a query says that it leaves them out."""
_YEARS = (1500, 2200)
_MOST_VALUES_TO_SELECT = 500
_LABELS = ("name", "title", "label")
_NAMES_OF_PEOPLE = frozenset({"first", "last", "middle", "user"})
_NO_GROUPS = frozenset({"initial", "initials", "number", "surname", "lastname", "firstname"})
"""Last words of columns by whose values rows could be grouped, and nobody does."""
_SORTS = frozenset({"category", "class", "code", "kind", "level", "mode", "status", "type"})
"""Last words of what is a sort of things, and no thing."""
_DIRECTIONS = frozenset(
    {"azimuth", "bearing", "dir", "direction", "latitude", "longitude", "tz", "zone"}
)
"""Words of columns whose numbers say where something lies, which nobody averages or tops."""
_LAST_DAY_OF_MONTH = 31
_MOST_MISSING = 0.5
"""Share of missing values up to which a measure says something of its table."""
_FEWEST_ENTITIES = 5
_CLOCK_TIMES = (2300, 2400)
"""Between these lies the greatest value of times of day that are written as whole numbers."""
_MOST_UNTYPED_PAIRS = 60
"""Pairs of columns of a table that are divided where no rule says which may be."""


class ColumnRules:
    """What the columns of one database may be used for.

    Args:
        catalogue: The catalogue.
        mechanisms: Whether type rules and the column profile are at work.
    """

    def __init__(self, catalogue: Catalogue, mechanisms: Mechanisms = ALL) -> None:
        self._catalogue = catalogue
        self._found: dict[Column, CatalogueColumn] = {}
        self._types = mechanisms.type_rules
        self._profile = mechanisms.column_profile
        self._kind_of = rules_of(catalogue.engine).kind_of

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue."""
        return self._catalogue

    @property
    def typed(self) -> bool:
        """Whether type rules are at work."""
        return self._types

    @property
    def profiled(self) -> bool:
        """Whether the column profile is at work."""
        return self._profile

    def of(self, column: Column) -> CatalogueColumn:
        """Return what the catalogue has of a column."""
        found = self._found.get(column)
        if found is None:
            found = self._found[column] = self._catalogue.column(column.table, column.name)
        return found

    def is_key(self, column: CatalogueColumn, table: CatalogueTable) -> bool:
        """Return whether the rows of its table are grouped by a column."""
        profile = column.profile
        if self._profile and not (
            2 <= profile.distinct <= MOST_GROUPS
            and table.rows - profile.missing >= FEWEST_ROWS_A_GROUP * profile.distinct
        ):
            return False
        if not self._types:
            return True
        if column.role in (Role.CATEGORY, Role.FLAG):
            named = set(column.phrase.lower().split()[-1:])
            return not numbers_rows(column, table) and not _NO_GROUPS & named
        if column.role is Role.IDENTIFIER:
            named = set(column.phrase.lower().split()[-1:])
            refers = column.name.lower() in self._referring(table.name)
            return (column.name,) != table.key and (refers or not _NO_GROUPS & named)
        return is_year(column)

    def is_parent_key(self, column: CatalogueColumn, parent: CatalogueTable) -> bool:
        """Return whether rows that refer to a table are grouped by one of its columns."""
        distinct = column.profile.distinct
        if not self._types:
            return not self._profile or FEWEST_GROUPS <= distinct <= MOST_GROUPS
        if column.role is Role.CATEGORY:
            return not self._profile or FEWEST_GROUPS <= distinct <= MOST_GROUPS
        # A name that no two rows share stands for the row itself.
        return self.names_rows(column, parent) and FEWEST_GROUPS <= parent.rows <= MOST_GROUPS

    def names_rows(self, column: CatalogueColumn, table: CatalogueTable) -> bool:
        """Return whether a column is a name that no two rows of its table share."""
        return (
            is_label(column)
            and not _NAMES_OF_PEOPLE & set(column.phrase.lower().split())
            and column.profile.distinct == table.rows
        )

    def groups_alone(self, column: CatalogueColumn) -> bool:
        """Return whether a key says enough as the only one."""
        if self._profile and column.profile.distinct < FEWEST_GROUPS:
            return False
        return not self._types or not (column.role is Role.FLAG or is_day_of_month(column))

    def group_together(self, first: CatalogueColumn, second: CatalogueColumn) -> bool:
        """Return whether rows are grouped by two keys, of which the first one remains later."""
        if self._profile and not (
            first.profile.distinct >= FEWEST_GROUPS
            and second.profile.distinct >= 2
            and first.profile.distinct * second.profile.distinct <= MOST_PAIRS
        ):
            return False
        if not self._types:
            return True
        return (
            not (is_year(first) and is_year(second))
            and first.role is not Role.FLAG
            and not is_day_of_month(first)
            and (not is_day_of_month(second) or first.phrase.lower() == "month")
        )

    def is_measure(self, column: CatalogueColumn, table: CatalogueTable) -> bool:
        """Return whether a column's values are averaged, compared and ranked."""
        profile = column.profile
        if self._profile and (
            profile.distinct <= 2 or profile.missing > _MOST_MISSING * table.rows or profile.texts
        ):
            # Digits stored as text, or a few numbers among words, are added up by accident only.
            return False
        if not self._types:
            return True
        if column.role is not Role.MEASURE or is_place(column):
            return False
        if _DIRECTIONS & set(column.phrase.lower().split()):
            return False
        # A flight's "flight" is its number.
        return column.phrase.lower() != table.singular.lower() and not _is_clock_time(column)

    def has_spread(self, column: CatalogueColumn) -> bool:
        """Return whether a measure's lowest value is worth taking from its highest.

        Where the lowest is zero, it is zero in nearly every group.
        """
        return not self._profile or column.profile.minimum != 0

    def is_summable(self, column: CatalogueColumn) -> bool:
        """Return whether the values of a measure add up to something."""
        return column.summable or not self._types

    def divides(self, divisor: CatalogueColumn, numerator: CatalogueColumn) -> bool:
        """Return whether one measure is divided by another."""
        if self._profile and (divisor.profile.negative or numerator.profile.negative):
            return False
        if not self._types:
            return True
        if not divisor.denominator or not numerator.summable:
            return False
        if not are_divisible(numerator, divisor):
            return False
        if not (self._is_exact(divisor) and self._is_exact(numerator)):
            return False
        # "Games per at bat" is said the other way round.
        return not (numerator.denominator and _greatest(numerator) <= _greatest(divisor))

    def divided_pairs(
        self, measures: list[CatalogueColumn]
    ) -> list[tuple[CatalogueColumn, CatalogueColumn]]:
        """Return which measures are divided by which."""
        found = [pair for pair in permutations(measures, 2) if self.divides(pair[1], pair[0])]
        if self._types or len(found) <= _MOST_UNTYPED_PAIRS:
            return found
        return found[:: len(found) // _MOST_UNTYPED_PAIRS]

    def combine(self, first: CatalogueColumn, second: CatalogueColumn) -> bool:
        """Return whether one measure is taken from another: of one dimension, in one unit."""
        if not self._types:
            return True
        if first.summable != second.summable or _greatest(first) < _greatest(second):
            # What is left of the smaller one would mostly be below zero.
            return False
        if not (self._is_exact(first) and self._is_exact(second)):
            return False
        return _are_alike(first, second) and (
            _share_a_noun(first, second) or (first.summable and _is_in_currency(first))
        )

    def are_added(self, first: CatalogueColumn, second: CatalogueColumn) -> bool:
        """Return whether two measures are parts of one quantity."""
        return not self._types or (
            first.summable
            and second.summable
            and _are_alike(first, second)
            and _share_a_noun(first, second)
        )

    def are_set_against(self, numerator: CatalogueColumn, divisor: CatalogueColumn) -> bool:
        """Return whether the total of one measure is divided by that of another table's."""
        return not self._types or are_divisible(numerator, divisor)

    def has_ratios(self, column: CatalogueColumn) -> bool:
        """Return whether a multiple of a measure's value, or a part of it, means something."""
        if self._profile and column.profile.negative:
            return False
        return not self._types or has_true_zero(column)

    def is_selectable(self, column: CatalogueColumn, table: CatalogueTable) -> bool:
        """Return whether rows are selected by a value of a column."""
        if self._profile and not 2 <= column.profile.distinct <= _MOST_VALUES_TO_SELECT:
            return False
        if not self._types:
            return True
        return (
            (column.role in (Role.CATEGORY, Role.FLAG) or is_year(column))
            and (is_year(column) or not numbers_rows(column, table))
            and not is_day_of_month(column)
        )

    def entities(self, table: str) -> tuple[Column, ...]:
        """Return the columns of a table that refer to entities which several of its rows share."""
        found = self._catalogue.table(table)
        referring = self._referring(table)
        return tuple(
            Column(found.name, column.name)
            for column in found.columns
            if (
                not self._types
                or (column.role is Role.IDENTIFIER and column.name.lower() in referring)
            )
            and (
                not self._profile
                or (
                    column.profile.distinct >= _FEWEST_ENTITIES
                    and found.rows - column.profile.missing >= _REPEATS * column.profile.distinct
                )
            )
        )

    def is_shared_out(self, entity: Column) -> bool:
        """Return whether rows are told per one of an entity: games per player, none per status."""
        words = self.of(entity).singular.lower().replace("_", " ").split()
        return not self._types or not _SORTS & set(words[-1:])

    def identifiers(self, table: CatalogueTable) -> tuple[Column, ...]:
        """Return the columns that name a row of a table; empty where no one or two do."""
        key = tuple(Column(table.name, name) for name in table.key)
        if not key or len(key) > 2:
            return ()
        if any(self.of(each).role is Role.MEASURE for each in key):
            return ()
        if len(key) == 2:
            return key
        labels = [
            Column(table.name, column.name)
            for column in table.columns
            if is_label(column)
            and column.name not in table.key
            and column.profile.missing == 0
            and 2 * column.profile.distinct > table.rows
        ]
        return (*key, *labels[:1])

    def _referring(self, table: str) -> frozenset[str]:
        return frozenset(
            name.lower()
            for each in self._catalogue.relationships_of(table)
            for name in each.child_columns
        )

    def _is_exact(self, column: CatalogueColumn) -> bool:
        """Return whether the engine calculates with a column in numbers of eight bytes at least."""
        return self._kind_of(column.declared_type) is not ColumnKind.SINGLE


def is_year(column: CatalogueColumn) -> bool:
    """Return whether a column holds years as whole numbers."""
    profile = column.profile
    low, high = profile.minimum, profile.maximum
    return (
        column.role is Role.DATE
        and isinstance(low, int)
        and isinstance(high, int)
        and _YEARS[0] <= low
        and high <= _YEARS[1]
    )


def is_day_of_month(column: CatalogueColumn) -> bool:
    """Return whether a column holds days of months, which say something beside a month only."""
    phrase = column.phrase.lower().removesuffix(" of the month").removesuffix(" of month")
    return phrase.split()[-1:] == ["day"] and column.profile.maximum == _LAST_DAY_OF_MONTH


def numbers_rows(column: CatalogueColumn, table: CatalogueTable) -> bool:
    """Return whether a column counts up the rows of one entity: a stint, a line of an order."""
    return column.name in table.key and column.profile.integers > 0


def is_label(column: CatalogueColumn) -> bool:
    """Return whether a column is a name by which people call a row."""
    last = column.name.lower().replace("_", " ").split(" ")[-1]
    return column.profile.texts > 0 and (last in _LABELS or last.endswith(_LABELS))


def _is_clock_time(column: CatalogueColumn) -> bool:
    highest = column.profile.maximum
    return (
        column.phrase.lower().split()[-1:] == ["time"]
        and not column.profile.reals
        and isinstance(highest, int)
        and _CLOCK_TIMES[0] <= highest <= _CLOCK_TIMES[1]
    )


def _are_alike(first: CatalogueColumn, second: CatalogueColumn) -> bool:
    """Return whether two measures are of one dimension, and in one unit as far as that is known."""
    return are_compatible(first, second) and first.unit == second.unit


def _share_a_noun(first: CatalogueColumn, second: CatalogueColumn) -> bool:
    """Return whether two phrases name the same thing of two sorts: home goals and away goals."""
    one, other = (_without_unit(each.phrase.lower().split()) for each in (first, second))
    return (
        min(len(one), len(other)) > 1
        and one[-1] == other[-1]
        # "Home runs allowed" are some of the "runs allowed", not another sort of them.
        and not set(one) <= set(other)
        and not set(other) <= set(one)
    )


def _without_unit(words: Sequence[str]) -> Sequence[str]:
    """Return a phrase's words up to those that say what it is counted in: "assets in billion"."""
    words = head_of(words)
    while len(words) > 1 and unit_in(words[-1:]):
        words = words[:-1]
    return words


def _is_in_currency(column: CatalogueColumn) -> bool:
    """Return whether a measure is an amount in a stated currency, whatever it is for."""
    dimension = column.dimension
    return bool(column.unit) and dimension is not None and dimension.quantity is Quantity.MONEY


def _greatest(column: CatalogueColumn) -> float:
    return float(column.profile.maximum) if isinstance(column.profile.maximum, int | float) else 0.0
