"""DuckDB: columns hold what their types say, division never drops a fraction, NULLs come last."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from decimal import Decimal

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Cell
from specbridge_pipeline.sql.engines.rules import (
    NUMERIC_KINDS,
    TEXT_KINDS,
    ClockWords,
    ColumnKind,
    EngineRules,
    ProfileStatements,
    ZeroDivision,
    text_literal,
)

# The engine's words that are reserved, or that only name a type, a function or a column.
_KEYWORDS = """
ALL ANALYSE ANALYZE AND ANTI ANY ARRAY AS ASC ASOF ASYMMETRIC AT AUTHORIZATION BETWEEN BIGINT
BINARY BIT BOOLEAN BOTH BY CASE CAST CHAR CHARACTER CHECK COALESCE COLLATE COLLATION COLUMN COLUMNS
CONCURRENTLY CONSTRAINT CREATE CROSS DEC DECIMAL DEFAULT DEFERRABLE DESC DESCRIBE DISTINCT DO ELSE
END EXCEPT EXISTS EXTRACT FALSE FETCH FLOAT FOR FOREIGN FREEZE FROM FULL GENERATED GLOB GROUP
GROUPING GROUPING_ID HAVING ILIKE IN INITIALLY INNER INOUT INT INTEGER INTERSECT INTERVAL INTO IS
ISNULL JOIN LAMBDA LATERAL LEADING LEFT LIKE LIMIT MAP NATIONAL NATURAL NCHAR NONE NOT NOTNULL NULL
NULLIF NUMERIC OFFSET ON ONLY OR ORDER OUT OUTER OVERLAPS OVERLAY PIVOT PIVOT_LONGER PIVOT_WIDER
PLACING POSITION POSITIONAL PRECISION PRIMARY QUALIFY REAL REFERENCES RETURNING RIGHT ROW SELECT
SEMI SETOF SHOW SIMILAR SMALLINT SOME STRUCT SUBSTRING SUMMARIZE SYMMETRIC TABLE TABLESAMPLE THEN
TIME TIMESTAMP TO TRAILING TREAT TRIM TRUE TRY_CAST TUPLE UNION UNIQUE UNPACK UNPIVOT USING VALUES
VARCHAR VARIADIC VERBOSE WHEN WHERE WINDOW WITH XMLATTRIBUTES XMLCONCAT XMLELEMENT XMLEXISTS
XMLFOREST XMLNAMESPACES XMLPARSE XMLPI XMLROOT XMLSERIALIZE XMLTABLE
"""

_INTEGER_TYPE = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|BIGNUM")
# Further words that the engine or the parser reads as something else where a name may stand.
_MISREAD = """
ALTER CONNECT_BY_ROOT CUBE CURRENT_CATALOG CURRENT_DATE CURRENT_SCHEMA CURRENT_TIME
CURRENT_TIMESTAMP CURRENT_USER DROP FORCE GRANT IF INSERT INSTALL LOCALTIME LOCALTIMESTAMP LOCK
PARTITIONED_BY RECURSIVE REGEXP REVOKE RLIKE ROLLBACK ROLLUP SESSION_USER UNCACHE USER XOR
"""

_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC)(?:\(\s*[0-9]+\s*(?:,\s*([0-9]+)\s*)?\))?")
_TIME = re.compile(r"DATE|(?:TIMESTAMP|TIME)(?:TZ|_S|_MS|_NS)?(?: WITH(?:OUT)? TIME ZONE)?")

_TEXT = "CAST({column} AS VARCHAR)"
_DAY = "^[0-9][0-9][0-9][0-9]-[0-9].*-[0-9]"
_CLOCK = "^[0-9].*:[0-5][0-9]"
_NUMERAL = "^[.,+-]*[0-9][0-9.,+-]*$"
_PLAIN_NUMBER = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)"


def _extents(kind: ColumnKind) -> tuple[str, str, str, str]:
    counts = ("COUNT({column})", "COUNT(DISTINCT {column})")
    if kind is ColumnKind.OTHER:
        return (*counts, "NULL", "NULL")
    value = _TEXT if kind is ColumnKind.LISTED_TEXT else "{column}"
    return (*counts, f"MIN({value})", f"MAX({value})")


def _early(kind: ColumnKind) -> tuple[str, ...]:
    if kind in TEXT_KINDS:
        return ("dates", "numerals", "plain_numbers", "longest")
    return ("zero",) if kind in NUMERIC_KINDS or kind is ColumnKind.TRUTH else ()


_PROFILE = ProfileStatements(
    extents=_extents,
    early=_early,
    # What a value is follows from its column's type and is not counted.
    counts={
        "negative": "COUNT_IF({column} < 0)",
        "zero": "COUNT_IF({column} = 0)",
        "dates": f"COUNT_IF(regexp_matches({_TEXT}, '{_DAY}') "
        f"OR regexp_matches({_TEXT}, '{_CLOCK}'))",
        "numerals": f"COUNT_IF(regexp_matches({_TEXT}, '{_NUMERAL}'))",
        "plain_numbers": f"COUNT_IF(regexp_full_match({_TEXT}, '{_PLAIN_NUMBER}'))",
        "longest": f"MAX(length({_TEXT}))",
    },
)


def _kind_of(declared_type: str) -> ColumnKind:
    declared = " ".join(declared_type.upper().split())
    if _INTEGER_TYPE.fullmatch(declared):
        return ColumnKind.INTEGER
    if declared == "DOUBLE":
        return ColumnKind.REAL
    if declared in ("FLOAT", "REAL"):
        return ColumnKind.SINGLE
    if decimal := _DECIMAL.fullmatch(declared):
        # A decimal with no place after the point is a whole number.
        written, scale = "(" in declared, decimal[1] or "0"
        return ColumnKind.INTEGER if written and int(scale) == 0 else ColumnKind.DECIMAL
    if re.fullmatch(r"(?:VARCHAR|TEXT|STRING|CHAR|BPCHAR|UUID)(?:\([0-9]+\))?", declared):
        return ColumnKind.TEXT
    if declared.startswith("ENUM(") and declared.endswith(")"):
        return ColumnKind.LISTED_TEXT
    if declared in ("BOOLEAN", "BOOL"):
        return ColumnKind.TRUTH
    return ColumnKind.TIME if _TIME.fullmatch(declared) else ColumnKind.OTHER


def _literal(value: Cell) -> str | None:
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return repr(value)
        case float():
            return _float_literal(value)
        case Decimal():
            return f"{value:f}" if value.is_finite() else None
        case str():
            return text_literal(value)
        case datetime():
            kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ"
            return f"{kind} '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case time() if value.tzinfo is None:
            return f"TIME '{value.isoformat()}'"
    return None


def _float_literal(value: float) -> str:
    if not math.isfinite(value):
        return f"CAST('{value!r}' AS DOUBLE)"
    # Without an exponent the engine would read a decimal.
    text = repr(value)
    return text if "e" in text else f"{text}e0"


_TODAY = "DATE '{date}'"
_LOCAL_TIME = "TIME '{time}'"
_LOCAL_NOW = "TIMESTAMP '{date} {time}'"
_TIME_IN_ZONE = "TIMETZ '{time}+00'"
_NOW_IN_ZONE = "TIMESTAMPTZ '{date} {time}+00'"

DUCKDB = EngineRules(
    engine=Engine.DUCKDB,
    dialect="duckdb",
    quoted_words=frozenset(_KEYWORDS.split() + _MISREAD.split()),
    strict_types=True,
    kind_of=_kind_of,
    missing_first_ascending=False,
    missing_first_descending=False,
    drops_fractions=False,
    quotient="{0} / {1}",
    zero_division=ZeroDivision.INFINITE,
    # REAL and FLOAT have four bytes.
    real_types=frozenset({"DOUBLE"}),
    largest_integer=2**128 - 1,
    negative_limits=False,
    columns_follow_keys=False,
    bare_columns=False,
    exact="CAST({value} AS VARCHAR) COLLATE C",
    collations=None,
    near="(TYPEOF({left}) IN ('DOUBLE', 'FLOAT') "
    "AND ABS(TRY_CAST({left} AS DOUBLE) - TRY_CAST({right} AS DOUBLE)) "
    "<= {part} * ABS(TRY_CAST({right} AS DOUBLE)))",
    rewritten_casts=frozenset(),
    name_only=('"{name}"', '"'),
    literal=_literal,
    missing_column=re.compile(r'Referenced column "(.*?)" not found'),
    views=None,
    profile=_PROFILE,
    clock=ClockWords(
        keywords={
            "current_date": _TODAY,
            "current_time": _TIME_IN_ZONE,
            "current_timestamp": _NOW_IN_ZONE,
            "localtime": _LOCAL_TIME,
            "localtimestamp": _LOCAL_NOW,
        },
        functions={
            "current_date": _TODAY,
            "current_localtime": _LOCAL_TIME,
            "current_localtimestamp": _LOCAL_NOW,
            "get_current_time": _TIME_IN_ZONE,
            "get_current_timestamp": _NOW_IN_ZONE,
            "now": _NOW_IN_ZONE,
            "today": _TODAY,
            "transaction_timestamp": _NOW_IN_ZONE,
        },
        time_functions={},
        now=None,
        measured_from_now={"age": f"{_LOCAL_NOW}, "},
    ),
)
