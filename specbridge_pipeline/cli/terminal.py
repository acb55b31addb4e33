"""What the subcommands share: the project, tables, JSON, progress bars."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from specbridge_pipeline.progress import Progress, SilentProgress, Task
from specbridge_pipeline.settings import Project, find_project


def project_of(context: click.Context) -> Project:
    """Return the project that the command is used on.

    Raises:
        ConfigurationError: The folder is no project.
    """
    return find_project(context.obj["project"])


def print_json(value: Any) -> None:
    """Print a value as JSON; NaN becomes null, which every reader understands."""
    click.echo(json.dumps(_without_nan(value), indent=2, ensure_ascii=False, default=str))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], title: str = "") -> None:
    """Print a table that fits the terminal; wide ones wrap inside their cells."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    for index, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=index == 0 and len(columns) > 2)
    for row in rows:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(table)


class TerminalProgress:
    """Progress bars with counts on stderr; nothing where stderr is no terminal."""

    @contextmanager
    def task(self, description: str, total: int) -> Iterator[Task]:
        """Open a task; its bar goes away when it is done."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        ) as bars:
            yield _Bar(bars, bars.add_task(description, total=total))


class _Bar:
    def __init__(self, bars: Any, task: Any) -> None:
        self._bars = bars
        self._task = task

    def advance(self, count: int = 1) -> None:
        """Say that `count` more units are done."""
        self._bars.advance(self._task, count)


def progress() -> Progress:
    """Return bars where somebody watches, silence elsewhere."""
    return TerminalProgress() if sys.stderr.isatty() else SilentProgress()


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value
