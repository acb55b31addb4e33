"""Comparisons of values as the engine makes them, and conditions joined and negated."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from specbridge_pipeline.exact_description.interpreting.affinity import (
    NUMERIC_NATURES,
    Affinity,
    Nature,
    Typed,
)
from specbridge_pipeline.exact_description.queries.model import (
    All,
    Comparison,
    Condition,
    Expression,
    Literal,
    ReadAs,
    Reading,
    Some,
)

NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
FLIPPED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def compared(
    operator: str,
    left: Expression,
    right: Expression,
    collation: str = "",
    different: bool = False,
) -> Comparison:
    """Return a comparison with its literal, if it has one, on the right."""
    if isinstance(left, Literal) and not isinstance(right, Literal):
        operator, left, right = FLIPPED[operator], right, left
    return Comparison(operator, left, right, collation, different)


def unlike(left: Typed, one: Expression, right: Typed, other: Expression) -> bool:
    """Say whether a text is compared with a number, so far as types and calculations tell.

    Args:
        left: The left value.
        one: The left value as it is taken.
        right: The right value.
        other: The right value as it is taken.
    """
    natures = {_nature_taken(left, one), _nature_taken(right, other)}
    return Nature.TEXT in natures and bool(natures & (NUMERIC_NATURES | {Nature.LEANING}))


def _nature_taken(typed: Typed, taken: Expression) -> Nature:
    if isinstance(taken, Literal):
        if isinstance(taken.value, int | float):
            return Nature.NUMBER
        return Nature.TEXT if isinstance(taken.value, str) else Nature.ANY
    if isinstance(taken, ReadAs):
        return Nature.TEXT if taken.reading is Reading.TEXT else Nature.ANY
    if typed.affinity is Affinity.NUMBER and typed.nature not in (Nature.INTEGER, Nature.REAL):
        return Nature.ANY
    return typed.nature


def joined_conditions(parts: list[Condition], *, all_hold: bool) -> Condition:
    """Return conditions that must all hold, or of which one must, without needless nesting."""
    kind = All if all_hold else Some
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else [part]
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def negation(condition: Condition) -> Condition:
    """Return the condition that holds where this one does not, undecided where it is."""
    if isinstance(condition, All | Some):
        parts = [negation(each) for each in condition.parts]
        return joined_conditions(parts, all_hold=isinstance(condition, Some))
    if isinstance(condition, Comparison):
        return replace(condition, operator=NEGATED[condition.operator])
    return replace(condition, negated=not condition.negated)


def as_moments(left: Typed, right: Typed) -> tuple[Expression, Expression]:
    """Return two values of a strictly typed engine, a text beside a day or a moment as one."""
    return _moment_beside(left, right.kind), _moment_beside(right, left.kind)


def _moment_beside(typed: Typed, kind: str) -> Expression:
    value = typed.value
    if kind and isinstance(value, Literal) and isinstance(value.value, str):
        moment = datetime.fromisoformat(value.value)
        return Literal(moment.date() if kind == "DATE" else moment)
    if kind == "BOOLEAN" and isinstance(value, Literal) and value.value in (0, 1):
        return Literal(bool(value.value))
    return value
