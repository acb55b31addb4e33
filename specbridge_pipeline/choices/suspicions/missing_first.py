"""Rows without a value that come first in ascending order and win a cut."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.looking import MARK, Look
from specbridge_pipeline.choices.suspicions.suspicion import (
    ONLY_SQLITE,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.column_origins import Scope


def _find(look: Look) -> Iterator[Suspicion]:
    for scope in look.query.scopes:
        order, limit = scope.select.args.get("order"), scope.select.args.get("limit")
        if order is None or limit is None:
            continue
        term = order.expressions[0]
        if term.args.get("desc") or not term.args.get("nulls_first"):
            continue
        key = term.this
        if scope.own_column(key) is None or scope.output(key) is not None:
            key = scope.output(key) or key
        found = _missing_among_kept(look, scope, key)
        if found is None or not found[0]:
            continue
        missing, kept = found
        name = look.name(scope, key)
        tree, (copy,) = look.copied(term)
        copy.set("nulls_first", False)
        rows = f"{missing:,} of the {kept:,} rows"
        if missing == kept:
            rows = "The one row" if kept == 1 else f"All {kept:,} rows"
        yield Suspicion(
            SuspicionKind.MISSING_FIRST,
            False,
            f"In ascending order of {name}, rows without a value come first and are kept as the "
            "least.",
            f"Rows without a value of {name} come after those that have one.",
            f"{rows} kept {'has' if missing == 1 else 'have'} no value.",
            look.text(tree),
            term,
        )


def _missing_among_kept(look: Look, scope: Scope, key: exp.Expr) -> tuple[int, int] | None:
    """Count the rows without a value that take the place of others, and all that are kept."""
    body = look.standalone(scope)
    if body is None:
        return None
    body.append("expressions", exp.alias_(key.copy(), MARK))
    found: list[tuple[int, int]] = []
    for first in (True, False):
        body.args["order"].expressions[0].set("nulls_first", first)
        counts = look.numbers(
            f"SELECT COUNT(*) - COUNT({MARK}), COUNT(*) FROM ({look.text(body)}) AS specbridge_kept"
        )
        if counts is None:
            return None
        found.append((int(counts[0]), int(counts[1])))
    # Where there are not enough rows with a value, the others are kept in any order.
    return found[0] if found[0] != found[1] else None


DETECTOR = Detector(SuspicionKind.MISSING_FIRST, ONLY_SQLITE, _find)
