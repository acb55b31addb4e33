"""Whether a query determines its result on a database, decided by counting on the data.

Each construct that may leave a result open is asked about with statements derived from the query.
A query without such a construct costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from specbridge_pipeline.comparison.determinacy import cuts, groups, representatives, windows
from specbridge_pipeline.comparison.determinacy.asking import Asker, UnansweredError
from specbridge_pipeline.comparison.determinacy.chance_and_clock import chance_or_clock
from specbridge_pipeline.comparison.determinacy.findings import Finding, Reason
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryResult
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.parsing import parse_query, shorten

_CHECKS = (cuts, windows, groups, representatives)


def determinacy(
    run: Callable[[str], Outcome], sql: str, engine: Engine = Engine.SQLITE
) -> Finding | None:
    """Say why a query does not determine its result on a database.

    Args:
        run: Runs one statement on the database.
        sql: The query, which runs.
        engine: The engine of the database.

    Returns:
        The finding, or None where the query determines its result: its rows, and their order as
        far as its ORDER BY names one. Ties that a LIMIT at the top cuts through are no finding,
        since each of the results that follow is known. Where it cannot be found out the reason is
        `UNDECIDED`.

    Raises:
        UnusableReferenceError: The text is no single query.
        WorkerError: A worker was lost, which says nothing about the query.
    """
    query = parse_query(sql, engine)
    return chance_or_clock(query, engine) or open_on_data(run, sql, query, engine)


def open_on_data(
    run: Callable[[str], Outcome],
    sql: str,
    query: exp.Query,
    engine: Engine = Engine.SQLITE,
    *,
    original: QueryResult | None = None,
) -> Finding | None:
    """Say what the data show to leave a query's result open.

    Args:
        run: Runs one statement on the database.
        sql: The query, which runs.
        query: Its tree.
        engine: The engine of the database.
        original: The query's result where it is known already; else it is run if need be.

    Returns:
        The finding, the innermost one first; None where there is none. Findings about the order
        of rows alone come after those about the rows.

    Raises:
        WorkerError: A worker was lost, which says nothing about the query.
    """
    parts = list(query.find_all(exp.Select, exp.SetOperation))[::-1]
    pairs = [(check, part) for part in parts for check in _CHECKS]
    suspects = [(check, part) for check, part in pairs if check.concerns(part)]
    asker = Asker(run, query, engine)
    try:
        # Whether there are collations at all is asked only where one would matter.
        spelled = any(check.concerns_under_collations(part) for check, part in pairs)
        if spelled and asker.has_collations:
            suspects = [
                (check, part)
                for check, part in pairs
                if check.concerns(part) or check.concerns_under_collations(part)
            ]
    except UnansweredError as error:
        return Finding(Reason.UNDECIDED, f"its collations are not known: {error.message}")
    if not suspects:
        return None
    if not asker.faithful(sql, original):
        return Finding(Reason.UNDECIDED, "written back from its tree the query gives other rows")
    of_order: Finding | None = None
    for check, part in suspects:
        try:
            finding: Finding | None = check.find(asker, part)
        except UnansweredError as error:
            where = shorten(emit(part, engine))
            finding = Finding(Reason.UNDECIDED, f"{where}: {error.message}")
        if finding is not None and not finding.order_only:
            return finding
        of_order = of_order or finding
    return of_order
