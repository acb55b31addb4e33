"""One order for the parts of a query whose order means nothing, and the numbers of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from specbridge_pipeline.exact_description.queries.model import (
    All,
    Arithmetic,
    ColumnOf,
    Combination,
    Comparison,
    Condition,
    Expression,
    HasRows,
    InList,
    InStep,
    Literal,
    Missing,
    OutputOf,
    Query,
    Repetition,
    RowNumberOf,
    Same,
    ScalarOf,
    Selection,
    Some,
    Step,
    StepRows,
    Window,
    field_names,
    is_node,
    nodes_in,
)
from specbridge_pipeline.exact_description.queries.rebuilding import rebuilt

_FLIPPED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_COMMUTATIVE = frozenset({"union", "union_all", "intersect"})


def canonical(query: Query) -> Query:
    """Return a query with conditions, keys, summands, factors and compared sides in one order.

    Names of steps' outputs play no part in the order. Steps that nothing reads are left out, and
    the others are numbered in the order in which they are read.

    Args:
        query: The query.

    Returns:
        Equal for queries that differ only in the order of such parts.
    """
    steps: list[Step] = []
    contents: list[str] = []
    for step in query.steps:
        arranger = _Arranger(contents, step.depth)
        steps.append(arranger.step(step))
        contents.append(sha256(arranger.content(steps[-1]).encode()).hexdigest())
    return _numbered(steps)


def content_of(value: Any) -> str:
    """Return a text that two nodes of one step share only if they are the same."""
    return repr(value)


class _Arranger:
    def __init__(self, contents: Sequence[str], depth: int) -> None:
        self._contents = contents
        self._depth = depth
        self._known: dict[int, tuple[Any, str]] = {}

    def step(self, step: Step) -> Step:
        body = step.body
        if isinstance(body, Combination):
            return replace(step, body=self._combination(body))
        arranged: Step = self._arranged(step)
        return arranged

    def _combination(self, body: Combination) -> Combination:
        operators = {operator for operator, _ in body.others}
        if len(operators) > 1 or not operators <= _COMMUTATIVE:
            return body
        operator = operators.pop()
        parts = sorted(
            (body.first, *(step for _, step in body.others)), key=self._contents.__getitem__
        )
        others = tuple((operator, step) for step in parts[1:])
        return Combination(parts[0], others, body.collations)

    def content(self, value: Any) -> str:
        """Return a text that only nodes of the same content share, whatever names steps have."""
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        text = self._written(value)
        if is_node(value):
            self._known[id(value)] = (value, text)
        return text

    def _written(self, value: Any) -> str:
        if isinstance(value, tuple):
            return f"({','.join(self.content(each) for each in value)})"
        if not is_node(value):
            return repr(value)
        kind = type(value)
        if kind is ScalarOf or kind is StepRows or kind is HasRows:
            rest = "-" if kind is HasRows and value.negated else ""
            return f"{kind.__name__}{rest}[{self._contents[value.step]}]"
        if kind is InStep:
            return (
                f"InStep[{self._contents[value.step]}]{self.content(value.values)}{value.negated}"
                f"{value.readings}{value.collation}"
            )
        if kind is Combination:
            others = [(operator, self._contents[step]) for operator, step in value.others]
            return f"Combination[{self._contents[value.first]}{others}{value.collations}]"
        if kind is Repetition:
            repeated = [self._contents[step] for step in value.repeated]
            return f"Repetition[{self._contents[value.first]}{repeated}{value.distinct}]"
        names = field_names(kind)
        if kind is Step:
            names = tuple(name for name in names if name != "names")
        return f"{kind.__name__}({','.join(self.content(getattr(value, each)) for each in names)})"

    def _arranged(self, node: Any) -> Any:
        node = rebuilt(node, self._arranged)
        kind = type(node)
        if kind is All or kind is Some:
            return self._conditions(node)
        if kind is Comparison:
            if self._rank(node.left) > self._rank(node.right):
                operator = _FLIPPED[node.operator]
                return replace(node, operator=operator, left=node.right, right=node.left)
        elif kind is Same:
            if self._rank(node.left) > self._rank(node.right):
                return replace(node, left=node.right, right=node.left)
        elif kind is InList:
            return replace(node, items=self._unique(node.items))
        elif kind is Arithmetic and node.operator in "+*":
            return self._chain(node)
        elif kind is Window and len(node.partition) > 1:
            return replace(node, partition=tuple(sorted(node.partition, key=self._rank)))
        elif kind is Selection and len(node.keys) > 1:
            return replace(
                node, keys=tuple(sorted(node.keys, key=lambda key: self._rank(key.value)))
            )
        return node

    def _unique(self, items: tuple[Expression, ...]) -> tuple[Expression, ...]:
        unique = {self.content(each): each for each in items}
        return tuple(sorted(unique.values(), key=_literal_rank))

    def _conditions(self, node: All | Some) -> Condition:
        unique = {self.content(each): each for each in node.parts}
        # A condition that is written twice says nothing more.
        parts = sorted(unique.values(), key=self._condition_rank)
        return parts[0] if len(parts) == 1 else type(node)(tuple(parts))

    def _condition_rank(self, condition: Condition) -> tuple[int, tuple[int, int, str], str]:
        content = self.content(condition)
        if isinstance(condition, All | Some):
            return 2, (0, 0, ""), content
        first: Any = getattr(condition, "value", None) or getattr(condition, "left", None)
        if isinstance(condition, InStep):
            first = condition.values[0]
        rank = (4, 0, "") if first is None else self._rank(first)
        return int(isinstance(condition, Missing)), rank, content

    def _rank(self, value: Expression) -> tuple[int, int, str]:
        """Order values as a reader expects them: columns by source, then what is computed."""
        content = self.content(value)
        if isinstance(value, Literal):
            return 3, 0, content
        if isinstance(value, ColumnOf | OutputOf | RowNumberOf) and value.depth == self._depth:
            return 0, value.source, content
        if isinstance(value, ColumnOf | OutputOf | RowNumberOf | ScalarOf):
            return 2, 0, content
        return 1, 0, content

    def _chain(self, node: Arithmetic) -> Expression:
        factors = node.operator == "*"
        parts = sorted(
            chain_of(node),
            # "100.0 times the share" reads better than "the share times 100.0".
            key=lambda part: (factors and not isinstance(part, Literal), self._rank(part)),
        )
        combined = parts[0]
        for part in parts[1:]:
            combined = Arithmetic(node.operator, combined, part)
        return combined


def _literal_rank(value: Expression) -> tuple[int, float, str]:
    if isinstance(value, Literal) and isinstance(value.value, int | float):
        return 0, value.value, ""
    return (1 if isinstance(value, Literal) else 2), 0, repr(value)


def chain_of(value: Arithmetic) -> Iterator[Expression]:
    """Yield the parts of a sum of sums, or of a product of products."""
    for side in (value.left, value.right):
        if isinstance(side, Arithmetic) and side.operator == value.operator:
            yield from chain_of(side)
        else:
            yield side


def steps_read(step: Step) -> Iterator[int]:
    """Yield the steps that a step reads, in the order in which it does."""
    body = step.body
    if isinstance(body, Combination):
        yield body.first
        yield from (read for _, read in body.others)
    elif isinstance(body, Repetition):
        yield body.first
        yield from body.repeated
    for node in nodes_in((body, step.order, step.limit, step.offset)):
        if isinstance(node, StepRows | ScalarOf | InStep | HasRows):
            yield node.step


def _numbered(steps: Sequence[Step]) -> Query:
    numbers: dict[int, int] = {}

    def visit(index: int) -> None:
        if index not in numbers:
            for read in steps_read(steps[index]):
                visit(read)
            numbers[index] = len(numbers)

    visit(len(steps) - 1)

    def moved(node: Any) -> Any:
        kind = type(node)
        if kind is Combination:
            return Combination(
                numbers[node.first],
                tuple((operator, numbers[step]) for operator, step in node.others),
                node.collations,
            )
        if kind is Repetition:
            return Repetition(
                numbers[node.first],
                tuple(numbers[step] for step in node.repeated),
                node.distinct,
            )
        node = rebuilt(node, moved)
        if kind is StepRows or kind is ScalarOf or kind is HasRows or kind is InStep:
            return replace(node, step=numbers[node.step])
        return node

    return Query(tuple(moved(steps[index]) for index in numbers))
