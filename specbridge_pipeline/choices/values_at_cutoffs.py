"""Values at a query's own cutoffs: they are measured, and no request is written for them.

Requests for cutoffs are written where a filter is added for one, at a value that many rows have.
What is measured here tells how often a query as it is drawn holds the same choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from specbridge_pipeline.choices.base_steps import named_steps, reads_tables
from specbridge_pipeline.choices.choice import Occurrence, Opportunity
from specbridge_pipeline.choices.presence import is_written
from specbridge_pipeline.choices.statement import emit, read_statement
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryFailure
from specbridge_pipeline.exact_description.structure import (
    ColumnValue,
    Comparison,
    Literal,
    Structure,
)
from specbridge_pipeline.query_generation.filter_forms import FILTER_SIDES, FilterForm

_BOUNDS = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_ALONE = "Queries are not edited at their own cutoffs, so that no request is written for it."
_INCLUSIVE, _STRICT = FILTER_SIDES[FilterForm.CUTOFF]


def cutoffs(
    sql: str, structure: Structure, engine: Engine, run: Callable[[str], Outcome]
) -> Iterator[tuple[Occurrence, Opportunity]]:
    """Yield the cutoffs of a query, each with how many rows have just its value.

    Args:
        sql: The query.
        structure: Its structure.
        engine: The engine that it is for.
        run: Runs a query on the database.

    Yields:
        Where a query keeps rows from a value on, or above it, and whether a row has that value.
    """
    statement = read_statement(sql, engine)
    for _, step in named_steps(structure):
        if statement is None or not reads_tables(step):
            continue
        for condition in dict.fromkeys(step.conditions):
            if not isinstance(condition, Comparison) or condition.operator in ("=", "<>"):
                continue
            column, value = condition.left, condition.right
            select = statement.select(step.name)
            if (
                select is None
                or not isinstance(column, ColumnValue)
                or not isinstance(value, Literal)
            ):
                continue
            if value.value == 0:
                # That a divisor is above zero keeps the query from failing: nobody chose it.
                continue
            name = f"{column.table}.{column.column}"
            taken = _INCLUSIVE if condition.operator in (">=", "<=") else _STRICT
            detail = f"{name} {condition.operator} {value.value}"
            occurrence = Occurrence(ChoiceType.STRICT_CUTOFF, step.name, None, taken, detail)
            yield occurrence, _measured(select, column, name, engine, run)


def _measured(
    select: exp.Select,
    column: ColumnValue,
    name: str,
    engine: Engine,
    run: Callable[[str], Outcome],
) -> Opportunity:
    where = select.args.get("where")
    bounds = [
        node
        for node in ([] if where is None else where.find_all(*_BOUNDS))
        if is_written(node.this, select, column)
    ]
    if len(bounds) != 1:
        return Opportunity(False, "The cutoff cannot be measured by itself.")
    [bound] = bounds
    bound.replace(exp.EQ(this=bound.this.copy(), expression=bound.expression.copy()))
    for part in ("order", "limit", "having", "group", "distinct"):
        select.set(part, None)
    select.set("expressions", [exp.Count(this=exp.Star())])
    outcome = run(emit(select, engine))
    if isinstance(outcome, QueryFailure):
        return Opportunity(False, f"The rows cannot be counted: {outcome.message}")
    [(rows,)] = outcome.rows
    return Opportunity(bool(rows), f"{rows!r} rows have just this value of {name}. {_ALONE}")
