"""The second look at a finished query, by code that shares nothing with the generator's checks.

The generator checks each step on rows that it keeps; here the finished SQL is run whole, and what
it must be is read from the tree of its SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryFailure, Row
from specbridge_pipeline.query_generation.generation import rows_digest
from specbridge_pipeline.sql.depth import measure_depth
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.parsing import parse_query


@dataclass(frozen=True, slots=True)
class FinishedQuery:
    """A query that was delivered, with what is claimed of it.

    Attributes:
        sql: The query.
        step_depth: The step depth that was asked for.
        arithmetic_depth: The arithmetic depth that was asked for; None for any.
        rows: How many rows it returns.
        result_hash: Hash of these rows.
    """

    sql: str
    step_depth: int
    arithmetic_depth: int | None
    rows: int
    result_hash: str


def recheck(
    query: FinishedQuery, run: Callable[[str], Outcome], engine: Engine = Engine.SQLITE
) -> tuple[str, ...]:
    """Say what is wrong with a finished query.

    Args:
        query: The query.
        run: Runs it on the database.
        engine: The engine that it is for.

    Returns:
        A phrase for each fault; empty where it runs, has the rows that are claimed and at least
        one, no missing quantity, no quantity that is the same in all rows before they are cut, and
        the depths that were asked for.
    """
    return tuple(_faults(query, run, engine))


def _faults(query: FinishedQuery, run: Callable[[str], Outcome], engine: Engine) -> Iterator[str]:
    depth = measure_depth(query.sql, engine)
    if depth.step != query.step_depth:
        yield f"step depth {depth.step}, not {query.step_depth}"
    if query.arithmetic_depth not in (None, depth.arithmetic):
        yield f"arithmetic depth {depth.arithmetic}, not {query.arithmetic_depth}"
    outcome = run(query.sql)
    if isinstance(outcome, QueryFailure):
        yield f"does not run: {outcome.message}"
        return
    if not outcome.rows:
        yield "empty answer"
        return
    if len(outcome.rows) != query.rows or rows_digest(outcome.rows) != query.result_hash:
        yield "other rows than were found when it was made"
        return
    tree = parse_query(query.sql, engine)
    quantities = quantity_columns(tree)
    if not quantities:
        yield "no quantity"
    if any(row[place] is None for row in outcome.rows for place in quantities):
        yield "a missing quantity"
    whole = run(uncut(tree).sql(rules_of(engine).dialect))
    rows: Sequence[Row] = outcome.rows if isinstance(whole, QueryFailure) else whole.rows
    if len(rows) > 1:
        for place in quantities:
            if len({row[place] for row in rows}) == 1:
                yield f"column {place + 1} is the same in all rows"


def quantity_columns(query: exp.Query) -> tuple[int, ...]:
    """Return the columns of a query's result that are computed, by position.

    Where nothing is computed, it is what the rows are ordered by.

    Args:
        query: The query; its WITH entries are followed.
    """
    computed: dict[str, set[str]] = {}
    for entry in query.find_all(exp.CTE):
        computed[entry.alias.lower()] = {
            each.alias_or_name.lower()
            for each in entry.this.selects
            if _is_computed(each, entry.this, computed)
        }
    found = tuple(
        place for place, each in enumerate(query.selects) if _is_computed(each, query, computed)
    )
    return found or _ordering(query)


def uncut(query: exp.Query) -> exp.Query:
    """Return a query without what keeps only its first rows in the end: LIMIT, or a tested place.

    Rows that an earlier step ranks within groups stay cut: what follows is computed from these.

    Args:
        query: The query, which is left as it is.
    """
    whole = query.copy()
    places = {
        each.alias.lower()
        for each in whole.find_all(exp.Alias)
        if isinstance(each.this, exp.Window)
        and isinstance(each.this.this, exp.Rank | exp.RowNumber | exp.DenseRank)
    }
    whole.set("limit", None)
    condition = whole.args.get("where")
    if condition is not None:
        tests = list(condition.this.flatten()) if isinstance(condition.this, exp.And) else []
        kept = [each for each in tests or [condition.this] if not _tests_place(each, places)]
        whole.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    return whole


def _is_computed(output: exp.Expr, select: exp.Query, computed: dict[str, set[str]]) -> bool:
    value = output.unalias()
    if not isinstance(value, exp.Column):
        return not isinstance(value, exp.Literal)
    sources = {
        table.alias_or_name.lower(): table.name.lower()
        for table in select.find_all(exp.Table)
        if table.find_ancestor(exp.Select) is select
    }
    name, owner = value.name.lower(), value.table.lower()
    names = [sources[owner]] if owner in sources else list(sources.values())
    return any(name in computed.get(each, ()) for each in names)


def _ordering(query: exp.Query) -> tuple[int, ...]:
    """Return the position of the output that the rows are ordered or ranked by."""
    names = [each.alias_or_name.lower() for each in query.selects]
    keys = [
        column.name.lower()
        for ordered in query.find_all(exp.Ordered)
        for column in ordered.find_all(exp.Column)
    ]
    return tuple(sorted({names.index(key) for key in keys if key in names}))


def _tests_place(condition: exp.Expr, places: set[str]) -> bool:
    return isinstance(condition, exp.LTE | exp.LT | exp.EQ) and (
        isinstance(condition.this, exp.Column) and condition.this.name.lower() in places
    )
