"""Measuring the tables of a database with its own engine, two passes a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from specbridge_pipeline.catalogue.model import ColumnProfile
from specbridge_pipeline.databases.results import Cell, Outcome, QueryFailure, QueryResult, Row
from specbridge_pipeline.databases.schema import Table, quoted_if_needed
from specbridge_pipeline.errors import SpecBridgeError

Run = Callable[[str], Outcome]
"""Runs one query on the database that is catalogued."""

_VALUES_A_PASS = 400
"""Far below the engine's limits on the columns of a result and the length of a statement."""

_LONGEST_EXTREME = 200
"""Characters of a least or greatest value that are kept."""

_DAY = "[0-9][0-9][0-9][0-9]-[0-9]*-[0-9]*"
_CLOCK = "[0-9]*:[0-5][0-9]*"
_NUMERAL = "[0-9.+-]*"
_OTHER = "*[^0-9.,+-]*"

_EXTENTS = ("COUNT({column})", "COUNT(DISTINCT {column})", "MIN({column})", "MAX({column})")

# A number sorts before any text, a text before any blob. The sign keeps the engine from turning
# the other side into the column's declared type.
_COUNTS = {
    "integers": "SUM(typeof({column}) = 'integer')",
    "numbers": "SUM(+{column} < '')",
    "blobs": "SUM(+{column} >= x'')",
    "negative": "SUM(+{column} < 0)",
    "zero": "SUM(+{column} = 0)",
    "dates": f"SUM(+{{column}} >= '' AND ({{column}} GLOB '{_DAY}' OR {{column}} GLOB '{_CLOCK}'))",
    "numerals": f"SUM(+{{column}} >= '' "
    f"AND {{column}} GLOB '{_NUMERAL}' AND {{column}} NOT GLOB '{_OTHER}')",
    "longest": "MAX(CASE WHEN +{column} >= '' THEN length({column}) END)",
}
_COUNTS_OF_TEXT = ("dates", "numerals", "longest")


class CatalogueError(SpecBridgeError):
    """A database cannot be catalogued: one of the queries that measure it fails."""


@dataclass(frozen=True, slots=True)
class ColumnMeasures:
    """What was measured of a column, with what only the judgement of its role needs.

    Attributes:
        profile: What the catalogue keeps.
        dates: Texts that look like a day or a time of day.
        numerals: Texts that are made of digits, points and signs.
        longest: Characters of the longest text; 0 without one.
    """

    profile: ColumnProfile
    dates: int
    numerals: int
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


def measure_table(table: Table, run: Run) -> TableMeasures:
    """Measure a table's rows and columns.

    Two passes: the extent of all columns, then only the counts that their least and greatest
    values leave open, which on large tables takes half the time of counting everything.

    Args:
        table: The table.
        run: Runs a query on its database.

    Returns:
        Its measures.

    Raises:
        CatalogueError: A query fails, even for a single value of a single column.
    """
    rows = _measured_rows(table, run)
    names = [column.name for column in table.columns]
    cells = _values(table.name, [(name, each) for name in names for each in _EXTENTS], run)
    extents = [cells[start : start + len(_EXTENTS)] for start in range(0, len(cells), 4)]
    asked = [
        (name, count)
        for name, extent in zip(names, extents, strict=True)
        for count in _open_counts(extent)
    ]
    counted = _values(table.name, [(name, _COUNTS[count]) for name, count in asked], run)
    counts = dict(zip(asked, map(whole, counted), strict=True))
    return TableMeasures(
        rows,
        tuple(
            _measures(rows, extent, {count: counts.get((name, count)) for count in _COUNTS})
            for name, extent in zip(names, extents, strict=True)
        ),
    )


def count_distinct(
    table: str, columns: Sequence[str], run: Run, *, first_rows: int | None = None
) -> int:
    """Count the different combinations of values in rows that have all of them.

    Args:
        table: The table's name.
        columns: The columns' names.
        run: Runs a query on the database.
        first_rows: How many rows to look at, in the order in which they are stored; all if None.

    Raises:
        CatalogueError: The query fails.
    """
    names = [quoted_if_needed(name) for name in columns]
    present = " AND ".join(f"{name} IS NOT NULL" for name in names)
    source = quoted_if_needed(table)
    if first_rows is not None:
        source = f"(SELECT {', '.join(names)} FROM {source} LIMIT {first_rows})"
    sql = f"SELECT COUNT(*) FROM (SELECT DISTINCT {', '.join(names)} FROM {source} WHERE {present})"
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


def _measured_rows(table: Table, run: Run) -> int:
    sql = f"SELECT COUNT(*) FROM {quoted_if_needed(table.name)}"
    return whole(fetch_row(sql, run, f"table '{table.name}'")[0])


def _values(table: str, asked: Sequence[tuple[str, str]], run: Run) -> list[Cell]:
    """Return values of a table, each asked for as (column, expression)."""
    if not asked:
        return []
    if len(asked) > _VALUES_A_PASS:
        return [
            *_values(table, asked[:_VALUES_A_PASS], run),
            *_values(table, asked[_VALUES_A_PASS:], run),
        ]
    values = [expression.format(column=quoted_if_needed(column)) for column, expression in asked]
    outcome = run(f"SELECT {', '.join(values)} FROM {quoted_if_needed(table)}")
    if isinstance(outcome, QueryResult):
        return list(outcome.rows[0])
    if len(asked) == 1:
        raise _error(outcome, f"table '{table}', column '{asked[0][0]}'")
    # Together they may be over a limit that each of them keeps.
    half = len(asked) // 2
    return [*_values(table, asked[:half], run), *_values(table, asked[half:], run)]


def _open_counts(extent: Sequence[Cell]) -> list[str]:
    """Return the counts that a column's least and greatest value do not settle."""
    _, _, least, greatest = extent
    if isinstance(least, int | float) and isinstance(greatest, int | float):
        crosses = [("negative", least < 0), ("zero", least <= 0 <= greatest)]
        return ["integers", *(name for name, is_open in crosses if is_open)]
    if isinstance(least, str) and isinstance(greatest, str):
        return list(_COUNTS_OF_TEXT)
    return [] if least is None else list(_COUNTS)


def _measures(
    rows: int, extent: Sequence[Cell], counts: Mapping[str, int | None]
) -> ColumnMeasures:
    present, distinct, least, greatest = whole(extent[0]), whole(extent[1]), extent[2], extent[3]
    has_numbers = isinstance(least, int | float)
    # What was not counted is settled: all values are numbers, or all are texts.
    numbers = counts["numbers"]
    if numbers is None:
        numbers = present if has_numbers else 0
    integers = counts["integers"] or 0
    return ColumnMeasures(
        ColumnProfile(
            missing=rows - present,
            distinct=distinct,
            minimum=_extreme(least),
            maximum=_extreme(greatest),
            integers=integers,
            reals=numbers - integers,
            texts=present - numbers - (counts["blobs"] or 0),
            negative=counts["negative"] or 0,
            zero=counts["zero"] or 0,
        ),
        dates=counts["dates"] or 0,
        numerals=counts["numerals"] or 0,
        longest=counts["longest"] or 0,
    )


def _extreme(value: Cell) -> int | float | str | None:
    if isinstance(value, str):
        return value[:_LONGEST_EXTREME]
    return None if isinstance(value, bytes) else value


def _error(failure: QueryFailure, where: str) -> CatalogueError:
    return CatalogueError(
        f"it cannot be measured: {failure.message} ({failure.kind})",
        where=where,
        advice="a profile's query_steps and query_seconds say how much a query may use; "
        "an error of the engine says what is wrong with the file",
    )
