"""Makes registered databases available: builds samples, and knows each file's content hash."""

from __future__ import annotations

import json
from pathlib import Path

from filelock import FileLock

from specbridge_pipeline.databases.registry import Database
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.databases.samples import SAMPLES
from specbridge_pipeline.databases.samples.building import build_database
from specbridge_pipeline.databases.table_folders import folder_stamp
from specbridge_pipeline.errors import DatabaseUnavailableError
from specbridge_pipeline.records.files import write_text

_JOURNAL_SUFFIXES = ("-wal", ".wal")
"""What SQLite and DuckDB call the file beside a database that holds its newest rows."""


class DatabaseFiles:
    """The files and folders of the registered databases.

    Content hashes are remembered by each file's size and time of change, since reading a large
    database whole takes seconds.

    Args:
        memory: Where the hashes are remembered.
        runner: Reads databases.
    """

    def __init__(self, memory: Path, runner: QueryRunner) -> None:
        self._memory = memory
        self._runner = runner

    def ensure(self, database: Database) -> Path:
        """Return a database's file or folder, building it first where it is a sample.

        Raises:
            DatabaseUnavailableError: The file is missing and no sample, or its data package is.
        """
        path = database.path
        if path.exists():
            return path
        if database.entry.sample is None:
            file, line = database.registered_in
            raise DatabaseUnavailableError(
                f"the file of database '{database.id}' is gone: {database.entry.path}",
                where=f"{file}:{line}",
                advice="put it back or correct the path",
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f".{path.name}.lock")):
            if not path.exists():
                build_database(path, SAMPLES[database.entry.sample]())
        return path

    def content_hash(self, database: Database) -> str:
        """Return the content hash of a database.

        Raises:
            DatabaseUnavailableError: As `ensure`, or the file cannot be read as a database.
        """
        path = self.ensure(database)
        stamp = _stamp(path)
        remembered = self._recall().get(database.id)
        if remembered is not None and remembered[0] == stamp:
            return remembered[1]
        found = self._runner.content_hash(path)
        self._memory.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self._memory.with_name(f".{self._memory.name}.lock")):
            write_text(
                self._memory,
                json.dumps(
                    self._recall() | {database.id: [stamp, found]}, indent=1, sort_keys=True
                ),
            )
        return found

    def _recall(self) -> dict[str, list[str]]:
        try:
            values = json.loads(self._memory.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(values, dict):
            return {}
        return {name: pair for name, pair in values.items() if _is_pair_of_texts(pair)}


def _stamp(path: Path) -> str:
    """Return a text that changes when the database does, or the journal with its newest rows."""
    if path.is_dir():
        return folder_stamp(path)
    parts = []
    for file in (path, *(path.with_name(path.name + suffix) for suffix in _JOURNAL_SUFFIXES)):
        try:
            stat = file.stat()
        except FileNotFoundError:
            continue
        # Readers leave empty journals behind.
        if stat.st_size or file == path:
            parts.append(f"{stat.st_size}:{stat.st_mtime_ns}:{stat.st_ino}")
    return "+".join(parts)


def _is_pair_of_texts(value: object) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)
    )
