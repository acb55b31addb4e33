"""Conditions that must be met, and a WHERE without one of them."""

from __future__ import annotations

from sqlglot import exp


def must_be_met(node: exp.Expr) -> bool:
    """Say whether every row that a SELECT keeps meets a condition of it."""
    around = node.parent
    while isinstance(around, exp.Paren | exp.And):
        around = around.parent
    if isinstance(around, exp.Join):
        return not around.side
    return isinstance(around, exp.Where | exp.Having)


def without(node: exp.Expr) -> None:
    """Take a condition out of those of WHERE or HAVING that AND joins to it."""
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    around = node.parent
    if isinstance(around, exp.And):
        rest = around.expression if around.this is node else around.this
        around.replace(rest.copy())
    elif around is not None:
        around.pop()
