"""LIMIT without an order that says which rows it keeps."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.looking import Look, counted
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.cut import literal_count
from specbridge_pipeline.sql.places import Place, place_of


def _find(look: Look) -> Iterator[Suspicion]:
    if not look.has_data:
        return
    for query in look.query.tree.find_all(exp.Query):
        limit = query.args.get("limit")
        if limit is None or query.args.get("order") is not None:
            continue
        if isinstance(query, exp.Subquery) or place_of(query) is Place.EXISTENCE:
            continue
        kept = literal_count(limit.expression) if limit.expression is not None else None
        if kept is None or kept < 0:
            continue
        rows = _rows(look, query, kept)
        if rows is None:
            continue
        yield Suspicion(
            SuspicionKind.CUT_WITHOUT_ORDER,
            False,
            f"LIMIT {kept} keeps any {counted(kept, 'row')}, since no ORDER BY says which.",
            "The first rows in some order are meant, and the query does not say in which.",
            f"{kept:,} of {counted(rows, 'row')} {'is' if kept == 1 else 'are'} kept.",
            None,
            limit,
        )


def _rows(look: Look, query: exp.Query, kept: int) -> int | None:
    """Count the rows before a cut; None where it leaves nothing out, or only rows alike."""
    if isinstance(query, exp.Select):
        scope = look.query.scope_of(query)
        body: exp.Query | None = look.standalone(scope) if scope is not None else None
    else:
        body = query.copy() if query is look.query.tree else None
    if body is None:
        return None
    for name in ("limit", "offset"):
        body.set(name, None)
    rows = look.count(body)
    if rows is None or rows <= kept:
        return None
    different = look.count(f"SELECT DISTINCT * FROM ({look.text(body)}) AS specbridge_rows LIMIT 2")
    return rows if different is not None and different > 1 else None


DETECTOR = Detector(SuspicionKind.CUT_WITHOUT_ORDER, BOTH_ENGINES, _find)
