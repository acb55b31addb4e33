"""Database files made from folders of data files, for workers that can read nothing else.

A folder is read once, by a process that runs nothing else, into a file in a folder of our own.
Queries then need no access to the folder at all, see it as it was at one moment, and a change of
its files makes another snapshot.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from specbridge_pipeline.databases.table_folders import (
    SNAPSHOT_FILE,
    folder_stamp,
    table_files,
)
from specbridge_pipeline.errors import DatabaseUnavailableError, WorkerError

_ATTEMPTS = 3


@dataclass(slots=True)
class _Snapshot:
    stamp: str
    folder: Path
    users: int = 0
    is_stale: bool = False


@dataclass(slots=True)
class _Place:
    """Where snapshots of one folder are made, one at a time."""

    making: threading.Lock = field(default_factory=threading.Lock)
    newest: _Snapshot | None = None


class FolderSnapshots:
    """The snapshots of one runner; any number of threads may use it.

    Args:
        load: Makes the file: called with a folder of ours and the data files by table.
    """

    def __init__(self, load: Callable[[Path, Mapping[str, Path]], None]) -> None:
        self._load = load
        self._changing = threading.Lock()
        self._places: dict[Path, _Place] = {}
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._closed = False

    @contextmanager
    def open(self, folder: Path) -> Iterator[Path]:
        """Lend a snapshot that holds what the folder's files hold now.

        Args:
            folder: The folder of data files.

        Yields:
            The database file; it stays while the context is not left.

        Raises:
            DatabaseUnavailableError: If the folder cannot be read, or does not stop changing.
            WorkerError: If workers fail, or the snapshots are closed.
        """
        snapshot = self._lend(folder.resolve())
        try:
            yield snapshot.folder / SNAPSHOT_FILE
        finally:
            with self._changing:
                snapshot.users -= 1
                unused = snapshot.is_stale and not snapshot.users
            if unused:
                shutil.rmtree(snapshot.folder, ignore_errors=True)

    def close(self) -> None:
        """Remove all snapshots."""
        with self._changing:
            self._closed = True
            home, self._home = self._home, None
        if home is not None:
            home.cleanup()

    def _lend(self, folder: Path) -> _Snapshot:
        with self._changing:
            place = self._places.setdefault(folder, _Place())
        with place.making:
            stamp = folder_stamp(folder)
            if place.newest is None or place.newest.stamp != stamp:
                made = self._make(folder)
                with self._changing:
                    older, place.newest = place.newest, made
                    if older is not None:
                        older.is_stale = True
                        unused = not older.users
                if older is not None and unused:
                    shutil.rmtree(older.folder, ignore_errors=True)
            with self._changing:
                place.newest.users += 1
                return place.newest

    def _make(self, folder: Path) -> _Snapshot:
        for _ in range(_ATTEMPTS):
            stamp = folder_stamp(folder)
            own = Path(tempfile.mkdtemp(dir=self._home_folder()))
            try:
                self._load(own, table_files(folder))
                if folder_stamp(folder) == stamp:
                    return _Snapshot(stamp, own)
            except BaseException:
                shutil.rmtree(own, ignore_errors=True)
                raise
            shutil.rmtree(own, ignore_errors=True)
        raise DatabaseUnavailableError(
            "the folder's files change while they are read",
            where=str(folder),
            advice="wait until whatever writes them is done",
        )

    def _home_folder(self) -> Path:
        with self._changing:
            if self._closed:
                raise WorkerError("the query runner is closed")
            if self._home is None:
                self._home = tempfile.TemporaryDirectory(
                    prefix="specbridge-", ignore_cleanup_errors=True
                )
            return Path(self._home.name)
