"""SQLite: values carry their types, declared types only lean towards one."""

from __future__ import annotations

import math
import re

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Cell
from specbridge_pipeline.sql.engines.rules import (
    ClockWords,
    ColumnKind,
    EngineRules,
    ProfileStatements,
    ZeroDivision,
    text_literal,
)

_KEYWORDS = """
ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN
BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS
CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED DELETE
DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL
FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP GROUPS HAVING IF IGNORE
IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST
LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR
ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE
REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS
SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION
UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHIN WITHOUT
"""

_DAY = "[0-9][0-9][0-9][0-9]-[0-9]*-[0-9]*"
_CLOCK = "[0-9]*:[0-5][0-9]*"
_NUMERAL = "[0-9.+-]*"
_OTHER = "*[^0-9.,+-]*"
_NO_PLAIN_NUMBER = "*[^0-9.]*"
_SEVERAL_POINTS = "*.*.*"
_SEVERAL_SIGNS = "[+-][+-]*"
_EXTENTS = ("COUNT({column})", "COUNT(DISTINCT {column})", "MIN({column})", "MAX({column})")


def _early(kind: ColumnKind) -> tuple[str, ...]:
    if kind is ColumnKind.TEXT:
        return ("digits_first", "longest")
    return () if kind is ColumnKind.REAL else ("integers",)


_PROFILE = ProfileStatements(
    extents=lambda kind: _EXTENTS,
    early=_early,
    # A number sorts before any text, a text before any blob. The sign keeps the engine from
    # turning the other side into the column's declared type.
    counts={
        "integers": "SUM(typeof({column}) = 'integer')",
        "numbers": "SUM(+{column} < '')",
        "blobs": "SUM(+{column} >= x'')",
        "negative": "SUM(+{column} < 0)",
        "zero": "SUM(+{column} = 0)",
        # Between "+" and ":" lie the digits, the signs and the point, whatever the collation.
        "digits_first": "SUM(+{column} >= '+' AND +{column} < ':')",
        "dates": f"SUM(+{{column}} >= '' "
        f"AND ({{column}} GLOB '{_DAY}' OR {{column}} GLOB '{_CLOCK}'))",
        "numerals": f"SUM(+{{column}} >= '' "
        f"AND {{column}} GLOB '{_NUMERAL}' AND {{column}} GLOB '*[0-9]*' "
        f"AND {{column}} NOT GLOB '{_OTHER}')",
        "plain_numbers": f"SUM(+{{column}} >= '' AND {{column}} GLOB '*[0-9]*' "
        f"AND ltrim({{column}}, '+-') NOT GLOB '{_NO_PLAIN_NUMBER}' "
        f"AND {{column}} NOT GLOB '{_SEVERAL_POINTS}' AND {{column}} NOT GLOB '{_SEVERAL_SIGNS}')",
        "longest": "MAX(CASE WHEN +{column} >= '' THEN length({column}) END)",
    },
)


def _kind_of(declared_type: str) -> ColumnKind:
    """Return the affinity of a declared type by the engine's own rules, in their order."""
    declared = declared_type.upper()
    if "INT" in declared:
        return ColumnKind.INTEGER
    if any(part in declared for part in ("CHAR", "CLOB", "TEXT")):
        return ColumnKind.TEXT
    if not declared or "BLOB" in declared:
        return ColumnKind.OTHER
    if any(part in declared for part in ("REAL", "FLOA", "DOUB")):
        return ColumnKind.REAL
    return ColumnKind.NUMBER


def _literal(value: Cell) -> str | None:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    return None


_NOW = "'{date} {time}'"

SQLITE = EngineRules(
    engine=Engine.SQLITE,
    dialect="sqlite",
    quoted_words=frozenset(_KEYWORDS.split()),
    strict_types=False,
    kind_of=_kind_of,
    missing_first_ascending=True,
    missing_first_descending=False,
    drops_fractions=True,
    quotient="1.0 * {0} / {1}",
    zero_division=ZeroDivision.MISSING,
    real_types=frozenset({"DOUBLE", "FLOAT"}),
    largest_integer=2**63 - 1,
    negative_limits=True,
    columns_follow_keys=True,
    bare_columns=True,
    exact="{value} COLLATE BINARY",
    collations="SELECT COUNT(*) FROM sqlite_master WHERE sql LIKE '%COLLATE%'",
    near="(TYPEOF({left}) = 'real' AND TYPEOF({right}) = 'real' "
    "AND ABS({left} - {right}) <= {part} * ABS({right}))",
    rewritten_casts=frozenset(
        {"BOOLEAN", "DATE", "DATETIME", "DECIMAL", "TIME", "TIMESTAMP", "TIMESTAMPTZ"}
    ),
    # Between double quotes the engine would take an unknown name for a string.
    name_only=("`{name}`", "`"),
    literal=_literal,
    missing_column=re.compile(r"no such column: (\S.*)$"),
    views="SELECT name FROM sqlite_schema WHERE type = 'view'",
    profile=_PROFILE,
    clock=ClockWords(
        keywords={
            "current_date": "'{date}'",
            "current_time": "'{time}'",
            "current_timestamp": _NOW,
        },
        functions={},
        time_functions={
            **dict.fromkeys(("date", "time", "datetime", "julianday", "unixepoch"), 0),
            "strftime": 1,
            "timediff": None,
        },
        now=_NOW,
        measured_from_now={},
    ),
)
