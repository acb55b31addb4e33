"""Groups of subcommands that are imported when they are used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LateGroup(click.Group):
    """A group that imports a subcommand when it is used, so that `--help` is quick.

    Args:
        package: The package of the subcommands' modules, each of which has a `command`.
        modules: The module of each subcommand and the line that `--help` says of it.
        options: As those of `click.Group`.
    """

    def __init__(
        self, *, package: str, modules: Mapping[str, tuple[str, str]], **options: Any
    ) -> None:
        super().__init__(**options)
        self._package = package
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the subcommands' names in the order in which they are shown."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand; None where there is none of the name."""
        if cmd_name not in self._modules:
            return None
        module = importlib.import_module(f"{self._package}.{self._modules[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands into the help text."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._modules.items()])
