"""Measures equal what counting by hand gives, however wide or odd the table."""

from typing import Any

import pytest

from specbridge_pipeline.catalogue.model import ColumnProfile
from specbridge_pipeline.catalogue.profiles import CatalogueError, count_distinct, measure_table
from specbridge_pipeline.databases.results import FailureKind, Outcome, QueryFailure
from specbridge_pipeline.databases.schema import Column, Table
from specbridge_pipeline.sql.engines.duckdb import DUCKDB
from specbridge_pipeline.sql.engines.sqlite import SQLITE


def table(name: str, *columns: str) -> Table:
    return Table(name, tuple(Column(column, "", False, 0) for column in columns), ())


def test_each_storage_class_is_counted(make_runner: Any) -> None:
    run = make_runner(
        """
        CREATE TABLE t (a, b REAL, c TEXT COLLATE NOCASE, "d ""{x}", e INTEGER);
        INSERT INTO t VALUES
          (1, 1, 'x', x'00', NULL), (-2.5, 0, 'X', NULL, NULL), ('text', -3, '2020-01-02', 5, NULL),
          (0, NULL, '12.5', 'é', NULL), (x'ff', 2, '', 0, NULL), (NULL, 2, NULL, -1, NULL);
        """
    )
    found = measure_table(table("t", "a", "b", "c", 'd "{x}', "e"), run, SQLITE)
    assert found.rows == 6
    profiles = [column.profile for column in found.columns]
    assert profiles == [
        ColumnProfile(1, 5, -2.5, None, 2, 1, 1, 1, 1),
        ColumnProfile(1, 4, -3.0, 2.0, 0, 5, 0, 1, 1),
        ColumnProfile(1, 4, "", "x", 0, 0, 5, 0, 0),
        ColumnProfile(1, 5, -1, None, 3, 0, 1, 1, 1),
        ColumnProfile(6, 0, None, None, 0, 0, 0, 0, 0),
    ]
    texts = found.columns[2]
    assert (texts.dates, texts.numerals, texts.longest) == (1, 2, 10)


def test_a_table_of_many_columns_is_measured_in_parts(make_runner: Any) -> None:
    names = [f"column_{place}" for place in range(1500)]
    run = make_runner(
        f"CREATE TABLE wide ({', '.join(names)});"
        f"INSERT INTO wide VALUES ({', '.join(str(place) for place in range(1500))})"
    )
    found = measure_table(table("wide", *names), run, SQLITE)
    assert [column.profile.maximum for column in found.columns] == list(range(1500))
    assert {column.profile.integers for column in found.columns} == {1}


def test_columns_that_are_too_much_together_are_measured_one_by_one(
    make_runner: Any,
) -> None:
    run = make_runner("CREATE TABLE t (a, b, c); INSERT INTO t VALUES (1, 2, 'x'), (4, 5, 'y')")

    def tight(sql: str) -> Outcome:
        if sql.count("(") > 3:
            return QueryFailure(FailureKind.TOO_MANY_STEPS, "too much")
        return run(sql)

    assert measure_table(table("t", "a", "b", "c"), tight, SQLITE) == measure_table(
        table("t", "a", "b", "c"), run, SQLITE
    )


def test_a_failure_says_which_column_it_was(make_runner: Any) -> None:
    run = make_runner("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    with pytest.raises(CatalogueError, match=r"^table 't', column 'gone': .*gone"):
        measure_table(table("t", "a", "gone"), run, SQLITE)
    with pytest.raises(CatalogueError, match=r"^table 'nowhere': "):
        measure_table(table("nowhere", "a"), run, SQLITE)


def test_combinations_leave_out_rows_with_a_missing_value(make_runner: Any) -> None:
    run = make_runner(
        "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 1), (1, 2), (1, 2), (NULL, 1), (2, NULL)"
    )
    assert count_distinct("t", ["a", "b"], run, SQLITE) == 2


def test_columns_with_types_that_hold_are_measured_by_their_types(
    make_duckdb_runner: Any,
) -> None:
    run = make_duckdb_runner(
        """
        CREATE TABLE t (
          a BIGINT, b DECIMAL(8, 2), c VARCHAR, d DATE, e BOOLEAN, f DOUBLE,
          g ENUM('low', 'high'), h INTEGER[], i DECIMAL(9, 0), j TIME, k INTEGER, l HUGEINT);
        INSERT INTO t VALUES
          (-1, 1.50, '2020-01-02', '2020-01-02', TRUE, 'nan', 'low', [1], 7, '10:30', NULL, 5),
          (0, -2.25, '12.5', '1999-12-31', FALSE, 0, 'high', [2, 3], 0, '09:00', NULL, 0),
          (5, NULL, 'x', NULL, FALSE, -1, 'low', NULL, 7, '10:30', NULL, NULL);
        """
    )
    types = (
        *("BIGINT", "DECIMAL(8,2)", "VARCHAR", "DATE", "BOOLEAN", "DOUBLE"),
        *("ENUM('low', 'high')", "INTEGER[]", "DECIMAL(9,0)", "TIME", "INTEGER", "HUGEINT"),
    )
    columns = [
        Column(name, kind, False, 0) for name, kind in zip("abcdefghijkl", types, strict=True)
    ]
    found = measure_table(Table("t", tuple(columns), ()), run, DUCKDB)
    assert [column.profile for column in found.columns] == [
        ColumnProfile(0, 3, -1, 5, 3, 0, 0, 1, 1),
        ColumnProfile(1, 2, -2.25, 1.5, 0, 2, 0, 1, 0),
        ColumnProfile(0, 3, "12.5", "x", 0, 0, 3, 0, 0),
        ColumnProfile(1, 2, "1999-12-31", "2020-01-02", 0, 0, 0, 0, 0),
        ColumnProfile(0, 2, 0, 1, 3, 0, 0, 0, 2),
        ColumnProfile(0, 3, -1.0, None, 0, 3, 0, 1, 1),
        ColumnProfile(0, 2, "high", "low", 0, 0, 3, 0, 0),
        ColumnProfile(1, 2, None, None, 0, 0, 0, 0, 0),
        ColumnProfile(0, 2, 0, 7, 3, 0, 0, 0, 1),
        ColumnProfile(0, 2, "09:00:00", "10:30:00", 0, 0, 0, 0, 0),
        ColumnProfile(3, 0, None, None, 0, 0, 0, 0, 0),
        ColumnProfile(1, 2, 0, 5, 2, 0, 0, 0, 1),
    ]
    texts, days = found.columns[2], found.columns[3]
    assert (texts.dates, texts.numerals, texts.longest) == (1, 2, 10)
    assert days.dates == 2
