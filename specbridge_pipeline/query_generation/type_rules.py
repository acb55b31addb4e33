"""What a plan can begin with on a database, by the rules on its columns and relationships."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    Relationship,
    Role,
)
from specbridge_pipeline.query_generation.column_rules import (
    FEWEST_GROUPS,
    FEWEST_ROWS,
    MISSING_THAT_COUNTS,
    MOST_GROUPS,
    ColumnRules,
)
from specbridge_pipeline.query_generation.mechanisms import ALL, Mechanisms
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Column,
    Condition,
    Contrast,
    Function,
    Grouped,
    Join,
    Operator,
    Source,
    Unmatched,
)
from specbridge_pipeline.query_generation.shapes import Shape, base_shape, ranked_rows_shape

RATIOS = (Function.MEAN_OF_RATIOS, Function.RATIO_OF_MEANS)
_COMBINED = (Function.COUNT_ROWS, Function.TOTAL)
"""What is set against values of other rows."""
_CHOSEN = (Operator.EQUALS, Operator.AT_LEAST)
_OF_ENTITIES = (
    Function.COUNT_ENTITIES,
    Function.ROWS_PER_ENTITY,
    Function.TOTAL_PER_ENTITY,
)
_OF_ANY_SIGN = (Function.COUNT_ENTITIES, Function.ROWS_PER_ENTITY, Function.SPREAD)
"""What is never below zero, whatever its columns hold."""
_COUNTS = (Function.COUNT_ROWS, Function.COUNT_ENTITIES)
_MOST_LOST = 0.5
"""Share of rows without a match up to which a join still says something of its table."""


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
        keys: By which keys.
        aggregates: From which columns; each with those keys that it fits.
    """

    offer: Offer
    shape: Shape
    function: Function | None
    keys: tuple[tuple[Column, ...], ...] = ()
    aggregates: tuple[Aggregate, ...] = ()


