"""Steps of a description as one SQL query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnreadableDescriptionError
from specbridge_pipeline.exact_description.way_back.fragments import (
    UNKNOWN,
    USUAL,
    Sql,
    collated,
    quoted,
)
from specbridge_pipeline.exact_description.way_back.parsing import Node
from specbridge_pipeline.exact_description.way_back.steps import ReadOutput, ReadStep
from specbridge_pipeline.exact_description.way_back.values import Label, ValueWriter, label_name

_OF_OWNERS = frozenset(
    {"column", "table_column", "placed_column", "row_number", "row_number_of", "function_column",
     "output", "placed_output", "output_at_hand"}
)  # fmt: skip
"""What can be of the current row of another step, which then stands last."""


_AGGREGATES = frozenset({"aggregate", "calculated", "joined_values", "listed", "listed_pairs"})


class QueryWriter:
    """Writes a query from the steps of a description.

    Args:
        steps: The steps by number.
        schema: The tables that they read.
    """

    def __init__(self, steps: dict[int, ReadStep], schema: Schema) -> None:
        self.steps = steps
        self.schema = schema
        self._last = max(steps)
        self._types: dict[Label, Sql] = {}
        self._outer: dict[int, frozenset[int]] = {}
        self._writing: set[int] = set()
        self._repetitions = {
            part: step.number
            for step in steps.values()
            if step.repeats
            for _, part in step.parts[1:]
        }
        taken = {table.name.lower() for table in schema.tables}
        self._prefix = "step"
        while any(name.startswith(self._prefix) for name in taken):
            self._prefix += "_"

    def query(self) -> str:
        """Return the whole query."""
        reachable = self._reachable(self._last)
        for step in self.steps.values():
            if step.number not in reachable:
                raise UnreadableDescriptionError(
                    "no later step reads it", where=f"step {step.number}"
                )
            self._check(step)
        named = sorted(
            number
            for number in reachable
            if number in self._sources() and not self._rows_around(number)
        )
        return self._with(named) + self._body(self._last, ())

    def _check(self, step: ReadStep) -> None:
        """Refuse a step that is said to be for other rows, or for groups, than its values are."""
        if step.owners != self._owners(step):
            raise UnreadableDescriptionError(
                "it is said to be worked out for other rows than it uses",
                where=f"step {step.number}",
            )
        if step.parts or step.listed or step.rows == "group":
            return
        aggregated = any(
            _has_aggregate(node)
            for node in (
                *(output.value for output in step.outputs),
                step.group_condition,
                step.order,
            )
        )
        if aggregated is not (step.rows == "all"):
            raise UnreadableDescriptionError(
                "values of all rows together do not stand where they are worked out",
                where=f"step {step.number}",
            )

    # What steps read.

    def _reachable(self, number: int) -> set[int]:
        found: set[int] = set()
        waiting = [number]
        while waiting:
            step = waiting.pop()
            if step not in found:
                found.add(step)
                waiting += self._reads(step)
        return found

    def _sources(self) -> set[int]:
        """Return the steps whose rows other steps take."""
        return {number for step in self.steps.values() for number in _source_steps(step)}

    def _reads(self, number: int) -> set[int]:
        step = self._step(number)
        found = {*_source_steps(step), *(part for _, part in step.parts)}
        for node in _nodes(step):
            match node.meaning:
                case "output" if node.parts[-1] is None and node.parts[0][0] != number:
                    found.add(node.parts[0][0])
                case "first_row":
                    found.add(node.parts[0][0])
                case "read_output":
                    found.add(node.parts[0][0])
                case "has_rows":
                    found.add(node.parts[0])
        later = [each for each in found if each >= number]
        if later:
            raise UnreadableDescriptionError(
                f"step {later[0]} is used before it is worked out", where=f"step {number}"
            )
        return found

    def _step(self, number: int) -> ReadStep:
        if number not in self.steps:
            raise UnreadableDescriptionError(f"there is no step {number}")
        return self.steps[number]

    def _rows_around(self, number: int) -> frozenset[int]:
        """Return the steps whose current rows a step needs, itself or by what it reads."""
        if number not in self._outer:
            found = set(self._owners(self._step(number)))
            for read in self._reads(number):
                found |= self._rows_around(read)
            self._outer[number] = frozenset(found - {number})
        return self._outer[number]

    def _owners(self, step: ReadStep) -> frozenset[int]:
        """Return the steps whose current rows the values of a step are of."""
        return frozenset(
            node.parts[-1]
            for node in _nodes(step)
            if node.meaning in _OF_OWNERS and node.parts[-1] is not None
        )

    # Queries.

    def subquery(self, number: int, columns: Sequence[str | None] = ()) -> str:
        """Return a step as a query inside another one.

        Args:
            number: The step.
            columns: For each column what is made of it, in the place of {}; None for nothing.
        """
        if number in self._writing:
            raise UnreadableDescriptionError("a step needs itself", where=f"step {number}")
        return self._with(self._bound_steps(number)) + self._body(number, columns)

    def _bound_steps(self, number: int) -> list[int]:
        """Return the steps that a query names by itself, as they need the rows around it."""
        found: set[int] = set()
        waiting = [number]
        while waiting:
            step = self._step(waiting.pop())
            for read in (*_source_steps(step), *(part for _, part in step.parts)):
                if self._rows_around(read) and read not in found:
                    waiting.append(read)
                    if read in self._sources():
                        found.add(read)
        return sorted(found)

    def _with(self, named: Sequence[int]) -> str:
        if not named:
            return ""
        entries = []
        for number in named:
            columns = ", ".join(
                quoted(label_name((number, at))) for at in range(len(self._step(number).outputs))
            )
            entries.append(f"{self._name(number)} ({columns}) AS ({self._body(number, ())})")
        recursive = any(self._step(number).repeats for number in named)
        return f"WITH {'RECURSIVE ' if recursive else ''}{', '.join(entries)} "

    def _name(self, number: int) -> str:
        return quoted(f"{self._prefix} {number}")

    def _body(self, number: int, columns: Sequence[str | None]) -> str:
        step = self._step(number)
        self._writing.add(number)
        try:
            if step.parts:
                text = self._compound(step, columns)
            else:
                text = self._core(step, step.outputs, columns, None)
            return text + self._order_and_cut(step)
        finally:
            self._writing.discard(number)

    def _order_and_cut(self, step: ReadStep) -> str:
        writer = ValueWriter(step, self)
        text = ""
        if step.order:
            text += f" ORDER BY {writer.order(step.order, returned=True)}"
        if step.limit is not None or step.offset is not None:
            limit = -1 if step.limit is None else step.limit
            text += f" LIMIT {_count(writer, limit)}"
        if step.offset is not None:
            text += f" OFFSET {_count(writer, step.offset)}"
        return text

    def _compound(self, step: ReadStep, columns: Sequence[str | None]) -> str:
        texts = []
        for at, (operator, number) in enumerate(step.parts):
            part = self._step(number)
            if len(part.outputs) != len(step.outputs):
                raise UnreadableDescriptionError(
                    f"step {number} gives another number of values", where=f"step {step.number}"
                )
            outputs = step.outputs if not at else [ReadOutput(None, None)] * len(step.outputs)
            if operator:
                texts.append(operator)
            texts.append(self._part(step, part, outputs, columns, first=not at))
        return " ".join(texts)

    def _part(
        self,
        whole: ReadStep,
        part: ReadStep,
        outputs: Sequence[ReadOutput],
        columns: Sequence[str | None],
        *,
        first: bool,
    ) -> str:
        named = any(each.name is not None for each in outputs)
        plain = not (part.parts or part.order or part.limit is not None or part.offset is not None)
        alike = any(operator != "UNION ALL" for operator, _ in whole.parts[1:])
        collations = whole.collations if first and alike else None
        if plain and not (part.listed and (named or collations)):
            outputs = [
                ReadOutput(each.name, own.value)
                for each, own in zip(outputs, part.outputs, strict=True)
            ]
            return self._core(part, outputs, columns, collations)
        if part.parts and first and whole.repeats and not (part.order or part.limit):
            return self._compound(part, columns)
        alias = f"s{whole.number}_{part.number}"
        values = []
        for at, output in enumerate(outputs):
            column = f"column{at + 1}" if part.listed else label_name((part.number, at))
            known = self.output_type((part.number, at))
            piece = known._replace(text=f"{alias}.{quoted(column)}")
            if collations is not None:
                piece = collated(piece, collations.get(at))
            values.append(_named(_made(piece.text, columns, at), output.name))
        if part.listed:
            return f"SELECT {', '.join(values)} FROM ({self._body(part.number, ())}) AS {alias}"
        rows = f"{self._with([part.number])}SELECT * FROM {self._name(part.number)}"
        return f"SELECT {', '.join(values)} FROM ({rows}) AS {alias}"

    def _core(
        self,
        step: ReadStep,
        outputs: Sequence[ReadOutput],
        columns: Sequence[str | None],
        collations: dict[int, str] | None,
    ) -> str:
        """Return one SELECT without order and cut; with collations where equal rows become one."""
        writer = ValueWriter(step, self)
        if step.listed:
            rows = [", ".join(writer.value(each).text for each in row) for row in step.listed]
            return "VALUES " + ", ".join(f"({row})" for row in rows)
        if step.distinct:
            collations = step.collations
        values = []
        for at, output in enumerate(outputs):
            if output.value is None:
                raise UnreadableDescriptionError(
                    "a value of a step is not said", where=f"step {step.number}"
                )
            piece = writer.value(output.value)
            if collations is not None:
                piece = collated(piece, collations.get(at))
            values.append(_named(_made(piece.text, columns, at), output.name))
        text = f"SELECT {'DISTINCT ' if step.distinct else ''}{', '.join(values)}"
        text += self._from(step, writer)
        if step.condition is not None:
            text += f" WHERE {writer.condition(step.condition)}"
        if step.keys:
            keys = []
            for key, stated in step.keys:
                piece = collated(writer.value(key), stated)
                # A number that is written out would be taken for a position.
                keys.append("NULL" if piece.literal else piece.text)
            text += f" GROUP BY {', '.join(keys)}"
        if step.group_condition is not None:
            text += f" HAVING {writer.condition(step.group_condition)}"
        order = writer.order(step.order, returned=True) if step.order and not step.parts else ""
        for extreme in writer.single_rows:
            if extreme not in f"{text} {order}":
                raise UnreadableDescriptionError(
                    "a column is of a row that nothing in the step tells",
                    where=f"step {step.number}",
                )
        return text

    def _from(self, step: ReadStep, writer: ValueWriter) -> str:
        text = ""
        for at, source in enumerate(step.sources):
            rows = f"{self._rows(step, source, writer)} AS {writer.alias(step.number, at)}"
            if not at:
                text += f" FROM {rows}"
                continue
            join = step.joins[at - 1]
            kind = "" if join.kind == "INNER" else f"{join.kind} "
            text += f" {kind}JOIN {rows}"
            if join.on is not None:
                text += f" ON {writer.condition(join.on)}"
        return text

    def _rows(self, step: ReadStep, source: Node, writer: ValueWriter) -> str:
        match source.meaning:
            case "table_rows":
                return quoted(source.parts[0])
            case "step_rows":
                return self._name(source.parts[0])
            case "row_at_hand":
                if step.number not in self._repetitions:
                    raise UnreadableDescriptionError(
                        "no row is at hand", where=f"step {step.number}"
                    )
                return self._name(self._repetitions[step.number])
        arguments = source.parts[1]
        return f"{source.parts[0]}({', '.join(writer.value(each).text for each in arguments)})"

    def output_type(self, label: Label) -> Sql:
        """Return the affinity and the collation of what a step gives."""
        if label not in self._types:
            self._types[label] = self._output_type(label)
        return self._types[label]

    def _output_type(self, label: Label) -> Sql:
        step = self._step(label[0])
        if label[1] >= len(step.outputs):
            raise UnreadableDescriptionError(f"no step gives {label_name(label)}")
        if step.listed:
            return Sql("", UNKNOWN, USUAL)
        if step.parts:
            first = self.output_type((step.parts[0][1], label[1]))
            others = (
                []
                if step.repeats
                else [self.output_type((part, label[1])) for _, part in step.parts[1:]]
            )
            collations = {each.collation for each in (first, *others)} - {"", USUAL}
            return Sql("", UNKNOWN, collations.pop() if collations else USUAL)
        output = step.outputs[label[1]]
        if output.value is None:
            raise UnreadableDescriptionError(f"{label_name(label)} has no value")
        piece = ValueWriter(step, self).value(output.value)
        return Sql("", piece.affinity, piece.collation)


def _made(text: str, columns: Sequence[str | None], at: int) -> str:
    wrapping = columns[at] if at < len(columns) else None
    return text if wrapping is None else wrapping.replace("{}", text)


def _named(text: str, name: str | None) -> str:
    return text if name is None else f"{text} AS {quoted(name)}"


def _count(writer: ValueWriter, count: Any) -> str:
    return writer.value(count).text if isinstance(count, Node) else str(count)


def _source_steps(step: ReadStep) -> list[int]:
    return [each.parts[0] for each in step.sources if each.meaning == "step_rows"]


def _has_aggregate(value: Any) -> bool:
    """Say whether a value is of all rows of a group, not of rows around a row."""
    if isinstance(value, tuple):
        return any(map(_has_aggregate, value))
    if not isinstance(value, Node):
        return False
    if value.meaning == "over":
        aggregate, frame = value.parts
        inner = aggregate.parts[0] if aggregate.meaning == "filtered" else aggregate
        return _has_aggregate((*inner.parts, *aggregate.parts[1:], frame))
    return value.meaning in _AGGREGATES or _has_aggregate(value.parts)


def _nodes(step: ReadStep) -> Iterator[Node]:
    waiting: list[Any] = [
        *step.sources,
        *(join.on for join in step.joins),
        step.condition,
        step.keys,
        step.group_condition,
        *(output.value for output in step.outputs),
        step.listed,
        step.order,
        step.limit,
        step.offset,
    ]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Node):
            yield each
            waiting += each.parts
        elif isinstance(each, tuple):
            waiting += each
