"""Whether two queries differ in one calculation step, nested queries being steps too."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.parsing import parse_query
from specbridge_pipeline.sql.spelling import without_spelling
from specbridge_pipeline.sql.steps import QuerySteps, split_steps

_MOST = 3
"""How many SELECTs one step may be written as: a set operation has two beside itself."""


@dataclass(frozen=True, slots=True)
class ChangedStep:
    """What tells two queries apart.

    Attributes:
        before: The SELECTs and set operations of the first query that the second has not, each as
            SQL with `(…)` for the queries inside it, outer ones first.
        after: Those of the second that the first has not.
        one_step: Whether they are one step, written in another way.
        reason: Why they are not; empty where they are.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    one_step: bool
    reason: str


def changed_step(sql_a: str, sql_b: str, engine: Engine = Engine.SQLITE) -> ChangedStep:
    """Compare two queries SELECT by SELECT, derived tables and subqueries included.

    The queries differ in one step when what differs hangs together in both, is read by the same
    steps, and is at most three SELECTs or set operations in each: one step may be written as one
    SELECT or as one with an auxiliary SELECT inside, as a set operation of two SELECTs or as one
    with a condition more. Case of names, quoting, redundant parentheses and comments make no
    difference.

    Args:
        sql_a: One query.
        sql_b: The other one.
        engine: The engine that both are for.

    Raises:
        UnusableReferenceError: One of them cannot be parsed, or reads itself.
    """
    first, second = _Side(sql_a, engine), _Side(sql_b, engine)
    before, after = first.without(second), second.without(first)
    reason = _reason(first, second, before, after)
    return ChangedStep(
        tuple(first.texts[at] for at in before),
        tuple(second.texts[at] for at in after),
        not reason,
        reason,
    )


def _reason(first: _Side, second: _Side, before: list[int], after: list[int]) -> str:
    if not before and not after:
        return "the queries are the same"
    if len(before) > _MOST or len(after) > _MOST:
        return f"{max(len(before), len(after))} SELECTs differ"
    roots = [side.roots(own) for side, own in ((first, before), (second, after)) if own]
    if any(len(each) > 1 for each in roots):
        return "SELECTs differ that do not stand inside each other"
    if before and after:
        [[one], [other]] = roots
        if first.readers(one) != second.readers(other):
            return "what differs stands in different places"
    return ""


class _Side:
    """The SELECTs and set operations of one query, by their texts without what is nested."""

    def __init__(self, sql: str, engine: Engine) -> None:
        self.steps: QuerySteps = split_steps(parse_query(sql, engine), engine)
        self.texts = [_own_text(step.query, engine) for step in self.steps.steps]

    def without(self, other: _Side) -> list[int]:
        """Return the indices of the steps that the other has not, the outer ones first."""
        left = Counter(other.texts)
        found: list[int] = []
        for at, text in enumerate(self.texts):
            if left[text]:
                left[text] -= 1
            else:
                found.append(at)
        return found[::-1]

    def roots(self, own: list[int]) -> list[int]:
        """Return those of some steps that none of them reads."""
        read = {inner for at in own for inner in self.steps.steps[at].reads}
        return [at for at in own if at not in read]

    def readers(self, step: int) -> frozenset[str]:
        """Return the texts of the steps that read a step, directly."""
        return frozenset(
            text
            for text, each in zip(self.texts, self.steps.steps, strict=True)
            if step in each.reads
        )


def _own_text(query: exp.Query, engine: Engine) -> str:
    tree = query.copy()
    tree.set("with_", None)
    nested = [
        node
        for node in tree.walk(
            prune=lambda node: node is not tree and isinstance(node, exp.Select | exp.SetOperation)
        )
        if node is not tree and isinstance(node, exp.Select | exp.SetOperation)
    ]
    for node in nested:
        node.replace(exp.Var(this="…"))
    without_spelling(tree)
    return tree.sql(engine)
