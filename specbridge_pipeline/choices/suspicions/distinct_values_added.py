"""SUM or AVG over different values, which takes equal values of different rows once."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.each_row_once import each_row_once, repeating_sources
from specbridge_pipeline.choices.suspicions.looking import Look
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.aggregates import aggregates_of
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.join_repeats import determined_by


def _find(look: Look) -> Iterator[Suspicion]:
    for scope in look.query.scopes:
        for call in aggregates_of(scope.select):
            if not isinstance(call, exp.Sum | exp.Avg) or not isinstance(call.this, exp.Distinct):
                continue
            edited, meant = _each_row(look, scope, call)
            evidence = ""
            if look.has_data:
                evidence = _equal_values(look, scope, call)
                if not evidence:
                    continue
            value = look.name(scope, call.this.expressions[0])
            yield Suspicion(
                SuspicionKind.DISTINCT_VALUES_ADDED,
                False,
                f"{look.text(call)} takes rows that have the same {value} once.",
                meant,
                evidence,
                edited,
                call,
            )


def _equal_values(look: Look, scope: Scope, call: exp.Expr) -> str:
    """Say how many values there are and how many different ones."""
    value = call.this.expressions[0]
    body = look.some_rows(scope, [exp.alias_(value.copy(), "specbridge_value")])
    if body is None:
        return ""
    found = look.numbers(
        "SELECT COUNT(specbridge_value), COUNT(DISTINCT specbridge_value) "
        f"FROM ({look.text(body)}) AS specbridge_values"
    )
    if found is None or found[0] == found[1]:
        return ""
    return f"{found[1]:,} different values in {found[0]:,} rows."


def _each_row(look: Look, scope: Scope, call: exp.Expr) -> tuple[str | None, str]:
    """Return the query that takes each row once, and what it does."""
    value = call.this.expressions[0]
    meant = f"{type(call).key.upper()} takes {look.name(scope, value)} of each row once."
    own = look.positions(scope, [value])
    alone = len(scope.sources) == 1
    if not alone and len(own) == 1:
        source = scope.sources[own.pop()]
        alone = len(determined_by(scope, source, frozenset())) == len(scope.sources)
    if alone:
        tree, (copy,) = look.copied(call)
        copy.set("this", copy.this.expressions[0].copy())
        return look.text(tree), meant
    # Without DISTINCT a joined row would be taken as often as the join repeats it.
    divided = repeating_sources(look, scope)
    rewritten = each_row_once(look, scope, divided[0], call) if divided is not None else None
    if rewritten is None:
        return None, meant
    shown, _ = divided or (set(), set())
    if not _joins_once(scope, shown, look.positions(scope, [value])):
        return None, meant
    tree, select, _ = rewritten
    for each in select.find_all(type(call)):
        if each.this == call.this:
            each.set("this", each.this.expressions[0].copy())
    return look.text(tree), meant


def _joins_once(scope: Scope, shown: set[int], own: set[int]) -> bool:
    """Say whether the sources that stay give a row of the values' source once."""
    return len(own) == 1 and shown <= determined_by(
        scope, scope.sources[next(iter(own))], frozenset()
    )


DETECTOR = Detector(SuspicionKind.DISTINCT_VALUES_ADDED, BOTH_ENGINES, _find)
