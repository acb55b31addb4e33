"""What follows from how the steps of a query read each other."""

from __future__ import annotations

from specbridge_pipeline.exact_description.queries.canonical import steps_read
from specbridge_pipeline.exact_description.queries.model import (
    Aggregate,
    Comparison,
    Expression,
    FunctionRows,
    GroupKey,
    JoinKind,
    Literal,
    OfOneRow,
    OutputOf,
    Query,
    Repetition,
    RowsSoFar,
    Selection,
    Source,
    StepRows,
    Window,
    nodes_in,
)

FUNCTION_COLUMNS: dict[str, tuple[str, ...]] = {
    "json_each": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
    "json_tree": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
    "generate_series": ("value",),
}
"""What the rows of a table-valued function have, in order."""

_COUNTS = frozenset({"count_rows", "count"})
_NUMBERS = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"})


class StepFacts:
    """Answers questions about the steps of a query.

    Args:
        query: The query in its canonical form.
    """

    def __init__(self, query: Query) -> None:
        self._steps = query.steps
        self._readers: dict[int, int] = {}
        self._repetitions: dict[int, int] = {}
        for index, step in enumerate(query.steps):
            for read in steps_read(step):
                self._readers.setdefault(read, index)
            if isinstance(step.body, Repetition):
                for repeated in step.body.repeated:
                    self._repetitions[repeated] = index

    def sources(self, at: int) -> tuple[Source, ...]:
        """Return the sources of a step."""
        body = self._steps[at].body
        return body.sources if isinstance(body, Selection) else ()

    def keys(self, at: int) -> tuple[GroupKey, ...]:
        """Return what a step groups by."""
        body = self._steps[at].body
        return body.keys if isinstance(body, Selection) else ()

    def owner(self, at: int, depth: int) -> int:
        """Return the step whose source a value of a depth is, seen from a step."""
        while self._steps[at].depth > depth or not isinstance(self._steps[at].body, Selection):
            at = self._readers[at]
        return at

    def owners(self, at: int) -> list[int]:
        """Return the steps around a step whose rows its values use."""
        step = self._steps[at]
        depths = {
            each.depth
            for each in nodes_in((step.body, step.order))
            if getattr(each, "depth", step.depth) < step.depth
        }
        return sorted({self.owner(at, depth) for depth in depths})

    def repetition(self, at: int) -> int:
        """Return the repetition that a step gives rows for."""
        while at not in self._repetitions:
            at = self._readers[at]
        return self._repetitions[at]

    def step_of(self, at: int, source: Source) -> int:
        """Return the step whose outputs a source of a step has."""
        if isinstance(source, StepRows):
            return source.step
        assert isinstance(source, RowsSoFar)
        return self.repetition(at)

    def function_column(self, source: FunctionRows, output: int) -> str:
        """Return the name of a column of a table-valued function."""
        return FUNCTION_COLUMNS[source.name][output]

    def gives_one_row(self, at: int) -> bool:
        """Say whether a step returns exactly one row on every database."""
        step = self._steps[at]
        body = step.body
        if step.offset is not None or step.limit == Literal(0):
            return False
        if step.limit is not None and not isinstance(step.limit, Literal):
            return False
        if not isinstance(body, Selection):
            return False
        if body.grouped:
            return not body.keys and body.group_condition is None
        return not body.sources and body.condition is None

    def reads_one_row(self, at: int) -> bool:
        """Say whether a step reads exactly one row on every database."""
        body = self._steps[at].body
        return (
            isinstance(body, Selection)
            and body.condition is None
            and all(
                isinstance(source, StepRows) and self.gives_one_row(source.step)
                for source in body.sources
            )
            and all(join.kind is JoinKind.CROSS for join in body.joins)
        )

    def may_be_missing(self, at: int, value: Expression) -> bool:
        """Say whether a value of a step may be missing, so far as the query tells."""
        if isinstance(value, Literal):
            return value.value is None
        if isinstance(value, Window):
            if value.aggregate is not None:
                return value.aggregate.function not in _COUNTS
            return value.function not in _NUMBERS
        if isinstance(value, Aggregate):
            return value.function not in (*_COUNTS, "total")
        if isinstance(value, OfOneRow):
            return True
        if isinstance(value, OutputOf):
            owner = self.owner(at, value.depth)
            body = self._steps[owner].body
            assert isinstance(body, Selection)
            outer = (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)
            if any(join.kind in outer for join in body.joins):
                return True
            source = body.sources[value.source]
            if not isinstance(source, StepRows):
                return True
            read = self._steps[source.step].body
            if not isinstance(read, Selection):
                return True
            return self.may_be_missing(source.step, read.values[value.output])
        return True

    def compares_missing(self, at: int, condition: object) -> bool:
        """Say whether a condition compares a value that may be missing."""
        return any(
            self.may_be_missing(at, side)
            for each in nodes_in(condition)
            if isinstance(each, Comparison)
            for side in (each.left, each.right)
        )
