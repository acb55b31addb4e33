"""Conditions that can be read in two ways: five forms, drawn from the data for a first step.

After the paper's Appendix D. Generated queries seldom filter, so for these choices a condition is
added to the rows of a query's first step, and both ways to read it are built at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import TypeVar

from specbridge_pipeline.catalogue.model import Catalogue, CatalogueColumn, Role
from specbridge_pipeline.query_generation.column_rules import is_day_of_month, is_year
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Base,
    Column,
    Condition,
    Function,
    Grouped,
    Join,
    OfEntities,
    Operator,
    RankedRows,
    Source,
    Unmatched,
    keys_of,
)
from specbridge_pipeline.query_generation.step_results import StepResults, number
from specbridge_pipeline.query_generation.type_rules import TypeRules

Item = TypeVar("Item")
_Fits = Callable[[CatalogueColumn], bool]


class FilterForm(StrEnum):
    """What sort of condition is added; the value is its name in stored rows."""

    DATE_RANGE = "date_range"
    """A range of dates, with or without its two ends."""
    CUTOFF = "cutoff"
    """Values from a frequent one on, with or without it."""
    WITHOUT = "without"
    """Without a category: no record of the entity has it, or just those that have are left out."""
    TWO_CATEGORIES = "two_categories"
    """Two categories: in one record of the entity, or each in any of its records."""
    PER_ENTITY = "per_entity"
    """A count of some records for each entity: for those that have any, or for all."""


FILTER_SIDES: dict[FilterForm, tuple[str, str]] = {
    FilterForm.DATE_RANGE: ("ends_in", "ends_out"),
    FilterForm.CUTOFF: ("at_least", "more_than"),
    FilterForm.WITHOUT: ("no_record", "other_records"),
    FilterForm.TWO_CATEGORIES: ("one_record", "any_records"),
    FilterForm.PER_ENTITY: ("matched", "all_entities"),
}
"""The two ways to read each form."""

_LOWER_END, _UPPER_END = 0.3, 0.7
"""The parts of a column's values below the two ends of a range, as in the paper."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]00:00(?::00(?:\.0+)?)?Z?)?")
"""A date without a time of day: nobody asks for what happened up to some minute."""
_MOST_VALUES = 1_000_000
_FREQUENT = 12
"""So many of a column's most frequent values are candidates for a cutoff or a category."""
_SMALLEST_TAIL, _LARGEST_TAIL = 0.03, 0.4
"""The part of the rows from a cutoff on: what most rows reach is not high."""
_SMALLEST_SHARE, _LARGEST_SHARE = 0.01, 0.6
_MOST_CATEGORIES = 250
_LONGEST_CATEGORY = 40
_MOST_WORDS_BEFORE_A_NUMBER = 4
_TRIES = 4
"""Conditions of one form that are drawn for one first step at the most."""


@dataclass(frozen=True, slots=True)
class FilteredBases:
    """A first step with a condition, read in each of the two ways.

    Attributes:
        form: The form of the condition.
        bases: The step for each way, in the order of `FILTER_SIDES`.
        detail: The column that the condition tests.
    """

    form: FilterForm
    bases: tuple[Base, Base]
    detail: str


