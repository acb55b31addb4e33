"""Values, conditions and names of a description in English."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime

from specbridge_pipeline.catalogue.model import Catalogue, CatalogueColumn
from specbridge_pipeline.exact_description.arranging import chain_of, written_content
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
    Missing,
    OrderKey,
    Rank,
    Step,
    StepValue,
    Structure,
    TableSource,
)
from specbridge_pipeline.sql.engines.rules import EngineRules

_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_LONGEST_MEANING = 120

_COMPARED = {
    "=": "equals",
    "<>": "differs from",
    "<": "is less than",
    "<=": "is at most",
    ">": "is greater than",
    ">=": "is at least",
}
_COMPARED_IN_TIME = {
    "=": "is",
    "<>": "is not",
    "<": "is before",
    "<=": "is at or before",
    ">": "is after",
    ">=": "is at or after",
}
_COMBINED = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_SHORT_RESULTS = {"+": "sum", "-": "difference", "*": "product", "/": "quotient"}
_COUNTS = (
    AggregateFunction.COUNT_ROWS,
    AggregateFunction.COUNT_VALUES,
    AggregateFunction.COUNT_DISTINCT,
)
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


class ValueWording:
    """Words the values of one query, the catalogue's words in brackets where first met.

    Args:
        structure: The query, arranged.
        catalogue: What tables and columns are called; None for names alone.
        rules: What holds for the engine that runs it.
    """

    def __init__(
        self, structure: Structure, catalogue: Catalogue | None, rules: EngineRules
    ) -> None:
        self._structure = structure
        self._rules = rules
        self._catalogue = catalogue
        self._explained: set[tuple[str, str]] = set()

    def table(self, name: str) -> str:
        """Name a table, with what its rows are where it is first met."""
        shown = shown_name(name)
        if self._catalogue is None or (name, "") in self._explained:
            return shown
        self._explained.add((name, ""))
        try:
            plural = self._catalogue.table(name).plural
        except KeyError:
            return shown
        if any(_says_the_same(plural, said) for said in (name, f"{name} records", f"{name}s")):
            return shown
        return f"{shown} [{_quoted_data(plural)}]"

    def source(self, step: Step, position: int) -> str:
        """Name a source of a step: "purchase", "step 1"; told apart where it is read twice."""
        source = step.sources[position]
        if isinstance(source, TableSource):
            name = self.table(source.table)
        else:
            name = f"step {source.step + 1}"
        which = _which(step, position)
        return f"{name} (here: {which}{self.short_source(step, position)})" if which else name

    def short_source(self, step: Step, position: int) -> str:
        """Name a source without explaining it."""
        source = step.sources[position]
        if isinstance(source, TableSource):
            return shown_name(source.table)
        return f"step {source.step + 1}"

    def later(self, step: Step, position: int) -> str:
        """Name a source that was named before: "purchase", "the second purchase"."""
        return f"{_which(step, position)}{self.short_source(step, position)}"

    def value(self, step: Step, value: Expression) -> str:
        """Word a value in terms of the step that computes it."""
        if isinstance(value, ColumnValue):
            return self._column(step, value)
        if isinstance(value, StepValue):
            return self._step_value(step, value)
        if isinstance(value, Literal):
            return shown_literal(value)
        if isinstance(value, Aggregate):
            return self._aggregate(step, value)
        if isinstance(value, Rank):
            return self._rank(step, value)
        parts = chain_of(value) if value.operator in "+*" else (value.left, value.right)
        text = f" {_COMBINED[value.operator]} ".join(self.operand(step, part) for part in parts)
        if value.whole:
            text += ", dropping the fraction where both are whole numbers"
        return text

    def operand(self, step: Step, value: Expression) -> str:
        """Word a value so that it can stand inside another one."""
        text = self.value(step, value)
        simple = isinstance(value, ColumnValue | StepValue | Literal)
        if isinstance(value, Aggregate):
            simple = not isinstance(value.argument, Arithmetic) and "," not in text
        return text if simple else f"({text})"

    def conditions(self, step: Step, conditions: Sequence[Condition]) -> str:
        """Word conditions that must all hold."""
        return " and ".join(self._condition(step, each) for each in conditions)

    def order(self, step: Step, keys: Sequence[OrderKey]) -> str:
        """Word the keys of an order: "by n in descending order (missing values last)"."""
        return ", then ".join(
            f"by {self._key(step, key.value)} in {self._direction(key)}" for key in keys
        )

    def _direction(self, key: OrderKey) -> str:
        direction = "descending" if key.descending else "ascending"
        first = self._rules.missing_first(descending=key.descending)
        return f"{direction} order (missing values {'first' if first else 'last'})"

    def label(self, step: int, output: int) -> str:
        """Return the label of an output of a step before the last: "1a"."""
        return f"{step + 1}{_letters(output)}"

    def short(self, step: int, output: int) -> str:
        """Return a few words that remind of an output; its label tells it apart."""
        return self._reminder(self._structure.steps[step].outputs[output].value)

    def _key(self, step: Step, value: Expression) -> str:
        """Name a key by the output that it is, where it is one."""
        is_last = step is self._structure.result
        content = written_content(value)
        if not isinstance(value, ColumnValue | StepValue):
            for position, output in enumerate(step.outputs):
                if written_content(output.value) != content:
                    continue
                if not is_last:
                    index = next(
                        at for at, each in enumerate(self._structure.steps) if each is step
                    )
                    return f"{self.label(index, position)} ({self._reminder(value)})"
                if output.name and self._is_alone(step, output.name):
                    # A source column may have the name that the computed output is given.
                    return f"the returned {shown_name(output.name)}"
        return (
            self.operand(step, value) if isinstance(value, Arithmetic) else self.value(step, value)
        )

    def _is_alone(self, step: Step, name: str) -> bool:
        same = [each for each in step.outputs if each.name.lower() == name.lower()]
        return len(same) == 1

    def _column(self, step: Step, value: ColumnValue) -> str:
        shown = shown_name(value.column)
        which = _which(step, value.source)
        if which:
            shown = f"{which}{shown_name(value.table)}'s {shown}"
        elif len(step.sources) > 1:
            shown = f"{shown_name(value.table)}.{shown}"
        return shown + self._explanation(value)

    def _explanation(self, value: ColumnValue) -> str:
        key = (value.table, value.column)
        if self._catalogue is None or key in self._explained:
            return ""
        self._explained.add(key)
        try:
            column = self._catalogue.column(value.table, value.column)
        except KeyError:
            return ""
        said = _said_of(column)
        return f" [{said}]" if said else ""

    def _step_value(self, step: Step, value: StepValue) -> str:
        label = self.label(value.step, value.output)
        reminder = f"({self.short(value.step, value.output)})"
        if value.source is not None:
            which = _which(step, value.source)
            of = f" of {which}step {value.step + 1} row" if which else ""
            return f"{label}{of} {reminder}"
        read = self._structure.steps[value.step]
        if gives_one_row(read):
            return f"{label} {reminder}"
        first = f"{label} {reminder} of the first row of step {value.step + 1}"
        if read.limit == 1 and read.order:
            return f"{first}, missing if there is none,"
        return (
            f"{first}, missing if there is none and not determined if several could be the first,"
        )

    def _aggregate(self, step: Step, value: Aggregate) -> str:
        if value.argument is None:
            return "the number of rows in the group" if step.keys else "the number of rows"
        argument = self.operand(step, value.argument)
        if value.function is AggregateFunction.COUNT_VALUES:
            return f"the number of rows in which {argument} is not missing"
        if value.function is AggregateFunction.COUNT_DISTINCT:
            return f"the number of different values of {argument}, missing ones not counted"
        if value.function is AggregateFunction.SUM:
            return f"the sum of {argument}"
        if value.function is AggregateFunction.AVERAGE:
            return f"the average of {argument}"
        word = "smallest" if value.function is AggregateFunction.MINIMUM else "largest"
        return f"the {word} {argument}"

    def _rank(self, step: Step, value: Rank) -> str:
        rows = "groups" if step.keys else "rows"
        within = ""
        if value.partition:
            alike = " and ".join(self.value(step, each) for each in value.partition)
            within = f" with the same {alike} (a missing value counts as a value)"
        return (
            f"the place among the {rows}{within} when they are ordered "
            f"{self.order(step, value.order)}; tied {rows} share a place, and the places that they "
            "fill are not given again (1, 2, 2, 4)"
        )

    def _condition(self, step: Step, condition: Condition) -> str:
        if isinstance(condition, Missing):
            tested = "is not missing" if condition.negated else "is missing"
            return f"{self.operand(step, condition.value)} {tested}"
        compared = _COMPARED[condition.operator]
        left, right = condition.left, condition.right
        note = ""
        if isinstance(right, Literal) and isinstance(right.value, bool | date):
            compared = _COMPARED_IN_TIME[condition.operator]
        if isinstance(right, Literal) and isinstance(right.value, str):
            compared = {"=": "is exactly", "<>": "is anything but"}.get(
                condition.operator, compared
            )
            if condition.operator not in ("=", "<>"):
                note = " (text is ordered by its character codes)"
        return f"{self.operand(step, left)} {compared} {self.operand(step, right)}{note}"

    def _reminder(self, value: Expression) -> str:
        if isinstance(value, ColumnValue):
            return shown_name(value.column)
        if isinstance(value, StepValue):
            return self.short(value.step, value.output)
        if isinstance(value, Literal):
            return "constant"
        if isinstance(value, Rank):
            return "place"
        if isinstance(value, Arithmetic):
            return _SHORT_RESULTS[value.operator]
        if value.argument is None:
            return "number of rows"
        argument = self._reminder(value.argument)
        if isinstance(value.argument, StepValue):
            argument = self.label(value.argument.step, value.argument.output)
            if value.function in (AggregateFunction.AVERAGE, AggregateFunction.MAXIMUM):
                word = "average" if value.function is AggregateFunction.AVERAGE else "largest"
                return f"{word} of {argument}"
            if value.function is AggregateFunction.MINIMUM:
                return f"smallest of {argument}"
        return {
            AggregateFunction.COUNT_VALUES: f"number of {argument} values",
            AggregateFunction.COUNT_DISTINCT: f"number of different {argument} values",
            AggregateFunction.SUM: f"sum of {argument}",
            AggregateFunction.AVERAGE: f"average {argument}",
            AggregateFunction.MINIMUM: f"smallest {argument}",
            AggregateFunction.MAXIMUM: f"largest {argument}",
        }[value.function]


def gives_one_row(step: Step) -> bool:
    """Say whether a step returns exactly one row on every database."""
    return (
        step.aggregates
        and not step.keys
        and not step.group_conditions
        and step.limit != 0
        and not step.offset
    ) or (not step.sources and not step.conditions and step.limit != 0 and not step.offset)


def shown_name(name: str) -> str:
    """Return a name as it stands in a sentence, between backticks where it could be misread."""
    return name if _PLAIN_NAME.fullmatch(name) else f"`{name}`"


def shown_literal(literal: Literal) -> str:
    """Return a value as it is stored: numbers plain, text between quotation marks."""
    value = literal.value
    if value is None:
        return "a missing value"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        return repr(value)
    if value.isprintable() and "'" not in value:
        return f"'{value}'"
    if value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return json.dumps(value, ensure_ascii=False)


def listed(parts: Sequence[str]) -> str:
    """Join parts with commas and "and"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _which(step: Step, position: int) -> str:
    """Return what tells a source from others that read the same: "the second "."""
    source = step.sources[position]
    same = [at for at, each in enumerate(step.sources) if each == source]
    if len(same) == 1:
        return ""
    place = same.index(position)
    word = _PLACES[place] if place < len(_PLACES) else f"{place + 1}th"
    return f"the {word} "


