"""Copies of a SQLite database with the same rows in another order and without indexes.

A query that determines its result gives the same one on a copy. One that does not may show it
there: without indexes and keys, rows come in the order in which they were written. Files of other
engines are not copied.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import apsw

from specbridge_pipeline.databases.sqlite_contents import quoted
from specbridge_pipeline.databases.sqlite_guards import is_virtual, read_only

_ROWS_AT_ONCE = 10_000


def write_shuffled_copy(source: Path, target: Path, *, seed: int) -> None:
    """Write a copy of a database whose tables have their rows in another order.

    The columns keep names, declared types and collations, so that values compare as before. Keys,
    constraints, indexes, defaults, triggers and virtual tables are left out, views stay, and a
    column that the engine computes holds its values. A row has another `rowid`.

    Args:
        source: The database file; it is only read.
        target: Where to write the copy; there must be no file yet.
        seed: Which order; the same seed gives the same copy.

    Raises:
        DatabaseUnavailableError: The source cannot be opened.
        FileExistsError: There is a file at the target.
    """
    if target.exists():
        raise FileExistsError(f"{target}: a shuffled copy would replace a file")
    chance = random.Random(seed)
    with read_only(source) as original:
        copy = apsw.Connection(str(target))
        try:
            copy.pragma("journal_mode", "off")
            copy.pragma("synchronous", "off")
            with copy:
                for name, strict in _tables(original):
                    _copy_table(original, copy, name, strict, chance)
                for (statement,) in original.execute(
                    "SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY rowid"
                ):
                    copy.execute(statement)
        finally:
            copy.close()


def _tables(connection: apsw.Connection) -> Iterator[tuple[str, bool]]:
    """Yield the names of the tables in the order in which they were made, and which are strict."""
    strict = {
        row[0]
        for row in connection.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict"
        )
    }
    for name, statement in connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"
    ):
        if not name.startswith("sqlite_") and not is_virtual(statement):
            yield name, name in strict


def _copy_table(
    original: apsw.Connection,
    copy: apsw.Connection,
    name: str,
    strict: bool,
    chance: random.Random,
) -> None:
    columns = [
        column
        for column, hidden in original.execute(
            "SELECT name, hidden FROM pragma_table_xinfo(?)", (name,)
        )
        # 1 is a hidden column of a virtual table; 2 and 3 are computed ones, which hold values.
        if hidden != 1
    ]
    declared = []
    for column in columns:
        kind, collation, *_ = original.column_metadata("main", name, column)
        declared.append(f"{quoted(column)} {kind or ''} COLLATE {quoted(collation)}")
    table = quoted(name)
    copy.execute(f"CREATE TABLE {table} ({', '.join(declared)}){' STRICT' if strict else ''}")
    listed = ", ".join(map(quoted, columns))
    rows = list(original.execute(f"SELECT {listed} FROM {table}"))
    chance.shuffle(rows)
    places = ", ".join("?" * len(columns))
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        copy.executemany(
            f"INSERT INTO {table} VALUES ({places})", rows[start : start + _ROWS_AT_ONCE]
        )
