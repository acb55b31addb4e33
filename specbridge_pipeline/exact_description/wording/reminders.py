"""A few words that remind of an output of a step; its label tells it apart."""

from __future__ import annotations

from specbridge_pipeline.exact_description.queries.model import (
    Aggregate,
    Arithmetic,
    ColumnOf,
    Combination,
    Converted,
    Expression,
    Literal,
    OfOneRow,
    OutputOf,
    Query,
    ReadAs,
    Repetition,
    RowNumberOf,
    RowsSoFar,
    ScalarOf,
    Selection,
    StepRows,
    Window,
)
from specbridge_pipeline.exact_description.queries.step_facts import StepFacts
from specbridge_pipeline.exact_description.wording.plain_names import letters, shown_name

_SHORT_RESULTS = {"+": "sum", "-": "difference", "*": "product", "/": "quotient"}
_PLACES = frozenset({"rank", "dense_rank", "percent_rank"})


class Reminders:
    """Reminds of the outputs of a query's steps.

    Args:
        query: The query.
        facts: How its steps read each other.
    """

    def __init__(self, query: Query, facts: StepFacts) -> None:
        self._query = query
        self._facts = facts
        self._found: dict[tuple[int, int], str] = {}

    def output(self, step: int, output: int) -> str:
        """Remind of an output."""
        if (step, output) not in self._found:
            self._found[step, output] = self._of_output(step, output)
        return self._found[step, output]

    def _of_output(self, step: int, output: int) -> str:
        body = self._query.steps[step].body
        if isinstance(body, Selection):
            return self._of(step, body.values[output])
        if isinstance(body, Combination | Repetition):
            return self.output(body.first, output)
        return "value"

    def _of(self, at: int, value: Expression) -> str:
        if isinstance(value, ColumnOf):
            return shown_name(value.column)
        if isinstance(value, OfOneRow):
            return self._of(at, value.value)
        if isinstance(value, Converted | ReadAs):
            return self._of(at, value.value)
        if isinstance(value, OutputOf):
            owner = self._facts.owner(at, value.depth)
            source = self._facts.sources(owner)[value.source]
            if isinstance(source, StepRows):
                return self.output(source.step, value.output)
            if isinstance(source, RowsSoFar):
                return "value of the row at hand"
            return "element"
        if isinstance(value, ScalarOf):
            return self.output(value.step, 0)
        if isinstance(value, Literal):
            return "constant"
        if isinstance(value, RowNumberOf):
            return "row number"
        if isinstance(value, Window):
            if value.function in _PLACES:
                return "place"
            return "row number" if value.function == "row_number" else "window value"
        if isinstance(value, Arithmetic):
            return _SHORT_RESULTS[value.operator]
        if isinstance(value, Aggregate):
            return self._of_aggregate(at, value)
        return "computed value"

    def _of_aggregate(self, at: int, value: Aggregate) -> str:
        if not value.arguments:
            return "number of rows"
        inner = value.arguments[0]
        argument = self._of(at, inner)
        step = self._step_of(at, inner)
        if step is not None:
            argument = f"{step[0] + 1}{letters(step[1])}"
            if value.function in ("average", "maximum", "minimum"):
                word = {"average": "average", "maximum": "largest", "minimum": "smallest"}
                return f"{word[value.function]} of {argument}"
        match value.function:
            case "count" if value.distinct:
                return f"number of different {argument} values"
            case "count":
                return f"number of {argument} values"
            case "sum" | "total":
                return f"{value.function} of {argument}"
            case "average":
                return f"average {argument}"
            case "minimum":
                return f"smallest {argument}"
            case "maximum":
                return f"largest {argument}"
        return "joined values" if value.function == "joined" else "document"

    def _step_of(self, at: int, value: Expression) -> tuple[int, int] | None:
        if isinstance(value, ScalarOf):
            return value.step, 0
        if not isinstance(value, OutputOf):
            return None
        owner = self._facts.owner(at, value.depth)
        source = self._facts.sources(owner)[value.source]
        return (source.step, value.output) if isinstance(source, StepRows) else None