class TypeRules:
    """What the rules allow on one database, worked out once.

    Args:
        catalogue: The catalogue.
        mechanisms: Which mechanisms are at work.

    Attributes:
        columns: The rules on its columns.
        offers: One offer for each table, for each join to a parent that gives it further keys, for
            each chain of two such joins, and for each table whose rows are counted for all rows
            of a parent. Tables with too few rows or nothing to compute are left out.
        starts: What a plan can begin with, over all offers.
    """

    def __init__(self, catalogue: Catalogue, mechanisms: Mechanisms = ALL) -> None:
        self.columns = ColumnRules(catalogue, mechanisms)
        self._catalogue = catalogue
        self._no_ratios: dict[Aggregate, bool] = {}
        self._present: dict[tuple[tuple[Column, ...], Aggregate | None], tuple[Condition, ...]] = {}
        self.offers = tuple(self._offers())
        self._partners = self._listed_partners()
        self.starts = tuple(start for offer in self.offers for start in self._starts(offer))

    def partners(self, step: Grouped, contrast: Contrast) -> tuple[Grouped, ...]:
        """Return what a step's value can be set against: other rows' values by the same key.

        Args:
            step: The step, grouped by one key.
            contrast: How they are set against each other.
        """
        return tuple(self._set_against(step, contrast))

    def _set_against(self, step: Grouped, contrast: Contrast) -> Iterator[Grouped]:
        if len(step.keys) != 1 or step.source.keeps_unmatched:
            return
        if any(
            isinstance(each, Condition) and each.operator in _CHOSEN
            for each in step.source.conditions
        ):
            # Of some rows here and of all rows there: nobody would read a ratio of the two.
            return
        for other in self._partners.get(self._stands_for(step.keys[0]), ()):
            if self._goes_beside(step.source.table, other.source.table) and self._combines(
                step.aggregate, other.aggregate, contrast
            ):
                yield other

    def shape_of(self, source: Source, keys: tuple[Column, ...], aggregate: Aggregate) -> Shape:
        """Return the shape of a first step."""
        partners: frozenset[Contrast] = frozenset()
        if (
            len(keys) == 1
            and aggregate.function in _COMBINED
            and self.fits(source, keys, aggregate)
        ):
            step = Grouped(source, keys, aggregate)
            partners = frozenset(each for each in Contrast if any(self._set_against(step, each)))
        return base_shape(
            aggregate.function,
            len(keys),
            negative=self.has_no_ratios(aggregate),
            joins=len(source.joins),
            outer=source.keeps_unmatched,
            partners=partners,
        )

    def fits(self, source: Source, keys: tuple[Column, ...], aggregate: Aggregate) -> bool:
        """Return whether a value makes sense by some keys.

        None of its columns is a key, and no key names the entity that is counted: a customer's
        name has one customer.
        """
        if not fits(keys, aggregate):
            return False
        if aggregate.function not in _OF_ENTITIES or not self.columns.typed:
            return True
        entity = aggregate.columns[-1]
        return not any(
            key.table == join.table
            and (entity.table, (entity.name,)) == (join.owner, join.owner_columns)
            and self.columns.names_rows(self.columns.of(key), self._catalogue.table(key.table))
            for join in source.joins
            for key in keys
        )

    def has_no_ratios(self, aggregate: Aggregate) -> bool:
        """Return whether no multiple and no share of a value means anything.

        That is so where a column that is aggregated has values below zero, or a zero that somebody
        chose.
        """
        if aggregate not in self._no_ratios:
            self._no_ratios[aggregate] = aggregate.function not in _OF_ANY_SIGN and not all(
                self.columns.has_ratios(self.columns.of(column)) for column in aggregate.columns
            )
        return self._no_ratios[aggregate]

    def presence_conditions(
        self, source: Source, keys: tuple[Column, ...], aggregate: Aggregate | None
    ) -> tuple[Condition, ...]:
        """Return the conditions that keep missing values out; none without the column profile."""
        if not self.columns.profiled:
            return ()
        if source.keeps_unmatched:
            # A condition on what is missing where nothing matches would leave these rows out.
            aggregate = None
        asked = (keys, aggregate)
        if asked not in self._present:
            self._present[asked] = presence_conditions(self._catalogue, keys, aggregate)
        return self._present[asked]

    def allows(self, source: Source, keys: tuple[Column, ...], aggregate: Aggregate) -> bool:
        """Return whether a first step is offered, whatever conditions its source has."""
        bare = Source(source.table, source.joins)
        return any(
            offer.source == bare
            and keys in offer.keys
            and aggregate in offer.aggregates
            and self.fits(bare, keys, aggregate)
            for offer in self.offers
        )

    def _offers(self) -> Iterator[Offer]:
        for table in self._catalogue.tables:
            if table.rows < FEWEST_ROWS:
                continue
            found = [
                self._alone(table),
                *self._joined(table),
                *self._chained(table),
                *self._counted_for_all(table),
            ]
            yield from (offer for offer in found if any(offer.keys) or offer.identifiers)

    def _starts(self, offer: Offer) -> Iterator[Start]:
        kinds: dict[tuple[Function, bool], list[Aggregate]] = {}
        for aggregate in offer.aggregates:
            kind = (aggregate.function, self.has_no_ratios(aggregate))
            kinds.setdefault(kind, []).append(aggregate)
        alike: dict[tuple[Shape, Function, tuple[Aggregate, ...]], list[tuple[Column, ...]]] = {}
        for (function, _), aggregates in kinds.items():
            # But for what is set against other rows' values, only the number of keys matters.
            by_number: dict[int, list[tuple[Column, ...]]] = {}
            for keys in offer.keys:
                if len(keys) == 1 and function in _COMBINED:
                    shapes: dict[Shape, list[Aggregate]] = {}
                    for aggregate in aggregates:
                        shape = self.shape_of(offer.source, keys, aggregate)
                        shapes.setdefault(shape, []).append(aggregate)
                    for shape, fitting in shapes.items():
                        alike.setdefault((shape, function, tuple(fitting)), []).append(keys)
                    continue
                if len(keys) not in by_number:
                    shape = self.shape_of(offer.source, keys, aggregates[0])
                    by_number[len(keys)] = alike.setdefault(
                        (shape, function, tuple(aggregates)), []
                    )
                by_number[len(keys)].append(keys)
        for (shape, function, fitting_all), keys_alike in alike.items():
            yield Start(offer, shape, function, tuple(keys_alike), fitting_all)
        if offer.identifiers and offer.measures:
            yield Start(offer, ranked_rows_shape(), None)

    def _alone(self, table: CatalogueTable) -> Offer:
        keys = self._keys(table)
        return Offer(
            Source(table.name),
            self._combinations(keys),
            tuple(self._aggregates(table)),
            self.columns.identifiers(table),
            tuple(
                Column(table.name, column.name)
                for column in table.columns
                if self.columns.is_measure(column, table) and column.name not in table.key
            ),
            self._selectable(table),
        )

    def _joined(self, table: CatalogueTable) -> Iterator[Offer]:
        for relationship, parent in self._parents(table):
            joins = (_to_parent(relationship),)
            pairs = self._keys_with(table, joins)
            if pairs:
                yield Offer(
                    Source(table.name, joins),
                    pairs,
                    tuple(self._aggregates(table)),
                    (),
                    (),
                    (*self._selectable(parent), *self._selectable(table)),
                )

    def _chained(self, table: CatalogueTable) -> Iterator[Offer]:
        for first, parent in self._parents(table):
            for second, beyond in self._parents(parent):
                if beyond.name == table.name:
                    continue
                direct = {
                    each.parent.lower() for each in self._catalogue.relationships_of(table.name)
                }
                # A table that is also referred to directly could be meant either way.
                if beyond.name.lower() in direct:
                    continue
                joins = (_to_parent(first), _to_parent(second))
                pairs = self._keys_with(table, joins)
                if pairs:
                    yield Offer(
                        Source(table.name, joins),
                        pairs,
                        tuple(self._aggregates(table)),
                        (),
                        (),
                        self._selectable(beyond),
                    )

    def _counted_for_all(self, child: CatalogueTable) -> Iterator[Offer]:
        """Yield offers of a parent's rows, each with the count of its children, also of none."""
        for relationship, parent in self._parents(child):
            if len(relationship.child_columns) != 1 or not relationship.childless_parents:
                continue
            referring = Column(child.name, relationship.child_columns[0])
            named = [each for each in parent.columns if self._stands_for_rows(each, parent)]
            grouping = [
                each
                for each in parent.columns
                if each.role is Role.CATEGORY
                and self.columns.is_key(each, parent)
                and self.columns.groups_alone(each)
            ]
            keys = tuple((Column(parent.name, each.name),) for each in (*named[:1], *grouping))
            counted = [
                Aggregate(Function.COUNT_ENTITIES, (entity,))
                for entity in self.columns.entities(child.name)
                if entity != referring
            ]
            if keys:
                yield Offer(
                    Source(
                        parent.name,
                        (
                            Join(
                                child.name,
                                relationship.child_columns,
                                parent.name,
                                relationship.parent_columns,
                                Unmatched.KEPT,
                            ),
                        ),
                    ),
                    keys,
                    (Aggregate(Function.COUNT_ROWS, (referring,)), *counted),
                    (),
                    (),
                    self._selectable(parent),
                )

    def _stands_for_rows(self, column: CatalogueColumn, parent: CatalogueTable) -> bool:
        if not FEWEST_GROUPS <= parent.rows <= MOST_GROUPS:
            return False
        return self.columns.names_rows(column, parent) or parent.key == (column.name,)

    def _parents(self, table: CatalogueTable) -> Iterator[tuple[Relationship, CatalogueTable]]:
        relationships = self._catalogue.relationships_of(table.name)
        for each in relationships:
            parent = self._catalogue.table(each.parent)
            # Of two ways to the same table, a join's words could not say which is meant.
            ways = sum(1 for other in relationships if other.parent.lower() == each.parent.lower())
            if ways == 1 and parent.name != table.name and _keeps_most_rows(each, table):
                yield each, parent

    def _keys(self, table: CatalogueTable) -> list[Column]:
        return [
            Column(table.name, column.name)
            for column in table.columns
            if self.columns.is_key(column, table)
        ]

    def _keys_with(
        self, table: CatalogueTable, joins: Sequence[Join]
    ) -> tuple[tuple[Column, ...], ...]:
        """Return the combinations of keys that have one of the last joined table's columns."""
        taken = {column.name.lower() for column in table.columns}
        further = []
        for join in joins:
            parent = self._catalogue.table(join.table)
            further += [
                Column(parent.name, column.name)
                for column in parent.columns
                if column.name.lower() not in taken and self.columns.is_parent_key(column, parent)
            ]
            taken |= {column.name.lower() for column in parent.columns}
        last = joins[-1].table
        return tuple(
            keys
            for keys in self._combinations([*further, *self._keys(table)])
            if any(key.table == last for key in keys) and not self._follow(keys, joins)
        )

    def _follow(self, keys: tuple[Column, ...], joins: Sequence[Join]) -> bool:
        """Return whether one of two keys follows from the other, as a country from a city."""
        if len(keys) < 2:
            return False
        for position, join in enumerate(joins):
            beyond = {each.table for each in joins[position:]}
            parent = self._catalogue.table(join.table)
            for key, other in permutations(keys, 2):
                refers = key.table == join.owner and (key.name,) == join.owner_columns
                names = key.table == join.table and self.columns.names_rows(
                    self.columns.of(key), parent
                )
                if (refers or names) and other.table in beyond:
                    return True
        return False

    def _combinations(self, keys: Sequence[Column]) -> tuple[tuple[Column, ...], ...]:
        of = {key: self.columns.of(key) for key in keys}
        single = [(key,) for key in keys if self.columns.groups_alone(of[key])]
        pairs = [
            (first, second)
            for first, second in permutations(keys, 2)
            if first.name.lower() != second.name.lower()
            and self.columns.group_together(of[first], of[second])
        ]
        return ((), *single, *pairs)

    def _selectable(self, table: CatalogueTable) -> tuple[Column, ...]:
        return tuple(
            Column(table.name, column.name)
            for column in table.columns
            if self.columns.is_selectable(column, table)
        )

    def _aggregates(self, table: CatalogueTable) -> Iterator[Aggregate]:
        entities = self.columns.entities(table.name)
        yield Aggregate(Function.COUNT_ROWS)
        for entity in entities:
            yield Aggregate(Function.COUNT_ENTITIES, (entity,))
        measures = [column for column in table.columns if self.columns.is_measure(column, table)]
        of = {column.name: Column(table.name, column.name) for column in measures}
        for column in measures:
            if self.columns.is_summable(column):
                yield Aggregate(Function.TOTAL, (of[column.name],))
            for function in (Function.AVERAGE, Function.HIGHEST, Function.LOWEST):
                yield Aggregate(function, (of[column.name],))
            if self.columns.has_spread(column):
                yield Aggregate(Function.SPREAD, (of[column.name],))
        for numerator, divisor in self.columns.divided_pairs(measures):
            columns = (of[numerator.name], of[divisor.name])
            yield Aggregate(Function.MEAN_OF_RATIOS, columns)
            yield Aggregate(Function.RATIO_OF_MEANS, columns)
        for first, second in permutations(measures, 2):
            columns = (of[first.name], of[second.name])
            if self.columns.typed and self.columns.combine(first, second):
                if first.summable:
                    yield Aggregate(Function.DIFFERENCE_OF_TOTALS, columns)
                yield Aggregate(Function.DIFFERENCE_OF_AVERAGES, columns)
            in_order = columns[0].name < columns[1].name
            if self.columns.typed and in_order and self.columns.are_added(first, second):
                yield Aggregate(Function.SUM_OF_TOTALS, columns)
        for entity in filter(self.columns.is_shared_out, entities):
            yield Aggregate(Function.ROWS_PER_ENTITY, (entity,))
            for column in measures:
                if self.columns.is_summable(column) and of[column.name] != entity:
                    yield Aggregate(Function.TOTAL_PER_ENTITY, (of[column.name], entity))

    def _listed_partners(self) -> dict[Column, tuple[Grouped, ...]]:
        found: dict[Column, dict[Grouped, None]] = {}
        for offer in self.offers:
            if len(offer.source.joins) > 1 or offer.source.keeps_unmatched:
                continue
            for keys in offer.keys:
                if len(keys) != 1:
                    continue
                listed = found.setdefault(self._stands_for(keys[0]), {})
                for aggregate in offer.aggregates:
                    if aggregate.function in (*_COUNTS, Function.TOTAL) and self.fits(
                        offer.source, keys, aggregate
                    ):
                        conditions = self.presence_conditions(offer.source, keys, aggregate)
                        source = replace(offer.source, conditions=conditions)
                        listed[Grouped(source, keys, aggregate)] = None
        return {key: tuple(listed) for key, listed in found.items()}

    def _stands_for(self, key: Column) -> Column:
        """Return the column that a key's values are values of: what it refers to, or itself."""
        for each in self._catalogue.relationships_of(key.table):
            if tuple(name.lower() for name in each.child_columns) == (key.name.lower(),):
                parent = self._catalogue.table(each.parent)
                return Column(parent.name, parent.column(each.parent_columns[0]).name)
        return key

    def _goes_beside(self, table: str, other: str) -> bool:
        """Return whether rows of one table are set against rows of another.

        There are examinations per patient, and never patients per examination.
        """
        return table != other and not any(
            each.parent == table for each in self._catalogue.relationships_of(other)
        )

    def _combines(self, first: Aggregate, second: Aggregate, contrast: Contrast) -> bool:
        of_first = [self.columns.of(column) for column in first.columns]
        of_second = [self.columns.of(column) for column in second.columns]
        if contrast is Contrast.DIFFERENCE:
            return first.function is second.function is Function.TOTAL and self.columns.combine(
                of_first[0], of_second[0]
            )
        if first.function not in (Function.COUNT_ROWS, Function.TOTAL) or self.has_no_ratios(first):
            return False
        if second.function is Function.TOTAL:
            if not of_second[0].denominator or self.has_no_ratios(second):
                return False
            return first.function is Function.COUNT_ROWS or self.columns.are_set_against(
                of_first[0], of_second[0]
            )
        return second.function is Function.COUNT_ROWS


