"""What a query computes, in the terms in which the reading reviewer understands a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from specbridge_pipeline.catalogue.model import Catalogue, Role
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Comparison,
    Condition,
    Expression,
    JoinKind,
    Literal,
    Membership,
    Missing,
    Rank,
    Step,
    StepSource,
    StepValue,
    Structure,
    TableSource,
    ZeroIfMissing,
    compared,
)
from specbridge_pipeline.request_sets.tagged_words import Nouns, Reference

_KINDS = {
    AggregateFunction.AVERAGE: "average",
    AggregateFunction.SUM: "total",
    AggregateFunction.MINIMUM: "lowest",
    AggregateFunction.MAXIMUM: "highest",
    AggregateFunction.COUNT_ROWS: "number",
    AggregateFunction.COUNT_VALUES: "number",
    AggregateFunction.COUNT_DISTINCT: "number",
}

_CHOICE_LABELS = {
    ChoiceType.TIES: frozenset({"only so many", "all tied"}),
    ChoiceType.COUNTING_UNIT: frozenset({"once", "different", "each time", "rows"}),
    ChoiceType.AGGREGATION_LEVEL: frozenset({"once", "nested", "pooled", "ratio of averages"}),
    ChoiceType.TIME_SCOPE: frozenset({"ends in", "ends out"}),
    ChoiceType.STRICT_CUTOFF: frozenset({"cutoff in", "cutoff out"}),
    ChoiceType.NEGATION: frozenset({"all left out", "some left out"}),
    ChoiceType.CONDITION_LINKAGE: frozenset({"one record", "any records"}),
    ChoiceType.POPULATION_SCOPE: frozenset({"zeros in", "zeros out"}),
    ChoiceType.MISSING_VALUES: frozenset(
        {"missing out", "missing in a group", "missing as zero", "zeros in", "zeros out"}
    ),
}


def kinds_of_choice(choice_type: ChoiceType) -> frozenset[str]:
    """Return the labels of statements that speak of a choice; none for other types."""
    return _CHOICE_LABELS.get(choice_type, frozenset())


@dataclass(frozen=True, slots=True)
class ChoiceFact:
    """A side of a choice that a query takes somewhere.

    Attributes:
        label: As in `Statement`.
        nouns: Of what: the entity counted, the rows averaged, the groups averaged first.
        groups: What the step is grouped by.
        step: Index of the step; of two queries, the same fact can stand at different indexes.
        averages: Index of the step whose values are averaged; None for rows of a table.
    """

    label: str
    nouns: Nouns
    groups: Nouns
    step: int
    averages: int | None = None

    def same(self, other: ChoiceFact) -> bool:
        """Say whether another query's fact is this one."""
        return (self.label, self.nouns, self.groups) == (other.label, other.nouns, other.groups)


@dataclass(frozen=True, slots=True)
class ComputedOutput:
    """What an output may be called.

    Attributes:
        nouns: Its column, or the columns and rows that it is computed from.
        kinds: Kinds of quantity that it is.
        contrasts: "difference", "ratio" or "share" where it is one.
        name: Its name in the query.
    """

    nouns: Nouns
    kinds: frozenset[str]
    contrasts: frozenset[str]
    name: str


@dataclass(frozen=True, slots=True)
class ComputedFacts:
    """What a query computes.

    Attributes:
        literals: Conditions with a value: column, operator, value.
        tested: The same without the operator, with those that other records must meet, and those
            that a match must.
        dates: Those of these columns that hold dates, which need no name to be known.
        upward: Columns whose values must lie above a value, with or without it.
        owners: The columns by which other records are looked for.
        present: Columns whose missing values are left out.
        groups: What rows are grouped by, one entry a key.
        groupings: The keys of each step that groups, one entry a step; baselines left out.
        scopes: Keys within which values are compared with a baseline.
        measures: Kind and column of each aggregate over a column.
        ratios: Numerator and denominator of each ratio of columns.
        ratio_kinds: "average" and "total", as such ratios take them of rows.
        counted: What each count counts.
        folds: Kinds of aggregates over earlier steps' values.
        cut: Number of rows kept; None for all.
        ranked_by: What the values that rows are ranked by may be called.
        filtered_by: The same for the values that must be above others.
        directions: "highest" and "lowest", as ranked or computed.
        contrasts: "difference", "ratio", "share" and "above", as computed.
        outputs: The outputs of the result.
        used: Everything that it names.
        tables: The rows that it reads.
        linked: The columns by which tables are joined.
        choices: The sides of choices that it takes.
    """

    literals: tuple[tuple[Reference, str, int | float | str], ...]
    tested: frozenset[tuple[Reference, int | float | str]]
    dates: frozenset[Reference]
    upward: frozenset[Reference]
    owners: frozenset[Reference]
    present: tuple[Reference, ...]
    groups: tuple[Reference, ...]
    groupings: tuple[Nouns, ...]
    scopes: tuple[Reference, ...]
    measures: frozenset[tuple[str, Reference]]
    ratios: frozenset[tuple[Reference, Reference]]
    ratio_kinds: frozenset[str]
    counted: tuple[Nouns, ...]
    folds: tuple[str, ...]
    cut: int | None
    ranked_by: frozenset[str]
    filtered_by: frozenset[str]
    directions: frozenset[str]
    contrasts: frozenset[str]
    outputs: tuple[ComputedOutput, ...]
    used: Nouns
    tables: Nouns
    linked: Nouns
    choices: tuple[ChoiceFact, ...]


