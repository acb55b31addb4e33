"""Values and conditions of a step as SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnreadableDescriptionError
from specbridge_pipeline.exact_description.way_back.fragments import (
    UNKNOWN,
    USUAL,
    Sql,
    as_read,
    collated,
    compared,
    compared_with_list,
    declared_affinity,
    number_literal,
    quoted,
    text_literal,
)
from specbridge_pipeline.exact_description.way_back.parsing import Node
from specbridge_pipeline.exact_description.way_back.steps import ReadStep

_PLACE = re.compile(r"\{(?P<part>[0-9]+)(?P<number>n?)(?P<many>\*?)(?P<between>[^}]*)\}")
Label = tuple[int, int]


class Queries(Protocol):
    """What the values of one step need of the others."""

    schema: Schema
    steps: dict[int, ReadStep]

    def subquery(self, number: int, columns: Sequence[str | None] = ()) -> str:
        """Return a step as a query inside another one."""

    def output_type(self, label: Label) -> Sql:
        """Return the affinity and the collation of what a step gives."""


class ValueWriter:
    """Writes the values of one step.

    Args:
        step: The step.
        queries: The others.
    """

    def __init__(self, step: ReadStep, queries: Queries) -> None:
        self._step = step
        self._queries = queries
        self._open: set[int] = set()
        self.single_rows: list[str] = []
        """Extremes in whose rows the step's plain columns are."""

    def value(self, node: Node) -> Sql:
        """Return a value as SQL."""
        if node.meaning.isidentifier():
            handler: Callable[..., Sql] = getattr(self, f"_{node.meaning}")
            return handler(node.words, *node.parts)
        return Sql(_PLACE.sub(lambda found: self._filled(node, found), node.meaning))

    def condition(self, node: Node) -> str:
        """Return a condition as SQL."""
        return self.value(node).text

    def order(self, keys: Sequence[Node], *, returned: bool = False) -> str:
        """Return the terms of an order.

        Args:
            keys: The keys.
            returned: Whether the step's own outputs can stand in it, by their position.
        """
        return ", ".join(self._order_key(*key.parts, returned=returned) for key in keys)

    def _order_key(
        self, value: Node, direction: str, end: str, stated: str | None, *, returned: bool
    ) -> str:
        position = self._own_position(value)
        if position is None:
            key = self.value(value)
        elif not returned:
            key = self._own_output(position)
        else:
            key = self._queries.output_type((self._step.number, position))
            key = key._replace(text=str(position + 1))
        text = collated(key, stated).text
        if position is not None and returned and text.startswith("("):
            # Between parentheses the number would be no position.
            text = text[1:-1]
        usual = "FIRST" if direction == "ASC" else "LAST"
        return f"{text} {direction}" + ("" if end == usual else f" NULLS {end}")

    def _own_output(self, position: int) -> Sql:
        """Return what the step gives itself, for an order of rows beside it."""
        outputs = self._step.outputs
        value = outputs[position].value if position < len(outputs) else None
        if value is None or position in self._open:
            raise self._error("rows are ordered by what they are not known to have")
        self._open.add(position)
        found = self.value(value)
        self._open.discard(position)
        return found

    def _own_position(self, value: Node) -> int | None:
        if value.meaning == "returned_at":
            return int(value.parts[0])
        if value.meaning == "returned":
            names = [each.name for each in self._step.outputs]
            if names.count(value.parts[0]) != 1:
                raise self._error(f"no single column {value.parts[0]} is returned")
            return names.index(value.parts[0])
        if value.meaning == "output" and value.parts[0][0] == self._step.number:
            position: int = value.parts[0][1]
            return position
        return None

    def _filled(self, node: Node, found: re.Match[str]) -> str:
        part = node.parts[int(found["part"])]
        if found["many"]:
            return found["between"].join(
                self._number(each) if found["number"] else self.value(each).text for each in part
            )
        return self._number(part) if found["number"] else self.value(part).text

    def _number(self, node: Node) -> str:
        """Return a value of a calculation, which takes the number in a text by itself."""
        if node.meaning == "number_in":
            node = node.parts[0]
        return self.value(node).text

    def _error(self, problem: str) -> UnreadableDescriptionError:
        return UnreadableDescriptionError(problem, where=f"step {self._step.number}")

    # Columns.

    def alias(self, step: int, position: int) -> str:
        """Return the name of a source of a step."""
        return f"s{step}_{position + 1}"

    def _sources(self, owner: int | None) -> tuple[int, list[Node]]:
        number = self._step.number if owner is None else owner
        if number not in self._queries.steps:
            raise self._error(f"there is no step {number}")
        return number, self._queries.steps[number].sources

    def _found(
        self, owner: int | None, wanted: Callable[[Node], bool], place: int | None, what: str
    ) -> str:
        number, sources = self._sources(owner)
        found = [at for at, source in enumerate(sources) if wanted(source)]
        if place is not None:
            found = found[place : place + 1]
        if len(found) != 1:
            raise self._error(f"{what} is in {len(found)} of the sources")
        return self.alias(number, found[0])

    def _of_table(self, table: str, column: str, owner: int | None, place: int | None) -> Sql:
        def is_it(source: Node) -> bool:
            return source.meaning == "table_rows" and source.parts[0] == table

        alias = self._found(owner, is_it, place, f"the table {table}")
        for each in self._queries.schema.tables:
            if each.name == table:
                for declared in each.columns:
                    if declared.name == column:
                        return Sql(
                            f"{alias}.{quoted(column)}",
                            declared_affinity(declared.declared_type),
                            declared.collation or USUAL,
                        )
        raise self._error(f"{table} has no column {column}")

    def _column(self, words: str, column: str, meaning: None, owner: int | None) -> Sql:
        tables = {
            source.parts[0] for source in self._sources(owner)[1] if source.meaning == "table_rows"
        }
        found = [
            table.name
            for table in self._queries.schema.tables
            if table.name in tables and any(each.name == column for each in table.columns)
        ]
        if len(found) != 1:
            raise self._error(f"the column {column} is in {len(found)} of the sources")
        return self._of_table(found[0], column, owner, None)

    def _table_column(
        self, words: str, table: str, column: str, meaning: None, owner: int | None
    ) -> Sql:
        return self._of_table(table, column, owner, None)

    def _placed_column(
        self, words: str, place: int, table: str, column: str, meaning: None, owner: int | None
    ) -> Sql:
        return self._of_table(table, column, owner, place)

    def _row_number(self, words: str, table: str, owner: int | None) -> Sql:
        return self._row_number_of(words, None, table, owner)

    def _row_number_of(self, words: str, place: int | None, table: str, owner: int | None) -> Sql:
        def is_it(source: Node) -> bool:
            return source.meaning == "table_rows" and source.parts[0] == table

        alias = self._found(owner, is_it, place, f"the table {table}")
        return Sql(f"{alias}.rowid", "INTEGER", USUAL)

    def _function_column(self, words: str, column: str, *rest: Any) -> Sql:
        *place, function, owner = rest

        def is_it(source: Node) -> bool:
            return source.meaning == "function_rows" and source.parts[0] == function

        alias = self._found(owner, is_it, place[0] if place else None, f"the function {function}")
        return Sql(f"{alias}.{quoted(column)}", UNKNOWN)

    # Outputs of steps.

    def _output(self, words: str, label: Label, reminded: None, owner: int | None) -> Sql:
        sources = self._sources(owner)[1]
        if owner is None and not any(_is_step(each, label[0]) for each in sources):
            return self._scalar(label)
        return self._placed_output(words, label, None, label[0], None, owner)

    def _placed_output(
        self,
        words: str,
        label: Label,
        place: int | None,
        step: int,
        reminded: None,
        owner: int | None,
    ) -> Sql:
        alias = self._found(owner, lambda source: _is_step(source, step), place, f"step {label[0]}")
        return self._named(alias, label)

    def _output_at_hand(self, words: str, label: Label, owner: int | None) -> Sql:
        alias = self._found(
            owner, lambda source: source.meaning == "row_at_hand", None, "the row at hand"
        )
        return self._named(alias, label)

    def _named(self, alias: str, label: Label) -> Sql:
        known = self._queries.output_type(label)
        return known._replace(
            text=f"{alias}.{quoted(label_name(label))}", collation=known.collation or USUAL
        )

    def _first_row(self, words: str, label: Label, reminder: str, step: int, *rest: Any) -> Sql:
        if step != label[0]:
            raise self._error(f"{label_name(label)} is nothing that step {step} gives")
        return self._scalar(label)

    def _scalar(self, label: Label) -> Sql:
        number, output = label
        if output or number not in self._queries.steps or number >= self._step.number:
            raise self._error(f"{label_name(label)} is no single value of an earlier step")
        known = self._queries.output_type(label)
        return Sql(f"({self._queries.subquery(number)})", known.affinity)

    # Values written out.

    def _text(self, words: str, value: str) -> Sql:
        return Sql(text_literal(value), literal="text", written=value)

    def _number_literal(self, words: str, value: int | float) -> Sql:
        return Sql(number_literal(value), literal="number")

    def _null(self, words: str) -> Sql:
        return Sql("NULL", literal="null")

    def _blob(self, words: str, digits: str = "") -> Sql:
        return Sql(f"x'{digits}'", literal="blob")

    # Calculations and conversions.

    def _truth(self, words: str, condition: Node) -> Sql:
        return Sql(self.condition(condition))

    def _number_in(self, words: str, value: Node) -> Sql:
        return Sql(f"({self.value(value).text} + 0)")

    def _cast(self, words: str, value: Node) -> Sql:
        inner = self.value(value)
        return Sql(f"CAST({inner.text} AS {words})", words, inner.collation)

    def _read(self, words: str, value: Node) -> Sql:
        return as_read(self.value(value), words)

    def _case(self, words: str, branches: tuple[Node, ...], default: Node) -> Sql:
        whens = " ".join(
            f"WHEN {self.condition(condition)} THEN {self.value(result).text}"
            for result, condition in (each.parts for each in branches)
        )
        return Sql(f"(CASE {whens} ELSE {self.value(default).text} END)")

    def _nullif(self, words: str, value: Node, other: Node, stated: str | None) -> Sql:
        first = self._leading((value, other), stated)
        return Sql(f"nullif({first.text}, {self.value(other).text})", "", first.collation)

    def _extreme(self, words: str, values: tuple[Node, ...], stated: str | None) -> Sql:
        first = self._leading(values, stated)
        rest = [self.value(each).text for each in values[1:]]
        return Sql(f"{words}({', '.join([first.text, *rest])})", "", first.collation)

    def _leading(self, values: Sequence[Node], stated: str | None) -> Sql:
        """Return the first of several values, whose collation counts for all of them."""
        first = self.value(values[0])
        others = {self.value(each).collation for each in values} - {"", USUAL}
        if others and not stated and not first.collation:
            return first._replace(text=f"({first.text} COLLATE {USUAL})")
        return collated(first, stated)

    # Aggregates and windows.

    def _aggregate(self, words: str, *parts: Any) -> Sql:
        function, _, distinct = words.partition(" ")
        if not parts:
            return Sql(f"{function}(*)")
        argument = collated(self.value(parts[0]), parts[1] if len(parts) > 1 else None)
        return Sql(f"{function}({distinct}{' ' if distinct else ''}{argument.text})")

    def _calculated(self, words: str, value: Node, stated: str | None = None) -> Sql:
        function, _, distinct = words.partition(" ")
        text = self._number(value)
        if distinct:
            return Sql(f"{function}(DISTINCT {collated(self.value(value), stated).text})")
        return Sql(f"{function}({text})")

    def _joined_values(
        self,
        words: str,
        value: Node,
        order: tuple[Node, ...] | None,
        separator: Node,
        stated: str | None = None,
    ) -> Sql:
        argument = self.value(value)
        listed = f" ORDER BY {self.order(order)}" if order else ""
        between = self.value(separator)
        if words and between.written != ",":
            raise self._error("different values can be joined with a comma only")
        if words:
            return Sql(f"group_concat(DISTINCT {collated(argument, stated).text}{listed})")
        return Sql(f"group_concat({argument.text}, {between.text}{listed})")

    def _listed(
        self,
        words: str,
        value: Node,
        order: tuple[Node, ...] | None,
        stated: str | None = None,
    ) -> Sql:
        function, _, distinct = words.partition(" ")
        argument = self.value(value)
        if distinct:
            argument = collated(argument, stated)
            argument = argument._replace(text=f"DISTINCT {argument.text}")
        listed = f" ORDER BY {self.order(order)}" if order else ""
        return Sql(f"{function}({argument.text}{listed})")

    def _listed_pairs(
        self, words: str, label: Node, value: Node, order: tuple[Node, ...] | None
    ) -> Sql:
        listed = f" ORDER BY {self.order(order)}" if order else ""
        return Sql(f"json_group_object({self.value(label).text}, {self.value(value).text}{listed})")

    def _filtered(self, words: str, aggregate: Node, condition: Node) -> Sql:
        return Sql(f"{self.value(aggregate).text} FILTER (WHERE {self.condition(condition)})")

    def _of_any_row(self, words: str, value: Node) -> Sql:
        return self.value(value)

    def _of_row(self, words: str, value: Node, aggregate: Node) -> Sql:
        self.single_rows.append(self.value(aggregate).text)
        return self.value(value)

    def _over(self, words: str, aggregate: Node, frame: Node) -> Sql:
        return Sql(f"{self.value(aggregate).text} OVER ({self._frame(frame)})")

    def _rank(self, words: str, rows: Node, within: Any, order: Any, *rest: Node) -> Sql:
        return Sql(f"{words}() OVER ({self._window(within, order)})")

    def _ntile(
        self, words: str, rows: Node, within: Any, order: Any, parts: Node, *rest: Node
    ) -> Sql:
        return Sql(f"ntile({self.value(parts).text}) OVER ({self._window(within, order)})")

    def _shifted(
        self,
        words: str,
        distance: Node,
        rows: Node,
        within: Any,
        order: Any,
        value: Node,
        default: Node,
    ) -> Sql:
        arguments = [self.value(each).text for each in (value, distance)]
        other = self.value(default)
        if other.literal != "null":
            arguments.append(other.text)
        return Sql(f"{words}({', '.join(arguments)}) OVER ({self._window(within, order)})")

    def _picked(self, words: str, value: Node, frame: Node) -> Sql:
        return Sql(f"{words}({self.value(value).text}) OVER ({self._frame(frame)})")

    def _picked_at(self, words: str, value: Node, place: Node, frame: Node) -> Sql:
        arguments = f"{self.value(value).text}, {self.value(place).text}"
        return Sql(f"{words}({arguments}) OVER ({self._frame(frame)})")

    def _window(self, within: Sequence[Node] | None, order: Sequence[Node] | None) -> str:
        parts = []
        if within:
            parts.append("PARTITION BY " + ", ".join(self.value(each).text for each in within))
        if order:
            parts.append(f"ORDER BY {self.order(order)}")
        return " ".join(parts)

    def _frame(self, node: Node) -> str:
        if node.meaning == "frame":
            _, within, *ordered = node.parts
            return self._window(within, ordered[0] if ordered else None)
        _, within, start, end, excluded, order = node.parts
        units = {
            unit for unit in (start.words.split()[0], end.words.split()[0]) if unit != "UNBOUNDED"
        }
        # Rows tied with a row are the same in ranges and in groups.
        if len(units) > 1:
            units.discard("RANGE")
        unit = units.pop() if units else "ROWS"
        frame = f"{unit} BETWEEN {self._bound(start)} AND {self._bound(end)}"
        left_out = f" EXCLUDE {excluded}" if excluded else ""
        return f"{self._window(within, order)} {frame}{left_out}".strip()

    def _bound(self, node: Node) -> str:
        unit, _, place = node.words.partition(" ")
        if unit == "UNBOUNDED":
            return node.words
        return f"{self.value(node.parts[0]).text} {place}" if node.parts else place

    # Conditions.

    def _joined(self, words: str, first: Node, others: tuple[Node, ...]) -> Sql:
        return Sql("(" + f" {words} ".join(map(self.condition, (first, *others))) + ")")

    def _compare(
        self, words: str, left: Node, right: Node, stated: str | None = None, *rest: None
    ) -> Sql:
        one, other = self._sides(left, right, stated)
        return Sql(f"({one.text} {words} {other.text})")

    def _between(self, words: str, value: Node, low: Node, high: Node, *rest: None) -> Sql:
        return Sql(
            f"({self._compare('>=', value, low).text} AND {self._compare('<=', value, high).text})"
        )

    def _sides(self, left: Node, right: Node, stated: str | None) -> tuple[Sql, Sql]:
        one, other = self._unread(left), self._unread(right)
        first, second = compared(*one, *other)
        return self._by(first, {first.collation, second.collation}, stated), second

    def _by(self, first: Sql, collations: set[str], stated: str | None) -> Sql:
        """Return the left side of a comparison by a collation."""
        if stated or collations - {"", USUAL}:
            return first._replace(text=f"({first.text} COLLATE {stated or USUAL})")
        return first

    def _unread(self, node: Node) -> tuple[Sql, str | None]:
        if node.meaning == "read":
            return self.value(node.parts[0]), node.words
        return self.value(node), None

    def _in_list(
        self, words: str, value: Node, items: tuple[Node, ...], stated: str | None, unlike: None
    ) -> Sql:
        first, found = compared_with_list(self.value(value), [self._unread(each) for each in items])
        first = self._by(first, {first.collation}, stated)
        return Sql(f"({first.text} {words} ({', '.join(each.text for each in found)}))")

    def _in_step(self, words: str, values: Any, outputs: Any, stated: str | None) -> Sql:
        values = values if isinstance(values, tuple) else (values,)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        labels: list[Label] = [each.parts[0] for each in outputs]
        number = labels[0][0]
        if labels != [(number, at) for at in range(len(values))]:
            raise self._error(f"values are looked for among other values of step {number}")
        sides: list[str] = []
        columns: list[str | None] = []
        for value, output in zip(values, outputs, strict=True):
            known = self._queries.output_type(output.parts[0])._replace(text="{}")
            left, right = compared(*self._unread(value), known, output.parts[2])
            sides.append(self._by(left, {left.collation}, stated).text)
            columns.append(None if right.text == "{}" else right.text)
        left_side = sides[0] if len(sides) == 1 else f"({', '.join(sides)})"
        return Sql(f"({left_side} {words} ({self._queries.subquery(number, columns)}))")

    def _has_rows(self, words: str, step: int) -> Sql:
        return Sql(f"({words} ({self._queries.subquery(step)}))")

    def _matched(self, words: str, value: Node, pattern: Node, escape: Node | None) -> Sql:
        last = "" if escape is None else f" ESCAPE {self.value(escape).text}"
        return Sql(f"({self.value(value).text} {words} {self.value(pattern).text}{last})")


def label_name(label: Label) -> str:
    """Return a label as it is written."""
    letters, output = "", label[1] + 1
    while output:
        output, letter = divmod(output - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return f"{label[0]}{letters}"


def _is_step(source: Node, step: int) -> bool:
    return source.meaning == "step_rows" and source.parts[0] == step
