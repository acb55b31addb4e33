"""Drawing the parts of a plan by chance: which rows, which value, which step next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from random import Random
from typing import TypeVar

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.query_generation.look_ahead import (
    Move,
    Operation,
    Shape,
    Target,
    can_reach,
    is_met,
    moves,
)
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Base,
    Baseline,
    Column,
    Compare,
    Condition,
    FilterAbove,
    Fold,
    Function,
    Grouped,
    Operator,
    Overall,
    RankedRows,
    Reaggregate,
    Share,
    Source,
    Step,
    Summary,
    keys_of,
)
from specbridge_pipeline.query_generation.type_rules import (
    Offer,
    Start,
    entities,
    is_year,
    offers,
    presence_conditions,
    starts,
)
from specbridge_pipeline.query_generation.values import Values

Item = TypeVar("Item")

_FUNCTION_WEIGHTS: dict[Function | None, float] = {
    Function.COUNT_ROWS: 3,
    Function.COUNT_ENTITIES: 3,
    Function.TOTAL: 3,
    Function.AVERAGE: 4,
    Function.HIGHEST: 1,
    Function.LOWEST: 0.1,
    Function.MEAN_OF_RATIOS: 3,
    Function.RATIO_OF_MEANS: 3,
    None: 3,
}
_FOLD_WEIGHTS = {Fold.AVERAGE: 4.0, Fold.HIGHEST: 1.0, Fold.LOWEST: 0.05, Fold.COUNT: 4.0}
_STEP_WEIGHTS = {"compare": 2.0, "filter_above": 2.0, "share": 3.0, "summary": 3.0, "top": 3.0}
_OFTEN_TIED = (Function.COUNT_ROWS, Function.COUNT_ENTITIES, Function.HIGHEST, None)
_KEYS_WEIGHTS = (0.5, 1.5, 1.0)
_SHARE_OF_CONDITIONS = 0.35
_SHARE_OF_JOINS = {1: 0.2, 2: 0.2}
_SHARE_OF_JOINS_BELOW = 0.35


class Drawing:
    """Draws from what the rules allow on one database, less often what was drawn before.

    Args:
        catalogue: The catalogue.
        values: Draws conditions.
    """

    def __init__(self, catalogue: Catalogue, values: Values) -> None:
        self._catalogue = catalogue
        self._values = values
        self._all = [start for offer in offers(catalogue) for start in starts(offer, catalogue)]
        self._by_target: dict[Target, tuple[Start, ...]] = {}
        self._unfit: set[tuple[Source, frozenset[Column], Aggregate | None]] = set()
        self._uses: Counter[object] = Counter()

    def can_start(self, target: Target) -> bool:
        """Return whether a plan for a target can be begun with what is not known to be unfit."""
        return any(self._has_fit(start) for start in self._starts(target))

    def base(self, target: Target, random: Random) -> tuple[Base, Shape] | None:
        """Draw the step that reads rows.

        Args:
            target: What the plan must come to.
            random: Where chance comes from.

        Returns:
            The step and its shape; None where the database allows none.
        """
        found = [each for each in self._starts(target) if self._has_fit(each)]
        if not found:
            return None
        shares = _SHARE_OF_JOINS.get(target.steps, _SHARE_OF_JOINS_BELOW)
        wants_join = random.random() < shares
        fitting = [each for each in found if (each.offer.source.join is not None) == wants_join]
        fitting = fitting or found
        functions = _distinct([each.function for each in fitting])
        function = _weighted(
            functions, [self._function_weight(each, target) for each in functions], random
        )
        fitting = [each for each in fitting if each.function == function]
        counts = _distinct([each.shape.keys for each in fitting])
        count = _weighted(counts, [_KEYS_WEIGHTS[each] for each in counts], random)
        fitting = [each for each in fitting if each.shape.keys == count]
        start = _weighted(fitting, [self._start_weight(each) for each in fitting], random)
        if function is None:
            return self._ranked_rows(start, random)
        return self._aggregated(start, target, random)

    def next(self, shape: Shape, target: Target, rows: int, random: Random) -> Move | None:
        """Draw the step that follows; a step after which the target is out of reach never does.

        Args:
            shape: The plan so far.
            target: What it must come to.
            rows: How many rows it gives so far; many rows are better cut.
            random: Where chance comes from.

        Returns:
            The step, or None where the plan is to stay as it is.
        """
        possible = [move for move, after in moves(shape) if can_reach(after, target)]
        options: list[Move | None] = [*possible]
        weights = [_move_weight(move, shape, rows) for move in possible]
        if is_met(shape, target):
            options.append(None)
            weights.append(0.05 if rows > 100 else 1.0 if rows > 40 else 4.0)
        return _weighted(options, weights, random)

    def use(self, base: Base) -> None:
        """Remember what a delivered query is made of."""
        self._uses[base.source.table] += 1
        self._uses[replace(base.source, conditions=())] += 1
        for part in (*keys_of(base), *_parts(base)):
            self._uses[part] += 1
        self._uses[keys_of(base), _parts(base)] += 2

    def avoid(self, base: Base, *, whatever_value: bool) -> None:
        """Remember that a step is of no use on these data.

        Args:
            base: The step.
            whatever_value: Whether its keys give no proper groups, so that no other value would
                help.
        """
        if not isinstance(base, Grouped) or any(
            each.operator is Operator.EQUALS or each.operator is Operator.AT_LEAST
            for each in base.source.conditions
        ):
            return
        source = replace(base.source, conditions=())
        self._unfit.add((source, frozenset(base.keys), None if whatever_value else base.aggregate))

    def _starts(self, target: Target) -> tuple[Start, ...]:
        if target not in self._by_target:
            found = []
            for start in self._all:
                if not can_reach(start.shape, target):
                    continue
                # A count of rows that is to make a choice needs an entity to be counted instead.
                if Operation.COUNT_ROWS in target.required:
                    countable = entities(self._catalogue, start.offer.source.table)
                    pairs = tuple(pair for pair in start.pairs if set(countable) - set(pair[0]))
                    if not pairs:
                        continue
                    start = replace(start, pairs=pairs)
                found.append(start)
            self._by_target[target] = tuple(found)
        return self._by_target[target]

    def _function_weight(self, function: Function | None, target: Target) -> float:
        weight = _FUNCTION_WEIGHTS[function]
        if target.required & {Operation.LIMIT, Operation.ALL_TIED}:
            weight *= 3 if function in _OFTEN_TIED else 0.3
        return weight / (1 + 0.05 * self._uses[function])

    def _start_weight(self, start: Start) -> float:
        source = start.offer.source
        uses = (1 + self._uses[source.table]) * (1 + self._uses[replace(source, conditions=())])
        # A table with little to ask for is asked less often.
        return sqrt(1 + len(start.pairs)) / uses

    def _has_fit(self, start: Start) -> bool:
        return start.function is None or any(
            self._is_fit(start.offer, *pair) for pair in start.pairs
        )

    def _is_fit(self, offer: Offer, keys: tuple[Column, ...], aggregate: Aggregate) -> bool:
        unfit, groups = self._unfit, frozenset(keys)
        return (offer.source, groups, None) not in unfit and (
            (offer.source, groups, aggregate) not in unfit
        )

    def _ranked_rows(self, start: Start, random: Random) -> tuple[Base, Shape]:
        offer, measures = start.offer, start.offer.measures
        measure = _weighted(measures, [1 / (1 + self._uses[each]) for each in measures], random)
        present = presence_conditions(self._catalogue, offer.identifiers, None)
        if self._catalogue.column(measure.table, measure.name).profile.missing:
            present = (*present, Condition(measure, Operator.PRESENT))
        conditions = self._conditions(offer, offer.identifiers, present, random)
        source = replace(offer.source, conditions=conditions)
        return RankedRows(source, offer.identifiers, measure), start.shape

    def _aggregated(self, start: Start, target: Target, random: Random) -> tuple[Base, Shape]:
        offer = start.offer
        pairs = [pair for pair in start.pairs if self._is_fit(offer, *pair)]
        aggregates = _distinct([aggregate for _, aggregate in pairs])
        aggregate = _weighted(
            aggregates,
            [1 / (1 + sum(self._uses[part] for part in each.columns)) for each in aggregates],
            random,
        )
        combinations = [keys for keys, each in pairs if each == aggregate]
        keys = _weighted(
            combinations,
            [self._key_weight(each, aggregate) for each in combinations],
            random,
        )
        present = presence_conditions(self._catalogue, keys, aggregate)
        if Operation.COUNT_ROWS in target.required:
            # Where no value of an entity is missing, counting rows needs no condition for it.
            needed = [
                presence_conditions(
                    self._catalogue, keys, Aggregate(Function.COUNT_ENTITIES, (entity,))
                )
                for entity in entities(self._catalogue, offer.source.table)
                if entity not in keys
            ]
            present = min(needed, key=len)
        conditions = self._conditions(offer, keys, present, random, always=not keys)
        source = replace(offer.source, conditions=conditions)
        base = Grouped(source, keys, aggregate) if keys else Overall(source, aggregate)
        return base, start.shape

    def _key_weight(self, keys: tuple[Column, ...], aggregate: Aggregate) -> float:
        weight = 1 / (1 + self._uses[keys, aggregate.columns] + self._uses[keys] / 4) ** 2
        for position, key in enumerate(keys):
            weight /= 1 + self._uses[key] / 4
            if is_year(self._catalogue.column(key.table, key.name)):
                # "Per team, over the years" is asked more often than "per year, over the teams".
                weight *= 3 if position == 1 else 0.7
        return weight

    def _conditions(
        self,
        offer: Offer,
        keys: tuple[Column, ...],
        present: tuple[Condition, ...],
        random: Random,
        *,
        always: bool = False,
    ) -> tuple[Condition, ...]:
        if not always and random.random() >= _SHARE_OF_CONDITIONS:
            return present
        taken = {column.name.lower() for column in keys}
        columns = [each for each in offer.conditions if each.name.lower() not in taken]
        if not columns:
            return present
        column = _weighted(columns, [1 / (1 + self._uses["where", c]) for c in columns], random)
        drawn = self._values.condition(column, random)
        if drawn is None:
            return present
        self._uses["where", column] += 1
        # What equals a value is not missing.
        return (drawn, *(each for each in present if each.column != column))


def step_after(step: Step, move: Move) -> Step:
    """Return the step that a move makes of a plan; a top is made elsewhere, by what it cuts.

    Args:
        step: The plan so far. Baselines of two keys are taken within the second one, and the
            first one is what remains when groups are put together.
        move: The move.

    Raises:
        ValueError: The move is a top.
    """
    keys = keys_of(step)
    within = keys[1] if len(keys) == 2 else None
    match move:
        case Move(kind="reaggregate", fold=fold) if fold is not None:
            return Reaggregate(step, keys[0] if within else None, fold)
        case Move(kind="compare", contrast=contrast, of=of) if contrast and of:
            return Compare(step, Baseline(of, within), contrast)
        case Move(kind="filter_above", of=of, flag=difference) if of:
            return FilterAbove(step, Baseline(of, within), difference)
        case Move(kind="share"):
            return Share(step)
        case Move(kind="summary"):
            return Summary(step)
    raise ValueError(f"{move.kind} is no step of its own")


def _parts(base: Base) -> tuple[Column, ...]:
    return (base.measure,) if isinstance(base, RankedRows) else base.aggregate.columns


def _move_weight(move: Move, shape: Shape, rows: int) -> float:
    if move.fold is not None:
        # An average of averages of averages is hardly ever meant.
        again = Operation.REAGGREGATE in shape.operations and move.fold is not Fold.COUNT
        return _FOLD_WEIGHTS[move.fold] * (0.2 if again else 1)
    weight = _STEP_WEIGHTS[move.kind]
    if move.kind == "filter_above" and move.flag:
        return weight / 2
    if move.kind == "compare" and shape.filtered:
        return weight / 4
    return weight * 2 if move.kind == "top" and rows > 20 else weight


def _distinct(items: Sequence[Item]) -> list[Item]:
    return list(dict.fromkeys(items))


def _weighted(items: Sequence[Item], weights: Sequence[float], random: Random) -> Item:
    return random.choices(items, weights)[0]