def facts_of(
    structure: Structure, catalogue: Catalogue, beside: Structure | None = None
) -> ComputedFacts:
    """Return what a query computes.

    Args:
        structure: The query.
        catalogue: The database.
        beside: The query that it is compared with. Where one of the two keeps rows without a match,
            and the other reads the matches alone, their keys are the same.
    """
    return _Facts(structure, catalogue, structure if beside is None else beside).all()


class _Facts:
    def __init__(self, structure: Structure, catalogue: Catalogue, beside: Structure) -> None:
        self._structure = structure
        self._catalogue = catalogue
        self._matched = dict([*_matched_keys(structure), *_matched_keys(beside)])

    def all(self) -> ComputedFacts:
        steps = self._structure.steps
        aggregates = [(step, each) for step in steps for each in _aggregates(_values(step))]
        arithmetic = [(step, each) for step in steps for each in _arithmetic(_values(step))]
        comparisons = [
            (step, each)
            for step in steps
            for each in step.conditions
            if isinstance(each, Comparison)
        ]
        cut, directions, ranked_by = self._cut()
        directions |= {
            kind
            for _, each in aggregates
            if (kind := _KINDS[each.function]) in ("highest", "lowest")
        }
        contrasts = {
            contrast for step, each in arithmetic if (contrast := self._contrast(step, each))
        }
        if any(
            each.operator in (">", ">=") and not isinstance(each.right, Literal)
            for _, each in comparisons
        ):
            contrasts.add("above")
        tables = frozenset(
            (source.table, "")
            for step in steps
            for source in step.sources
            if isinstance(source, TableSource)
        )
        return ComputedFacts(
            literals=tuple(dict.fromkeys(self._literals(comparisons))),
            tested=frozenset(
                (reference, value)
                for reference, _, value in self._literals(
                    (step, each) for step in steps for each in _all_comparisons(step)
                )
            ),
            dates=frozenset(
                reference
                for step in steps
                for reference in map(_reference, _columns(step))
                if self._catalogue.column(*reference).role is Role.DATE
            ),
            upward=frozenset(
                reference
                for reference, operator, _ in self._literals(comparisons)
                if operator in (">", ">=")
            ),
            owners=frozenset(
                _reference(each.value)
                for step in steps
                for each in step.conditions
                if isinstance(each, Membership) and isinstance(each.value, ColumnValue)
            ),
            present=tuple(
                dict.fromkeys(
                    _reference(each.value)
                    for step in steps
                    for each in step.conditions
                    if isinstance(each, Missing)
                    and each.negated
                    and isinstance(each.value, ColumnValue)
                )
            ),
            groups=tuple(
                dict.fromkeys(
                    _reference(base)
                    for step in steps
                    for key in step.keys
                    if isinstance(base := self._traced(step, key)[1], ColumnValue)
                )
            ),
            groupings=tuple(dict.fromkeys(self._groupings())),
            scopes=tuple(dict.fromkeys(self._scopes())),
            measures=frozenset(
                (_KINDS[each.function], _reference(each.column))
                for _, each in aggregates
                if each.column is not None and _KINDS[each.function] != "number"
            ),
            ratios=frozenset(self._ratios()),
            ratio_kinds=frozenset(
                _KINDS[part.function]
                for step in steps
                for value in _values(step)
                for part in _parts(value)
                if isinstance(part, Aggregate) and self._is_of_ratio(step, part)
            ),
            counted=tuple(
                self._counted(step, each)
                for step, each in aggregates
                if _KINDS[each.function] == "number"
            ),
            folds=tuple(
                _KINDS[each.function]
                for step, each in aggregates
                if isinstance(each.argument, StepValue) and not self._is_total(step, each)
            ),
            cut=cut,
            ranked_by=ranked_by,
            filtered_by=frozenset(
                name
                for step, each in comparisons
                if each.operator in (">", ">=")
                and isinstance(each.left, StepValue)
                and not isinstance(each.right, Literal)
                for names in self._heads(step, each.left)[1:]
                for name in names
            ),
            directions=frozenset(directions),
            contrasts=frozenset(contrasts),
            outputs=tuple(self._outputs()),
            used=frozenset(self._used()) | tables,
            tables=tables,
            linked=frozenset(
                _reference(side)
                for step in steps
                for join in step.joins
                for each in join.on
                if isinstance(each, Comparison)
                for side in (each.left, each.right)
                if isinstance(side, ColumnValue)
            ),
            choices=tuple(self._choices()),
        )

    def _literals(
        self, comparisons: Iterable[tuple[Step, Comparison]]
    ) -> Iterator[tuple[Reference, str, int | float | str]]:
        for step, each in comparisons:
            _, left = self._traced(step, each.left)
            if isinstance(left, ColumnValue) and isinstance(each.right, Literal):
                value = each.right.value
                if isinstance(value, bool | date):
                    value = str(value).lower()
                if value is not None:
                    yield _reference(left), each.operator, value

    def _cut(self) -> tuple[int | None, set[str], frozenset[str]]:
        for step in self._structure.steps:
            keys, at = step.order, step
            cut = step.limit
            for each in step.conditions:
                if isinstance(each, Comparison) and isinstance(each.right, Literal):
                    ranking, rank = self._traced(step, each.left)
                    if isinstance(rank, Rank) and isinstance(each.right.value, int):
                        cut, keys, at = each.right.value, rank.order, ranking
            if cut is not None and keys:
                _, kinds, contrasts = self._heads(at, keys[0].value)
                return cut, {"highest" if keys[0].descending else "lowest"}, kinds | contrasts
        return None, set(), frozenset()

    def _groupings(self) -> Iterator[Nouns]:
        baselines = self._baselines()
        for index, step in enumerate(self._structure.steps):
            if step.keys and index not in baselines:
                yield frozenset(
                    self._key(base)
                    for key in step.keys
                    if isinstance(base := self._traced(step, key)[1], ColumnValue)
                )

    def _key(self, value: ColumnValue) -> Reference:
        """Return what a key is, the same one in both of two queries that are compared."""
        reference = _reference(value)
        return self._matched.get(reference, reference)

    def _baselines(self) -> set[int]:
        """Return the steps that are joined to others by their keys."""
        return {
            source.step
            for step in self._structure.steps
            for join in step.joins
            if join.on and isinstance(source := step.sources[join.source], StepSource)
        }

    def _scopes(self) -> Iterator[Reference]:
        for index in sorted(self._baselines()):
            yield from sorted(self._row_keys(index))

    def _is_of_ratio(self, step: Step, value: Aggregate) -> bool:
        """Say whether an aggregate is of a ratio of columns, or a part of one."""
        if isinstance(value.argument, Arithmetic):
            return _columns_divided(value.argument) is not None
        return any(
            _columns_divided(each) is not None and value in (each.left, each.right)
            for each in _arithmetic(_values(step))
        )

    def _contrast(self, step: Step, value: Arithmetic) -> str:
        if value.operator == "-":
            return "difference"
        if value.operator != "/" or _columns_divided(value) is not None:
            return ""
        _, whole = self._traced(step, value.right)
        is_share = isinstance(whole, Aggregate) and whole.function is AggregateFunction.SUM
        return "share" if is_share else "ratio"

    def _is_total(self, step: Step, value: Aggregate) -> bool:
        """Say whether a sum is the whole that shares are taken of."""
        return value.function is AggregateFunction.SUM and not step.keys

    def _ratios(self) -> Iterator[tuple[Reference, Reference]]:
        for step in self._structure.steps:
            for each in _arithmetic(_values(step)):
                columns = _columns_divided(each)
                if columns is not None:
                    yield _reference(columns[0]), _reference(columns[1])

    def _counted(self, step: Step, value: Aggregate) -> Nouns:
        found: set[Reference] = set()
        first = step.sources[0]
        if isinstance(first, TableSource):
            found.add((first.table, ""))
        else:
            found |= self._row_keys(first.step)
        if value.argument is not None:
            _, base = self._traced(step, value.argument)
            if isinstance(base, ColumnValue):
                found.add(_reference(base))
                if value.function is AggregateFunction.COUNT_VALUES:
                    # Counted for the rows of another table, it is rows of its own that are counted.
                    found.add((base.table, ""))
                if base.source and step.joins[base.source - 1].kind is JoinKind.LEFT:
                    found = {each for each in found if each[0] == base.table} | {(base.table, "")}
        return frozenset(found)

    def _row_keys(self, index: int) -> Nouns:
        """Return what tells apart the rows that a step returns."""
        step = self._structure.steps[index]
        values = step.keys or tuple(output.value for output in step.outputs)
        return frozenset(
            self._key(base)
            for value in values
            if isinstance(base := self._traced(step, value)[1], ColumnValue)
        )

    def _outputs(self) -> Iterator[ComputedOutput]:
        result = self._structure.result
        for output in result.outputs:
            nouns, kinds, contrasts = self._heads(result, output.value)
            yield ComputedOutput(nouns, kinds, contrasts, output.name.replace("_", " "))

    def _heads(self, step: Step, value: Expression) -> tuple[Nouns, frozenset[str], frozenset[str]]:
        at, value = self._traced(step, value)
        if isinstance(value, ZeroIfMissing):
            value = value.value
        if isinstance(value, ColumnValue):
            return frozenset({_reference(value)}), frozenset(), frozenset()
        if isinstance(value, Aggregate):
            kind = frozenset({_KINDS[value.function]})
            if value.argument is None or value.function is AggregateFunction.COUNT_DISTINCT:
                return self._counted(at, value), kind, frozenset()
            nouns, inner, contrasts = self._heads(at, value.argument)
            # "The average of these totals" is also called by what was totalled.
            return (
                nouns,
                kind | (inner if isinstance(value.argument, StepValue) else frozenset()),
                contrasts,
            )
        if isinstance(value, Arithmetic):
            columns = _columns_divided(value)
            if columns is not None:
                named = frozenset(_reference(each) for each in columns)
                return named, frozenset({"average"}), frozenset({"ratio"})
            contrast = self._contrast(at, value)
            return frozenset(), frozenset(), frozenset({contrast} - {""})
        return frozenset(), frozenset(), frozenset()

    def _used(self) -> Iterator[Reference]:
        for step in self._structure.steps:
            yield from (_reference(each) for each in _columns(step))

    def _choices(self) -> Iterator[ChoiceFact]:
        for index, step in enumerate(self._structure.steps):
            groups = frozenset(
                self._key(base)
                for key in step.keys
                if isinstance(base := self._traced(step, key)[1], ColumnValue)
            )
            if step.limit is not None and step.order:
                yield ChoiceFact("only so many", frozenset(), frozenset(), index)
            if any(self._is_place(step, each) for each in step.conditions):
                yield ChoiceFact("all tied", frozenset(), frozenset(), index)
            yield from _filter_facts(index, step)
            yield from self._missing_facts(index, step)
            for each in _aggregates(_values(step)):
                yield from self._count_facts(index, step, each, groups)
                if each.function is AggregateFunction.AVERAGE:
                    yield from self._average_facts(index, step, each, groups)
            if any(
                columns is not None and isinstance(each.left, Aggregate)
                for each in _arithmetic(_values(step))
                for columns in [_columns_divided(each)]
            ):
                yield ChoiceFact("ratio of averages", frozenset(), groups, index)

    def _is_place(self, step: Step, condition: Condition) -> bool:
        """Say whether a condition keeps rows by their place, or those that equal an extreme."""
        if not isinstance(condition, Comparison):
            return False
        if isinstance(self._traced(step, condition.left)[1], Rank):
            return True
        extreme = self._traced(step, condition.right)[1]
        return (
            condition.operator == "="
            and isinstance(condition.right, StepValue)
            and isinstance(extreme, Aggregate)
            and _KINDS[extreme.function] in ("highest", "lowest")
        )

    def _count_facts(
        self, index: int, step: Step, value: Aggregate, groups: Nouns
    ) -> Iterator[ChoiceFact]:
        first = step.sources[0]
        if value.function is AggregateFunction.COUNT_DISTINCT:
            _, base = self._traced(step, value.argument) if value.argument else (step, None)
            if isinstance(base, ColumnValue):
                nouns = frozenset({_reference(base)})
                yield ChoiceFact("different", nouns, groups, index)
                yield ChoiceFact("once", nouns, groups, index)
        elif _KINDS[value.function] == "number" and isinstance(first, TableSource):
            rows = frozenset({(first.table, "")})
            yield ChoiceFact("each time", rows, groups, index)
            yield ChoiceFact("rows", rows, groups, index)

    def _average_facts(
        self, index: int, step: Step, value: Aggregate, groups: Nouns
    ) -> Iterator[ChoiceFact]:
        first, argument = step.sources[0], value.column or value.argument
        if isinstance(argument, StepValue):
            units = self._row_keys(argument.step) - groups
            yield ChoiceFact("nested", units, groups, index, argument.step)
            yield ChoiceFact("once", units, groups, index, argument.step)
        elif isinstance(argument, Arithmetic) and isinstance(first, TableSource):
            rows = frozenset({(first.table, "")})
            yield ChoiceFact("nested", rows, groups, index)
            yield ChoiceFact("once", rows, groups, index)
        elif isinstance(argument, ColumnValue) and isinstance(first, TableSource):
            rows = frozenset({(first.table, ""), _reference(argument)})
            yield ChoiceFact("pooled", rows, groups, index)
            yield ChoiceFact("once", rows, groups, index)

    def _missing_facts(self, index: int, step: Step) -> Iterator[ChoiceFact]:
        """Yield what becomes of rows without a value, condition by condition and key by key."""

        def fact(label: str, value: ColumnValue) -> ChoiceFact:
            return ChoiceFact(label, frozenset({_reference(value)}), frozenset(), index)

        asked = [
            each.value for each in step.conditions if isinstance(each, Missing) and each.negated
        ]
        yield from (fact("missing out", each) for each in asked if isinstance(each, ColumnValue))
        for key in step.keys:
            if isinstance(key, ColumnValue) and key not in asked and self._is_missing(key):
                yield fact("missing in a group", key)
        for each in _aggregates(_values(step)):
            column, averages = each.column, each.function is AggregateFunction.AVERAGE
            if isinstance(each.argument, ZeroIfMissing):
                yield fact("missing as zero", each.argument.value)
            elif averages and column and column not in asked and self._is_missing(column):
                yield fact("missing out", column)
            if _KINDS[each.function] == "number" and step.keys:
                yield from self._matchless_facts(index, step)

    def _matchless_facts(self, index: int, step: Step) -> Iterator[ChoiceFact]:
        """Yield whether a count for each entity is zero for those that no row refers to."""
        if any(join.kind is JoinKind.LEFT for join in step.joins):
            yield ChoiceFact("zeros in", frozenset(), frozenset(), index)
        elif len(step.sources) == 1 and any(
            isinstance(key, ColumnValue) and self._has_childless(key) for key in step.keys
        ):
            yield ChoiceFact("zeros out", frozenset(), frozenset(), index)

    def _has_childless(self, key: ColumnValue) -> bool:
        return any(
            [name.lower() for name in each.child_columns] == [key.column.lower()]
            and each.childless_parents > 0
            for each in self._catalogue.relationships_of(key.table)
        )

    def _is_missing(self, value: ColumnValue) -> bool:
        return self._catalogue.column(value.table, value.column).profile.missing > 0

    def _traced(self, step: Step, value: Expression) -> tuple[Step, Expression]:
        while isinstance(value, StepValue):
            step = self._structure.steps[value.step]
            value = step.outputs[value.output].value
        return step, value


