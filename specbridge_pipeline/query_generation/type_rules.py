"""Rules on columns: what may be grouped by, counted, added up, averaged and divided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    ColumnProfile,
    Relationship,
    Role,
)
from specbridge_pipeline.query_generation.look_ahead import Shape, base_shape, ranked_rows_shape
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Column,
    Condition,
    Function,
    Operator,
    ParentJoin,
    Source,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ColumnKind

FEWEST_GROUPS = 3
MOST_GROUPS = 2_000
_MOST_PAIRS = 60_000
FEWEST_ROWS_A_GROUP = 2
"""On average; smaller groups are hardly groups."""
_FEWEST_ROWS = 10
_REPEATS = 1.2
"""Rows an entity must have on average for a count of rows to differ from a count of entities."""
_MISSING_THAT_COUNTS = 0.05
"""Share of missing values from which on a query says that it leaves them out."""
_YEARS = (1500, 2200)
_MOST_VALUES_TO_SELECT = 500
_LABELS = ("name", "title", "label")
_NAMES_OF_PEOPLE = frozenset({"first", "last", "middle", "user"})
_ORDINALS = frozenset(
    {
        "dir",
        "direction",
        "latitude",
        "longitude",
        "order",
        "place",
        "position",
        "rank",
        "ranking",
        "seed",
        "sequence",
        "tz",
        "zone",
    }
)
"""Words of columns whose numbers say where something stands, which nobody averages or tops."""
_LAST_DAY_OF_MONTH = 31
_MOST_MISSING = 0.5
"""Share of missing values up to which a measure says something of its table."""
_FEWEST_ENTITIES = 5
_CLOCK_TIMES = (2300, 2400)
"""Between these lies the greatest value of times of day that are written as whole numbers."""
RATIOS = (Function.MEAN_OF_RATIOS, Function.RATIO_OF_MEANS)


@dataclass(frozen=True, slots=True)
class Offer:
    """What the rules allow on one source of rows.

    Attributes:
        source: The rows, without conditions.
        keys: Combinations of columns to group by: none, one, or two.
        aggregates: What can be computed.
        identifiers: Columns that name a row when rows themselves are ranked; empty where none do.
        measures: What rows themselves can be ranked by.
        conditions: Columns whose values can be selected by.
    """

    source: Source
    keys: tuple[tuple[Column, ...], ...]
    aggregates: tuple[Aggregate, ...]
    identifiers: tuple[Column, ...]
    measures: tuple[Column, ...]
    conditions: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Start:
    """What a plan can begin with.

    Attributes:
        offer: The source and what the rules allow on it.
        shape: The shape of the first step.
        function: What it computes; None for ranked rows.
        pairs: By which keys, and from which columns.
    """

    offer: Offer
    shape: Shape
    function: Function | None
    pairs: tuple[tuple[tuple[Column, ...], Aggregate], ...]


def offers(catalogue: Catalogue) -> tuple[Offer, ...]:
    """Return what the rules allow on a database.

    Args:
        catalogue: The catalogue.

    Returns:
        One offer for each table, then one for each join to a parent that gives it further keys.
        Tables with too few rows or nothing to compute are left out.
    """
    found: list[Offer] = []
    for table in catalogue.tables:
        if table.rows < _FEWEST_ROWS:
            continue
        found += [_alone(catalogue, table), *_joined(catalogue, table)]
    return tuple(offer for offer in found if any(offer.keys) or offer.identifiers)


def starts(offer: Offer, catalogue: Catalogue) -> tuple[Start, ...]:
    """Return what a plan can begin with on a source.

    Args:
        offer: What the rules allow on the source.
        catalogue: The catalogue.

    Returns:
        One start for each shape and function that the rules give.
    """
    found: dict[tuple[Shape, Function], list[tuple[tuple[Column, ...], Aggregate]]] = {}
    for aggregate in offer.aggregates:
        negative = has_negatives(aggregate, catalogue)
        for keys in offer.keys:
            if fits(keys, aggregate):
                shape = base_shape(aggregate.function, len(keys), negative=negative)
                found.setdefault((shape, aggregate.function), []).append((keys, aggregate))
    listed = [
        Start(offer, shape, function, tuple(pairs)) for (shape, function), pairs in found.items()
    ]
    if offer.identifiers and offer.measures:
        listed.append(Start(offer, ranked_rows_shape(), None, ()))
    return tuple(listed)


def has_negatives(aggregate: Aggregate, catalogue: Catalogue) -> bool:
    """Return whether a column that is aggregated has values below zero."""
    if aggregate.function is Function.COUNT_ENTITIES:
        return False
    return any(
        catalogue.column(column.table, column.name).profile.negative for column in aggregate.columns
    )


def fits(keys: tuple[Column, ...], aggregate: Aggregate) -> bool:
    """Return whether a value makes sense by some keys: none of its columns is a key."""
    return not {column.name.lower() for column in aggregate.columns} & {
        key.name.lower() for key in keys
    }


def entities(catalogue: Catalogue, table: str) -> tuple[Column, ...]:
    """Return the columns of a table that refer to entities which several of its rows share.

    Args:
        catalogue: The catalogue.
        table: The table.
    """
    found = catalogue.table(table)
    referring = {
        name.lower() for each in catalogue.relationships_of(table) for name in each.child_columns
    }
    return tuple(
        Column(found.name, column.name)
        for column in found.columns
        if column.role is Role.IDENTIFIER
        and column.name.lower() in referring
        and column.profile.distinct >= _FEWEST_ENTITIES
        and found.rows - column.profile.missing >= _REPEATS * column.profile.distinct
    )


def presence_conditions(
    catalogue: Catalogue, keys: tuple[Column, ...], aggregate: Aggregate | None
) -> tuple[Condition, ...]:
    """Return the conditions that a query needs so that missing values play no part in it.

    Args:
        catalogue: The catalogue.
        keys: What is grouped by, or what names a row.
        aggregate: What is computed.

    Returns:
        `IS NOT NULL` on keys and on the column that is counted or measured where it matters; for a
        ratio `IS NOT NULL` and `> 0`, so that both its forms compute from the same rows.
    """
    conditions = [
        Condition(key, Operator.PRESENT) for key in keys if _profile(catalogue, key).missing
    ]
    if aggregate is None or not aggregate.columns:
        return tuple(conditions)
    first = _profile(catalogue, aggregate.columns[0])
    if aggregate.function in RATIOS:
        divisor = _profile(catalogue, aggregate.columns[1])
        if first.missing:
            conditions.append(Condition(aggregate.columns[0], Operator.PRESENT))
        if divisor.zero:
            conditions.append(Condition(aggregate.columns[1], Operator.ABOVE, 0))
        elif divisor.missing:
            conditions.append(Condition(aggregate.columns[1], Operator.PRESENT))
    elif aggregate.function is Function.COUNT_ENTITIES:
        if first.missing:
            conditions.append(Condition(aggregate.columns[0], Operator.PRESENT))
    else:
        rows = catalogue.table(aggregate.columns[0].table).rows
        if first.missing > _MISSING_THAT_COUNTS * rows:
            conditions.append(Condition(aggregate.columns[0], Operator.PRESENT))
    return tuple(dict.fromkeys(conditions))


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


def _profile(catalogue: Catalogue, column: Column) -> ColumnProfile:
    return catalogue.column(column.table, column.name).profile


def _alone(catalogue: Catalogue, table: CatalogueTable) -> Offer:
    keys = tuple(
        Column(table.name, column.name)
        for column in table.columns
        if _is_key(column, table.rows, table)
    )
    aggregates = tuple(_aggregates(catalogue, table))
    measures = tuple(
        Column(table.name, column.name)
        for column in table.columns
        if _is_measure(column, table) and column.name not in table.key
    )
    return Offer(
        Source(table.name),
        _combinations(catalogue, keys),
        aggregates,
        _identifiers(catalogue, table),
        measures,
        _selectable(table),
    )


def _joined(catalogue: Catalogue, table: CatalogueTable) -> Iterator[Offer]:
    relationships = catalogue.relationships_of(table.name)
    for each in relationships:
        parent = catalogue.table(each.parent)
        # Of two ways to the same table, a join's words could not say which is meant.
        ways = sum(1 for other in relationships if other.parent.lower() == each.parent.lower())
        if ways > 1 or parent.name == table.name or not _keeps_most_rows(each, table):
            continue
        own = [
            Column(table.name, column.name)
            for column in table.columns
            if _is_key(column, table.rows, table)
        ]
        names = {column.name.lower() for column in table.columns}
        further = [
            Column(parent.name, column.name)
            for column in parent.columns
            if column.name.lower() not in names and _is_parent_key(column, parent)
        ]
        pairs = tuple(
            keys
            for keys in _combinations(catalogue, (*further, *own))
            if keys and any(key.table == parent.name for key in keys)
        )
        if not pairs:
            continue
        yield Offer(
            Source(table.name, ParentJoin(parent.name, each.child_columns, each.parent_columns)),
            pairs,
            tuple(_aggregates(catalogue, table)),
            (),
            (),
            (*_selectable(parent), *_selectable(table)),
        )


def _keeps_most_rows(relationship: Relationship, table: CatalogueTable) -> bool:
    lost = relationship.unmatched_children + relationship.missing_children
    return lost <= 0.5 * table.rows


def _combinations(catalogue: Catalogue, keys: tuple[Column, ...]) -> tuple[tuple[Column, ...], ...]:
    def column(key: Column) -> CatalogueColumn:
        return catalogue.column(key.table, key.name)

    single = [
        (key,)
        for key in keys
        if column(key).role is not Role.FLAG
        and not _is_day_of_month(column(key))
        and column(key).profile.distinct >= FEWEST_GROUPS
    ]
    pairs = [
        (first, second)
        for first, second in permutations(keys, 2)
        if first.name.lower() != second.name.lower()
        and column(first).profile.distinct >= FEWEST_GROUPS
        and column(second).profile.distinct >= FEWEST_GROUPS
        and not (is_year(column(first)) and is_year(column(second)))
        and not _is_day_of_month(column(first))
        and (not _is_day_of_month(column(second)) or column(first).phrase.lower() == "month")
        and column(first).profile.distinct * column(second).profile.distinct <= _MOST_PAIRS
    ]
    return ((), *single, *pairs)


def _is_key(column: CatalogueColumn, rows: int, table: CatalogueTable) -> bool:
    profile = column.profile
    if not 2 <= profile.distinct <= MOST_GROUPS:
        return False
    if rows - profile.missing < FEWEST_ROWS_A_GROUP * profile.distinct:
        return False
    if column.role in (Role.CATEGORY, Role.FLAG):
        return not _numbers_rows(column, table)
    if column.role is Role.IDENTIFIER:
        return (column.name,) != table.key
    return is_year(column)


def _is_day_of_month(column: CatalogueColumn) -> bool:
    """Return whether a column holds days of months, which say something beside a month only."""
    phrase = column.phrase.lower().removesuffix(" of the month").removesuffix(" of month")
    return phrase.split()[-1:] == ["day"] and column.profile.maximum == _LAST_DAY_OF_MONTH


def _numbers_rows(column: CatalogueColumn, table: CatalogueTable) -> bool:
    """Return whether a column counts up the rows of one entity: a stint, a line of an order."""
    return column.name in table.key and column.profile.integers > 0


def _is_parent_key(column: CatalogueColumn, parent: CatalogueTable) -> bool:
    if column.role is Role.CATEGORY:
        return FEWEST_GROUPS <= column.profile.distinct <= MOST_GROUPS
    # A name that no two rows share stands for the row itself.
    return (
        _is_label(column)
        and not _NAMES_OF_PEOPLE & set(column.phrase.lower().split())
        and column.profile.distinct == parent.rows
        and FEWEST_GROUPS <= parent.rows <= MOST_GROUPS
    )


def _is_label(column: CatalogueColumn) -> bool:
    last = column.name.lower().replace("_", " ").split(" ")[-1]
    return column.profile.texts > 0 and (last in _LABELS or last.endswith(_LABELS))


def _selectable(table: CatalogueTable) -> tuple[Column, ...]:
    return tuple(
        Column(table.name, column.name)
        for column in table.columns
        if 2 <= column.profile.distinct <= _MOST_VALUES_TO_SELECT
        and (column.role in (Role.CATEGORY, Role.FLAG) or is_year(column))
        and (is_year(column) or not _numbers_rows(column, table))
        and not _is_day_of_month(column)
    )


def _aggregates(catalogue: Catalogue, table: CatalogueTable) -> Iterator[Aggregate]:
    yield Aggregate(Function.COUNT_ROWS)
    for entity in entities(catalogue, table.name):
        yield Aggregate(Function.COUNT_ENTITIES, (entity,))
    measures = [column for column in table.columns if _is_measure(column, table)]
    for column in measures:
        of = (Column(table.name, column.name),)
        if column.summable:
            yield Aggregate(Function.TOTAL, of)
        yield Aggregate(Function.AVERAGE, of)
        yield Aggregate(Function.HIGHEST, of)
        yield Aggregate(Function.LOWEST, of)
    for numerator, divisor in permutations(measures, 2):
        if _divides(divisor, numerator) and _calculates_exactly(catalogue, divisor, numerator):
            columns = (Column(table.name, numerator.name), Column(table.name, divisor.name))
            yield Aggregate(Function.MEAN_OF_RATIOS, columns)
            yield Aggregate(Function.RATIO_OF_MEANS, columns)


def _is_measure(column: CatalogueColumn, table: CatalogueTable) -> bool:
    profile = column.profile
    if column.role is not Role.MEASURE or profile.distinct <= 2:
        return False
    if profile.missing > _MOST_MISSING * table.rows:
        return False
    # Digits stored as text, or a few numbers among words, are added up by accident only.
    if profile.texts or _ORDINALS & set(column.phrase.lower().split()):
        return False
    # A flight's "flight" is its number.
    return column.phrase.lower() != table.singular.lower() and not _is_clock_time(column)


def _is_clock_time(column: CatalogueColumn) -> bool:
    highest = column.profile.maximum
    return (
        column.phrase.lower().split()[-1:] == ["time"]
        and not column.profile.reals
        and isinstance(highest, int)
        and _CLOCK_TIMES[0] <= highest <= _CLOCK_TIMES[1]
    )


def _divides(divisor: CatalogueColumn, numerator: CatalogueColumn) -> bool:
    if not divisor.denominator or not numerator.summable:
        return False
    if divisor.profile.negative or numerator.profile.negative:
        return False
    # "Games per at bat" is said the other way round.
    return not (numerator.denominator and _greatest(numerator) <= _greatest(divisor))


def _calculates_exactly(catalogue: Catalogue, *columns: CatalogueColumn) -> bool:
    """Return whether the engine calculates with columns in numbers of eight bytes at least."""
    kind_of = rules_of(catalogue.engine).kind_of
    return all(kind_of(column.declared_type) is not ColumnKind.SINGLE for column in columns)


def _greatest(column: CatalogueColumn) -> float:
    return float(column.profile.maximum) if isinstance(column.profile.maximum, int | float) else 0.0


def _identifiers(catalogue: Catalogue, table: CatalogueTable) -> tuple[Column, ...]:
    key = tuple(Column(table.name, name) for name in table.key)
    if not key or len(key) > 2:
        return ()
    if any(catalogue.column(each.table, each.name).role is Role.MEASURE for each in key):
        return ()
    if len(key) == 2:
        return key
    labels = [
        Column(table.name, column.name)
        for column in table.columns
        if _is_label(column)
        and column.name not in table.key
        and column.profile.missing == 0
        and 2 * column.profile.distinct > table.rows
    ]
    return (*key, *labels[:1])
