"""Conditions over rows: whether they differ in a value, and whether two keys differ by noise."""

from __future__ import annotations

from collections.abc import Iterable

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.engines import rules_of

_NOISE = "1e-9"


def differ(value: str, engine: Engine = Engine.SQLITE, condition: str = "") -> str:
    """Return an aggregate condition that holds where the rows of a group differ in a value.

    Args:
        value: An expression.
        engine: The engine to write for.
        condition: A FILTER clause for the rows that count; empty for all rows.

    Returns:
        SQL that is true where two rows differ in the value, its type or its letter case, or where
        it is missing from some rows only. It may be NULL where they do not.
    """
    compared = rules_of(engine).exact.format(value=value)
    least, most = f"MIN({compared}){condition}", f"MAX({compared}){condition}"
    types = f"MIN(TYPEOF({value})){condition} <> MAX(TYPEOF({value})){condition}"
    present, rows = f"COUNT({value}){condition}", f"COUNT(*){condition}"
    return f"({present} > 0 AND ({present} < {rows} OR {least} <> {most} OR {types}))"


def any_differ(values: Iterable[str], engine: Engine = Engine.SQLITE) -> str:
    """Return an aggregate condition that holds where the rows of a group differ in some value.

    Args:
        values: Expressions, at least one.
        engine: The engine to write for.
    """
    return " OR ".join(differ(value, engine) for value in values)


def flag(condition: str) -> str:
    """Return 1 where a condition holds, else 0."""
    return f"CASE WHEN {condition} THEN 1 ELSE 0 END"


def near(left: str, right: str, engine: Engine = Engine.SQLITE) -> str:
    """Return a condition that holds where two floats differ by no more than rounding noise.

    Args:
        left: An expression of any type.
        right: Another one.
        engine: The engine to write for.
    """
    return rules_of(engine).near.format(left=left, right=right, part=_NOISE)
