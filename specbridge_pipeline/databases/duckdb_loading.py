"""Reading a folder of Parquet and CSV files into a DuckDB file of ours.

For use inside a worker process that may write: it runs no statement but its own. Queries then run
on the file, in workers that can reach nothing else.
"""

from __future__ import annotations

import os
from pathlib import Path

import duckdb

from specbridge_pipeline.databases import duckdb_guards
from specbridge_pipeline.databases.failures import words
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.table_folders import SNAPSHOT_FILE
from specbridge_pipeline.errors import DatabaseUnavailableError

_READERS = {
    # The first line names the columns, and their types are found from all the lines.
    ".csv": "read_csv('{file}', header = true, sample_size = -1, hive_partitioning = false)",
    ".parquet": "read_parquet('{file}', hive_partitioning = false)",
}


def load(folder: Path, tables: list[list[str]], limits: Limits) -> None:
    """Make a database with one table for each data file.

    Args:
        folder: A folder of ours, where the database and all that making it needs are written.
        tables: Name and file of each table; the file's suffix tells how it is read.
        limits: What it may use.

    Raises:
        DatabaseUnavailableError: If a file cannot be read.
    """
    # Short relative names of our own: the engine takes a path for a pattern, and looks for
    # columns in the names of folders.
    os.chdir(folder)
    connection = duckdb.connect(
        SNAPSHOT_FILE,
        config={
            **duckdb_guards.OPTIONS,
            "memory_limit": duckdb_guards.memory_text(limits),
            "temp_directory": "spilled",
        },
    )
    try:
        connection.execute("SET TimeZone = 'UTC'")
        for place, (table, file) in enumerate(tables):
            suffix = Path(file).suffix.lower()
            link = Path(f"{place}{suffix}")
            link.symlink_to(file)
            source = _READERS[suffix].format(file=link)
            quoted = '"' + table.replace('"', '""') + '"'
            try:
                connection.execute(f"CREATE TABLE main.{quoted} AS SELECT * FROM {source}")
            except (duckdb.Error, UnicodeError) as error:
                raise DatabaseUnavailableError(
                    f"{table}{suffix} cannot be read: "
                    + words(error, link).split("\n", 1)[0].replace(str(folder), "the folder")
                ) from error
            link.unlink()
        connection.execute("CHECKPOINT")
    finally:
        connection.close()
