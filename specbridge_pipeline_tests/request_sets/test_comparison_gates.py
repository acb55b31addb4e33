"""What no comparison may let through, on every query of the project and its real result.

Each result is changed in the ways in which answers go wrong, and the verdict on it is held against
a second opinion: the bag of rows, with rows that tie at the cut found from the query without its
LIMIT. What the second opinion lets through has to be equal, and nothing else may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
import sqlglot
from sqlglot import exp

from specbridge_pipeline.comparison.column_mapping import compare_allowing_columns
from specbridge_pipeline.comparison.reference import build_reference
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.results import Cell, QueryResult, Row
from specbridge_pipeline.request_sets.records import RequestSet, Side
from specbridge_pipeline_tests.support.sample_databases import Run, RunOn, all_sets

Rows = tuple[Row, ...]

QUERIES = [pytest.param(each, side, id=f"{each.id}-{side}") for each in all_sets() for side in Side]
pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What a query allows: the rows before its cut, and some of those tied at it.

    `keys` are the ORDER BY keys of its rows where it has a LIMIT.
    """

    before: Counter[tuple[object, ...]]
    tied: Counter[tuple[object, ...]]
    rows: int
    keys: tuple[tuple[object, ...], ...] = ()

    def allows(self, rows: Rows, width: int) -> bool:
        if any(len(row) != width for row in rows) or len(rows) != self.rows:
            return False
        left = Counter(map(nearly, rows))
        return self.before <= left and left - self.before <= self.tied


def nearly(row: Row) -> tuple[object, ...]:
    """A row that is the same for floats that differ by noise alone."""
    return tuple(
        ("number", int(cell) if cell == int(cell) else f"{cell:.12g}")
        if isinstance(cell, float | int)
        else cell
        for cell in row
    )


def second_opinion(run: Run, sql: str) -> SecondOpinion:
    query = sqlglot.parse_one(sql, read="sqlite")
    assert isinstance(query, exp.Select)
    limit = query.args.get("limit")
    if limit is None:
        rows = rows_of(run, sql)
        return SecondOpinion(Counter(map(nearly, rows)), Counter(), len(rows))
    width = len(query.expressions)
    query.set("limit", None)
    places = []
    for ordered in query.args["order"].expressions:
        key = ordered.this
        if key.name in query.named_selects[:width] and isinstance(key, exp.Column):
            places.append(query.named_selects.index(key.name))
        else:
            places.append(len(query.expressions))
            query = query.select(key.copy())
    everything = rows_of(run, query.sql("sqlite"))
    count = min(int(limit.expression.name), len(everything))
    keys = [nearly(tuple(row[place] for place in places)) for row in everything]
    first = keys.index(keys[count - 1])
    tied = [nearly(row[:width]) for row, key in zip(everything, keys, strict=True)]
    last = len(keys) - keys[::-1].index(keys[count - 1])
    if last == count:
        first = count
    return SecondOpinion(
        Counter(tied[:first]), Counter(tied[first:last]), count, tuple(keys[:count])
    )


def rows_of(run: Run, sql: str) -> Rows:
    result = run(sql)
    assert isinstance(result, QueryResult), result
    return result.rows


def changed(rows: Rows, at: int, column: int, cell: Cell) -> Rows:
    row = rows[at]
    return (*rows[:at], (*row[:column], cell, *row[column + 1 :]), *rows[at + 1 :])


def first_cell(rows: Rows, wanted: Callable[[Cell], bool]) -> tuple[int, int, Cell] | None:
    return next(
        (
            (at, column, cell)
            for at, row in enumerate(rows)
            for column, cell in enumerate(row)
            if wanted(cell)
        ),
        None,
    )


def is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float) and abs(cell) < 1e5


def is_cut_by_rounding(cell: Cell) -> bool:
    """Whether two places are so few that what is lost is no noise."""
    return isinstance(cell, float) and abs(cell - round(cell, 2)) > 1e-8 * abs(cell)