def _matched_keys(structure: Structure) -> Iterator[tuple[Reference, Reference]]:
    """Yield the keys of rows that are kept without a match, each with the column it matches."""
    for step in structure.steps:
        for join in step.joins:
            if join.kind is not JoinKind.LEFT:
                continue
            for each in join.on:
                if isinstance(each, Comparison) and each.operator == "=":
                    one, other = each.left, each.right
                    if isinstance(one, ColumnValue) and isinstance(other, ColumnValue):
                        kept, matched = sorted((one, other), key=lambda side: side.source)
                        yield _reference(kept), _reference(matched)


def _reference(value: ColumnValue) -> Reference:
    return value.table, value.column


def _values(step: Step) -> list[Expression]:
    return [*(output.value for output in step.outputs), *(key.value for key in step.order)]


def _parts(value: Expression) -> Iterator[Expression]:
    yield value
    if isinstance(value, Arithmetic):
        yield from _parts(value.left)
        yield from _parts(value.right)
    elif isinstance(value, Aggregate) and value.argument is not None:
        yield from _parts(value.argument)
    elif isinstance(value, ZeroIfMissing):
        yield value.value
    elif isinstance(value, Rank):
        for key in value.order:
            yield from _parts(key.value)


def _aggregates(values: Iterable[Expression]) -> list[Aggregate]:
    return list(
        dict.fromkeys(
            part for value in values for part in _parts(value) if isinstance(part, Aggregate)
        )
    )


