"""The protocol by which long work tells how far it is, without knowing who listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Task(Protocol):
    """One piece of long work that is under way."""

    def advance(self, count: int = 1) -> None:
        """Say that `count` more units are done."""


class Progress(Protocol):
    """Receives the progress of long work."""

    def task(self, description: str, total: int) -> AbstractContextManager[Task]:
        """Open a task of `total` units; leaving the context closes it."""


class _SilentTask:
    def advance(self, count: int = 1) -> None:
        pass


class SilentProgress:
    """Progress that nobody listens to."""

    @contextmanager
    def task(self, description: str, total: int) -> Iterator[Task]:
        """Open a task that reports to nobody."""
        yield _SilentTask()
