"""From a structure to its exact description: numbered steps in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.exact_description.arranging import arranged, written_content
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Expression,
    Join,
    JoinKind,
    Missing,
    Output,
    Step,
    StepSource,
    StepValue,
    Structure,
    TableSource,
)
from specbridge_pipeline.exact_description.value_wording import (
    ValueWording,
    compares_missing,
    gives_one_row,
    listed,
    shown_name,
    values_in,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules, ZeroDivision

_LEAVE_OUT_MISSING = {
    AggregateFunction.SUM: "sum",
    AggregateFunction.AVERAGE: "average",
    AggregateFunction.MINIMUM: "smallest value",
    AggregateFunction.MAXIMUM: "largest value",
}


def render(
    structure: Structure, catalogue: Catalogue | None, engine: Engine = Engine.SQLITE
) -> str:
    """Describe a query in English so that nothing that can change its result is left open.

    Args:
        structure: The query.
        catalogue: What tables and columns are called; None for names alone.
        engine: The engine that runs the query.

    Returns:
        The text, one paragraph a step, outputs on lines of their own. Structures that differ only
        in names of steps, and in the order of parts whose order means nothing, have the same text.
    """
    structure = arranged(structure)
    writer = _Writer(structure, catalogue, rules_of(engine))
    return "\n".join(writer.step(index) for index in range(len(structure.steps)))


class _Writer:
    def __init__(
        self, structure: Structure, catalogue: Catalogue | None, rules: EngineRules
    ) -> None:
        self._structure = structure
        self._rules = rules
        self._words = ValueWording(structure, catalogue, rules)

    def step(self, index: int) -> str:
        step = self._structure.steps[index]
        is_last = index == len(self._structure.steps) - 1
        lines = [
            *self._rows(step),
            *self._groups(step),
            self._intro(step, is_last),
            *self._outputs(index, step, is_last),
        ]
        lines += [
            " ".join(sentences)
            for part in (self._notes(step), self._selection(step, is_last))
            if (sentences := list(part))
        ]
        return f"{index + 1}. " + "\n   ".join(lines)

    def _rows(self, step: Step) -> Iterator[str]:
        if step.sources:
            first, name = step.sources[0], self._words.source(step, 0)
            if isinstance(first, TableSource):
                yield f"Take all rows of {name}."
            elif gives_one_row(self._structure.steps[first.step]):
                yield f"Take the single row of {name}."
            else:
                yield f"Take the rows of {name}."
        for join in step.joins:
            yield " ".join(self._join(step, join))
        if step.conditions:
            kept = f"Keep only the rows where {self._words.conditions(step, step.conditions)}."
            if compares_missing(self._structure, step, step.conditions):
                kept += " A row in which a compared value is missing is not kept."
            yield kept

    def _join(self, step: Step, join: Join) -> Iterator[str]:
        name = self._words.source(step, join.source)
        source = step.sources[join.source]
        each = "each of them" if join.source == 1 else "each resulting row"
        if join.kind is JoinKind.CROSS:
            if isinstance(source, StepSource) and gives_one_row(self._structure.steps[source.step]):
                yield f"Beside {each}, put the single row of {name}."
            else:
                yield f"Pair {each} with every row of {name}."
            return
        matching = self._words.conditions(step, join.on)
        yield f"Pair {each} with every row of {name} for which {matching}."
        repeated = "A row with several matches is repeated, once for each"
        if join.kind is JoinKind.LEFT:
            later = self._words.later(step, join.source)
            yield (
                f"{repeated}; a row without a match is kept once, with all values of {later} "
                f"missing; rows of {later} without a match are left out."
            )
        else:
            yield f"{repeated}; rows without a match, on either side, are left out."
        if compares_missing(self._structure, step, join.on):
            yield "A missing value matches nothing."

    def _groups(self, step: Step) -> Iterator[str]:
        if step.keys:
            names = [self._words.operand(step, key) for key in step.keys]
            of = "combination of" if len(names) > 1 else "different value of"
            yield (
                f"Form one group for each {of} {listed(names)}; a missing value counts as a value "
                "of its own."
            )
        if step.group_conditions:
            kept = self._words.conditions(step, step.group_conditions)
            if step.keys:
                text = f"Keep only the groups where {kept}."
                if compares_missing(self._structure, step, step.group_conditions):
                    text += " A group in which a compared value is missing is not kept."
                yield text
            else:
                yield (
                    f"Go on only if, over all these rows, {kept}; otherwise, and where a compared "
                    "value is missing, nothing is returned."
                )

    def _intro(self, step: Step, is_last: bool) -> str:
        if step.keys:
            rows = "For each group"
        elif step.aggregates:
            rows = "From all these rows together, even if there are none," + (
                " return a single row" if is_last else " work out a single row"
            )
            return rows + (f" with {_columns(step)}:" if is_last else ":")
        elif not step.sources:
            rows = "Once"
        elif gives_one_row_source(self._structure, step):
            rows = "For this row"
        else:
            rows = "For each row"
        return f"{rows}, return {_columns(step)}:" if is_last else f"{rows}, work out:"

    def _outputs(self, index: int, step: Step, is_last: bool) -> list[str]:
        lines = []
        for position, output in enumerate(step.outputs):
            text = self._words.value(step, output.value)
            if is_last:
                lines.append(f"- {self._named(output, text)}")
            else:
                lines.append(f"({self._words.label(index, position)}) {text}")
        return lines

    def _named(self, output: Output, text: str) -> str:
        if not output.name:
            return f"(any name): {text}"
        name = shown_name(output.name)
        value = output.value
        if isinstance(value, StepValue) and self._words.short(value.step, value.output) == name:
            return f"{name}: {text.removesuffix(f' ({name})')}"
        return text if text == name or text.startswith(f"{name} [") else f"{name}: {text}"

    def _notes(self, step: Step) -> Iterator[str]:
        # A value is one however often it is written: as an output and as a key of the order.
        values = list({written_content(each): each for each in values_in(_values(step))}.values())
        functions = {each.function for each in values if isinstance(each, Aggregate)}
        named = [word for kind, word in _LEAVE_OUT_MISSING.items() if kind in functions]
        if named:
            subject = f"The {listed(named)}"
            verbs = ("leaves", "is") if len(named) == 1 else ("leave", "are")
            yield (
                f"{subject} {verbs[0]} out missing values and {verbs[1]} missing where no value "
                "is left."
            )
        calculations = [each for each in values if isinstance(each, Arithmetic)]
        divisions = [each for each in calculations if each.operator == "/"]
        if any(not each.whole for each in divisions):
            exact = [each for each in divisions if not each.whole]
            others = " other" if len(exact) < len(divisions) else ""
            yield (
                f"The{others} division keeps its decimals."
                if len(exact) == 1
                else f"The{others} divisions keep their decimals."
            )
        if divisions and self._rules.zero_division is ZeroDivision.MISSING:
            yield (
                "A calculation with a missing value, and a division by zero, gives a missing value."
            )
        elif calculations:
            yield "A calculation with a missing value gives a missing value."
            yield from self._zero_divisions(divisions)

    def _zero_divisions(self, divisions: Sequence[Arithmetic]) -> Iterator[str]:
        """Say what a division by zero gives where it gives no missing value."""
        if any(not each.whole for each in divisions):
            yield (
                "A division by zero gives infinity with the sign of the divided number; zero "
                "divided by zero gives NaN, which counts as greater than any number."
            )
        if any(each.whole for each in divisions):
            yield "Where a division that drops the fraction is by zero, nothing is returned at all."

    def _selection(self, step: Step, is_last: bool) -> Iterator[str]:
        if step.distinct:
            which = "all of these values" if len(step.outputs) > 1 else "this value"
            yield f"Rows that are alike in {which} are given only once."
        if step.order:
            yield f"Sort the rows {self._words.order(step, step.order)}."
        single = gives_one_row(step) or (step.aggregates and not step.keys)
        if step.limit is None:
            if step.offset:
                yield f"Pass over the first {_counted(step.offset)} and return all others."
                yield _OPEN_CHOICE if step.order else _NO_CHOICE
            elif is_last and not single:
                if step.order:
                    yield "Rows that are tied in this come in any order."
                else:
                    yield "The rows come in any order."
            return
        verb = "Return" if is_last else "Keep"
        if step.limit == 0:
            yield f"{verb} no row at all."
            return
        if step.offset:
            yield f"Pass over the first {_counted(step.offset)}."
        place = "next" if step.offset else "first"
        if not step.order:
            which = "it is" if step.limit == 1 else "they are"
            yield f"{verb} only {_rows(step.limit)}; which {which} is not determined."
        elif step.limit == 1 and not step.offset:
            yield (
                f"{verb} only the first row. Where several rows are tied for it, still only one "
                "is taken, and which of them is not determined."
            )
        else:
            yield f"{verb} only the {place} {_counted(step.limit)}, or all if there are fewer."
            yield (
                f"Where rows are tied at the cut, still no more than {_rows(step.limit)} "
                f"{'is' if step.limit == 1 else 'are'} taken, and which of the tied ones is not "
                "determined."
            )


_OPEN_CHOICE = "Where rows are tied at the cut, which of them are passed over is not determined."
_NO_CHOICE = "Which rows are first is not determined."


def gives_one_row_source(structure: Structure, step: Step) -> bool:
    """Say whether a step reads exactly one row on every database."""
    return (
        not step.conditions
        and all(
            isinstance(source, StepSource) and gives_one_row(structure.steps[source.step])
            for source in step.sources
        )
        and all(join.kind is JoinKind.CROSS for join in step.joins)
    )


def _values(step: Step) -> Iterator[Expression]:
    for condition in (
        *(each for join in step.joins for each in join.on),
        *step.conditions,
        *step.group_conditions,
    ):
        if isinstance(condition, Missing):
            yield condition.value
        else:
            yield condition.left
            yield condition.right
    yield from step.keys
    yield from (output.value for output in step.outputs)
    yield from (key.value for key in step.order)


def _columns(step: Step) -> str:
    return "this column" if len(step.outputs) == 1 else "these columns in this order"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _counted(count: int) -> str:
    """Return what stands after "the first"."""
    return "row" if count == 1 else f"{count} rows"