def _arithmetic(values: Iterable[Expression]) -> list[Arithmetic]:
    return list(
        dict.fromkeys(
            part for value in values for part in _parts(value) if isinstance(part, Arithmetic)
        )
    )


def _columns(step: Step) -> Iterator[ColumnValue]:
    values = [*_values(step), *step.keys]
    conditions = [*step.conditions, *step.group_conditions]
    for join in step.joins:
        if join.kind is not JoinKind.CROSS:
            conditions += join.on
    for condition in conditions:
        inner = condition.conditions if isinstance(condition, Membership) else ()
        for each in (condition, *inner):
            values += compared(each)
    for value in values:
        yield from (part for part in _parts(value) if isinstance(part, ColumnValue))


def _columns_divided(value: Arithmetic) -> tuple[ColumnValue, ColumnValue] | None:
    """Return two columns of which one, or an aggregate of it, is divided by the other."""
    if value.operator != "/":
        return None
    found = []
    for side in (value.left, value.right):
        inner = _without_factor(side)
        if isinstance(inner, Aggregate) and inner.argument is not None:
            inner = _without_factor(inner.argument)
        if not isinstance(inner, ColumnValue):
            return None
        found.append(inner)
    return found[0], found[1]


def _without_factor(value: Expression) -> Expression:
    if isinstance(value, Arithmetic) and value.operator == "*":
        for factor, other in ((value.left, value.right), (value.right, value.left)):
            if isinstance(factor, Literal) and factor.value in (1, 100):
                return _without_factor(other)
    return value