def mutations(rows: Rows) -> Iterator[tuple[str, Rows]]:
    """Yield a result changed in the ways in which answers go wrong; the same where none applies."""
    width = len(rows[0])
    yield "rows in another order", rows[::-1]
    yield "a row dropped", rows[1:]
    yield "the last row dropped", rows[:-1]
    yield "a row added again", (*rows, rows[0])
    yield "a row in the place of another", (*rows[:-1], rows[0])
    repeated = next((row for row, count in Counter(rows).items() if count > 1), None)
    if repeated is not None:
        at = rows.index(repeated)
        yield "a duplicate dropped", (*rows[:at], *rows[at + 1 :])
    yield "duplicates dropped", tuple(dict.fromkeys(rows))
    yield "no rows", ()
    for column in range(width):
        others = [row[column] for row in rows]
        moved = [*others[1:], others[0]]
        yield (
            f"cells of column {column + 1} in other rows",
            tuple(
                (*row[:column], cell, *row[column + 1 :])
                for row, cell in zip(rows, moved, strict=True)
            ),
        )
        if len(rows) > 1:
            swapped = changed(rows, 0, column, rows[-1][column])
            swapped = changed(swapped, len(rows) - 1, column, rows[0][column])
            yield f"a cell of column {column + 1} exchanged", swapped
        yield f"NULL in column {column + 1}", changed(rows, 0, column, None)
    if found := first_cell(rows, lambda cell: cell is None):
        yield "0 for NULL", changed(rows, found[0], found[1], 0)
        yield "an empty text for NULL", changed(rows, found[0], found[1], "")
    if found := first_cell(rows, is_cut_by_rounding):
        at, column, cell = found
        assert isinstance(cell, float)
        yield "a cell rounded", changed(rows, at, column, round(cell, 2))
        yield "a cell rounded to a whole number", changed(rows, at, column, float(round(cell)))
        yield (
            "all rounded",
            tuple(tuple(round(c, 2) if isinstance(c, float) else c for c in r) for r in rows),
        )
    if found := first_cell(rows, is_number):
        at, column, cell = found
        assert isinstance(cell, int | float)
        yield "a number off by 0.009", changed(rows, at, column, cell + 0.009)
        yield "a number off by one", changed(rows, at, column, cell + 1)
        yield "a number of the other sign", changed(rows, at, column, -cell)
        yield "a number as text", changed(rows, at, column, str(cell))
    if found := first_cell(rows, lambda cell: isinstance(cell, str)):
        at, column, cell = found
        assert isinstance(cell, str)
        yield "a text in other letters", changed(rows, at, column, cell.swapcase())
        yield "a text with a blank", changed(rows, at, column, f"{cell} ")
    if width > 1:
        yield "two columns exchanged", tuple((row[1], row[0], *row[2:]) for row in rows)
        yield "the last column dropped", tuple(row[:-1] for row in rows)
        yield "all in one column", tuple((cell,) for row in rows for cell in row)
    yield "a column twice", tuple((*row, row[0]) for row in rows)
    yield "rows for columns", tuple(zip(*rows, strict=True))
    yield "all in one row", (tuple(cell for row in rows for cell in row),)


@pytest.mark.parametrize(("request_set", "side"), QUERIES)
def test_a_changed_result_is_equal_only_where_the_query_allows_it(
    request_set: RequestSet, side: Side, run_on: RunOn
) -> None:
    run = run_on(request_set.database)
    sql = request_set.interpretations[side].sql
    reference = build_reference(run, sql)
    result = run(sql)
    assert isinstance(result, QueryResult)
    width = len(result.columns)
    opinion = second_opinion(run, sql)
    assert opinion.allows(result.rows, width)
    assert compare(reference, result).kind is VerdictKind.EQUAL
    assert reference.exact is not bool(opinion.tied)
    if opinion.keys:
        backwards = replace(result, contents=result.rows[::-1])
        kind = compare(reference, backwards, ordered=True).kind
        assert compare(reference, result, ordered=True).kind is VerdictKind.EQUAL
        assert (kind is VerdictKind.EQUAL) is (opinion.keys == opinion.keys[::-1])
    refused = 0
    for name, rows in mutations(result.rows):
        # A result of no rows keeps its columns.
        columns = result.columns if not rows else tuple(f"c{n}" for n in range(len(rows[0])))
        candidate = replace(
            result, contents=rows, columns=columns, declared_types=(None,) * len(columns)
        )
        allowed = opinion.allows(rows, width)
        verdict = compare(reference, candidate)
        assert verdict.kind is not VerdictKind.UNDECIDED, name
        assert (verdict.kind is VerdictKind.EQUAL) is allowed, (name, verdict)
        refused += not allowed
        if name in ("two columns exchanged", "a column twice"):
            assert compare_allowing_columns(reference, candidate).kind is VerdictKind.EQUAL, name
    assert refused >= 8


@pytest.mark.parametrize(("request_set", "side"), QUERIES)
def test_the_other_interpretation_is_never_equal(
    request_set: RequestSet, side: Side, run_on: RunOn
) -> None:
    run = run_on(request_set.database)
    reference = build_reference(run, request_set.interpretations[side].sql)
    other = run(request_set.interpretations[side.other].sql)
    assert compare(reference, other).kind is VerdictKind.NOT_EQUAL
    assert compare_allowing_columns(reference, other).kind is VerdictKind.NOT_EQUAL
