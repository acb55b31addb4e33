"""A comparison with NULL, which is never true."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import replaced
from specbridge_pipeline.choices.suspicions.looking import Look
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.places import own_nodes


def _find(look: Look) -> Iterator[Suspicion]:
    for scope in look.query.scopes:
        for node in own_nodes(scope.select):
            if not isinstance(node, exp.EQ | exp.NEQ):
                continue
            sides = (node.this, node.expression)
            values = [side for side in sides if not isinstance(side, exp.Null)]
            if len(values) != 1:
                continue
            value = values[0]
            name = look.name(scope, value)
            tree, (copy, tested) = look.copied(node, value)
            other: exp.Expr = exp.Is(this=tested.copy(), expression=exp.Null())
            negated = isinstance(node, exp.NEQ)
            if negated:
                other = exp.Not(this=other)
            replaced(copy, other)
            yield Suspicion(
                SuspicionKind.EQUALS_MISSING,
                False,
                f"{name} {'<>' if negated else '='} NULL is true of no row.",
                f"{name} is {'not ' if negated else ''}missing.",
                "",
                look.text(tree),
                node,
            )


DETECTOR = Detector(SuspicionKind.EQUALS_MISSING, BOTH_ENGINES, _find)
