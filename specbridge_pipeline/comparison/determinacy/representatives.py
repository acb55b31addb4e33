"""Rows that DISTINCT and set operations take for the same although they differ."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.comparison.determinacy.asking import Asker, UnansweredError
from specbridge_pipeline.comparison.determinacy.findings import Finding, Reason
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.group_questions import representative_question
from specbridge_pipeline.sql.parsing import shorten
from specbridge_pipeline.sql.places import used_outputs


def concerns(query: exp.Query) -> bool:
    """Say whether a query keeps one row for each value of a part of its columns.

    Args:
        query: A SELECT or set operation inside a statement.
    """
    distinct = query.args.get("distinct")
    return isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None


def concerns_under_collations(query: exp.Query) -> bool:
    """Say whether a query keeps one of several rows that it takes for the same.

    Args:
        query: A SELECT or set operation inside a statement.
    """
    return bool(query.args.get("distinct"))


def find(asker: Asker, query: exp.Query) -> Finding | None:
    """Find rows that differ only in what a collation ignores.

    Args:
        asker: Asks the database.
        query: A query that `concerns` names.

    Returns:
        The finding; None where rows that are taken for the same are the same.

    Raises:
        UnansweredError: It cannot be found out.
    """
    if concerns(query):
        raise UnansweredError("which row DISTINCT ON keeps is not looked at")
    if not asker.has_collations or used_outputs(query, None) == frozenset():
        return None
    width = len(asker.names(query))
    if not asker.holds(query, representative_question(query, width, asker.engine)):
        return None
    return Finding(
        Reason.COLLATION_REPRESENTATIVE,
        "rows that a collation takes for the same, and that differ, are represented by one of "
        f"them: {shorten(emit(query, asker.engine))}",
    )