class FilterForms:
    """Draws conditions for the first steps of queries on one database.

    Args:
        catalogue: The catalogue.
        rules: What the rules allow on the database.
        results: Where steps are run.
    """

    def __init__(self, catalogue: Catalogue, rules: TypeRules, results: StepResults) -> None:
        self._catalogue = catalogue
        self._rules = rules
        self._results = results

    def plain(self, base: Base) -> Base | None:
        """Return a first step without the conditions that were drawn for it.

        Args:
            base: The step.

        Returns:
            The step, with those conditions alone that keep missing values out; None where it needs
            another condition, which would stand beside the one that can be read in two ways.
        """
        bare = replace(base.source, conditions=())
        aggregate = None if isinstance(base, RankedRows) else base.aggregate
        present = list(self._rules.presence_conditions(bare, keys_of(base), aggregate))
        if isinstance(base, RankedRows):
            measured = self._catalogue.column(base.measure.table, base.measure.name)
            if measured.profile.missing:
                present.append(Condition(base.measure, Operator.PRESENT))
        if any(each.operator is not Operator.PRESENT for each in present):
            return None
        return replace(base, source=replace(bare, conditions=tuple(present)))

    def allows(self, form: FilterForm, base: Base) -> bool:
        """Say whether a first step's own table allows a condition of a form.

        Args:
            form: The form.
            base: The step, as it was drawn.
        """
        plain = self.plain(base)
        return plain is not None and next(self.draw(form, plain, Random(0)), None) is not None

    def draw(self, form: FilterForm, base: Base, random: Random) -> Iterator[FilteredBases]:
        """Draw conditions of one form on a first step's own table.

        Args:
            form: The form.
            base: The step, as `plain` returns it.
            random: Where chance comes from.

        Yields:
            The step with a condition, each time another one; nothing where its table allows none.
        """
        match form:
            case FilterForm.DATE_RANGE:
                found = self._date_ranges(base, random)
            case FilterForm.CUTOFF:
                found = self._cutoffs(base, random)
            case FilterForm.WITHOUT:
                found = self._without(base, random)
            case FilterForm.TWO_CATEGORIES:
                found = self._two_categories(base, random)
            case FilterForm.PER_ENTITY:
                found = self._per_entity(base, random)
        for _, drawn in zip(range(_TRIES), found, strict=False):
            yield drawn

    def _date_ranges(self, base: Base, random: Random) -> Iterator[FilteredBases]:
        for column in _shuffled(self._columns(base, _is_date), random):
            values = sorted(self._results.frequencies(column, _MOST_VALUES), key=_first)
            rows = sum(number(count) for _, count in values)
            ends: list[int | str] = []
            running, waiting = 0.0, [_LOWER_END, _UPPER_END]
            for value, count in values:
                running += number(count)
                while waiting and running >= waiting[0] * rows and isinstance(value, int | str):
                    ends.append(value)
                    waiting.pop(0)
            if len(ends) == 2 and ends[0] != ends[1]:
                sides = [
                    (Condition(column, lower, ends[0]), Condition(column, upper, ends[1]))
                    for lower, upper in (
                        (Operator.AT_LEAST, Operator.AT_MOST),
                        (Operator.ABOVE, Operator.BELOW),
                    )
                ]
                yield _filtered(FilterForm.DATE_RANGE, base, column, *sides)

    def _cutoffs(self, base: Base, random: Random) -> Iterator[FilteredBases]:
        for column in _shuffled(self._columns(base, _is_measure), random):
            if column in _computed_from(base):
                continue
            values = self._results.frequencies(column, _MOST_VALUES)
            rows = sum(number(count) for _, count in values)
            fitting = []
            for value, _ in values[:_FREQUENT]:
                tail = sum(number(count) for each, count in values if number(each) >= number(value))
                if (
                    isinstance(value, int | float)
                    and value > 0
                    and _SMALLEST_TAIL * rows <= tail <= _LARGEST_TAIL * rows
                ):
                    fitting.append(value)
            if fitting:
                cutoff = random.choice(fitting)
                yield _filtered(
                    FilterForm.CUTOFF,
                    base,
                    column,
                    (Condition(column, Operator.AT_LEAST, cutoff),),
                    (Condition(column, Operator.ABOVE, cutoff),),
                )

    def _without(self, base: Base, random: Random) -> Iterator[FilteredBases]:
        for entity in self._entities(base):
            for column in _shuffled(self._categories(base, entity, named=True), random):
                for value in self._frequent(column, random)[:2]:
                    has = Condition(column, Operator.EQUALS, value)
                    yield _filtered(
                        FilterForm.WITHOUT,
                        base,
                        column,
                        (OfEntities(entity, (has,), present=False),),
                        (replace(has, operator=Operator.OTHER),),
                    )

    def _two_categories(self, base: Base, random: Random) -> Iterator[FilteredBases]:
        for entity in self._entities(base):
            columns = self._categories(base, entity, named=True)
            pairs = [(one, other) for one in columns for other in columns if one.name < other.name]
            for one, other in _shuffled(pairs, random):
                for first, second in zip(
                    self._frequent(one, random)[:2], self._frequent(other, random)[:2], strict=False
                ):
                    tests = (
                        Condition(one, Operator.EQUALS, first),
                        Condition(other, Operator.EQUALS, second),
                    )
                    yield _filtered(
                        FilterForm.TWO_CATEGORIES,
                        base,
                        one,
                        (OfEntities(entity, tests, present=True),),
                        tuple(OfEntities(entity, (each,), present=True) for each in tests),
                    )

    def _per_entity(self, base: Base, random: Random) -> Iterator[FilteredBases]:
        if (
            not isinstance(base, Grouped)
            or base.aggregate != Aggregate(Function.COUNT_ROWS)
            or base.source.joins
            or len(base.keys) != 1
        ):
            return
        (key,) = base.keys
        links = self._catalogue.relationships_of(base.source.table)
        for link in links:
            if tuple(name.lower() for name in link.child_columns) != (key.name.lower(),):
                continue
            if len([each for each in links if each.parent == link.parent]) > 1:
                # A flight has two airports: "the flights of an airport" says too little.
                continue
            parent = self._catalogue.table(link.parent)
            owner = Column(parent.name, parent.column(link.parent_columns[0]).name)
            for column in _shuffled(self._categories(base, key, named=False), random):
                for value in self._frequent(column, random)[:2]:
                    has = Condition(column, Operator.EQUALS, value)
                    left_out, kept = (
                        Grouped(
                            Source(
                                parent.name,
                                (
                                    Join(
                                        base.source.table,
                                        (key.name,),
                                        parent.name,
                                        (owner.name,),
                                        unmatched,
                                        (has,),
                                    ),
                                ),
                            ),
                            (owner,),
                            Aggregate(Function.COUNT_ROWS, (key,)),
                        )
                        for unmatched in (Unmatched.LEFT_OUT, Unmatched.KEPT)
                    )
                    detail = f"{column.table}.{column.name}"
                    yield FilteredBases(FilterForm.PER_ENTITY, (left_out, kept), detail)

    def _columns(self, base: Base, fits: _Fits) -> list[Column]:
        """Return the columns of a first step's own table that it does not group by."""
        table = self._catalogue.table(base.source.table)
        columns = [Column(table.name, each.name) for each in table.columns if fits(each)]
        return [each for each in columns if each not in keys_of(base)]

    def _entities(self, base: Base) -> list[Column]:
        """Return the columns that refer to what rows are records of, the groups' own first.

        Their nouns tell them from the rows, and no row is without one.
        """
        table = self._catalogue.table(base.source.table)
        found = [
            each
            for each in self._rules.columns.entities(table.name)
            if self._of(each).profile.missing == 0
            and self._of(each).plural.lower() != table.plural.lower()
        ]
        keys = keys_of(base)
        grouped = [each for each in found if each in keys]
        return grouped or ([] if keys else found)

    def _categories(self, base: Base, entity: Column, *, named: bool) -> list[Column]:
        """Return the columns that say of what sort a record is; none of its values is missing.

        A column that is computed from is none of them: "the number of teams but one" is one less.

        Args:
            base: The step.
            entity: What the records are of.
            named: Whether values must be names: flights are in a month, and destinations have none.
        """
        return [
            each
            for each in self._columns(base, _is_category)
            if each not in (entity, *_computed_from(base))
            and not is_year(self._of(each))
            and not is_day_of_month(self._of(each))
            and (self._of(each).profile.texts > 0 or not named)
        ]

    def _frequent(self, column: Column, random: Random) -> list[int | str]:
        """Return frequent values of a category, in an order of chance."""
        rows = self._catalogue.table(column.table).rows
        return _shuffled(
            [
                value
                for value, count in self._results.frequencies(column, _MOST_CATEGORIES)[:_FREQUENT]
                if isinstance(value, int | str)
                and _SMALLEST_SHARE * rows <= number(count) <= _LARGEST_SHARE * rows
                and (isinstance(value, int) or _is_written_plainly(value))
            ],
            random,
        )

    def _of(self, column: Column) -> CatalogueColumn:
        return self._catalogue.column(column.table, column.name)


