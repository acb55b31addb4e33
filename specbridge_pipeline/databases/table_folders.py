"""A folder of Parquet and CSV files as a database: one table for each file."""

from __future__ import annotations

from pathlib import Path

from specbridge_pipeline.errors import DatabaseUnavailableError

SUFFIXES = (".csv", ".parquet")

SNAPSHOT_FILE = "database.duckdb"
"""What the database made from a folder is called, in a folder of ours."""


def table_files(folder: Path) -> dict[str, Path]:
    """Return the data files of a folder; other files, hidden ones and subfolders do not count.

    Args:
        folder: The folder.

    Returns:
        The files by the names of their tables, which are the files' own without the suffix, in
        the order of the names; each file's path has no symbolic link left in it.

    Raises:
        DatabaseUnavailableError: If there are none, two would make one table, one lies outside
            the folder or is no regular file, or the folder cannot be read.
    """
    files: dict[str, Path] = {}
    try:
        root = folder.resolve(strict=True)
        for path in sorted(root.iterdir()):
            if path.suffix.lower() not in SUFFIXES or path.name.startswith("."):
                continue
            # The engine does not tell names apart by case.
            twin = next((name for name in files if name.lower() == path.stem.lower()), None)
            if twin is not None:
                raise _unavailable(
                    f"two files would make one table: {files[twin].name} and {path.name}",
                    folder,
                    "rename one of them",
                )
            file = path.resolve()
            if not file.is_relative_to(root):
                raise _unavailable(
                    f"{path.name} is a link that leaves the folder", folder, "put the file itself"
                )
            if not file.is_file():
                raise _unavailable(f"{path.name} is no regular file", folder, "remove or rename it")
            files[path.stem] = file
    except OSError as error:
        raise _unavailable(
            f"the folder cannot be read ({error.strerror})", folder, "correct the path"
        ) from None
    if not files:
        raise _unavailable(
            "the folder holds no Parquet or CSV file",
            folder,
            "name a folder of them, or a database file",
        )
    return files


def folder_stamp(folder: Path) -> str:
    """Return a text that changes when one of a folder's data files does.

    Args:
        folder: The folder.

    Returns:
        The text, for one machine and a short time.

    Raises:
        DatabaseUnavailableError: As `table_files`.
    """
    parts = []
    for name, file in table_files(folder).items():
        try:
            stat = file.stat()
        except OSError as error:
            raise _unavailable(
                f"{file.name} cannot be read ({error.strerror})", folder, "put it back"
            ) from None
        parts.append(f"{name}:{file.name}:{stat.st_size}:{stat.st_mtime_ns}:{stat.st_ino}")
    return "+".join(parts)


def _unavailable(what: str, folder: Path, advice: str) -> DatabaseUnavailableError:
    return DatabaseUnavailableError(what, where=str(folder), advice=advice)
