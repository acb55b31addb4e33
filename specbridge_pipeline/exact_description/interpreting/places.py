"""What the readers of values, conditions and functions share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from specbridge_pipeline.exact_description.interpreting.affinity import (
    Nature,
    Typed,
)
from specbridge_pipeline.exact_description.interpreting.bindings import Refusals, Scope
from specbridge_pipeline.exact_description.queries.model import (
    Condition,
    Literal,
    OrderKey,
    ReadAs,
    Reading,
)
from specbridge_pipeline.sql.engines.rules import EngineRules
from specbridge_pipeline.sql.syntax import nodes


class Subqueries(Protocol):
    """Reads the queries that stand among values."""

    def subquery(
        self, node: nodes.Query, scope: Scope
    ) -> tuple[int, tuple[tuple[str, Typed], ...]]:
        """Return the step of a query and the names and types of its columns."""


@dataclass(frozen=True, slots=True)
class Place:
    """What may stand where a value is read.

    Attributes:
        aggregates: Whether aggregates may.
        windows: Whether window functions may.
    """

    aggregates: bool = False
    windows: bool = False


ROWS = Place()
GROUPS = Place(aggregates=True)
OUTPUTS = Place(aggregates=True, windows=True)


class Values(Protocol):
    """Reads the values and conditions of one SELECT."""

    scope: Scope
    rules: EngineRules
    subqueries: Subqueries
    refusals: Refusals

    def value(self, node: nodes.Expression, place: Place) -> Typed:
        """Read a value."""

    def condition(
        self, node: nodes.Expression, place: Place, *, negated: bool = False
    ) -> Condition:
        """Read a condition."""

    def order(self, terms: tuple[nodes.Ordering, ...], place: Place) -> tuple[OrderKey, ...]:
        """Read the keys of an order inside a value."""


def calculated(typed: Typed) -> Typed:
    """Return a value as a calculation takes it: of a text, the number that it begins with."""
    if typed.nature is not Nature.TEXT:
        return typed
    if isinstance(typed.value, Literal) and isinstance(typed.value.value, str):
        written = typed.value.value.strip()
        if written.isascii() and written.isdigit() and len(written) < 16:
            return Typed(Literal(int(written)), nature=Nature.INTEGER)
    return Typed(ReadAs(typed.value, Reading.BEGINNING), nature=Nature.NUMBER)


def is_matching(node: nodes.Call) -> bool:
    """Say whether a function is LIKE or GLOB under another spelling."""
    return node.name in ("like", "glob") and len(node.arguments) in (2, 3) and node.window is None


def uncollated(value: nodes.Expression) -> tuple[nodes.Expression, str]:
    """Return a value without the COLLATE around it, and the outermost collation."""
    collation = ""
    while isinstance(value, nodes.Collate):
        collation = collation or value.collation
        value = value.operand
    return value, collation


def number_read(typed: Typed) -> Typed:
    """Return a value as mathematical functions take it, which make nothing of other texts."""
    if typed.nature is not Nature.TEXT:
        return typed
    return Typed(ReadAs(typed.value, Reading.NUMBER), nature=Nature.ANY)
