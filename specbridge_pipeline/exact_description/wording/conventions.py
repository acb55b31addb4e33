"""The engine's conventions that a step relies on, each said once, in sentences of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from specbridge_pipeline.exact_description.queries.canonical import content_of
from specbridge_pipeline.exact_description.queries.model import (
    Aggregate,
    Arithmetic,
    Converted,
    Function,
    Holds,
    InList,
    InStep,
    Joined,
    Literal,
    Matches,
    OfOneRow,
    Operation,
    ReadAs,
    Reading,
    Same,
    Signed,
    Step,
    Truth,
    Window,
    nodes_in,
)
from specbridge_pipeline.exact_description.wording.function_phrases import NUMBER_FUNCTIONS
from specbridge_pipeline.exact_description.wording.plain_names import listed
from specbridge_pipeline.sql.engines.rules import EngineRules, ZeroDivision

_LEAVE_OUT_MISSING = {
    "sum": "sum",
    "average": "average",
    "minimum": "smallest value",
    "maximum": "largest value",
}
_DATES = frozenset({"date", "time", "datetime", "julianday", "unixepoch", "strftime"})

_MISSING_OF_MISSING = (
    NUMBER_FUNCTIONS
    | _DATES
    | {"length", "octet_length", "lower", "upper", "trim", "ltrim", "rtrim", "substr", "replace"}
    | {"instr", "unicode", "json", "json_array_length", "json_type", "json_valid", "json_extract"}
)
_OF_NUMBERS = NUMBER_FUNCTIONS - {"abs", "round"}
"""Functions that make nothing of a text that only begins with a number."""
_ROW_BY_ROW = frozenset({"lag", "lead", "first_value", "last_value", "nth_value"})


def conventions(step: Step, rules: EngineRules) -> Iterator[str]:
    """Say what holds for the values of a step without being written in the query.

    Args:
        step: The step.
        rules: What holds for the engine that runs it.

    Yields:
        Sentences, in one order.
    """
    found = nodes_in((step.body, step.order))
    # A value is one however often it is written: as an output and as a key of the order.
    nodes = list({content_of(each): each for each in found}.values())
    yield from _aggregates(nodes)
    yield from _calculations(nodes, rules)
    yield from _texts(nodes)
    yield from _conditions(nodes)


def _of(kind: type, nodes: Sequence[Any]) -> list[Any]:
    return [each for each in nodes if isinstance(each, kind)]


def _aggregates(nodes: Sequence[Any]) -> Iterator[str]:
    functions = {each.function for each in _of(Aggregate, nodes)}
    named = [word for kind, word in _LEAVE_OUT_MISSING.items() if kind in functions]
    if named:
        subject = f"The {listed(named)}"
        verbs = ("leaves", "is") if len(named) == 1 else ("leave", "are")
        yield (
            f"{subject} {verbs[0]} out missing values and {verbs[1]} missing where no value "
            "is left."
        )
    if "total" in functions:
        yield "The total leaves out missing values and is 0.0 where no value is left."
    if "joined" in functions:
        yield "The joined values are missing where no value is left."
    windows = _of(Window, nodes)
    if any(
        each.order and (each.function in _ROW_BY_ROW or (each.frame and each.frame.unit == "rows"))
        for each in windows
    ):
        yield "Where rows are tied in such an order, which of them comes first is not determined."
    single = _of(OfOneRow, nodes)
    if any(each.extreme is None for each in single):
        yield "Values in any one row are all of the same row; which is not determined."
    if any(each.extreme is not None for each in single):
        yield (
            "Values in a row that has the smallest or largest value are all of the same row; "
            "which, where several have it, is not determined."
        )


def _calculations(nodes: Sequence[Any], rules: EngineRules) -> Iterator[str]:
    calculations = _of(Arithmetic, nodes)
    divisions = [each for each in calculations if each.operator == "/"]
    exact = [each for each in divisions if not each.whole]
    if exact:
        others = " other" if len(exact) < len(divisions) else ""
        yield (
            f"The{others} division keeps its decimals."
            if len(exact) == 1
            else f"The{others} divisions keep their decimals."
        )
    if divisions and rules.zero_division is ZeroDivision.MISSING:
        yield "A calculation with a missing value, and a division by zero, gives a missing value."
    elif calculations or _of(Operation, nodes) or _of(Signed, nodes):
        yield "A calculation with a missing value gives a missing value."
        yield from _zero_divisions(divisions)
    operators = {each.operator for each in _of(Operation, nodes)}
    if "%" in operators:
        yield (
            "Modulo gives the remainder of the whole parts, with the sign of the first, and a "
            "missing value for a modulo by zero."
        )
    if operators & {"->", "->>"}:
        yield "A path that leads to nothing gives a missing value."


def _zero_divisions(divisions: Sequence[Arithmetic]) -> Iterator[str]:
    """Say what a division by zero gives where it gives no missing value."""
    if any(not each.whole for each in divisions):
        yield (
            "A division by zero gives infinity with the sign of the divided number; zero "
            "divided by zero gives NaN, which counts as greater than any number."
        )
    if any(each.whole for each in divisions):
        yield "Where a division that drops the fraction is by zero, nothing is returned at all."


def _texts(nodes: Sequence[Any]) -> Iterator[str]:
    inside = {id(each.value) for each in _of(Converted, nodes)}
    readings = {each.reading for each in _of(ReadAs, nodes) if id(each) not in inside}
    for each in _of(InStep, nodes):
        readings |= {reading for reading in each.readings if reading is not None}
    if Reading.NUMBER in readings:
        yield (
            "Read as a number, a text that looks like a number counts as that number, and any "
            "other text stays text."
        )
    if Reading.TEXT in readings:
        yield "Read as text, a number counts as the text that it is written as."
    if Reading.BEGINNING in readings:
        yield "The number in a text is the one that it begins with, or 0 where it begins with none."
    converted = {each.to for each in _of(Converted, nodes)}
    if converted & {"integer", "real", "number"}:
        yield (
            "Converted to a number, a text gives the number that it begins with, or 0 where it "
            "begins with none"
            + (", and a real number loses its fraction" if "integer" in converted else "")
            + "."
        )
    if _of(Joined, nodes):
        yield "A text followed by a missing value, or a missing value by a text, is missing."
    functions = _of(Function, nodes)
    if functions:
        if any(each.name in _MISSING_OF_MISSING and each.arguments for each in functions):
            yield "What is made of a missing value is missing."
        if any(each.name in _OF_NUMBERS and _reads_text(each) for each in functions):
            yield "What such a calculation makes of a text that is no number is missing."
        if any(each.name == "instr" for each in functions):
            yield "The position in a text of what is not in it is 0."
        if any(each.name == "typeof" for each in functions):
            yield "The storage class is 'integer', 'real', 'text', 'blob' or 'null'."
        if any(each.name in _DATES and each.arguments for each in functions):
            yield "What is no date, time or day number gives a missing value."


def _conditions(nodes: Sequence[Any]) -> Iterator[str]:
    if _of(Truth, nodes):
        yield (
            "The truth of a condition is 1 where it holds, 0 where it does not, and missing where "
            "a missing value leaves it undecided."
        )
    if _of(Holds, nodes):
        yield "A number other than 0 counts as true, and 0, like a text without a number, as false."
    kinds = {each.kind for each in _of(Matches, nodes)}
    if "like" in kinds:
        yield (
            "In a pattern, % stands for any number of characters and _ for exactly one, and "
            "capital letters A to Z are not told from small ones."
        )
    if "glob" in kinds:
        yield (
            "In a file pattern, * stands for any number of characters, ? for exactly one and [ ] "
            "for one of those listed; capital letters are told from small ones."
        )
    if _of(Same, nodes):
        yield "A missing value is the same as a missing value, and as nothing else."
    if any(Literal(None) in each.items for each in _of(InList, nodes)):
        yield "Beside a missing value in a list, it stays undecided whether a value is none of it."
    if _of(InStep, nodes):
        yield (
            "Where a value is missing, or equals none while one of those values is missing, it is "
            "undecided whether it is among them; where there are no values at all, it is not."
        )


def _reads_text(function: Function) -> bool:
    return any(isinstance(each, ReadAs) for each in function.arguments)
