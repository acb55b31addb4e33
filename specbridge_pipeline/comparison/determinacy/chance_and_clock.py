"""Functions whose value does not follow from the data: random ones and the clock."""

from __future__ import annotations

from sqlglot import exp

from specbridge_pipeline.comparison.determinacy.findings import Finding, Reason
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.aggregates import function_name

_RANDOM = frozenset({"random", "randomblob", "rand", "uuid", "gen_random_uuid", "uuidv4", "uuidv7"})
_CLOCK_NODES = (
    exp.CurrentDate,
    exp.CurrentTime,
    exp.CurrentTimestamp,
    exp.CurrentDatetime,
)
_CLOCK_NAMES = frozenset(
    {
        "now",
        "today",
        "transaction_timestamp",
        "localtime",
        "localtimestamp",
        *(
            f"{which}_{what}"
            for which in ("current", "get_current")
            for what in ("time", "timestamp")
        ),
        *("current_date", "current_localtime", "current_localtimestamp"),
    }
)
_FROM_NOW_WITHOUT_ARGUMENTS = frozenset({"date", "time", "datetime", "julianday", "unixepoch"})
"""SQLite's functions of time, which mean now where they are given no time."""
_NAMES_OF_NOW = frozenset({"now", "current_timestamp", "today"})


def chance_or_clock(query: exp.Query, engine: Engine = Engine.SQLITE) -> Finding | None:
    """Say whether a query calls a random function or reads the clock.

    Args:
        query: The query.
        engine: The engine that it is for.

    Returns:
        The finding, None where it does neither.
    """
    clock: exp.Expr | None = None
    for function in query.find_all(exp.Func):
        name = function_name(function)
        if isinstance(function, exp.Rand) or name in _RANDOM:
            return Finding(Reason.RANDOM_FUNCTION, "it calls a random function")
        if clock is None and _reads_clock(function, name, engine):
            clock = function
    if clock is None:
        return None
    return Finding(Reason.CLOCK, f"its result depends on the clock: {clock.sql(engine)}")


def _reads_clock(function: exp.Func, name: str, engine: Engine) -> bool:
    if isinstance(function, _CLOCK_NODES) or name in _CLOCK_NAMES:
        return True
    if engine != Engine.SQLITE:
        return name == "age" and len(list(function.iter_expressions())) == 1
    arguments = list(function.iter_expressions())
    if name in _FROM_NOW_WITHOUT_ARGUMENTS and not arguments:
        return True
    if name == "strftime" and len(arguments) == 1:
        return True
    # A time is an argument of its own; the same word compared with a column is only a word.
    return any(
        isinstance(argument, exp.Literal)
        and argument.is_string
        and argument.name.lower() in _NAMES_OF_NOW
        for argument in arguments
    ) and _is_of_time(function, name)


def _is_of_time(function: exp.Func, name: str) -> bool:
    return name in _FROM_NOW_WITHOUT_ARGUMENTS | {"strftime", "timediff"} or isinstance(
        function,
        exp.Date | exp.TimeToStr | exp.TsOrDsToTimestamp | exp.TsOrDsToDate | exp.Timestamp,
    )
