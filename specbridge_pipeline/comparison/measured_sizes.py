"""How large the numbers were that were added up to make the floats of a reference.

They set how far a float reaches, see `cells.floor_of`. Where they cannot be measured, a float
reaches as far as its own value lets it: a comparison is rather too strict than too lenient.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from specbridge_pipeline.comparison.cells import finite_size, floor_of, reach_of
from specbridge_pipeline.comparison.tied_rows import KeyedRow
from specbridge_pipeline.databases.columnar_rows import ColumnarRows
from specbridge_pipeline.databases.results import Outcome, QueryFailure, QueryResult, Row
from specbridge_pipeline.sql.cut import (
    TopLevel,
    extension_statement,
    with_hidden_columns,
)
from specbridge_pipeline.sql.magnitudes import size_of, with_carried_sizes
from specbridge_pipeline.sql.order_keys import OrderKey


@dataclass(frozen=True, slots=True)
class ResultSizes:
    """The magnitudes behind the cells of a result's rows.

    Attributes:
        by_row: Row → magnitude of each cell, 0 where only its own value is known.
        unknown: What holds for a row that was not found again.
    """

    by_row: dict[Row, tuple[float, ...]]
    unknown: tuple[float, ...]

    def of(self, row: Row) -> tuple[float, ...]:
        """Return the magnitudes behind a row's cells."""
        return self.by_row.get(row, self.unknown)


def result_sizes(
    run: Callable[[str], Outcome], original: QueryResult, top: TopLevel
) -> ResultSizes | None:
    """Measure what was added up to make the floats of a query that keeps all its rows.

    Args:
        run: Runs one statement on the database.
        original: The query's result.
        top: The query.

    Returns:
        The sizes; None where nothing is added up or it cannot be measured.
    """
    expressions, body = _size_expressions(original, top)
    if not expressions or not isinstance(body, exp.Select):
        return None
    outcome = run(with_hidden_columns(body.copy(), list(expressions.values()), top.rules.dialect))
    if isinstance(outcome, QueryFailure):
        return None
    width = len(original.columns)
    places = {column: width + at for at, column in enumerate(expressions)}
    found: dict[Row, tuple[float, ...]] = {}
    for row in outcome.rows:
        sizes = tuple(_magnitude(row, column, places) for column in range(width))
        known = found.get(row[:width])
        found[row[:width]] = sizes if known is None else tuple(map(max, known, sizes))
    return ResultSizes(found, (0.0,) * width)


def keyed_rows(
    run: Callable[[str], Outcome],
    original: QueryResult,
    top: TopLevel,
    keys: tuple[OrderKey, ...],
    end: int | None,
    result: QueryResult,
) -> list[KeyedRow]:
    """Return the rows around a cut with their keys and the sizes of what made them.

    Args:
        run: Runs one statement on the database.
        original: The query's own result.
        top: The query.
        keys: Its bound ORDER BY keys.
        end: As `cut.extension_statement` was given it.
        result: What the extension statement gave.

    Returns:
        The rows in key order.
    """
    sizes, result = _with_sizes(run, original, top, keys, end, result)
    return [_keyed(row, len(original.columns), keys, sizes) for row in result.rows]


def _with_sizes(
    run: Callable[[str], Outcome],
    original: QueryResult,
    top: TopLevel,
    keys: tuple[OrderKey, ...],
    end: int | None,
    result: QueryResult,
) -> tuple[dict[int, int], QueryResult]:
    """Fetch the rows once more with the sizes of their cells and keys, where some can cancel.

    Returns output column → place of its size in the rows, a key's column counted after the visible
    ones; nothing and the rows as they are where sizes cannot be had.
    """
    width = len(original.columns)
    expressions, body = _size_expressions(original, top, keys, result)
    if not expressions:
        return {}, result
    sized = extension_statement(
        replace(top, body=body), keys, width, end, tuple(expressions.values())
    )
    outcome = run(sized.sql)
    plain = len(result.rows[0])
    if isinstance(outcome, QueryFailure) or not _same_start(outcome.rows, result.rows, plain):
        return {}, result
    return {column: plain + at for at, column in enumerate(expressions)}, outcome


def _same_start(rows: tuple[Row, ...], others: tuple[Row, ...], width: int) -> bool:
    return len(rows) == len(others) and all(
        row[:width] == other for row, other in zip(rows, others, strict=True)
    )


def _size_expressions(
    original: QueryResult,
    top: TopLevel,
    keys: tuple[OrderKey, ...] = (),
    result: QueryResult | None = None,
) -> tuple[dict[int, str], exp.Query]:
    """Return the sizes of the float columns and keys that can cancel, and the query to ask."""
    dialect = top.rules.dialect
    body, carried = with_carried_sizes(top.body)
    width = len(original.columns)
    found: dict[int, str] = {}
    if (
        not isinstance(body, exp.Select)
        or body.args.get("distinct")
        or len(body.expressions) != width
    ):
        return found, top.body
    for column, item in enumerate(body.expressions):
        if _holds_floats(original, column):
            size = size_of(item, body, carried, dialect)
            if size is not None:
                found[column] = size
    for index, key in enumerate(keys):
        floats = result is not None and _holds_floats(result, width + index)
        if floats and key.hidden is not None:
            try:
                size = size_of(sqlglot.parse_one(key.hidden, read=dialect), body, carried, dialect)
            except SqlglotError:
                continue
            if size is not None:
                found[width + index] = size
    return found, body


def _holds_floats(result: QueryResult, column: int) -> bool:
    if isinstance(result.contents, ColumnarRows):
        return float in result.contents.columns[column].kinds
    return any(isinstance(row[column], float) for row in result.contents)


def _keyed(row: Row, width: int, keys: tuple[OrderKey, ...], sizes: dict[int, int]) -> KeyedRow:
    ranks_from = width + len(keys)
    cells, own_keys = row[:width], row[width:ranks_from]
    magnitudes = tuple(_magnitude(row, column, sizes) for column in range(width))
    reaches = []
    for index, (key, cell) in enumerate(zip(keys, own_keys, strict=True)):
        place = width + index if key.position is None else key.position
        floor = floor_of(_magnitude(row, place, sizes))
        reaches.append(reach_of(cell, floor) if isinstance(cell, float) else 0.0)
    ranks = row[ranks_from : ranks_from + len(keys)]
    return KeyedRow(cells, magnitudes, own_keys, tuple(reaches), ranks)


def _magnitude(row: Row, column: int, sizes: dict[int, int]) -> float:
    """Return the measured size of a cell; 0 where there is none, so that its own value counts."""
    return finite_size(row[sizes[column]]) if column in sizes else 0.0
