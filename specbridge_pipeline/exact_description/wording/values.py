"""Values and conditions of a description in English."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.exact_description.queries.canonical import chain_of, content_of
from specbridge_pipeline.exact_description.queries.model import (
    Aggregate,
    Arithmetic,
    Case,
    ColumnOf,
    Condition,
    Converted,
    Expression,
    Frame,
    Function,
    FunctionRows,
    GroupKey,
    Joined,
    Literal,
    OfOneRow,
    Operation,
    OrderKey,
    OutputOf,
    OwnOutput,
    Query,
    ReadAs,
    Reading,
    RowNumberOf,
    RowsSoFar,
    ScalarOf,
    Selection,
    Signed,
    Source,
    StepRows,
    TableRows,
    Truth,
    Window,
)
from specbridge_pipeline.exact_description.queries.step_facts import StepFacts
from specbridge_pipeline.exact_description.wording.conditions import ConditionWording
from specbridge_pipeline.exact_description.wording.function_phrases import phrase_of
from specbridge_pipeline.exact_description.wording.phrases import (
    BOUNDS,
    COLLATED,
    COMBINED,
    CONVERTED,
    DROPPED_FRACTION,
    EXCLUDED,
    JOINED,
    OPERATIONS,
    PICKS,
    RANKS,
    READ_AS,
)
from specbridge_pipeline.exact_description.wording.plain_names import (
    Meanings,
    letters,
    place_word,
    shown_literal,
    shown_name,
)
from specbridge_pipeline.exact_description.wording.reminders import Reminders

_SIMPLE = (ColumnOf, OutputOf, ScalarOf, Literal, RowNumberOf, OwnOutput)


class Wording:
    """Words the values of one query, the catalogue's words in brackets where first met.

    Args:
        query: The query in its canonical form.
        facts: What follows from how its steps read each other.
        catalogue: What tables and columns are called; None for names alone.
    """

    def __init__(self, query: Query, facts: StepFacts, catalogue: Catalogue | None) -> None:
        self._query = query
        self._facts = facts
        self._meanings = Meanings(catalogue)
        self._reminders = Reminders(query, facts)
        self._values: dict[type, Callable[[int, Any], str]] = {
            ColumnOf: self._column,
            RowNumberOf: self._row_number,
            OutputOf: self._output,
            OwnOutput: self._own_output,
            ScalarOf: self._scalar,
            Literal: lambda at, value: shown_literal(value.value),
            Arithmetic: self._arithmetic,
            Operation: self._operation,
            Joined: self._joined,
            Signed: self._signed,
            Function: self._function,
            Converted: self._converted,
            ReadAs: self._read_as,
            Case: self._case,
            Truth: lambda at, value: f"the truth of ({self.condition(at, value.condition)})",
            Aggregate: self._aggregate,
            OfOneRow: self._of_one_row,
            Window: self._window,
        }
        self._conditions = ConditionWording(self)

    # Sources.

    def source(self, at: int, position: int) -> str:
        """Name a source of a step: "purchase", "step 1"; told apart where it is read twice."""
        source = self._facts.sources(at)[position]
        name = self.short_source(source)
        if isinstance(source, TableRows):
            name = self._meanings.table(source.table)
        elif isinstance(source, FunctionRows):
            values = ", ".join(self.operand(at, each) for each in source.arguments)
            name = f"{name} for ({values})"
        which = self.which(at, position)
        return f"{name} (here: {self.later(at, position)})" if which else name

    def short_source(self, source: Source) -> str:
        """Name a source without explaining it."""
        if isinstance(source, TableRows):
            return shown_name(source.table)
        if isinstance(source, StepRows):
            return f"step {source.step + 1}"
        if isinstance(source, FunctionRows):
            return f"the function {source.name}"
        assert isinstance(source, RowsSoFar)
        return "the row at hand"

    def later(self, at: int, position: int) -> str:
        """Name a source that was named before: "purchase", "the second purchase"."""
        source = self._facts.sources(at)[position]
        which, name = self.which(at, position), self.short_source(source)
        return f"{which}{name.removeprefix('the ')}" if which else name

    def which(self, at: int, position: int) -> str:
        """Return what tells a source from others that read the same: "the second "."""
        sources = self._facts.sources(at)
        name = self.short_source(sources[position])
        same = [place for place, each in enumerate(sources) if self.short_source(each) == name]
        return "" if len(same) == 1 else f"the {place_word(same.index(position))} "

    # Values.

    def value(self, at: int, value: Expression) -> str:
        """Word a value in terms of the step that computes it."""
        return self._values[type(value)](at, value)

    def operand(self, at: int, value: Expression) -> str:
        """Word a value so that it can stand inside another one."""
        text = self.value(at, value)
        simple = isinstance(value, _SIMPLE)
        if isinstance(value, Aggregate):
            first = value.arguments[0] if value.arguments else None
            simple = (
                not isinstance(first, Arithmetic)
                and "," not in text
                and len(value.arguments) < 2
                and value.condition is None
                and not value.collation
            )
        elif isinstance(value, Truth):
            simple = True
        return text if simple else f"({text})"

    def _enclosed(self, at: int, value: Expression) -> str:
        """Word a value so that words can stand right behind it."""
        text = self.operand(at, value)
        return f"({text})" if isinstance(value, Aggregate) and text[0] != "(" else text

    def label(self, step: int, output: int) -> str:
        """Return the label of an output of a step: "1a"."""
        return f"{step + 1}{letters(output)}"

    def reminder(self, step: int, output: int) -> str:
        """Return a few words that remind of an output; its label tells it apart."""
        return self._reminders.output(step, output)

    def labelled(self, step: int, output: int) -> str:
        """Return an output's label and what reminds of it: "1a (sum)"."""
        return f"{self.label(step, output)} ({self.reminder(step, output)})"

    def _of_owner(self, at: int, owner: int) -> str:
        return "" if owner == at else f" of the current row of step {owner + 1}"

    def _column(self, at: int, value: ColumnOf) -> str:
        owner = self._facts.owner(at, value.depth)
        shown = shown_name(value.column)
        which = self.which(owner, value.source)
        if which:
            shown = f"{which}{shown_name(value.table)}'s {shown}"
        elif len(self._facts.sources(owner)) > 1 or owner != at:
            shown = f"{shown_name(value.table)}.{shown}"
        return shown + self._meanings.column(value.table, value.column) + self._of_owner(at, owner)

    def _row_number(self, at: int, value: RowNumberOf) -> str:
        owner = self._facts.owner(at, value.depth)
        which = self.which(owner, value.source)
        return f"the row number of {which}{shown_name(value.table)}{self._of_owner(at, owner)}"

    def _output(self, at: int, value: OutputOf) -> str:
        owner = self._facts.owner(at, value.depth)
        source = self._facts.sources(owner)[value.source]
        which = self.which(owner, value.source)
        if isinstance(source, FunctionRows):
            name = self._facts.function_column(source, value.output)
            return f"{name} of {self.later(owner, value.source)}{self._of_owner(at, owner)}"
        step = self._facts.step_of(owner, source)
        if isinstance(source, RowsSoFar):
            which_row = f"{which}row at hand" if which else "the row at hand"
            return f"{self.label(step, value.output)} of {which_row}{self._of_owner(at, owner)}"
        of = f" of {which}step {step + 1} row" if which else ""
        return (
            f"{self.label(step, value.output)}{of} ({self.reminder(step, value.output)})"
            f"{self._of_owner(at, owner)}"
        )

    def _own_output(self, at: int, value: OwnOutput) -> str:
        name = self._query.steps[at].names[value.output]
        if at == len(self._query.steps) - 1:
            names = [each.lower() for each in self._query.steps[at].names]
            if name and names.count(name.lower()) == 1:
                return f"the returned {shown_name(name)}"
            return f"the {place_word(value.output)} returned column"
        return self.labelled(at, value.output)

    def _scalar(self, at: int, value: ScalarOf) -> str:
        label = self.labelled(value.step, 0)
        if self._facts.gives_one_row(value.step):
            return label
        first = f"{label} of the first row of step {value.step + 1}"
        step = self._query.steps[value.step]
        if step.limit == Literal(1) and step.order:
            return f"{first} (missing if there is none)"
        return f"{first} (missing if there is none, not determined if several could be the first)"

    def _arithmetic(self, at: int, value: Arithmetic) -> str:
        parts = chain_of(value) if value.operator in "+*" else (value.left, value.right)
        text = f" {COMBINED[value.operator]} ".join(self.operand(at, part) for part in parts)
        return text + (DROPPED_FRACTION if value.whole else "")

    def _operation(self, at: int, value: Operation) -> str:
        left, right = self.operand(at, value.left), self.operand(at, value.right)
        return f"{left} {OPERATIONS[value.operator]} {right}"

    def _joined(self, at: int, value: Joined) -> str:
        return f" {JOINED} ".join(self._enclosed(at, part) for part in value.parts)

    def _signed(self, at: int, value: Signed) -> str:
        inner = self.operand(at, value.value)
        if value.operator == "-":
            return f"the negative of {inner}"
        return f"the bitwise opposite of {inner}"

    def _function(self, at: int, value: Function) -> str:
        found = phrase_of(value.name, len(value.arguments))
        assert found is not None
        template, first = found
        words = [self._enclosed(at, each) for each in value.arguments]
        # A list of one needs no parentheses.
        rest = words[first:]
        text = template.format(*words, all=rest[0] if len(rest) == 1 else f"({', '.join(rest)})")
        return text + COLLATED.get(value.collation, "")

    def _converted(self, at: int, value: Converted) -> str:
        inner = value.value
        if isinstance(inner, ReadAs) and inner.reading is Reading.BEGINNING:
            # To convert a text takes the number that it begins with anyway.
            inner = inner.value
        return f"{self._enclosed(at, inner)} {CONVERTED[value.to]}"

    def _read_as(self, at: int, value: ReadAs) -> str:
        return READ_AS[value.reading].format(self._enclosed(at, value.value))

    def _case(self, at: int, value: Case) -> str:
        branches = [
            f"{self.operand(at, result)} if {self.condition(at, condition)}"
            for condition, result in value.branches
        ]
        return f"{', else '.join(branches)}, else {self.operand(at, value.default)}"

    def _aggregate(self, at: int, value: Aggregate) -> str:
        text = self._plain_aggregate(at, value) + COLLATED.get(value.collation, "")
        if value.condition is not None:
            text += f", of only those rows where ({self.condition(at, value.condition)})"
        return text

    def _plain_aggregate(self, at: int, value: Aggregate) -> str:
        if not value.arguments:
            keys = self._facts.keys(at)
            return "the number of rows in the group" if keys else "the number of rows"
        first = value.arguments[0]
        argument = self.operand(at, first)
        different = "the different values of " if value.distinct else ""
        match value.function:
            case "count" if value.distinct:
                return f"the number of different values of {argument}, missing ones not counted"
            case "count":
                return f"the number of rows in which {argument} is not missing"
            case "sum" | "average" | "total" if value.distinct and _is_number_in(first):
                # Texts are told apart before a number is taken from them.
                inner = self.operand(at, first.value)
                return f"the {value.function} of the numbers in the different values of {inner}"
            case "sum" | "average" | "total":
                return f"the {value.function} of {different}{argument}"
            case "minimum" | "maximum":
                word = "smallest" if value.function == "minimum" else "largest"
                return f"the {word} {argument}"
        order = f"ordered {self.order(at, value.order)}" if value.order else "in any order"
        if value.function == "joined":
            separator = self.operand(at, value.arguments[1])
            values = different or "the values of "
            return f"{values}{argument}, missing ones left out, {order}, joined with {separator}"
        if value.function == "json_array":
            return f"the document that lists {different or 'the values of '}{argument}, {order}"
        labelled = self.operand(at, value.arguments[1])
        return f"the document with the label {argument} for each value of {labelled}, {order}"

    def _of_one_row(self, at: int, value: OfOneRow) -> str:
        text = self.value(at, value.value)
        group = " of the group" if self._facts.keys(at) else ""
        if value.extreme is None:
            return f"{text} in any one row{group}"
        return f"{text} in a row{group} that has {self._aggregate(at, value.extreme)}"

    def _window(self, at: int, value: Window) -> str:
        rows = "groups" if self._facts.keys(at) else "rows"
        within = ""
        if value.partition:
            alike = " and ".join(self.operand(at, each) for each in value.partition)
            within = f" with the same {alike} (a missing value counts as a value)"
        words = [self.operand(at, each) for each in value.arguments]
        order = self.order(at, value.order) if value.order else "in any way"
        if value.function in RANKS:
            default = ""
            if value.function in ("lag", "lead"):
                offset = words[1] if len(words) > 1 else "1"
                other = words[2] if len(words) > 2 else "a missing value"
                default = f", or {other} where there is no such row"
                words = [words[0], offset]
            return RANKS[value.function].format(
                *words, rows=rows, within=within, order=order, default=default
            )
        frame = self._framed(at, value, f"{rows}{within}", order)
        if value.function:
            return PICKS[value.function].format(*words, frame=frame)
        assert value.aggregate is not None
        return f"{self._over(at, value.aggregate)}, taken over {frame}"

    def _over(self, at: int, aggregate: Aggregate) -> str:
        return self._aggregate(at, aggregate).removesuffix(" in the group")

    def _framed(self, at: int, value: Window, rows: str, order: str) -> str:
        frame = value.frame
        ordered = f", when they are ordered {order}" if value.order else ""
        if frame is None:
            if not value.order:
                return f"all {rows}"
            return f"the {rows} up to this one and those tied with it{ordered}"
        start, end = self._bound(at, frame, 0), self._bound(at, frame, 1)
        left_out = EXCLUDED.get(frame.exclude, "")
        return f"the {rows} from {start} to {end}{left_out}{ordered}"

    def _bound(self, at: int, frame: Frame, side: int) -> str:
        bound = frame.end if side else frame.start
        if bound.kind in ("first", "last"):
            return f"the {bound.kind} one"
        offset = "" if bound.offset is None else self.operand(at, bound.offset)
        text = BOUNDS[(frame.unit, bound.kind)].format(offset)
        return text.replace(" rows ", " row ", 1) if text.startswith("1 rows ") else text

    # Orders and groups.

    def order(self, at: int, keys: Sequence[OrderKey]) -> str:
        """Word the keys of an order: "by n in descending order (missing values last)"."""
        return ", then ".join(
            f"by {self._key(at, key.value)} in {self._direction(key)}" for key in keys
        )

    def _direction(self, key: OrderKey) -> str:
        direction = "descending" if key.descending else "ascending"
        missing = f" (missing values {'first' if key.missing_first else 'last'})"
        return f"{direction} order{missing}{COLLATED.get(key.collation, '')}"

    def _key(self, at: int, value: Expression) -> str:
        """Name a key by the output that it is, where it is one."""
        step = self._query.steps[at]
        if not isinstance(value, ColumnOf | OutputOf) and isinstance(step.body, Selection):
            content = content_of(value)
            for position, output in enumerate(step.body.values):
                if content_of(output) != content:
                    continue
                if at < len(self._query.steps) - 1:
                    return self.labelled(at, position)
                name = step.names[position]
                if name and [each.lower() for each in step.names].count(name.lower()) == 1:
                    # A source column may have the name that the computed output is given.
                    return f"the returned {shown_name(name)}"
        text = self.value(at, value)
        computed = not isinstance(value, (*_SIMPLE, Aggregate, OfOneRow)) or ", " in text
        return f"({text})" if computed else text

    def key(self, at: int, key: GroupKey) -> str:
        """Word what rows are grouped by."""
        return self.operand(at, key.value) + COLLATED.get(key.collation, "")

    # Conditions.

    def condition(self, at: int, condition: Condition) -> str:
        """Word a condition in terms of a step."""
        return self._conditions.condition(at, condition)


def _is_number_in(value: Expression) -> TypeGuard[ReadAs]:
    return isinstance(value, ReadAs) and value.reading is Reading.BEGINNING