def _all_comparisons(step: Step) -> Iterator[Comparison]:
    """Yield the comparisons of a step's conditions, of the records they ask for, and of matches."""
    conditions: list[Condition] = [*step.conditions, *(on for join in step.joins for on in join.on)]
    for condition in conditions:
        parts = condition.conditions if isinstance(condition, Membership) else (condition,)
        yield from (each for each in parts if isinstance(each, Comparison))


def _filter_facts(index: int, step: Step) -> Iterator[ChoiceFact]:
    """Yield how a step reads a range, a cutoff, a category or a match."""

    def fact(label: str, nouns: Nouns = frozenset()) -> ChoiceFact:
        return ChoiceFact(label, nouns, frozenset(), index)

    operators: dict[Reference, set[str]] = {}
    for each in step.conditions:
        if not isinstance(each, Comparison) or not isinstance(each.right, Literal):
            continue
        if isinstance(each.left, ColumnValue):
            operators.setdefault(_reference(each.left), set()).add(each.operator)
    for found in operators.values():
        if found in ({">=", "<="}, {">", "<"}):
            yield fact("ends in" if "<=" in found else "ends out")
        elif found in ({">="}, {">"}):
            yield fact("cutoff in" if ">=" in found else "cutoff out")
        elif found == {"<>"}:
            yield fact("some left out")
    members = [each for each in step.conditions if isinstance(each, Membership)]
    if any(each.negated for each in members):
        yield fact("all left out")
    asked = [each for each in members if not each.negated]
    if len(asked) > 1:
        yield fact("any records")
    if any(len(each.conditions) > 1 for each in asked):
        yield fact("one record")
    for join in step.joins:
        if any(
            isinstance(each, Comparison) and isinstance(each.right, Literal) for each in join.on
        ):
            yield fact("zeros in" if join.kind is JoinKind.LEFT else "zeros out")
