"""The kinds of suspicion that are looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from specbridge_pipeline.choices.conventions.proving import Run
from specbridge_pipeline.choices.suspicions import (
    arbitrary_row,
    cancelled_left_join,
    cut_without_order,
    day_in_time_zone,
    distinct_values_added,
    dropped_fraction,
    equals_missing,
    excluding_conditions,
    missing_first,
    not_in_missing,
    one_for_none,
    other_spelling,
    repeated_rows,
    rounded_output,
    status_kept,
    text_order,
    unconnected_tables,
)
from specbridge_pipeline.choices.suspicions.looking import Look
from specbridge_pipeline.choices.suspicions.suspicion import Detector, Suspicion, SuspicionKind
from specbridge_pipeline.sql.column_origins import ResolvedQuery

_MODULES = (
    cancelled_left_join,
    not_in_missing,
    excluding_conditions,
    equals_missing,
    missing_first,
    repeated_rows,
    arbitrary_row,
    one_for_none,
    dropped_fraction,
    text_order,
    cut_without_order,
    other_spelling,
    distinct_values_added,
    unconnected_tables,
    day_in_time_zone,
    status_kept,
    rounded_output,
)

DETECTORS: Mapping[SuspicionKind, Detector] = MappingProxyType(
    {module.DETECTOR.kind: module.DETECTOR for module in _MODULES}
)
"""Kind → what finds it, in the order in which they are reported."""


def suspicions(query: ResolvedQuery, run: Run | None) -> tuple[Suspicion, ...]:
    """Find what hardly anyone means by a query, and what may matter, without any question.

    Args:
        query: The query, with its names resolved; its schema says for which engine it is.
        run: Runs a query on the database. Without it only what the SQL and the schema show is
            found.

    Returns:
        The suspicious places first, then those that are only noted, each in the order of the
        kinds and of the query's own text. An edited query that gives no result on the database is
        left out.
    """
    look = Look(query, run)
    found = [
        _with_edit_that_runs(look, each)
        for detector in DETECTORS.values()
        if query.schema.engine in detector.engines
        for each in detector.find(look)
    ]
    return tuple(sorted(found, key=lambda each: each.noted))


def _with_edit_that_runs(look: Look, suspicion: Suspicion) -> Suspicion:
    if not look.has_data or suspicion.edited is None or look.rows(suspicion.edited) is not None:
        return suspicion
    return replace(suspicion, edited=None)
