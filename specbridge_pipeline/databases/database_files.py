"""The database files below a folder."""

from __future__ import annotations

from pathlib import Path

_ENDINGS = (".sqlite", ".sqlite3", ".db", ".duckdb")
_DEEPEST = 3


def database_files(folder: Path) -> list[Path]:
    """Find SQLite and DuckDB files by their endings, at most as deep as BENCHMARK/ID/ID.sqlite.

    Args:
        folder: Where to look.

    Returns:
        The files, sorted.
    """
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in _ENDINGS
        and path.is_file()
        and len(path.relative_to(folder).parts) <= _DEEPEST
    )
