"""The response archive: every reply committed durably before anything uses it."""

from __future__ import annotations

import sqlite3
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, fields
from pathlib import Path
from types import TracebackType

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.language_models.requests import FIRST_ROUND, ModelReply, ModelRequest
from specbridge_pipeline.records.canonical import canonical_json
from specbridge_pipeline.records.processes import has_ended, this_process

CLAIM_SECONDS = 900.0
"""How long a process may hold the right to ask a request before others take it over."""

_MIGRATIONS = {
    "001_replies": """
        CREATE TABLE replies (
            key TEXT PRIMARY KEY,
            text TEXT NOT NULL,
            finish_reason TEXT NOT NULL,
            input_tokens INTEGER,
            output_tokens INTEGER,
            cost_usd REAL,
            latency_seconds REAL NOT NULL,
            raw TEXT NOT NULL,
            asked_at TEXT NOT NULL,
            model TEXT,
            round TEXT,
            request TEXT
        ) WITHOUT ROWID""",
    "002_claims": """
        CREATE TABLE claims (
            key TEXT PRIMARY KEY,
            owner TEXT NOT NULL,
            expires_at REAL NOT NULL
        ) WITHOUT ROWID""",
    "003_rounds": """
        CREATE TABLE rounds (
            subject TEXT NOT NULL,
            round TEXT NOT NULL,
            PRIMARY KEY (subject, round)
        ) WITHOUT ROWID""",
    "004_recordings": """
        CREATE TABLE recordings (digest TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID""",
}

_PATIENCE_SECONDS = 60
"""How long another process may hold the file."""
_FIELDS = tuple(field.name for field in fields(ModelReply))


