"""Plans on the shop in one line of words, so that a table of cases can be read."""

import re

from specbridge_pipeline.query_generation.plan import (
    Aggregate,
    Baseline,
    BaselineOf,
    Column,
    Condition,
    FilterAbove,
    Fold,
    Function,
    Grouped,
    Join,
    Operator,
    Reaggregate,
    Share,
    Source,
)

_LINE = re.compile(
    r"(?P<function>\w+) (?:(?P<columns>[\w ]+) )?of purchases(?P<join> with customer)?"
    r"(?: where (?P<column>\w+) (?P<operator>=|>) (?P<value>\w+))?, by (?P<keys>[\w ]+)"
    r"(?:, (?P<then>as share|averaged|above average))?"
)


def plan_of(line):
    """Return the plan that a line says."""
    said = _LINE.fullmatch(line)
    assert said, line
    conditions = ()
    if said["column"]:
        value = int(said["value"]) if said["value"].isdigit() else said["value"]
        conditions = (Condition(_column(said["column"]), Operator(said["operator"]), value),)
    joins = (Join("customer", ("id",), "purchase", ("customer_id",)),) if said["join"] else ()
    keys = tuple(_column(name) for name in said["keys"].split(" and "))
    function = Function.COUNT_ROWS if said["function"] == "count" else Function(said["function"])
    columns = tuple(_column(name) for name in (said["columns"] or "").split(" and ") if name)
    step = Grouped(Source("purchase", joins, conditions), keys, Aggregate(function, columns))
    match said["then"]:
        case "as share":
            return Share(step)
        case "averaged":
            return Reaggregate(step, keys[0] if len(keys) == 2 else None, Fold.AVERAGE)
        case "above average":
            return FilterAbove(step, Baseline(BaselineOf.GROUPS))
    return step


def _column(name):
    return Column("customer" if name in ("name", "city") else "purchase", name)
