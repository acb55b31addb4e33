"""Whether the rules find anything to ask of a database, and in words why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from specbridge_pipeline.catalogue.model import Catalogue, CatalogueTable
from specbridge_pipeline.query_generation.column_rules import (
    FEWEST_ROWS,
    FEWEST_ROWS_A_GROUP,
    ColumnRules,
)
from specbridge_pipeline.query_generation.look_ahead import can_reach
from specbridge_pipeline.query_generation.requests import QueryRequest
from specbridge_pipeline.query_generation.type_rules import TypeRules

_MOST_REASONS = 2


def why_unusable(catalogue: Catalogue, requests: Iterable[QueryRequest]) -> str:
    """Say why no query that is wanted is possible on a database, by its catalogue and the rules.

    Args:
        catalogue: The catalogue.
        requests: What is wanted.

    Returns:
        The reason as a phrase that a person can check; empty where the rules allow something.
    """
    filled = [table for table in catalogue.tables if table.rows]
    if not catalogue.tables:
        return "no tables"
    if not filled:
        return "empty: no table has rows"
    most = max(table.rows for table in filled)
    if most < FEWEST_ROWS:
        return (
            f"too few rows: the largest table has {most}, and fewer than {FEWEST_ROWS} make no "
            "groups"
        )
    rules = TypeRules(catalogue)
    targets = [target for request in requests for target in request.targets()]
    if any(can_reach(start.shape, target) for start in rules.starts for target in targets):
        return ""
    large = [table for table in filled if table.rows >= FEWEST_ROWS]
    return _missing_part(large, rules.columns)


def why_undelivered(reasons: Iterable[str]) -> str:
    """Say why the rules allow queries and none is delivered, by what the data checks found.

    Args:
        reasons: Why attempts and steps were rejected.

    Returns:
        The commonest reasons, as a phrase.
    """
    common = [reason for reason, _ in Counter(reasons).most_common(_MOST_REASONS)]
    return f"no query passes the checks on the data: {', '.join(common) or 'none was built'}"


def _missing_part(tables: list[CatalogueTable], columns: ColumnRules) -> str:
    named = _named(tables)
    groups = any(columns.is_key(column, table) for table in tables for column in table.columns)
    if not groups:
        return (
            f"no repeated rows: no column of {named} that rows could be grouped by has values with "
            f"{FEWEST_ROWS_A_GROUP} rows each on average"
        )
    measures = any(
        columns.is_measure(column, table) for table in tables for column in table.columns
    )
    if not measures:
        return f"no numeric measure in {named}, and counts alone do not reach the depths"
    return f"too few groups: no column of {named} splits the rows into three groups or more"


def _named(tables: list[CatalogueTable]) -> str:
    names = [table.name for table in tables]
    if len(names) > 3:
        return f"the {len(names)} tables with {FEWEST_ROWS} rows or more"
    return f"the table{'s' if len(names) > 1 else ''} {' and '.join(names)}"
