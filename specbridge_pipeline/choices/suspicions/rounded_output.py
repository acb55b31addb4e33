"""An answer that is rounded."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.looking import Look
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.places import Place, place_of


def _find(look: Look) -> Iterator[Suspicion]:
    for scope in look.query.scopes:
        if place_of(scope.select) not in (Place.TOP, Place.MEMBER):
            continue
        if place_of(scope.select) is Place.MEMBER and not _is_top(scope.select):
            continue
        for item in scope.select.expressions:
            node = item.unalias()
            while isinstance(node, exp.Paren):
                node = node.this
            if not isinstance(node, exp.Round):
                continue
            tree, (copy,) = look.copied(node)
            copy.replace(copy.this.copy())
            places = node.args.get("decimals")
            to = "whole numbers"
            if places is not None:
                number = look.text(places)
                to = f"{number} {'decimal' if number == '1' else 'decimals'}"
            yield Suspicion(
                SuspicionKind.ROUNDED_OUTPUT,
                True,
                f"{look.name(scope, node.this)} is rounded to {to}.",
                f"{look.name(scope, node.this)} is given as it is.",
                "",
                look.text(tree),
                node,
            )


def _is_top(select: exp.Expr) -> bool:
    around = select.parent
    while isinstance(around, exp.SetOperation | exp.Subquery | exp.Paren):
        around = around.parent
    return around is None


DETECTOR = Detector(SuspicionKind.ROUNDED_OUTPUT, BOTH_ENGINES, _find)
