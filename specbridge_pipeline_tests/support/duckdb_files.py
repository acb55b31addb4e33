"""DuckDB files that a test makes from a script."""

from __future__ import annotations

from pathlib import Path

import duckdb


def make(path: Path, script: str) -> Path:
    """Run a script on a database file, which is made if need be; return the file."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(script)
    return path
