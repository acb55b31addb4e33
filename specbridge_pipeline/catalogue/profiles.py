"""Measuring the tables of a database with its own engine, in as few passes as it allows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal

from specbridge_pipeline.catalogue.model import ColumnProfile
from specbridge_pipeline.databases.many_queries import for_each
from specbridge_pipeline.databases.results import Cell, Outcome, QueryFailure, QueryResult, Row
from specbridge_pipeline.databases.schema import Table
from specbridge_pipeline.errors import SpecBridgeError
from specbridge_pipeline.sql.engines.rules import (
    NUMERIC_KINDS,
    TEXT_KINDS,
    ColumnKind,
    EngineRules,
)

Run = Callable[[str], Outcome]
"""Runs one query on the database that is catalogued."""

_VALUES_A_PASS = 400
"""Far below the engine's limits on the columns of a result and the length of a statement."""
_ROWS_OF_LARGE_TABLE = 50_000
"""From so many rows on, what is calculated in a pass costs far more than reading them again."""
_STEPS_A_PASS = 350_000_000
_STEPS_A_VALUE = 7
"""What one value costs a row; a pass stays below what a query may use by a profile's default."""

_LONGEST_EXTREME = 200
"""Characters of a least or greatest value that are kept."""

FEWEST_ALIKE = 0.9
"""Share of a column's values that must look alike for the data to decide what they are."""

_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_COUNTS_OF_DIGITS = ("dates", "numerals", "plain_numbers")
_COUNTS = ("integers", "numbers", "blobs", "negative", "zero", *_COUNTS_OF_DIGITS, "longest")
_Counts = dict[str, int | None]


class CatalogueError(SpecBridgeError):
    """A database cannot be catalogued: one of the queries that measure it fails."""


@dataclass(frozen=True, slots=True)
class ColumnMeasures:
    """What was measured of a column, with what only the judgement of its role needs.

    Attributes:
        profile: What the catalogue keeps.
        dates: Texts that look like a day or a time of day, and values that are one by their type.
            Like the next two it is not counted, and 0, where too few texts start like a number for
            it to decide anything.
        numerals: Texts that are made of digits, points and signs.
        plain_numbers: Texts that the engine takes for the number that they show.
        longest: Characters of the longest text; 0 without one.
    """

    profile: ColumnProfile
    dates: int
    numerals: int
    plain_numbers: int
    longest: int


@dataclass(frozen=True, slots=True)
class TableMeasures:
    """What was measured of a table.

    Attributes:
        rows: Its rows.
        columns: Its columns' measures in declared order.
    """

    rows: int
    columns: tuple[ColumnMeasures, ...]


def measure_table(table: Table, run: Run, rules: EngineRules, *, at_once: int = 1) -> TableMeasures:
    """Measure a table's rows and columns, every figure exactly.

    After the rows are counted, one pass takes the extent of all columns with the counts that
    nearly every column of its kind needs, and a second one only the counts that the least and
    greatest values leave open. A large table is read in as many passes as run at a time, each for
    a part of its columns, and one of millions of rows in more, each within the limits of one query.

    Args:
        table: The table.
        run: Runs a query on its database.
        rules: What holds for its engine.
        at_once: How many passes run at a time; `run` is called from as many threads.

    Returns:
        Its measures.

    Raises:
        CatalogueError: A query fails, even for a single value of a single column.
    """
    rows = _measured_rows(table, run, rules)
    kinds = [rules.kind_of(each.declared_type) for each in table.columns]
    extents, early = _first_pass(table, kinds, rows, run, rules, at_once)
    settle = _counts_of_kind if rules.strict_types else _counts_of_values
    settled = [
        settle(kind, extent, counts)
        for kind, extent, counts in zip(kinds, extents, early, strict=True)
    ]
    asked = [
        (column.name, count)
        for column, counts in zip(table.columns, settled, strict=True)
        for count, known in counts.items()
        if known is None
    ]
    expressions = [(name, rules.profile.counts[count]) for name, count in asked]
    cells = _in_passes(table.name, expressions, rows, run, rules, at_once)
    counted = dict(zip(asked, map(whole, cells), strict=True))
    return TableMeasures(
        rows,
        tuple(
            _measures(
                rows,
                extent,
                {
                    count: counted[column.name, count] if known is None else known
                    for count, known in counts.items()
                },
            )
            for column, extent, counts in zip(table.columns, extents, settled, strict=True)
        ),
    )