def _filtered(
    form: FilterForm,
    base: Base,
    column: Column,
    one: Sequence[Condition | OfEntities],
    other: Sequence[Condition | OfEntities],
) -> FilteredBases:
    bases = [
        replace(
            base, source=replace(base.source, conditions=(*base.source.conditions, *conditions))
        )
        for conditions in (one, other)
    ]
    return FilteredBases(form, (bases[0], bases[1]), f"{column.table}.{column.name}")


def _computed_from(base: Base) -> tuple[Column, ...]:
    return (base.measure,) if isinstance(base, RankedRows) else base.aggregate.columns


def _is_date(column: CatalogueColumn) -> bool:
    profile = column.profile
    days = all(_DAY.fullmatch(str(each)) for each in (profile.minimum, profile.maximum))
    is_text = profile.integers + profile.reals == 0
    return is_year(column) or (column.role is Role.DATE and is_text and days)


def _is_measure(column: CatalogueColumn) -> bool:
    return column.role is Role.MEASURE and column.profile.texts == 0 and column.profile.distinct > 4


def _is_category(column: CatalogueColumn) -> bool:
    return (
        column.role in (Role.CATEGORY, Role.FLAG, Role.IDENTIFIER)
        and column.profile.missing == 0
        and column.profile.reals == 0
        and 2 <= column.profile.distinct <= _MOST_CATEGORIES
        and (column.profile.texts > 0 or len(column.phrase.split()) <= _MOST_WORDS_BEFORE_A_NUMBER)
    )


def _is_written_plainly(value: str) -> bool:
    return 0 < len(value) <= _LONGEST_CATEGORY and value.isprintable() and value == value.strip()


def _first(row: Sequence[object]) -> tuple[float, str]:
    value = row[0]
    return (number(value), "") if isinstance(value, int | float) else (0.0, str(value))


def _shuffled(items: Sequence[Item], random: Random) -> list[Item]:
    return random.sample(items, len(items))
