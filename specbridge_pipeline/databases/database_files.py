"""The database files below folders: all of them, or those of some databases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def named_database_files(folders: Iterable[Path], names: Sequence[str]) -> dict[str, Path]:
    """Find the files of some databases.

    Args:
        folders: Each holds ``<id>/<id>.sqlite`` for some of them; of two files the last counts.
        names: The databases' ids; an id may stand there more than once.

    Returns:
        Id → file, for the databases that are there.
    """
    found = {}
    for folder in folders:
        for name in dict.fromkeys(names):
            path = folder / name / f"{name}.sqlite"
            if path.is_file():
                found[name] = path
    return found