def _first_pass(
    table: Table,
    kinds: Sequence[ColumnKind],
    rows: int,
    run: Run,
    rules: EngineRules,
    at_once: int,
) -> tuple[list[Sequence[Cell]], list[Mapping[str, int]]]:
    """Return the extent of each column, and the counts that are taken with it."""
    statements = rules.profile
    asked: list[tuple[str, str]] = []
    places: list[tuple[int, tuple[str, ...]]] = []
    for column, kind in zip(table.columns, kinds, strict=True):
        present, distinct, least, greatest = statements.extents(kind)
        # No two rows share a key, so that counting its values counts the different ones.
        distinct = present if table.primary_key == (column.name,) else distinct
        early = statements.early(kind)
        places.append((len(asked), early))
        asked += [(column.name, each) for each in (present, distinct, least, greatest)]
        asked += [(column.name, statements.counts[count]) for count in early]
    cells = _in_passes(table.name, asked, rows, run, rules, at_once)
    extents: list[Sequence[Cell]] = [cells[start : start + 4] for start, _ in places]
    counts = [
        dict(zip(early, map(whole, cells[start + 4 :]), strict=False)) for start, early in places
    ]
    return extents, list(counts)


def _in_passes(
    table: str,
    asked: Sequence[tuple[str, str]],
    rows: int,
    run: Run,
    rules: EngineRules,
    at_once: int,
) -> list[Cell]:
    """Return values of a table, each asked for as (column, expression), in as few passes as do."""
    size = max(4, min(_VALUES_A_PASS, _STEPS_A_PASS // (_STEPS_A_VALUE * max(rows, 1))))
    if rows >= _ROWS_OF_LARGE_TABLE:
        size = min(size, max(1, math.ceil(len(asked) / at_once)))
    parts = [asked[start : start + size] for start in range(0, len(asked), size)]
    return for_each(
        parts,
        lambda part: _values(table, part, run, rules),
        description=table,
        progress=None,
        at_once=at_once,
    )


def count_distinct(table: str, columns: Sequence[str], run: Run, rules: EngineRules) -> int:
    """Count the different combinations of values in rows that have all of them.

    Args:
        table: The table's name.
        columns: The columns' names.
        run: Runs a query on the database.
        rules: What holds for its engine.

    Raises:
        CatalogueError: The query fails.
    """
    names = [rules.quoted(name) for name in columns]
    present = " AND ".join(f"{name} IS NOT NULL" for name in names)
    source = f"{rules.quoted(table)} WHERE {present}"
    sql = f"SELECT COUNT(*) FROM (SELECT DISTINCT {', '.join(names)} FROM {source})"
    return whole(fetch_row(sql, run, f"table '{table}', columns {', '.join(columns)}")[0])


def fetch_row(sql: str, run: Run, where: str) -> Row:
    """Return the one row of a query of ours.

    Args:
        sql: The query.
        run: Runs it.
        where: What it measures, for the error.

    Raises:
        CatalogueError: It fails.
    """
    outcome = run(sql)
    if isinstance(outcome, QueryFailure):
        raise _error(outcome, where)
    return outcome.rows[0]


def whole(value: Cell) -> int:
    """Return a count as the engine gives it; the sum of no rows counts as zero."""
    return value if isinstance(value, int) else 0


def _measured_rows(table: Table, run: Run, rules: EngineRules) -> int:
    sql = f"SELECT COUNT(*) FROM {rules.quoted(table.name)}"
    return whole(fetch_row(sql, run, f"table '{table.name}'")[0])


def _values(
    table: str, asked: Sequence[tuple[str, str]], run: Run, rules: EngineRules
) -> list[Cell]:
    """Return values of a table in one pass, or in more where the engine refuses them together."""
    values = [expression.format(column=rules.quoted(column)) for column, expression in asked]
    outcome = run(f"SELECT {', '.join(values)} FROM {rules.quoted(table)}")
    if isinstance(outcome, QueryResult):
        return list(outcome.rows[0])
    if len(asked) == 1:
        raise _error(outcome, f"table '{table}', column '{asked[0][0]}'")
    # Together they may be over a limit that each of them keeps.
    half = len(asked) // 2
    return [*_values(table, asked[:half], run, rules), *_values(table, asked[half:], run, rules)]


def _counts_of_values(
    kind: ColumnKind, extent: Sequence[Cell], early: Mapping[str, int]
) -> _Counts:
    """Return what a column's least and greatest value settle; None for what is to be counted."""
    present, _, least, greatest = extent
    settled: _Counts = dict.fromkeys(_COUNTS, 0)
    if isinstance(least, int | float) and isinstance(greatest, int | float):
        return settled | {
            # A column that leans towards floats stores whole numbers as floats too.
            "integers": 0 if kind is ColumnKind.REAL else early.get("integers"),
            "numbers": whole(present),
            "negative": None if least < 0 else 0,
            "zero": None if least <= 0 <= greatest else 0,
        }
    if isinstance(least, str) and isinstance(greatest, str):
        return settled | _counts_of_text(early, whole(present), (least, greatest))
    return settled if least is None else dict.fromkeys(_COUNTS)


def _counts_of_text(
    early: Mapping[str, int], present: int, extremes: tuple[str, str] | None = None
) -> _Counts:
    known: _Counts = {count: early.get(count) for count in (*_COUNTS_OF_DIGITS, "longest")}
    # Days and numbers start with a digit, a sign or a point.
    if early.get("digits_first", present) < FEWEST_ALIKE * present:
        return known | dict.fromkeys(_COUNTS_OF_DIGITS, 0)
    # All are numbers or it does not matter how many are.
    if extremes is not None and not all(map(_PLAIN_NUMBER.fullmatch, extremes)):
        return known | {"plain_numbers": 0}
    return known


def _counts_of_kind(kind: ColumnKind, extent: Sequence[Cell], early: Mapping[str, int]) -> _Counts:
    """Return what a column's type settles; None for what is to be counted."""
    present, least = whole(extent[0]), extent[2]
    settled: _Counts = dict.fromkeys(_COUNTS, 0)
    if not present:
        return settled
    if kind in TEXT_KINDS:
        return settled | _counts_of_text(early, present)
    if kind is ColumnKind.TIME:
        return settled | {"dates": present}
    if kind is ColumnKind.OTHER:
        return settled | {"blobs": present}
    is_negative = kind in NUMERIC_KINDS and isinstance(least, int | float | Decimal) and least < 0
    return settled | {
        "integers": present if kind in (ColumnKind.INTEGER, ColumnKind.TRUTH) else 0,
        "numbers": present,
        "negative": None if is_negative else 0,
        "zero": early.get("zero"),
    }


def _measures(
    rows: int, extent: Sequence[Cell], counts: Mapping[str, int | None]
) -> ColumnMeasures:
    present, distinct = whole(extent[0]), whole(extent[1])
    known = {count: number or 0 for count, number in counts.items()}
    times = known["dates"] if isinstance(extent[2], date | time) else 0
    return ColumnMeasures(
        ColumnProfile(
            missing=rows - present,
            distinct=distinct,
            minimum=_extreme(extent[2]),
            maximum=_extreme(extent[3]),
            integers=known["integers"],
            reals=known["numbers"] - known["integers"],
            texts=present - known["numbers"] - known["blobs"] - times,
            negative=known["negative"],
            zero=known["zero"],
        ),
        dates=known["dates"],
        numerals=known["numerals"],
        plain_numbers=known["plain_numbers"],
        longest=known["longest"],
    )


def _extreme(value: Cell) -> int | float | str | None:
    match value:
        case str():
            return value[:_LONGEST_EXTREME]
        case int():
            return value
        case float():
            # Nothing compares with NaN, which an engine may order after all other numbers.
            return None if math.isnan(value) else value
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case date() | time():
            return value.isoformat()
    return None


def _error(failure: QueryFailure, where: str) -> CatalogueError:
    return CatalogueError(
        f"it cannot be measured: {failure.message} ({failure.kind})",
        where=where,
        advice="a profile's query_steps and query_seconds say how much a query may use; "
        "an error of the engine says what is wrong with the file",
    )
