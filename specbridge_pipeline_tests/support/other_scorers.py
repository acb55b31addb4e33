"""How five other scorers decide whether a prediction is right, each as a rule of a few lines.

Written for these tests from what the official scorers do, none of it copied from them: only the
step from two statements to right or wrong is here, on one SQLite database. What surrounds it there
(several databases, processes, timeouts, other engines) is left out. Like the originals, the rules
run a prediction as it comes, without any guard.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal
from itertools import permutations
from typing import TypeAlias

import apsw
from sqlglot import TokenType, tokenize

from specbridge_pipeline.databases.results import Cell, Row

Rows: TypeAlias = list[Row]
Rule: TypeAlias = Callable[[apsw.Connection, str, str, bool], bool]
"""From a database, reference, prediction, and whether an order is asked for, to right or wrong."""


def rows_of(database: apsw.Connection, sql: str) -> Rows | None:
    """Run a statement, whatever it does; None where it fails."""
    table = _table_of(database, sql)
    return None if table is None else table[1]


def _table_of(database: apsw.Connection, sql: str) -> tuple[int, Rows] | None:
    """Run a statement and return how many columns it has, and its rows; None where it fails."""
    widths = [0]

    def note(cursor: apsw.Cursor, *_: object) -> bool:
        if cursor.is_readonly:
            widths.append(len(cursor.get_description()))
        return True

    cursor = database.cursor()
    cursor.exec_trace = note
    try:
        rows = list(cursor.execute(sql))
    except apsw.Error:
        return None
    return widths[-1], rows


def spider_test_suite(
    database: apsw.Connection, reference: str, prediction: str, ordered: bool
) -> bool:
    """Spider's test suite as it runs by default, with one database.

    DISTINCT is dropped from both statements, and a blank inside > =, < = and != from their texts;
    the order counts if and only if the reference's text holds "order by" anywhere; two empty
    results are equal; the columns may be in any order; values are equal as Python has them.
    """
    expected = rows_of(database, _spider_text(reference))
    found = rows_of(database, _spider_text(prediction))
    assert expected is not None, "a reference that fails stops this scorer"
    if found is None:
        return False
    if not expected and not found:
        return True
    if len(expected) != len(found) or len(expected[0]) != len(found[0]):
        return False
    in_order = "order by" in reference.lower()
    for places in permutations(range(len(found[0]))):
        moved = [tuple(row[place] for place in places) for row in found]
        if moved == expected if in_order else Counter(moved) == Counter(expected):
            return True
    return False


def _spider_text(sql: str) -> str:
    for blank, tight in (("> =", ">="), ("< =", "<="), ("! =", "!=")):
        sql = sql.replace(blank, tight)
    for token in reversed(tokenize(sql, read="sqlite")):
        if token.token_type is TokenType.DISTINCT:
            sql = sql[: token.start] + sql[token.end + 1 :]
    return sql


def bird(database: apsw.Connection, reference: str, prediction: str, ordered: bool) -> bool:
    """BIRD: the sets of rows are the same. The prediction runs first; a failure is wrong."""
    found = rows_of(database, prediction)
    expected = rows_of(database, reference)
    return found is not None and expected is not None and set(found) == set(expected)


_READ_AS_MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "n/a"})


def spider_2(database: apsw.Connection, reference: str, prediction: str, ordered: bool) -> bool:
    """Spider 2.0: for each column of the reference some column of the prediction matches it.

    Both results have been through a CSV file. A missing value is 0; numbers may differ by 0.01;
    without an order, the values of a column are sorted as text before they are compared.
    """
    expected = _table_of(database, reference)
    found = _table_of(database, prediction)
    if expected is None or found is None:
        return False
    theirs = _csv_columns(*found)
    return all(
        any(_spider_2_match(column, other, ordered) for other in theirs)
        for column in _csv_columns(*expected)
    )


def _csv_columns(width: int, rows: Rows) -> list[list[Cell]]:
    return [_from_csv([row[column] for row in rows]) for column in range(width)]


def _from_csv(column: list[Cell]) -> list[Cell]:
    """Read a column as from a CSV file: all numerals are numbers, what is missing is 0."""
    texts = ["" if cell is None else str(cell) for cell in column]
    present = [text for text in texts if text not in _READ_AS_MISSING]
    try:
        numbers = {text: float(text) for text in present}
    except ValueError:
        return [0 if text in _READ_AS_MISSING else text for text in texts]
    return [numbers.get(text, 0) for text in texts]


def _spider_2_match(ours: list[Cell], theirs: list[Cell], ordered: bool) -> bool:
    if not ordered:
        ours, theirs = sorted(ours, key=str), sorted(theirs, key=str)
    return len(ours) == len(theirs) and all(
        math.isclose(one, other, abs_tol=0.01)
        if isinstance(one, int | float) and isinstance(other, int | float)
        else one == other
        for one, other in zip(ours, theirs, strict=True)
    )


def ambrosia(database: apsw.Connection, reference: str, prediction: str, ordered: bool) -> bool:
    """AMBROSIA: one bag of all cells; by rows where the reference's text holds "order by".

    Then the cells of a row count in any order. A prediction without rows is wrong.
    """
    expected = rows_of(database, reference)
    found = rows_of(database, prediction)
    assert expected is not None, "a reference that fails stops this scorer"
    if not found:
        return False
    if "order by" not in reference.lower():
        return _cells(found) == _cells(expected)
    return [_cells([row]) for row in found] == [_cells([row]) for row in expected]


def _cells(rows: Iterable[Row]) -> Counter[Cell]:
    return Counter(cell for row in rows for cell in row)


def livesqlbench(database: apsw.Connection, reference: str, prediction: str, ordered: bool) -> bool:
    """LiveSQLBench: the sets of rows are the same, numbers rounded to two places.

    Comments, DISTINCT and ROUND are taken out of the texts of both statements first, and blanks
    are folded. Where an order is asked for, lists are compared. A result without rows is wrong.
    """
    expected = rows_of(database, _livesqlbench_text(reference))
    found = rows_of(database, _livesqlbench_text(prediction))
    if not expected or not found:
        return False
    ours, theirs = ([tuple(map(_two_places, row)) for row in rows] for rows in (expected, found))
    return ours == theirs if ordered else set(ours) == set(theirs)


def _two_places(cell: Cell) -> Cell:
    if not isinstance(cell, float) or not math.isfinite(cell):
        return cell
    return float(Decimal(str(cell)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


def _livesqlbench_text(sql: str) -> str:
    sql = re.sub(r"(?s)/\*.*?\*/", "", sql)
    # A comment that no line break ends is left.
    sql = re.sub(r"--[^\n]*\n", "\n", sql).strip()
    for found in reversed(list(re.finditer(r"(?i)\bdistinct\b", sql))):
        # DISTINCT ON stays, and with it any DISTINCT before an ON with no parenthesis between.
        until_parenthesis = re.split(r"[()]", sql[found.end() :], maxsplit=1)[0]
        if not re.search(r"(?i)\bon\b", until_parenthesis):
            sql = sql[: found.start()] + sql[found.end() :]
    sql = " ".join(sql.split())
    while found := re.search(r"(?i)round\s*\(", sql):
        inside, end = _first_argument(sql, found.end())
        if end is None:
            break
        sql = sql[: found.start()] + inside.strip() + sql[end:]
    return sql


def _first_argument(sql: str, start: int) -> tuple[str, int | None]:
    """Return a call's first argument, and where the call ends; parentheses alone are counted."""
    depth, argument_ends = 0, None
    for at in range(start, len(sql)):
        if sql[at] == "," and depth == 0 and argument_ends is None:
            argument_ends = at
        depth += {"(": 1, ")": -1}.get(sql[at], 0)
        if depth < 0:
            return sql[start : at if argument_ends is None else argument_ends], at + 1
    return "", None


RULES: dict[str, Rule] = {
    "spider": spider_test_suite,
    "bird": bird,
    "spider_2": spider_2,
    "ambrosia": ambrosia,
    "livesqlbench": livesqlbench,
}
TITLES = {
    "spider": "Spider test suite",
    "bird": "BIRD",
    "spider_2": "Spider 2.0",
    "ambrosia": "AMBROSIA",
    "livesqlbench": "LiveSQLBench",
}
