"""Drawing the parts of a plan by chance: which rows, which value, which step next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt
from random import Random
from typing import TypeVar

from specbridge_pipeline.query_generation.column_rules import is_year
from specbridge_pipeline.query_generation.look_ahead import can_reach, is_met, moves
from specbridge_pipeline.query_generation.mechanisms import ALL, Mechanisms
from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Base,
    Baseline,
    Column,
    Combine,
    Compare,
    Condition,
    FilterAbove,
    Fold,
    Function,
    Grouped,
    Operator,
    Overall,
    Plan,
    RankedRows,
    Reaggregate,
    Share,
    Source,
    Step,
    Summary,
    base_of,
    keys_of,
    kind_of,
    steps_of,
)
from specbridge_pipeline.query_generation.shapes import Move, Operation, Shape, Target
from specbridge_pipeline.query_generation.type_rules import Offer, Start, TypeRules
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
    Function.DIFFERENCE_OF_TOTALS: 1.5,
    Function.SUM_OF_TOTALS: 1,
    Function.DIFFERENCE_OF_AVERAGES: 1,
    Function.SPREAD: 0.5,
    Function.ROWS_PER_ENTITY: 1.5,
    Function.TOTAL_PER_ENTITY: 1.5,
    None: 3,
}
_FOLD_WEIGHTS = {
    Fold.AVERAGE: 4.0,
    Fold.HIGHEST: 1.0,
    Fold.LOWEST: 0.05,
    Fold.COUNT: 4.0,
    Fold.TOTAL: 3.0,
}
_STEP_WEIGHTS = {
    "compare": 2.0,
    "filter_above": 2.0,
    "share": 3.0,
    "share_within": 3.0,
    "summary": 3.0,
    "top_within": 3.0,
    "combine": 6.0,
    "top": 3.0,
}
_OFTEN_TIED = (Function.COUNT_ROWS, Function.COUNT_ENTITIES, Function.HIGHEST, None)
_KEYS_WEIGHTS = (0.5, 1.5, 1.0)
SHARE_OF_CONDITIONS = 0.35
_SHARE_OF_JOINS = {1: 0.2, 2: 0.2}
_SHARE_OF_JOINS_BELOW = 0.35
_LARGE = 20_000
"""Rows from which on reading a table again is what a query costs."""
_NEW_READINGS = 1
"""Beside n groupings of a large table that were read, so many new ones are among what is drawn."""
_MOST_COMPANIONS = 5
_SLOW = frozenset({Function.COUNT_ENTITIES, Function.ROWS_PER_ENTITY, Function.TOTAL_PER_ENTITY})
_CHOSEN = (Operator.EQUALS, Operator.AT_LEAST)


class Drawing:
    """Draws from what the rules allow on one database, less often what was drawn before.

    Args:
        rules: What the rules allow.
        values: Draws conditions.
        mechanisms: Without the look-ahead, first steps and moves are drawn blindly.
    """

    def __init__(self, rules: TypeRules, values: Values, mechanisms: Mechanisms = ALL) -> None:
        self._rules = rules
        self._catalogue = rules.columns.catalogue
        self._values = values
        self._mechanisms = mechanisms
        self._by_target: dict[Target, tuple[Start, ...]] = {}
        self._offers = {offer.source: offer for offer in rules.offers}
        self._unfit: dict[Source, set[tuple[frozenset[Column], Aggregate | None]]] = {}
        self._fitting: dict[int, tuple[tuple[Column, ...], Aggregate] | None] = {}
        self._uses: Counter[object] = Counter()
        self._share_of_conditions = SHARE_OF_CONDITIONS

    def can_start(self, target: Target) -> bool:
        """Return whether a plan for a target can be begun with what is not known to be unfit."""
        return any(self._has_fit(start) for start in self._starts(target))

    def base(
        self,
        target: Target,
        random: Random,
        known: Sequence[Base] = (),
        *,
        conditions: float = SHARE_OF_CONDITIONS,
    ) -> tuple[Base, Shape] | None:
        """Draw the step that reads rows.

        Args:
            target: What the plan must come to.
            random: Where chance comes from.
            known: First steps whose rows are known: on a large table one of them is taken more
                often than a new one.
            conditions: Share of the steps that read only rows with a value drawn from the data.

        Returns:
            The step and its shape; None where the database allows none.
        """
        found = [each for each in self._starts(target) if self._has_fit(each)]
        if not found:
            return None
        shares = _SHARE_OF_JOINS.get(target.steps, _SHARE_OF_JOINS_BELOW)
        wants_join = random.random() < shares
        fitting = [each for each in found if bool(each.offer.source.joins) == wants_join]
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
        self._share_of_conditions = conditions
        if function is None:
            return self._ranked_rows(start, random)
        again = self._known(start, target, known, random)
        return again or self._aggregated(start, target, random)

    def following(
        self, shape: Shape, target: Target, rows: int, random: Random
    ) -> Iterator[Move | None]:
        """Draw what may follow, one after the other, until nothing is left.

        A step after which the target is out of reach is never drawn.

        Args:
            shape: The plan so far.
            target: What it must come to.
            rows: How many rows it gives so far; many rows are better cut.
            random: Where chance comes from.

        Yields:
            A step, or None where the plan can stay as it is.
        """
        blind = not self._mechanisms.look_ahead
        possible = [
            move
            for move, after in moves(shape, self._mechanisms)
            if blind or can_reach(after, target, self._mechanisms)
        ]
        options: list[Move | None] = [*possible]
        weights = [self._move_weight(move, shape, rows) for move in possible]
        if is_met(shape, target) or (blind and shape.complete):
            options.append(None)
            weights.append(0.05 if rows > 100 else 1.0 if rows > 40 else 4.0)
        while options:
            (position,) = random.choices(range(len(options)), weights)
            yield options.pop(position)
            weights.pop(position)

    def combination(self, step: Grouped, move: Move, random: Random) -> Combine | None:
        """Draw what a step's value is set against."""
        assert move.contrast is not None
        others = [
            other
            for other in self._rules.partners(step, move.contrast)
            if self._is_fit(replace(other.source, conditions=()), other.keys, other.aggregate)
        ]
        if not others:
            return None
        weights = [1 / (1 + self._uses["beside", other]) for other in others]
        return Combine(step, _weighted(others, weights, random), move.contrast)

    def companions(self, base: Grouped | Overall) -> tuple[Aggregate, ...]:
        """Return what else is likely to be asked of the same groups: what to read with them.

        Args:
            base: The step that is read.
        """
        bare = replace(base.source, conditions=())
        offer, keys = self._offers.get(bare), keys_of(base)
        if offer is None:
            return ()
        present = self._rules.presence_conditions(bare, keys, base.aggregate)
        fitting = [
            each
            for each in offer.aggregates
            if each.function not in _SLOW
            and each != base.aggregate
            and self._rules.fits(bare, keys, each)
            and self._rules.presence_conditions(bare, keys, each) == present
        ]
        # Not the order in which plans are drawn decides, only the groups themselves.
        random = Random(repr((bare, keys)))
        weights = [_FUNCTION_WEIGHTS[each.function] for each in fitting]
        drawn = random.choices(fitting, weights, k=_MOST_COMPANIONS) if fitting else []
        return tuple(_distinct(drawn))

    def use(self, plan: Plan) -> None:
        """Remember what a delivered query is made of."""
        base = base_of(plan)
        self._uses[base.source.table] += 1
        self._uses[replace(base.source, conditions=())] += 1
        for part in (*keys_of(base), *_parts(base)):
            self._uses[part] += 1
        self._uses[keys_of(base), _parts(base)] += 2
        self._uses[base] += 1
        if not isinstance(base, RankedRows):
            self._uses[base.aggregate.function] += 1
        for step in steps_of(plan):
            self._uses[kind_of(step)] += 1
            if isinstance(step, Combine):
                self._uses["beside", step.other] += 1

    def avoid(self, base: Base, *, whatever_value: bool) -> None:
        """Remember that a step is of no use on these data.

        Args:
            base: The step.
            whatever_value: Whether its keys give no proper groups, so that no other value would
                help.
        """
        if not isinstance(base, Grouped) or any(
            isinstance(each, Condition) and each.operator in _CHOSEN
            for each in base.source.conditions
        ):
            return
        source = replace(base.source, conditions=())
        unfit = self._unfit.setdefault(source, set())
        unfit.add((frozenset(base.keys), None if whatever_value else base.aggregate))

    def _starts(self, target: Target) -> tuple[Start, ...]:
        if target not in self._by_target:
            found = []
            for start in self._rules.starts:
                if self._mechanisms.look_ahead and not can_reach(
                    start.shape, target, self._mechanisms
                ):
                    continue
                # A count of rows that is to make a choice needs an entity to be counted instead.
                if Operation.COUNT_ROWS in target.required and target.forbidden:
                    countable = set(self._rules.columns.entities(start.offer.source.table))
                    keys = tuple(each for each in start.keys if countable - set(each))
                    if not keys:
                        continue
                    start = replace(start, keys=keys)
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
        uses = (1 + self._uses[source.table]) * (1 + self._uses[source])
        # A table with little to ask for is asked less often.
        return sqrt(1 + len(start.keys) * len(start.aggregates)) / uses

    def _move_weight(self, move: Move, shape: Shape, rows: int) -> float:
        if move.fold is not None:
            # What was put together twice is hardly ever meant.
            again = Operation.REAGGREGATE in shape.operations and move.fold is not Fold.COUNT
            return _FOLD_WEIGHTS[move.fold] * (0.2 if again else 1)
        weight = _STEP_WEIGHTS[move.kind]
        if move.kind == "filter_above" and move.flag:
            return weight / 2
        if move.kind == "compare" and shape.filtered:
            return weight / 8
        return weight * 2 if move.kind == "top" and rows > 20 else weight

    def _has_fit(self, start: Start) -> bool:
        """Return whether a start has keys and a value that are fit.

        What was unfit once stays so: only where the pair that was found last has become unfit is
        another one looked for. Starts are told apart by their identity, since they are kept as
        long as this, and comparing them would take longer than looking.
        """
        if start.function is None:
            return True
        source, found = start.offer.source, self._fitting.get(id(start))
        if found is not None and not self._is_unfit(source, *found):
            return True
        if found is None and id(start) in self._fitting:
            return False
        pairs = (
            (keys, aggregate)
            for aggregate in start.aggregates
            for keys in start.keys
            if self._is_fit(source, keys, aggregate)
        )
        self._fitting[id(start)] = next(pairs, None)
        return self._fitting[id(start)] is not None

    def _is_fit(self, source: Source, keys: tuple[Column, ...], aggregate: Aggregate) -> bool:
        return not self._is_unfit(source, keys, aggregate) and self._rules.fits(
            source, keys, aggregate
        )

    def _is_unfit(self, source: Source, keys: tuple[Column, ...], aggregate: Aggregate) -> bool:
        unfit = self._unfit.get(source)
        if not unfit:
            return False
        groups = frozenset(keys)
        return (groups, None) in unfit or (groups, aggregate) in unfit

    def _ranked_rows(self, start: Start, random: Random) -> tuple[Base, Shape]:
        offer, measures = start.offer, start.offer.measures
        measure = _weighted(measures, [1 / (1 + self._uses[each]) for each in measures], random)
        present = self._rules.presence_conditions(offer.source, offer.identifiers, None)
        if self._rules.columns.profiled and self._rules.columns.of(measure).profile.missing:
            present = (*present, Condition(measure, Operator.PRESENT))
        conditions = self._conditions(offer, offer.identifiers, present, random)
        source = replace(offer.source, conditions=conditions)
        return RankedRows(source, offer.identifiers, measure), start.shape

    def _known(
        self, start: Start, target: Target, known: Sequence[Base], random: Random
    ) -> tuple[Base, Shape] | None:
        """Draw a first step that was read already, from the rows of a start's large table."""
        source = start.offer.source
        if not known or max(self._catalogue.table(each).rows for each in source.tables) < _LARGE:
            return None
        of_table = [
            each
            for each in known
            if isinstance(each, Grouped) and each.source.table == source.table
        ]
        readings = len({(each.source, each.keys) for each in of_table})
        if random.random() * (readings + _NEW_READINGS) < _NEW_READINGS:
            return None
        found = []
        for base in of_table:
            bare = replace(base.source, conditions=())
            if not self._is_fit(bare, base.keys, base.aggregate) or not self._rules.allows(
                bare, base.keys, base.aggregate
            ):
                continue
            shape = self._rules.shape_of(base.source, base.keys, base.aggregate)
            if can_reach(shape, target, self._mechanisms):
                found.append((base, shape))
        if not found:
            return None
        weights = [1 / (1 + self._uses[base]) ** 2 for base, _ in found]
        return _weighted(found, weights, random)

    def _aggregated(self, start: Start, target: Target, random: Random) -> tuple[Base, Shape]:
        offer = start.offer
        while True:
            # Most pairs are fit, and listing all of them to draw one takes long.
            aggregate = _weighted(
                start.aggregates,
                [
                    1 / (1 + sum(self._uses[part] for part in each.columns))
                    for each in start.aggregates
                ],
                random,
            )
            combinations = [
                keys for keys in start.keys if self._is_fit(offer.source, keys, aggregate)
            ]
            if combinations:
                break
        keys = _weighted(
            combinations,
            [self._key_weight(each, aggregate) for each in combinations],
            random,
        )
        present = self._rules.presence_conditions(offer.source, keys, aggregate)
        if Operation.COUNT_ROWS in target.required and target.forbidden:
            # Where no value of an entity is missing, counting rows needs no condition for it.
            needed = [
                self._rules.presence_conditions(
                    offer.source, keys, Aggregate(Function.COUNT_ENTITIES, (entity,))
                )
                for entity in self._rules.columns.entities(offer.source.table)
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
            if is_year(self._rules.columns.of(key)):
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
        if not always and random.random() >= self._share_of_conditions:
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
    """Return the step that a move makes of a plan.

    A top is made elsewhere, by what it cuts, and so is a combination, by what there is to combine.

    Args:
        step: The plan so far. Baselines of two keys are taken within the second one, and the
            first one is what remains when groups are put together.
        move: The move.

    Raises:
        ValueError: The move is a top or a combination.
    """
    keys = keys_of(step)
    within = keys[1] if len(keys) == 2 else None
    match move:
        case Move(kind="reaggregate", fold=fold) if fold is not None:
            kept = within if move.flag else keys[0]
            return Reaggregate(step, kept if within else None, fold)
        case Move(kind="compare", contrast=contrast, of=of) if contrast and of:
            return Compare(step, Baseline(of, within), contrast)
        case Move(kind="filter_above", of=of, flag=difference) if of:
            return FilterAbove(step, Baseline(of, within), difference)
        case Move(kind="share" | "share_within"):
            return Share(step, within)
        case Move(kind="summary"):
            return Summary(step)
    raise ValueError(f"{move.kind} is no step of its own")


def _parts(base: Base) -> tuple[Column, ...]:
    return (base.measure,) if isinstance(base, RankedRows) else base.aggregate.columns


def _distinct(items: Sequence[Item]) -> list[Item]:
    return list(dict.fromkeys(items))


def _weighted(items: Sequence[Item], weights: Sequence[float], random: Random) -> Item:
    return random.choices(items, weights)[0]
