"""How a worker says that a query or a file failed."""

from __future__ import annotations

from pathlib import Path

from specbridge_pipeline.databases.frames import Message
from specbridge_pipeline.databases.limits import Limits
from specbridge_pipeline.databases.results import FailureKind

_LONGEST_MESSAGE = 500


class StopError(Exception):
    """Ends a query with a failure whose kind is known where it is found.

    Args:
        kind: The kind.
        message: Words for it; never a path.
    """

    def __init__(self, kind: FailureKind, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(message)


def failure_reply(failure: StopError) -> Message:
    """Return the reply that tells the parent of a failure."""
    return {"reply": "failure", "kind": failure.kind.value, "message": failure.message}


def out_of_time(limits: Limits) -> StopError:
    """Return the failure of a query that reached the deadline."""
    return StopError(FailureKind.TIMEOUT, f"it ran longer than {limits.seconds:g} s")


def out_of_memory(limits: Limits) -> StopError:
    """Return the failure of a query that needed more memory than it may have."""
    return StopError(
        FailureKind.TOO_MANY_BYTES,
        f"it needs more than {limits.memory} bytes of memory, "
        f"or a single value of more than {limits.bytes} bytes",
    )


def not_unicode() -> StopError:
    """Return the failure of a statement that no engine can take."""
    return StopError(FailureKind.ERROR, "the statement holds characters that are no valid Unicode")


def require_length(sql: str, limits: Limits) -> None:
    """Refuse a statement that is too long.

    Raises:
        StopError: If it is.
        UnicodeEncodeError: If it holds a lone surrogate.
    """
    if len(sql.encode()) > limits.sql_bytes:
        raise StopError(
            FailureKind.REFUSED, f"the statement is longer than {limits.sql_bytes} bytes"
        )


def words(error: Exception, path: Path) -> str:
    """Return an error's own words, short and without the database's path.

    Args:
        error: The error.
        path: The database.

    Returns:
        Its message.
    """
    return shortened(
        str(error).replace(str(path), "the database").replace(str(path.parent), "the folder")
    )


def shortened(message: str) -> str:
    """Return a message that is not longer than a reader would want."""
    return message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"
