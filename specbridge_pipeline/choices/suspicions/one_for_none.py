"""COUNT(*) after a left join, which counts one where there is no match."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.shapes import group_columns
from specbridge_pipeline.choices.suspicions.looking import Look, counted, joins_of, source_name
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.aggregates import aggregates_of
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import conjuncts, determined_by, unique_keys


def _find(look: Look) -> Iterator[Suspicion]:
    if not look.has_data:
        return
    for scope in look.query.scopes:
        keys = group_columns(scope)
        stars = [each for each in aggregates_of(scope.select) if _counts_rows(each)]
        joins = joins_of(scope)
        if not keys or not stars or not joins:
            continue
        join, source = joins[-1]
        if str(join.args.get("side") or "").upper() != "LEFT":
            continue
        if source.position in look.positions(scope, keys) or not _can_repeat(scope, source):
            continue
        column = _matched_column(scope, join, source)
        if column is not None:
            found = _suspicion(look, scope, stars, source, column)
            if found is not None:
                yield found


def _counts_rows(call: exp.Expr) -> bool:
    return isinstance(call, exp.Count) and (
        isinstance(call.this, exp.Star | exp.Literal) or call.this is None
    )


def _can_repeat(scope: Scope, source: Source) -> bool:
    """Say whether a row can have several matches: else the rows counted are those it adds to."""
    if not unique_keys(scope, source):
        return True
    known: set[int] = set()
    for each in scope.sources[: source.position]:
        known |= determined_by(scope, each, frozenset())
    return source.position not in known


def _matched_column(scope: Scope, join: exp.Expr, source: Source) -> exp.Expr | None:
    """Return a column of the optional side that no matching row lacks: one held equal."""
    for condition in conjuncts(join.args.get("on")):
        if isinstance(condition, exp.EQ):
            for side in (condition.this.unnest(), condition.expression.unnest()):
                column = scope.own_column(side)
                if column is not None and column.source == source:
                    found: exp.Expr = side
                    return found
    return None


def _suspicion(
    look: Look, scope: Scope, stars: list[exp.Expr], source: Source, column: exp.Expr
) -> Suspicion | None:
    tree, copies = look.copied(*stars)
    for copy in copies:
        copy.set("this", column.copy())
    edited = look.text(tree)
    missing = look.some_rows(scope, [exp.alias_(column.copy(), "specbridge_value")])
    before, after = look.rows(look.text(look.query.tree)), look.rows(edited)
    if (
        missing is None
        or before is None
        or after is None
        or sorted_rows(before) == sorted_rows(after)
    ):
        return None
    none = look.count(
        f"SELECT 1 FROM ({look.text(missing)}) AS specbridge_values WHERE specbridge_value IS NULL"
    )
    name = source_name(source)
    rows = counted(none or 0, "row")
    return Suspicion(
        SuspicionKind.ONE_FOR_NONE,
        False,
        f"{look.text(stars[0])} counts 1 where there is no matching row in {name}.",
        f"The rows of {name} are counted: 0 where there is none.",
        f"{rows} {'has' if none == 1 else 'have'} no match in {name}.",
        edited,
        stars[0],
    )


def sorted_rows(rows: tuple[tuple[object, ...], ...]) -> list[str]:
    """Return rows in an order that does not depend on the engine's."""
    return sorted(map(repr, rows))


DETECTOR = Detector(SuspicionKind.ONE_FOR_NONE, BOTH_ENGINES, _find)
