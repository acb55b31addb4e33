"""Functions whose value does not follow from the data: random ones and the clock."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.comparison.determinacy.findings import Finding, Reason
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.aggregates import function_name
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ClockWords

_RANDOM = frozenset({"random", "randomblob", "rand", "uuid", "gen_random_uuid", "uuidv4", "uuidv7"})
_CLOCK_NODES = (
    exp.CurrentDate,
    exp.CurrentTime,
    exp.CurrentTimestamp,
    exp.CurrentDatetime,
)
_NODES_OF_TIME = (
    exp.Date,
    exp.TimeToStr,
    exp.TsOrDsToTimestamp,
    exp.TsOrDsToDate,
    exp.Timestamp,
)
"""What the parser makes of the functions of time whose names it knows."""


def chance_or_clock(query: exp.Query, engine: Engine = Engine.SQLITE) -> Finding | None:
    """Say whether a query calls a random function or reads the clock.

    Args:
        query: The query.
        engine: The engine that it is for.

    Returns:
        The finding, None where it does neither.
    """
    words = rules_of(engine).clock
    clock: exp.Expr | None = None
    for function in query.find_all(exp.Func):
        name = function_name(function)
        if isinstance(function, exp.Rand) or name in _RANDOM:
            return Finding(Reason.RANDOM_FUNCTION, "it calls a random function")
        if clock is None and _reads_clock(function, name, words):
            clock = function
    if clock is None:
        return None
    return Finding(Reason.CLOCK, f"its result depends on the clock: {clock.sql(engine)}")


def _reads_clock(function: exp.Func, name: str, words: ClockWords) -> bool:
    if isinstance(function, _CLOCK_NODES) or name in words.keywords or name in words.functions:
        return True
    arguments = list(function.iter_expressions())
    if name in words.measured_from_now:
        return len(arguments) == 1
    before = words.time_functions.get(name)
    if before is not None and len(arguments) == before:
        return True
    # A time is an argument of its own; the same word compared with a column is only a word.
    return (
        words.now is not None
        and (name in words.time_functions or isinstance(function, _NODES_OF_TIME))
        and any(
            isinstance(argument, exp.Literal)
            and argument.is_string
            and argument.name.strip().lower() == "now"
            for argument in arguments
        )
    )