def _letters(output: int) -> str:
    text = ""
    output += 1
    while output:
        output, letter = divmod(output - 1, 26)
        text = chr(ord("a") + letter) + text
    return text


def _says_the_same(phrase: str, name: str) -> bool:
    return _squeezed(phrase) == _squeezed(name)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _said_of(column: CatalogueColumn) -> str:
    parts: list[str] = []
    if column.phrase and not _says_the_same(column.phrase, column.name):
        parts.append(_quoted_data(column.phrase))
    meaning = _quoted_data(column.meaning)
    if meaning and not any(_says_the_same(meaning, said) for said in (column.name, column.phrase)):
        parts.append(meaning)
    said = ": ".join(parts)
    unit = _quoted_data(column.unit)
    if unit and _squeezed(unit) not in _squeezed(said or column.name):
        said = f"{said}, in {unit}" if said else f"in {unit}"
    return said


def _quoted_data(text: str) -> str:
    """Return words of a document so that they cannot be taken for a part of the description."""
    line = " ".join(text.split()).translate(str.maketrans("[]", "()")).rstrip(".;")
    if len(line) <= _LONGEST_MEANING:
        return line
    return line[:_LONGEST_MEANING].rsplit(" ", 1)[0] + "…"


def may_be_missing(structure: Structure, step: Step, value: Expression) -> bool:
    """Say whether a value of a step may be missing, so far as the structure tells."""
    if isinstance(value, Literal):
        return value.value is None
    if isinstance(value, Rank):
        return False
    if isinstance(value, Aggregate):
        return value.function not in _COUNTS
    if isinstance(value, StepValue) and value.source is not None:
        if any(join.kind is JoinKind.LEFT for join in step.joins):
            return True
        read = structure.steps[value.step]
        return may_be_missing(structure, read, read.outputs[value.output].value)
    return True


def values_in(values: Iterable[Expression]) -> Iterable[Expression]:
    """Yield values and all that they are computed from within their step."""
    for value in values:
        yield value
        if isinstance(value, Arithmetic):
            yield from values_in((value.left, value.right))
        elif isinstance(value, Aggregate) and value.argument is not None:
            yield from values_in((value.argument,))
        elif isinstance(value, Rank):
            yield from values_in((*(key.value for key in value.order), *value.partition))


def compares_missing(structure: Structure, step: Step, conditions: Iterable[Condition]) -> bool:
    """Say whether one of the conditions compares a value that may be missing."""
    return any(
        may_be_missing(structure, step, side)
        for each in conditions
        if isinstance(each, Comparison)
        for side in (each.left, each.right)
    )
