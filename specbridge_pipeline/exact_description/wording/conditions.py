"""Conditions of a description in English."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Protocol

from specbridge_pipeline.exact_description.queries.model import (
    All,
    Comparison,
    Condition,
    Expression,
    HasRows,
    Holds,
    InList,
    InStep,
    Literal,
    Matches,
    Missing,
    Same,
    Some,
    TruthIs,
)
from specbridge_pipeline.exact_description.wording.phrases import (
    BOTH_ENDS,
    BOTH_ENDS_OF_TEXT,
    COLLATED,
    COMPARED,
    COMPARED_IN_TIME,
    COMPARED_WITH_TEXT,
    MATCHED,
    ORDERED_TEXT,
    STEP_READ_AS,
    UNLIKE,
)


class ValueWords(Protocol):
    """Words the values in conditions."""

    def operand(self, at: int, value: Expression) -> str:
        """Word a value so that it can stand inside another phrase."""

    def labelled(self, step: int, output: int) -> str:
        """Return an output's label and what reminds of it."""


class ConditionWording:
    """Words the conditions of one query.

    Args:
        values: Words the values in them.
    """

    def __init__(self, values: ValueWords) -> None:
        self._values = values
        self._kinds: dict[type, Callable[[int, Any], str]] = {
            Comparison: self._comparison,
            Missing: self._missing,
            Same: self._same,
            InList: self._in_list,
            InStep: self._in_step,
            HasRows: self._has_rows,
            Matches: self._matches,
            Holds: self._holds,
            TruthIs: self._truth_is,
            All: self._all,
            Some: lambda at, condition: self._parts(at, condition.parts, " or "),
        }

    def condition(self, at: int, condition: Condition) -> str:
        """Word a condition in terms of a step."""
        return self._kinds[type(condition)](at, condition)

    def _operand(self, at: int, value: Expression) -> str:
        return self._values.operand(at, value)

    def _parts(self, at: int, parts: Sequence[Condition], joined: str) -> str:
        return joined.join(
            f"({self.condition(at, each)})"
            if isinstance(each, All | Some)
            else self.condition(at, each)
            for each in parts
        )

    def _all(self, at: int, condition: All) -> str:
        """Word conditions that must all hold, the two ends of a range together."""
        texts: list[str] = []
        parts = list(condition.parts)
        while parts:
            part = parts.pop(0)
            other = _other_end(part, parts)
            if other is None:
                texts.append(self._parts(at, (part,), ""))
                continue
            parts.remove(other)
            assert isinstance(part, Comparison)
            low, high = (part, other) if part.operator == ">=" else (other, part)
            of_text = _is_text(low.right) or _is_text(high.right)
            texts.append(
                f"{self._operand(at, part.left)} is between {self._operand(at, low.right)} and "
                f"{self._operand(at, high.right)}{BOTH_ENDS_OF_TEXT if of_text else BOTH_ENDS}"
            )
        return " and ".join(texts)

    def _comparison(self, at: int, condition: Comparison) -> str:
        compared = COMPARED[condition.operator]
        right = condition.right
        note = COLLATED.get(condition.collation, "")
        if isinstance(right, Literal) and isinstance(right.value, bool | date):
            compared = COMPARED_IN_TIME[condition.operator]
        elif isinstance(right, Literal) and isinstance(right.value, str):
            compared = COMPARED_WITH_TEXT.get(condition.operator, compared)
            if condition.operator not in COMPARED_WITH_TEXT and not condition.unlike:
                note += ORDERED_TEXT
        if condition.unlike:
            note += UNLIKE
        return f"{self._operand(at, condition.left)} {compared} {self._operand(at, right)}{note}"

    def _missing(self, at: int, condition: Missing) -> str:
        tested = "is not missing" if condition.negated else "is missing"
        return f"{self._operand(at, condition.value)} {tested}"

    def _same(self, at: int, condition: Same) -> str:
        verb = "is not the same as" if condition.negated else "is the same as"
        note = COLLATED.get(condition.collation, "") + (UNLIKE if condition.unlike else "")
        left, right = self._operand(at, condition.left), self._operand(at, condition.right)
        return f"{left} {verb} {right}{note}"

    def _in_list(self, at: int, condition: InList) -> str:
        verb = "is none of" if condition.negated else "is one of"
        items = ", ".join(self._operand(at, each) for each in condition.items)
        note = COLLATED.get(condition.collation, "") + (UNLIKE if condition.unlike else "")
        return f"{self._operand(at, condition.value)} {verb} ({items}){note}"

    def _in_step(self, at: int, condition: InStep) -> str:
        verb = "is not among" if condition.negated else "is among"
        values = [self._operand(at, each) for each in condition.values]
        note = COLLATED.get(condition.collation, "")
        outputs = [
            self._values.labelled(condition.step, position)
            + ("" if reading is None else STEP_READ_AS[reading])
            for position, reading in enumerate(condition.readings)
        ]
        if len(values) == 1:
            return f"{values[0]} {verb} the values of {outputs[0]}{note}"
        return (
            f"the combination of ({', '.join(values)}) {verb} the combinations of "
            f"({', '.join(outputs)}){note}"
        )

    def _has_rows(self, at: int, condition: HasRows) -> str:
        gives = "gives no row" if condition.negated else "gives at least one row"
        return f"step {condition.step + 1} {gives}"

    def _matches(self, at: int, condition: Matches) -> str:
        verb = MATCHED[(condition.kind, condition.negated)]
        value, pattern = self._operand(at, condition.value), self._operand(at, condition.pattern)
        if condition.escape is None:
            return f"{value} {verb} {pattern}"
        escape = self._operand(at, condition.escape)
        return f"{value} {verb} {pattern} (with {escape} before a sign that stands for itself)"

    def _holds(self, at: int, condition: Holds) -> str:
        verb = "counts as false" if condition.negated else "counts as true"
        return f"{self._operand(at, condition.value)} {verb}"

    def _truth_is(self, at: int, condition: TruthIs) -> str:
        known = "is true" if condition.true else "is false"
        known = known.replace("is", "is not") if condition.negated else known
        return f"it {known} that ({self.condition(at, condition.condition)})"


def _other_end(part: Condition, others: Sequence[Condition]) -> Comparison | None:
    """Return the condition that makes a range of one that is the end of a range."""
    if not isinstance(part, Comparison) or part.operator not in (">=", "<="):
        return None
    if part.collation or part.unlike:
        return None
    wanted = {">=": "<=", "<=": ">="}[part.operator]
    found = [
        each
        for each in others
        if isinstance(each, Comparison)
        and each.operator == wanted
        and each.left == part.left
        and not each.collation
        and not each.unlike
    ]
    plain = all(
        not isinstance(end.right, Literal) or isinstance(end.right.value, int | float | str)
        for end in (part, *found)
    )
    return found[0] if len(found) == 1 and plain else None


def _is_text(value: Expression) -> bool:
    return isinstance(value, Literal) and isinstance(value.value, str)