def offers(catalogue: Catalogue, mechanisms: Mechanisms = ALL) -> tuple[Offer, ...]:
    """Return what the rules allow on a database; see `TypeRules`."""
    return TypeRules(catalogue, mechanisms).offers


def fits(keys: tuple[Column, ...], aggregate: Aggregate) -> bool:
    """Return whether a value makes sense by some keys: none of its columns is a key."""
    names = [key.name.lower() for key in keys]
    return not any(column.name.lower() in names for column in aggregate.columns)


def entities(catalogue: Catalogue, table: str) -> tuple[Column, ...]:
    """Return the columns of a table that refer to entities which several of its rows share."""
    return ColumnRules(catalogue).entities(table)


def presence_conditions(
    catalogue: Catalogue, keys: tuple[Column, ...], aggregate: Aggregate | None
) -> tuple[Condition, ...]:
    """Return the conditions that a query needs so that missing values play no part in it.

    Args:
        catalogue: The catalogue.
        keys: What is grouped by, or what names a row.
        aggregate: What is computed.

    Returns:
        `IS NOT NULL` on keys and on the column that is counted or measured where it matters; for
        two columns that are set against each other `IS NOT NULL`, and `> 0` for a divisor, so that
        both are computed from the same rows.
    """

    def missing(column: Column) -> int:
        return catalogue.column(column.table, column.name).profile.missing

    conditions = [Condition(key, Operator.PRESENT) for key in keys if missing(key)]
    if aggregate is None or not aggregate.columns:
        return tuple(conditions)
    first, *others = aggregate.columns
    match aggregate.function:
        case Function.MEAN_OF_RATIOS | Function.RATIO_OF_MEANS:
            if missing(first):
                conditions.append(Condition(first, Operator.PRESENT))
            if catalogue.column(others[0].table, others[0].name).profile.zero:
                conditions.append(Condition(others[0], Operator.ABOVE, 0))
            elif missing(others[0]):
                conditions.append(Condition(others[0], Operator.PRESENT))
        case Function.COUNT_ENTITIES | Function.ROWS_PER_ENTITY | Function.TOTAL_PER_ENTITY:
            conditions += [
                Condition(column, Operator.PRESENT)
                for column in aggregate.columns
                if missing(column)
            ]
        case (
            Function.DIFFERENCE_OF_TOTALS | Function.SUM_OF_TOTALS | Function.DIFFERENCE_OF_AVERAGES
        ):
            conditions += [
                Condition(column, Operator.PRESENT)
                for column in aggregate.columns
                if missing(column)
            ]
        case Function.COUNT_ROWS:
            pass
        case _:
            rows = catalogue.table(first.table).rows
            if missing(first) > MISSING_THAT_COUNTS * rows:
                conditions.append(Condition(first, Operator.PRESENT))
    return tuple(dict.fromkeys(conditions))


def _to_parent(relationship: Relationship) -> Join:
    return Join(
        relationship.parent,
        relationship.parent_columns,
        relationship.child,
        relationship.child_columns,
    )


def _keeps_most_rows(relationship: Relationship, table: CatalogueTable) -> bool:
    lost = relationship.unmatched_children + relationship.missing_children
    return lost <= _MOST_LOST * table.rows
