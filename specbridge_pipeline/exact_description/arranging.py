"""One order for the parts of a structure whose order means nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    Arithmetic,
    ColumnValue,
    Comparison,
    Condition,
    Expression,
    Join,
    Literal,
    Missing,
    OrderKey,
    Output,
    Rank,
    Source,
    Step,
    StepSource,
    StepValue,
    Structure,
    TableSource,
)

_FLIPPED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def arranged(structure: Structure) -> Structure:
    """Return a structure with conditions, keys, summands, factors and compared sides in one order.

    Names play no part in the order. Steps are numbered anew, in the order in which they are read.

    Args:
        structure: The structure.

    Returns:
        Equal for structures that differ only in the order of such parts.
    """
    steps: list[Step] = []
    contents: list[str] = []
    for step in structure.steps:
        arranger = _Arranger(contents)
        steps.append(arranger.step(step))
        contents.append(arranger.content(steps[-1]))
    return _numbered(steps)


def written_content(value: Expression) -> str:
    """Return a text that two values of one step share only if they are the same value."""
    if isinstance(value, StepValue):
        return f"step {value.source} {value.step} {value.output}"
    if isinstance(value, ColumnValue):
        return f"column {value.source} {value.table!r} {value.column!r}"
    if isinstance(value, Literal):
        # 1 and 1.0 are equal to Python, and are not the same to a division.
        return f"literal {value.value!r}"
    if isinstance(value, Arithmetic):
        sides = f"{written_content(value.left)}, {written_content(value.right)}"
        return f"({value.operator}{'whole' if value.whole else ''} {sides})"
    if isinstance(value, Aggregate):
        argument = "" if value.argument is None else written_content(value.argument)
        return f"{value.function}({argument})"
    order = [f"{key.descending} {written_content(key.value)}" for key in value.order]
    return f"rank({order}, {[written_content(each) for each in value.partition]})"


class _Arranger:
    def __init__(self, contents: Sequence[str]) -> None:
        self._contents = contents

    def step(self, step: Step) -> Step:
        return replace(
            step,
            joins=tuple(
                Join(each.kind, each.source, self._conditions(each.on)) for each in step.joins
            ),
            conditions=self._conditions(step.conditions),
            keys=tuple(sorted((self._value(key) for key in step.keys), key=self._rank)),
            outputs=tuple(Output(each.name, self._value(each.value)) for each in step.outputs),
            group_conditions=self._conditions(step.group_conditions),
            order=self._order(step.order),
        )

    def content(self, step: Step) -> str:
        """Return a short text that only steps with the same content share, whatever their names."""
        parts = [
            [self._source(each) for each in step.sources],
            [
                f"{each.kind} {each.source} {[self._condition_content(one) for one in each.on]}"
                for each in step.joins
            ],
            [self._condition_content(each) for each in step.conditions],
            [self._content(each) for each in step.keys],
            [self._content(each.value) for each in step.outputs],
            [self._condition_content(each) for each in step.group_conditions],
            step.distinct,
            [f"{each.descending} {self._content(each.value)}" for each in step.order],
            step.limit,
            step.offset,
        ]
        return sha256(repr(parts).encode()).hexdigest()

    def _source(self, source: Source) -> str:
        if isinstance(source, TableSource):
            return f"table {source.table!r}"
        return f"step {self._contents[source.step]}"

    def _content(self, value: Expression) -> str:
        if isinstance(value, StepValue):
            return f"step {value.source} {self._contents[value.step]} {value.output}"
        if isinstance(value, Arithmetic):
            sides = f"{self._content(value.left)}, {self._content(value.right)}"
            return f"({value.operator}{'whole' if value.whole else ''} {sides})"
        if isinstance(value, Aggregate):
            argument = "" if value.argument is None else self._content(value.argument)
            return f"{value.function}({argument})"
        if isinstance(value, Rank):
            order = [f"{key.descending} {self._content(key.value)}" for key in value.order]
            return f"rank({order}, {[self._content(each) for each in value.partition]})"
        return written_content(value)

    def _condition_content(self, condition: Condition) -> str:
        if isinstance(condition, Missing):
            return f"missing {condition.negated} {self._content(condition.value)}"
        sides = f"{self._content(condition.left)}, {self._content(condition.right)}"
        return f"{condition.operator} {sides}"

    def _rank(self, value: Expression) -> tuple[int, int, str]:
        """Order values as a reader expects them: columns by source, then what is computed."""
        content = self._content(value)
        if isinstance(value, Literal):
            return 3, 0, content
        if isinstance(value, ColumnValue | StepValue):
            return (2, 0, content) if value.source is None else (0, value.source, content)
        return 1, 0, content

    def _condition_rank(self, condition: Condition) -> tuple[bool, tuple[int, int, str], str]:
        missing = isinstance(condition, Missing)
        first = condition.value if isinstance(condition, Missing) else condition.left
        return missing, self._rank(first), self._condition_content(condition)

    def _conditions(self, conditions: Sequence[Condition]) -> tuple[Condition, ...]:
        unique: dict[str, Condition] = {}
        for each in conditions:
            found = self._condition(each)
            # A condition that is written twice says nothing more.
            unique[self._condition_content(found)] = found
        return tuple(sorted(unique.values(), key=self._condition_rank))

    def _condition(self, condition: Condition) -> Condition:
        if isinstance(condition, Missing):
            return Missing(self._value(condition.value), condition.negated)
        left, right = self._value(condition.left), self._value(condition.right)
        if self._rank(left) <= self._rank(right):
            return Comparison(condition.operator, left, right)
        return Comparison(_FLIPPED[condition.operator], right, left)

    def _value(self, value: Expression) -> Expression:
        if isinstance(value, Aggregate):
            argument = None if value.argument is None else self._value(value.argument)
            return Aggregate(value.function, argument)
        if isinstance(value, Rank):
            partition = sorted((self._value(each) for each in value.partition), key=self._rank)
            return Rank(self._order(value.order), tuple(partition))
        if not isinstance(value, Arithmetic):
            return value
        if value.operator not in "+*":
            return Arithmetic(
                value.operator, self._value(value.left), self._value(value.right), value.whole
            )
        factors = value.operator == "*"
        parts = sorted(
            (self._value(part) for part in chain_of(value)),
            # "100.0 times the share" reads better than "the share times 100.0".
            key=lambda part: (factors and not isinstance(part, Literal), self._rank(part)),
        )
        combined = parts[0]
        for part in parts[1:]:
            combined = Arithmetic(value.operator, combined, part)
        return combined

    def _order(self, order: Sequence[OrderKey]) -> tuple[OrderKey, ...]:
        return tuple(OrderKey(self._value(each.value), each.descending) for each in order)


def chain_of(value: Arithmetic) -> Iterator[Expression]:
    """Yield the parts of a sum of sums, or of a product of products."""
    for side in (value.left, value.right):
        if isinstance(side, Arithmetic) and side.operator == value.operator:
            yield from chain_of(side)
        else:
            yield side


def _numbered(steps: Sequence[Step]) -> Structure:
    numbers: dict[int, int] = {}

    def visit(index: int) -> None:
        if index not in numbers:
            for read in _read_steps(steps[index]):
                visit(read)
            numbers[index] = len(numbers)

    visit(len(steps) - 1)
    return Structure(tuple(_moved(steps[index], numbers) for index in numbers))


def _read_steps(step: Step) -> Iterator[int]:
    for source in step.sources:
        if isinstance(source, StepSource):
            yield source.step
    for value in _values(step):
        if isinstance(value, StepValue):
            yield value.step


def _values(step: Step) -> Iterator[Expression]:
    """Yield all values of a step, those inside others too."""
    tops: list[Expression] = []
    for condition in (
        *(each for join in step.joins for each in join.on),
        *step.conditions,
    ):
        tops += _sides(condition)
    tops += [*step.keys, *(each.value for each in step.outputs)]
    for condition in step.group_conditions:
        tops += _sides(condition)
    tops += [each.value for each in step.order]
    for top in tops:
        yield from _inside(top)


def _sides(condition: Condition) -> tuple[Expression, ...]:
    if isinstance(condition, Missing):
        return (condition.value,)
    return (condition.left, condition.right)


def _inside(value: Expression) -> Iterator[Expression]:
    yield value
    if isinstance(value, Arithmetic):
        yield from _inside(value.left)
        yield from _inside(value.right)
    elif isinstance(value, Aggregate) and value.argument is not None:
        yield from _inside(value.argument)
    elif isinstance(value, Rank):
        for each in (*(key.value for key in value.order), *value.partition):
            yield from _inside(each)


def _moved(step: Step, numbers: dict[int, int]) -> Step:
    def value(old: Expression) -> Expression:
        if isinstance(old, StepValue):
            return StepValue(old.source, numbers[old.step], old.output)
        if isinstance(old, Arithmetic):
            return Arithmetic(old.operator, value(old.left), value(old.right), old.whole)
        if isinstance(old, Aggregate):
            return Aggregate(old.function, None if old.argument is None else value(old.argument))
        if isinstance(old, Rank):
            return Rank(order(old.order), tuple(value(each) for each in old.partition))
        return old

    def condition(old: Condition) -> Condition:
        if isinstance(old, Missing):
            return Missing(value(old.value), old.negated)
        return Comparison(old.operator, value(old.left), value(old.right))

    def order(old: Sequence[OrderKey]) -> tuple[OrderKey, ...]:
        return tuple(OrderKey(value(each.value), each.descending) for each in old)

    def source(old: Source) -> Source:
        return StepSource(numbers[old.step]) if isinstance(old, StepSource) else old

    return replace(
        step,
        sources=tuple(source(each) for each in step.sources),
        joins=tuple(
            Join(each.kind, each.source, tuple(condition(one) for one in each.on))
            for each in step.joins
        ),
        conditions=tuple(condition(each) for each in step.conditions),
        keys=tuple(value(each) for each in step.keys),
        outputs=tuple(Output(each.name, value(each.value)) for each in step.outputs),
        group_conditions=tuple(condition(each) for each in step.group_conditions),
        order=order(step.order),
    )
