"""Times that are cut into days: in which time zone does a day begin?"""

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
from specbridge_pipeline.databases.schema import Column, Table
from specbridge_pipeline.sql.aggregates import function_name
from specbridge_pipeline.sql.places import own_nodes

_DAY_FUNCTIONS = frozenset({"date", "day", "dayofweek", "hour", "tsordstodate"})
_DAY_FORMATS = ("%d", "%j", "%w", "%H", "%F", "%u")


def _find(look: Look) -> Iterator[Suspicion]:
    if not look.has_data:
        return
    seen: set[tuple[str, str]] = set()
    for scope in look.query.scopes:
        for node in own_nodes(scope.select):
            if not _cuts_day(node):
                continue
            for column in node.find_all(exp.Column):
                origin = look.origin(scope, column)
                if origin is None or (origin[0].name, origin[1].name) in seen:
                    continue
                evidence = _times(look, *origin)
                if not evidence:
                    continue
                seen.add((origin[0].name, origin[1].name))
                name = look.name(scope, column)
                yield Suspicion(
                    SuspicionKind.DAY_IN_TIME_ZONE,
                    True,
                    f"{name} is cut into days at midnight of the time zone in which it is stored.",
                    "A day begins at midnight of the time zone of whoever reads the answer.",
                    evidence,
                    None,
                    node,
                )


def _cuts_day(node: exp.Expr) -> bool:
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type(exp.DType.DATE))
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc):
        unit = node.args.get("unit")
        return unit is not None and unit.name.upper() in ("DAY", "HOUR")
    if isinstance(node, exp.Like) and isinstance(node.expression, exp.Literal):
        text = node.expression.name
        return len(text) >= len("2000-01-01%") and text[4] == text[7] == "-" and text[10] == "%"
    if not isinstance(node, exp.Func):
        return False
    if isinstance(node, exp.Date | exp.TsOrDsToDate | exp.Day | exp.Hour):
        return True
    if isinstance(node, exp.TimeToStr | exp.StrToTime):
        written = node.args.get("format")
        return written is not None and any(each in written.name for each in _DAY_FORMATS)
    if function_name(node) == "strftime":
        return any(
            isinstance(each, exp.Literal) and any(form in each.name for form in _DAY_FORMATS)
            for each in node.find_all(exp.Literal)
        )
    return function_name(node) in _DAY_FUNCTIONS


def _times(look: Look, table: Table, column: Column) -> str:
    """Say how many values of a column were taken from a clock; nothing for none.

    Times on full quarters of an hour are appointments, which are local wherever they are read.
    """
    name, owner = (
        exp.to_identifier(each.name, quoted=True).sql(look.engine) for each in (column, table)
    )
    text = f"CAST({name} AS VARCHAR)"
    found = look.numbers(
        f"SELECT SUM(CASE WHEN {text} LIKE '____-__-_____:__%' AND "
        f"(SUBSTR({text}, 15, 2) NOT IN ('00', '15', '30', '45') OR "
        f"SUBSTR({text}, 18, 2) NOT IN ('', '00')) THEN 1 ELSE 0 END), COUNT({name}) FROM {owner}"
    )
    if found is None or not found[0]:
        return ""
    timed, values = int(found[0]), int(found[1])
    verb = "has" if timed == 1 else "have"
    return f"{timed:,} of {counted(values, 'value')} {verb} a time of day to the minute."


DETECTOR = Detector(SuspicionKind.DAY_IN_TIME_ZONE, BOTH_ENGINES, _find)