class ResponseArchive:
    """Replies by the key of their request, in one SQLite file that several processes may share.

    Args:
        path: The file; made, with its folder, where it is missing.

    Raises:
        ConfigurationError: The file cannot be opened, or is something else.
    """

    def __init__(self, path: Path) -> None:
        # A killed process gives nothing back: its process id tells others that its claims are void.
        self._owner = f"{this_process()}:{uuid.uuid4().hex}"
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
            )
            _write_ahead(self._connection)
            # A reply was paid for: it must survive a power cut once put() has returned.
            self._connection.execute("PRAGMA synchronous = FULL")
            self._migrate()
        except (OSError, sqlite3.Error) as error:
            raise ConfigurationError(
                f"cannot be used as a response archive: {error}",
                path=path,
                advice="check its permissions, or move it away and import the recordings again",
            ) from error

    def __enter__(self) -> ResponseArchive:
        """Return the archive."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the archive."""
        self.close()

    def close(self) -> None:
        """Give up this process's claims and close the file."""
        with self._lock:
            self._connection.execute("DELETE FROM claims WHERE owner = ?", (self._owner,))
            self._connection.close()

    def get(self, key: str) -> ModelReply | None:
        """Return the reply to a request, or None where it was never given."""
        with self._lock:
            row = self._connection.execute(
                f"SELECT {', '.join(_FIELDS)} FROM replies WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else ModelReply(*row)

    def request_of(self, key: str) -> str | None:
        """Return the canonical JSON of a request, or None where only its key is known."""
        with self._lock:
            row = self._connection.execute(
                "SELECT request FROM replies WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else row[0]

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Return the keys without a reply, each once, in the order given."""
        return [key for key in dict.fromkeys(keys) if self.get(key) is None]

    def put(self, request: ModelRequest, reply: ModelReply) -> None:
        """Commit a reply and release the claim on its request."""
        with self._transaction():
            self._insert(reply, request.model, request.round, canonical_json(request.canonical()))
            self._connection.execute("DELETE FROM claims WHERE key = ?", (request.key,))

    def claim(self, key: str, *, seconds: float = CLAIM_SECONDS) -> bool:
        """Take the right to ask a request; False where it is answered or another holds it.

        A claim is void when it has expired, and when the process that made it on this machine has
        ended: after a kill, the next run need not wait.
        """
        now = time.time()
        with self._transaction():
            if self.get(key) is not None:
                return False
            holder = self._connection.execute(
                "SELECT owner FROM claims WHERE key = ?", (key,)
            ).fetchone()
            if holder is not None and has_ended(holder[0]):
                self._connection.execute("DELETE FROM claims WHERE key = ?", (key,))
            taken = self._connection.execute(
                "INSERT INTO claims VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE "
                "SET owner = excluded.owner, expires_at = excluded.expires_at "
                "WHERE claims.expires_at < ?",
                (key, self._owner, now + seconds, now),
            )
            return taken.rowcount == 1

    def renew(self, key: str, *, seconds: float = CLAIM_SECONDS) -> None:
        """Hold this process's claim for longer, so that none takes it over between attempts."""
        with self._transaction():
            self._connection.execute(
                "UPDATE claims SET expires_at = ? WHERE key = ? AND owner = ?",
                (time.time() + seconds, key, self._owner),
            )

    def release(self, key: str) -> None:
        """Give up this process's claim on a request that it could not get answered."""
        with self._transaction():
            self._connection.execute(
                "DELETE FROM claims WHERE key = ? AND owner = ?", (key, self._owner)
            )

    def claims(self) -> int:
        """Return the number of requests that are claimed and not answered."""
        with self._lock:
            count: int = self._connection.execute("SELECT count(*) FROM claims").fetchone()[0]
            return count

    def drop_claims(self) -> int:
        """Drop every claim, whoever holds it; for use when no run is under way.

        Returns:
            How many there were.
        """
        with self._transaction():
            return self._connection.execute("DELETE FROM claims").rowcount

    def open_round(self, subject: str, round: str) -> None:
        """Add a round of evaluation.

        Args:
            subject: What is asked again: edition, database and model, in the caller's spelling.
            round: The round's name.
        """
        with self._transaction():
            self._connection.execute("INSERT OR IGNORE INTO rounds VALUES (?, ?)", (subject, round))

    def rounds(self, subject: str) -> tuple[str, ...]:
        """Return the rounds of a subject in order; the first one always exists."""
        with self._lock:
            later = self._connection.execute(
                "SELECT round FROM rounds WHERE subject = ? ORDER BY round", (subject,)
            ).fetchall()
        return (FIRST_ROUND, *(row[0] for row in later if row[0] != FIRST_ROUND))

    def has_recording(self, digest: str) -> bool:
        """Whether a recording file with this SHA-256 was imported before."""
        with self._lock:
            return (
                self._connection.execute(
                    "SELECT 1 FROM recordings WHERE digest = ?", (digest,)
                ).fetchone()
                is not None
            )

    def add_recording(
        self,
        name: str,
        digest: str,
        rows: Iterable[tuple[ModelReply, str | None, str | None, str | None]],
    ) -> None:
        """Import the replies of a recording file in one transaction; what is here stays.

        Args:
            name: The file's name.
            digest: Its SHA-256.
            rows: Reply, model, round and canonical request (None where it did not ship).
        """
        with self._transaction():
            for reply, model, round, request in rows:
                self._insert(reply, model, round, request)
            self._connection.execute(
                "INSERT OR IGNORE INTO recordings VALUES (?, ?)", (digest, name)
            )

    def export(
        self, keys: Sequence[str]
    ) -> Iterator[tuple[ModelReply, str | None, str | None, str | None]]:
        """Yield the archived rows of the keys, in the order given."""
        columns = ", ".join((*_FIELDS, "model", "round", "request"))
        for key in keys:
            with self._lock:
                row = self._connection.execute(
                    f"SELECT {columns} FROM replies WHERE key = ?", (key,)
                ).fetchone()
            if row is not None:
                yield ModelReply(*row[: len(_FIELDS)]), *row[len(_FIELDS) :]

    def _insert(
        self, reply: ModelReply, model: str | None, round: str | None, request: str | None
    ) -> None:
        holes = ", ".join("?" * (len(_FIELDS) + 3))
        names = ", ".join((*_FIELDS, "model", "round", "request"))
        self._connection.execute(
            f"INSERT OR IGNORE INTO replies ({names}) VALUES ({holes})",
            (*astuple(reply), model, round, request),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _migrate(self) -> None:
        with self._transaction():
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) WITHOUT ROWID"
            )
            done = {row[0] for row in self._connection.execute("SELECT name FROM migrations")}
            for name, statement in sorted(_MIGRATIONS.items()):
                if name not in done:
                    self._connection.execute(statement)
                    self._connection.execute("INSERT INTO migrations VALUES (?)", (name,))


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch a file to the write-ahead log, which SQLite does not wait for by its own timeout."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)
        else:
            return
